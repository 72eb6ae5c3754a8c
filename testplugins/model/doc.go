// Package model holds the host to the data rules of abi/ABI.md: what lives, what becomes a
// tombstone, which cursors are committed and which gaps are open, after any run.
//
// The rules are written a second time here, from the page alone and as plainly as a few
// hundred lines can (source_test.go, rules_test.go, sweeps_test.go). A guest that plays random
// calls goes through the real host and a real store, SQLite and PostgreSQL, and after each run
// the store is compared with the rules (play_test.go). A sequence is made from its seed
// (sequence_test.go, calls_test.go); one that differs is made as short as it gets and printed.
//
// It knows no table of the store and nothing of how the host works. It is no test of what a
// provider does, of the boundary's checks of a message, or of detail lanes.
package model
