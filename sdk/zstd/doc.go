// Package zstd unpacks Zstandard ([RFC 8878]) as a stream, in memory that the window bounds.
//
// Here: Reader, which unpacks the frames of one input one after the other, and Error, which
// says where an input is damaged and of which kind the damage is; FS, which shows compressed
// files of a folder unpacked, for readers that seek. Not here: compression, dictionaries, and
// the formats from before version 1.0.
//
// In: an io.Reader. Out: the content, also that in front of a damaged place: what a block
// gives is given before the next block is looked at. A frame's checksum and the size that it
// declares are compared at its end.
//
// Every byte is untrusted. A Reader has the window of its frame in memory, as much of it as
// content came, one block of 128 KiB and its tables. A frame may declare a larger window than
// the Reader allows; it ends at the first match that begins further back.
//
// Only features that TinyGo compiles are used. frame.go has frames and their headers, block.go
// the blocks, literals.go and huffman.go their literals, sequence.go and fse.go what is copied,
// bits.go reads bits from behind, and checksum.go is xxHash.
//
// [RFC 8878]: https://www.rfc-editor.org/rfc/rfc8878
package zstd
