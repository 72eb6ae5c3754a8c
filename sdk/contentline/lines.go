package contentline

import (
	"bytes"
	"io"
)

// MaxBytes bounds one unfolded line. Longer ones (usually an attachment inlined as
// base64) are cut there and counted as oversized.
const MaxBytes = 256 << 10

// Reader reads the unfolded lines of a stream in memory that does not depend on the
// stream's length. Line ends are CRLF or LF. Unfolding joins bytes, so a code point that
// a fold splits is whole again.
type Reader struct {
	Oversized int   // lines cut at MaxBytes
	Err       error // why the stream ended early

	r        io.Reader
	buf      []byte
	pos, end int
	read     int64 // bytes taken from r
	line     []byte
}

// NewReader returns a Reader of r that uses buf, which has some length.
func NewReader(r io.Reader, buf []byte) *Reader { return &Reader{r: r, buf: buf} }

// Next returns the next non-empty line, valid until the next call, or nil at the end or
// at a read error, which is then in Err.
func (l *Reader) Next() []byte {
	for {
		l.line = l.line[:0]
		first := l.read == 0
		if !l.fill() {
			return nil
		}
		cut := false
		for {
			cut = !l.physical() || cut
			if !l.fill() || (l.buf[l.pos] != ' ' && l.buf[l.pos] != '\t') {
				break
			}
			l.pos++
		}
		if l.Err != nil {
			return nil
		}
		if cut {
			l.Oversized++
		}
		line := l.line
		if first {
			line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
		}
		if len(line) > 0 {
			return line
		}
	}
}

// physical appends one line without its end and reports whether all of it fit.
func (l *Reader) physical() bool {
	from, fits := len(l.line), true
	for l.fill() {
		part := l.buf[l.pos:l.end]
		n := bytes.IndexByte(part, '\n')
		if n >= 0 {
			part = part[:n]
		}
		l.pos += len(part)
		if room := MaxBytes - len(l.line); len(part) > room {
			part, fits = part[:room], false
		}
		l.line = append(l.line, part...)
		if n >= 0 {
			l.pos++
			break
		}
	}
	if n := len(l.line); n > from && fits && l.line[n-1] == '\r' {
		l.line = l.line[:n-1]
	}
	return fits
}

// fill makes at least one byte available and reports whether there is one.
func (l *Reader) fill() bool {
	for l.pos == l.end {
		if l.Err != nil || l.r == nil {
			return false
		}
		n, err := l.r.Read(l.buf)
		l.pos, l.end = 0, n
		l.read += int64(n)
		if err != nil {
			l.r = nil
			if err != io.EOF {
				l.Err = err
			}
		}
	}
	return true
}
