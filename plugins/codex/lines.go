package main

import (
	"bytes"
	"io"
)

// maxLineBytes is the longest line that is parsed. A longer one is counted and skipped
// without being buffered.
const maxLineBytes = 8 << 20

// lines reads the complete lines of a file in memory bounded by maxLineBytes. It leaves
// bytes behind the last line feed alone.
type lines struct {
	r         io.Reader
	buf       []byte
	pos, end  int
	left      int64 // of the size that the file had when it was listed
	start     int64 // offset of the current line
	next      int64 // offset behind it
	oversized bool  // the current line was too long: it is empty
	err       error
}

// reset starts at offset of a file that is size bytes long; r is at that offset.
func (l *lines) reset(r io.Reader, offset, size int64) {
	if l.buf == nil {
		l.buf = make([]byte, 128<<10)
	}
	*l = lines{r: r, buf: l.buf, left: size - offset, start: offset, next: offset}
}

// line returns the next complete line without its line feed, valid until the next call.
// It reports false at the end or on an error, which is then in err.
func (l *lines) line() ([]byte, bool) {
	look, skipped := 0, int64(0)
	for {
		if i := bytes.IndexByte(l.buf[l.pos+look:l.end], '\n'); i >= 0 {
			line := l.buf[l.pos : l.pos+look+i]
			l.pos += look + i + 1
			l.start, l.next = l.next, l.next+skipped+int64(len(line))+1
			if l.oversized = skipped > 0 || len(line) > maxLineBytes; l.oversized {
				line = nil
			}
			return line, true
		}
		look = l.end - l.pos
		if look > maxLineBytes {
			skipped += int64(look)
			l.pos, look = l.end, 0
		}
		if !l.fill() {
			return nil, false
		}
	}
}

func (l *lines) fill() bool {
	if l.pos > 0 {
		l.end = copy(l.buf, l.buf[l.pos:l.end])
		l.pos = 0
	}
	if l.end == len(l.buf) {
		grown := make([]byte, 2*len(l.buf))
		copy(grown, l.buf)
		l.buf = grown
	}
	if l.left <= 0 {
		return false // bytes appended meanwhile are for the next run
	}
	n, err := l.r.Read(l.buf[l.end:min(int64(len(l.buf)), int64(l.end)+l.left)])
	l.end += n
	l.left -= int64(n)
	if n > 0 {
		return true
	}
	if err == nil {
		err = io.ErrNoProgress
	}
	if err != io.EOF {
		l.err = err
	}
	return false
}
