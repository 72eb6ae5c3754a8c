package main

import (
	"bytes"
	"io"

	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// inLines reports whether a file has one activity a line, as programs write that turn lists into lines.
func (r *run) inLines(head []byte) bool {
	first, _, _ := bytes.Cut(bytes.TrimLeft(head, " \t\r\n"), []byte("\n"))
	v, err := r.doc.Parse(bytes.TrimSpace(first))
	return err == nil && v.Kind() == jsonvalue.Object && isActivity(v)
}

// lineList makes a list of values that stand one a line: no line feed stands within a value.
type lineList struct {
	in    io.Reader
	buf   []byte
	held  []byte // read, and not given yet
	begun bool   // something was given
	ended bool   // a line
	last  byte   // that was given and is no blank
	err   error
}

const (
	lineRoom   = 32 << 10
	mostBehind = 2 // bytes that are given beside one that was read
)

func newLineList(in io.Reader) *lineList { return &lineList{in: in, buf: make([]byte, lineRoom)} }

// Read implements io.Reader.
func (l *lineList) Read(p []byte) (n int, err error) {
	if len(l.held) == 0 && l.err == nil {
		var got int
		got, l.err = l.in.Read(l.buf)
		l.held = l.buf[:got]
	}
	for len(p)-n >= mostBehind && len(l.held) > 0 {
		c := l.held[0]
		l.held = l.held[1:]
		switch c {
		case '\n':
			l.ended = l.begun
		case ' ', '\t', '\r':
		default:
			if !l.begun {
				p[n] = '['
				n++
			} else if l.ended {
				p[n] = ','
				n++
			}
			l.begun, l.ended, l.last = true, false, c
		}
		p[n] = c
		n++
	}
	switch {
	case len(l.held) > 0 || l.err == nil || n > 0:
		return n, nil
	case l.err == io.EOF && l.last == '}' && len(p) > 0: //nolint:errorlint // readers return io.EOF itself
		p[0], l.last = ']', 0
		return 1, nil
	}
	return 0, l.err
}
