package main

import (
	"fmt"
	"strings"
	"testing"
	"testing/iotest"
)

func unfolded(text string, size int) []string {
	var out []string
	l := newLines(strings.NewReader(text), make([]byte, size))
	for line := l.next(); line != nil; line = l.next() {
		out = append(out, string(line))
	}
	return out
}

func TestUnfold(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ in, want string }{
		{"A:1\r\nB:2\r\n", `["A:1" "B:2"]`},
		{"A:1\nB:2", `["A:1" "B:2"]`},
		{"DESCRIPTION:This is a lo\r\n ng description\r\n  that exists on a long line.\r\nX:y\r\n", `["DESCRIPTION:This is a long description that exists on a long line." "X:y"]`},
		{"A:tab\n\tbed\n\n\r\nB:after blanks\n", `["A:tabbed" "B:after blanks"]`},
		{"\xef\xbb\xbfBEGIN:VCALENDAR\r\n", `["BEGIN:VCALENDAR"]`},
		{"S:caf\xc3\r\n \xa9 \xf0\x9f\r\n \x8e\x82\r\n", `["S:café 🎂"]`}, // a fold inside a code point
		{"A:one\r\r\nB:2\r\n", `["A:one\r" "B:2"]`},
		{"A:folded at the end\r\n ", `["A:folded at the end"]`},
		{"", `[]`},
	} {
		for _, size := range []int{1, 2, 3, 7, 4096} {
			if got := fmt.Sprintf("%q", unfolded(c.in, size)); got != c.want {
				t.Errorf("%q in steps of %d:\n got %s\nwant %s", c.in, size, got, c.want)
			}
		}
	}
}

func TestUnfoldBoundsALine(t *testing.T) {
	t.Parallel()
	text := "ATTACH:" + strings.Repeat("QUJD", maxLineBytes) + "\r\n " + strings.Repeat("x", 100) + "\r\nSUMMARY:after\r\n"
	l := newLines(strings.NewReader(text), make([]byte, 4096))
	if got := len(l.next()); got != maxLineBytes {
		t.Errorf("%d bytes, want %d", got, maxLineBytes)
	}
	if got := string(l.next()); got != "SUMMARY:after" || l.oversized != 1 {
		t.Errorf("%q, %d oversized, want SUMMARY:after and 1", got, l.oversized)
	}
}

func TestUnfoldReadError(t *testing.T) {
	t.Parallel()
	l := newLines(iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader("A:1\r\nB:2\r\n"))), make([]byte, 8))
	for l.next() != nil {
	}
	if l.err == nil {
		t.Fatal("the error is lost")
	}
}
