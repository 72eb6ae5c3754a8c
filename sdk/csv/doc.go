// Package csv reads comma-separated values (RFC 4180) row by row, by the names in the
// first row.
//
// Here: Reader. Not here: other separators, and what a value means.
//
// In: a stream that nobody vouches for. Out: texts that are valid UTF-8, kept as long as the
// caller keeps them. A quote within a field that is not quoted stands for itself. Memory is
// one row, at most RowBytes: a longer one is counted and left out. The standard library's
// reader bounds neither a field nor a row, and its errors would link fmt into a guest.
package csv
