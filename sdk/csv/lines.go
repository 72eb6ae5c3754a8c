package csv

import (
	"bytes"
	"io"
)

// maxWork bounds the bytes that are read a second time, behind quotes that never close. Beyond it a
// field ends with its line.
const maxWork = 64 * RowBytes

// lines gives the lines of a text, and takes those back that turn out to be rows of their own.
type lines struct {
	in    io.Reader
	buf   []byte
	held  []byte
	next  []byte // behind held
	inErr error

	separator byte
	bare      bool // a carriage return ends a line

	raw         []byte // of the row at hand, as it stands
	first, last int    // where its second line begins, and its last one
	ended       bool   // a line feed ended the last one
	cut         bool   // the last one is longer than a row may be, and was left out
	number      int64  // of the next line
	work        int
	err         error
}

// begin looks at the first line: how lines end, and what separates fields. Zero bytes in front of it
// are a block that was never written.
func (l *lines) begin() {
	l.separator, l.number = ',', 1
	const window = 32 << 10
	for len(l.held) < window && l.inErr == nil {
		l.hold()
	}
	l.held = bytes.TrimPrefix(bytes.TrimLeft(l.held, "\x00"), []byte("\xef\xbb\xbf"))
	head := l.held
	if i := bytes.IndexByte(head, '\n'); i >= 0 {
		head = head[:i]
	}
	head = bytes.TrimSuffix(head, []byte("\r"))
	if i := outside(head, '\r', 1); i > 0 {
		l.bare, head = true, head[:i-1]
	}
	if name := []byte("sep="); bytes.HasPrefix(head, name) && len(head) == len(name)+1 { // as Excel writes it
		l.separator = head[len(name)]
		l.held = l.held[min(len(head)+1, len(l.held)):]
		l.held = bytes.TrimPrefix(l.held, []byte("\n"))
		l.number++
		return
	}
	most := outside(head, ',', -1)
	for _, c := range []byte{';', '\t'} {
		if n := outside(head, c, -1); n > most {
			l.separator, most = c, n
		}
	}
}

// outside counts a byte outside of quotes; with nth above 0 it returns the place behind the nth, 0
// for none.
func outside(line []byte, of byte, nth int) (n int) {
	quoted := false
	for i, c := range line {
		switch {
		case c == '"':
			quoted = !quoted
		case !quoted && c == of:
			if n++; n == nth {
				return i + 1
			}
		}
	}
	if nth > 0 {
		return 0
	}
	return n
}

// hold reads on behind what is held.
func (l *lines) hold() {
	var n int
	n, l.inErr = l.in.Read(l.buf)
	l.held = append(l.held[:len(l.held):len(l.held)], l.buf[:n]...)
}

// atEnd reports whether nothing follows.
func (l *lines) atEnd() bool { return !l.fill() && l.inErr == io.EOF } //nolint:errorlint // io.EOF is never wrapped

func (l *lines) fill() bool {
	for len(l.held) == 0 {
		if len(l.next) > 0 {
			l.held, l.next = l.next, nil
			return true
		}
		if l.inErr != nil {
			return false
		}
		var n int
		n, l.inErr = l.in.Read(l.buf)
		l.held = l.buf[:n]
	}
	return true
}

// line goes to the next line, the first of a row, and reports whether there is one.
func (l *lines) line() bool {
	l.raw = l.raw[:0]
	ok := l.more()
	l.first, l.last = len(l.raw), 0
	return ok
}

// more adds the next line to the row.
func (l *lines) more() bool {
	l.last, l.cut, l.ended = len(l.raw), false, false
	if !l.fill() {
		if l.inErr != io.EOF { //nolint:errorlint // io.EOF is never wrapped
			l.err = l.inErr
		}
		return false
	}
	for l.fill() && !l.ended {
		end := bytes.IndexByte(l.held, '\n')
		if l.bare {
			if cr := bytes.IndexByte(l.held, '\r'); cr >= 0 && (end < 0 || cr < end) {
				end = cr
			}
		}
		if l.ended = end >= 0; !l.ended {
			end = len(l.held) - 1
		}
		if l.cut = l.cut || len(l.raw)-l.last+end > RowBytes; !l.cut {
			l.raw = append(l.raw, l.held[:end+1]...)
		}
		l.held = l.held[end+1:]
	}
	if l.cut {
		l.raw = l.raw[:l.last]
	}
	if l.inErr != nil && l.inErr != io.EOF && !l.ended { //nolint:errorlint // io.EOF is never wrapped
		l.err = l.inErr
		return false
	}
	l.number++
	return true
}

// unread gives back the lines of the row behind its first one.
func (l *lines) unread() {
	back := l.raw[l.first:]
	if len(back) == 0 {
		return
	}
	ends := bytes.Count(back, []byte("\n"))
	if l.bare {
		ends += bytes.Count(back, []byte("\r"))
	}
	if end := back[len(back)-1]; end != '\n' && (end != '\r' || !l.bare) { // the text's last line
		ends++
	}
	l.number -= int64(ends)
	l.work += len(back)
	if len(l.next) == 0 {
		l.held, l.next = bytes.Clone(back), l.held
		return
	}
	l.work += len(l.held)
	l.held = append(bytes.Clone(back), l.held...)
}
