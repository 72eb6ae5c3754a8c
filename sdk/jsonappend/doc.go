// Package jsonappend writes JSON by appending to a byte slice.
//
// Here: one function per kind of value, and the commas between members. Not here:
// reading (package jsonvalue) and the shape of a record (package sdk). The output is
// valid JSON in valid UTF-8 for any input: every byte that is not part of a valid
// encoding becomes U+FFFD, because the host refuses invalid UTF-8 and one bad byte in a
// file must not end a run.
//
// No function keeps or changes its argument; all are safe for concurrent use on
// different slices. No function fails.
package jsonappend
