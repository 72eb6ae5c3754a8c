// Package jsonraw reads JSON in place: one pass over a text of which most is not wanted, such
// as a line of a log with megabytes of output in it.
//
// Here: Reader, which steps over values and hands out the text of those that are wanted,
// Clipper, which decodes the beginning of such text and counts the rest, and Salvage, which finds
// the objects in a line that is damaged. Package jsonvalue is
// for everything else: it checks the whole text and finds members by name.
//
// In: one JSON text. Out: parts of it, and valid UTF-8. The structure of RFC 8259 is checked,
// but not the inside of strings and numbers: a string ends at its quote, whatever escapes and
// control characters it has, and Clipper makes valid text of it. Both are loops, not
// recursions: a guest may have a stack of 64 KiB.
package jsonraw
