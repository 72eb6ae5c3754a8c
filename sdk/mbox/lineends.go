package mbox

import "io"

// lineEnds gives a mailbox whose first line ends with CR, as old programs of the Mac wrote them, with LF instead. It
// leaves a CR in front of LF as it is.
type lineEnds struct {
	in          io.Reader
	known, only bool // the first line has ended; with CR
	held        bool // a CR was read of which it is not known what follows
}

// Read implements io.Reader.
func (l *lineEnds) Read(p []byte) (n int, err error) {
	if l.known && !l.only || len(p) == 0 {
		return l.in.Read(p)
	}
	from := 0
	if l.held {
		p[0], from, l.held = '\r', 1, false
	}
	n, err = l.in.Read(p[from:])
	n += from
	for i := 0; i < n && (!l.known || l.only); i++ {
		switch {
		case p[i] == '\n':
			l.known = true
		case p[i] != '\r':
		case i+1 == n && err == nil:
			l.held = true
			return i, nil
		case i+1 < n && p[i+1] == '\n':
			l.known = true
			i++
		default:
			l.known, l.only = true, true
			p[i] = '\n'
		}
	}
	return n, err
}
