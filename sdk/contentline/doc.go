// Package contentline reads the lines that iCalendar (RFC 5545) and vCard (RFC 6350) are made
// of: Reader unfolds them, and Line takes one apart into its name, its parameters and its
// value. Unescape, Each and Upper read values.
//
// In: a stream. Out: lines that are valid until the next one. Not here: components, and what
// a property means. Every byte is untrusted; a line takes at most MaxBytes.
package contentline
