// Package fingerprint makes the short sums by which a connector's cursor recognises a
// record that it has emitted before. In: a record's bytes. Out: a number that is kept
// in cursors, so it never changes for the same bytes.
package fingerprint
