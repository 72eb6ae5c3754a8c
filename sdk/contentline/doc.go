// Package contentline reads the lines that iCalendar (RFC 5545), vCalendar 1.0 and vCard (RFC
// 6350) are made of: Reader unfolds them, and Line takes one apart into its name, its parameters
// and its value. Decode, Unescape, Each and Upper read values.
//
// It reads what programs write, and not only what the standards allow: any line end, blanks
// around lines and names, quoted-printable text, UTF-16, and text in another code page. The
// section on iCalendar in docs/formats.md has the source of each rule.
//
// In: a stream. Out: lines in UTF-8 that are valid until the next one. Not here: components, and
// what a property means. Every byte is untrusted; a line takes at most MaxBytes in its file.
package contentline
