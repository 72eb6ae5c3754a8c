package main

import (
	"bytes"
	"io"
)

// maxLineBytes bounds one unfolded line. Longer ones (usually an attachment inlined as
// base64) are cut there and counted as oversized.
const maxLineBytes = 256 << 10

// lines reads the unfolded content lines of a stream (RFC 5545, section 3.1) in
// memory that does not depend on the stream's length. Line ends are CRLF or LF.
// Unfolding joins bytes, so a code point that a fold splits is whole again.
type lines struct {
	r         io.Reader
	buf       []byte
	pos, end  int
	read      int64 // bytes taken from r
	line      []byte
	oversized int // lines cut at maxLineBytes
	err       error
}

func newLines(r io.Reader, buf []byte) *lines { return &lines{r: r, buf: buf} }

// next returns the next non-empty line, valid until the next call, or nil at the end or
// at a read error, which is then in err.
func (l *lines) next() []byte {
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
		if l.err != nil {
			return nil
		}
		if cut {
			l.oversized++
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
func (l *lines) physical() bool {
	from, fits := len(l.line), true
	for l.fill() {
		part := l.buf[l.pos:l.end]
		n := bytes.IndexByte(part, '\n')
		if n >= 0 {
			part = part[:n]
		}
		l.pos += len(part)
		if room := maxLineBytes - len(l.line); len(part) > room {
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
func (l *lines) fill() bool {
	for l.pos == l.end {
		if l.err != nil || l.r == nil {
			return false
		}
		n, err := l.r.Read(l.buf)
		l.pos, l.end = 0, n
		l.read += int64(n)
		if err != nil {
			l.r = nil
			if err != io.EOF {
				l.err = err
			}
		}
	}
	return true
}
