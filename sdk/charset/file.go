package charset

import (
	"bytes"
	"io"

	"github.com/pdpp-host/pdpp-host/sdk/clip"
)

// File returns the text of a file as UTF-8, as a Reader reads it, and how many bytes were taken for
// Windows-1252. With whole false b is the file's beginning, and a character that its end cuts is left out.
func File(b []byte, whole bool) (text string, taken int64) {
	encoding, mark := sniff(b)
	switch {
	case whole:
	case encoding == UTF8:
		b = clip.Whole(b)
	default:
		b = wholeUnits(b, mark, encoding)
	}
	r := New(bytes.NewReader(b))
	out, _ := io.ReadAll(r) // memory has no errors
	return string(out), r.Taken()
}

// wholeUnits drops half a unit of UTF-16, and half a pair of them, from the end of b.
func wholeUnits(b []byte, mark int, encoding string) []byte {
	b = b[:len(b)&^1]
	if len(b) < mark+2 {
		return b
	}
	high := b[len(b)-2]
	if encoding == UTF16LE {
		high = b[len(b)-1]
	}
	if high >= 0xd8 && high < 0xdc { // the first of a pair
		b = b[:len(b)-2]
	}
	return b
}
