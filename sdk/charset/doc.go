// Package charset turns text that somebody else wrote into UTF-8, and says what it took it for.
//
// Here: Reader, for a stream (reader.go); Text, for one text (text.go); File, for a file that is in memory
// (file.go); Decode, for a text whose
// encoding is declared (declared.go), by the code pages of pages.go. Not here: the encodings of
// East Asia, whose tables are larger than a connector.
//
// In: bytes in UTF-8, in UTF-16 with or without a byte order mark, or in Windows-1252. Out: valid
// UTF-8 without a byte order mark.
//
// Valid UTF-8 passes as it is. A byte that is not valid there becomes its character of
// Windows-1252, as the WHATWG's encoding standard defines it, and is counted: the replacement
// character would lose what stood there, and hide that anything did.
package charset
