// Package csv reads comma-separated values (RFC 4180) row by row, by the names in the
// first row, or by numbers where Nameless finds that it has none.
//
// Here: Reader (reader.go), the lines of a text (lines.go) and the fields of a row (scan.go). Not
// here: what a value means.
//
// In: a stream that nobody vouches for. Out: texts that are valid UTF-8, kept as long as the
// caller keeps them. The first line says what separates fields and how lines end. A damaged row
// costs itself: of a quote that is never closed, the line; docs/formats.md has the rules. Memory is
// one row, at most RowBytes: a longer one is counted and left out. The standard library's
// reader bounds neither a field nor a row, and its errors would link fmt into a guest.
package csv
