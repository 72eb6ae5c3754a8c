package charset

import (
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// The encodings of a Reader.
const (
	UTF8    = "UTF-8"
	UTF16LE = "UTF-16LE"
	UTF16BE = "UTF-16BE"
)

// readBytes is how much a Reader reads at once.
const readBytes = 32 << 10

// Reader reads a stream as UTF-8.
type Reader struct {
	in       io.Reader
	encoding string // "" before the first bytes came
	asIs     bool   // what is no UTF-16 passes undecoded
	taken    int64
	raw      []byte // of in: not decoded yet
	out      []byte // decoded, not read yet
	buf, dec []byte // the room of both
	err      error
}

// New returns a reader of a stream that nobody declared the encoding of.
func New(in io.Reader) *Reader { return &Reader{in: in, buf: make([]byte, readBytes)} }

// NewUTF16 returns a reader that decodes UTF-16 alone: any other stream passes as it is, without
// its mark. It is for formats whose lines are decoded one by one, because a line names its
// encoding, or is cut within a character.
func NewUTF16(in io.Reader) *Reader {
	r := New(in)
	r.asIs = true
	return r
}

// Encoding returns what the stream was taken for, "" before the first Read.
func (r *Reader) Encoding() string { return r.encoding }

// Taken returns how many bytes were no UTF-8, and were taken for Windows-1252.
func (r *Reader) Taken() int64 { return r.taken }

// Read reads UTF-8. A character that the stream's end cuts is taken for Windows-1252, too.
func (r *Reader) Read(p []byte) (int, error) {
	for len(r.out) == 0 {
		if r.err != nil && len(r.raw) == 0 {
			return 0, r.err
		}
		r.fill()
	}
	n := copy(p, r.out)
	r.out = r.out[n:]
	return n, nil
}

// fill reads on, and decodes what is whole.
func (r *Reader) fill() {
	if r.err == nil {
		held := copy(r.buf, r.raw)
		var n int
		n, r.err = r.in.Read(r.buf[held:])
		r.raw = r.buf[:held+n]
	}
	ended := r.err != nil
	if r.encoding == "" {
		if len(r.raw) < 4 && !ended {
			return
		}
		var mark int
		r.encoding, mark = sniff(r.raw)
		r.raw = r.raw[mark:]
	}
	switch {
	case r.encoding != UTF8:
		r.utf16(ended)
	case r.asIs:
		r.out, r.raw = r.raw, nil
	default:
		r.utf8(ended)
	}
}

// sniff returns the encoding that the first bytes show, and the length of their byte order mark.
func sniff(b []byte) (encoding string, mark int) {
	at := func(i int) byte {
		if i < len(b) {
			return b[i]
		}
		return 0
	}
	switch {
	case at(0) == 0xef && at(1) == 0xbb && at(2) == 0xbf:
		return UTF8, 3
	case at(0) == 0xff && at(1) == 0xfe:
		return UTF16LE, 2
	case at(0) == 0xfe && at(1) == 0xff:
		return UTF16BE, 2
	case len(b) >= 4 && at(0) != 0 && at(1) == 0 && at(2) != 0 && at(3) == 0: // as JSON and tables begin: two characters of ASCII
		return UTF16LE, 0
	case len(b) >= 4 && at(0) == 0 && at(1) != 0 && at(2) == 0 && at(3) != 0:
		return UTF16BE, 0
	}
	return UTF8, 0
}

func (r *Reader) utf8(ended bool) {
	whole := len(r.raw)
	if !ended { // a character may go on in the next bytes
		for back := 1; back < utf8.UTFMax && back <= whole; back++ {
			if c := r.raw[whole-back]; utf8.RuneStart(c) {
				if c >= utf8.RuneSelf && !utf8.FullRune(r.raw[whole-back:]) {
					whole -= back
				}
				break
			}
		}
	}
	b := r.raw[:whole]
	r.raw = r.raw[whole:]
	if utf8.Valid(b) {
		r.out = append(r.dec[:0], b...)
	} else {
		var taken int
		r.out, taken = appendText(r.dec[:0], b)
		r.taken += int64(taken)
	}
	r.dec = r.out
}

func (r *Reader) utf16(ended bool) {
	r.out = r.dec[:0]
	unit := func(i int) rune {
		if r.encoding == UTF16LE {
			return rune(r.raw[i]) | rune(r.raw[i+1])<<8
		}
		return rune(r.raw[i])<<8 | rune(r.raw[i+1])
	}
	i := 0
	for i+1 < len(r.raw) {
		c, n := unit(i), 2
		if utf16.IsSurrogate(c) {
			if i+3 >= len(r.raw) && !ended {
				break
			}
			if i+3 < len(r.raw) {
				if pair := utf16.DecodeRune(c, unit(i+2)); pair != utf8.RuneError {
					c, n = pair, 4
				}
			}
			if n == 2 {
				c = '?' // half a pair is no character in any encoding
				r.taken++
			}
		}
		r.out = utf8.AppendRune(r.out, c)
		i += n
	}
	if r.raw = r.raw[i:]; ended && len(r.raw) > 0 {
		r.raw = nil // half a unit
		r.taken++
	}
	r.dec = r.out
}
