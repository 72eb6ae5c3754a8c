package contentline

import (
	"fmt"
	"strings"
	"testing"
	"testing/iotest"
)

func unfolded(text string, size int) []string {
	var out []string
	l := NewReader(strings.NewReader(text), make([]byte, size))
	for line := l.Next(); line != nil; line = l.Next() {
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
	text := "ATTACH:" + strings.Repeat("QUJD", MaxBytes) + "\r\n " + strings.Repeat("x", 100) + "\r\nSUMMARY:after\r\n"
	l := NewReader(strings.NewReader(text), make([]byte, 4096))
	if got := len(l.Next()); got != MaxBytes {
		t.Errorf("%d bytes, want %d", got, MaxBytes)
	}
	if got := string(l.Next()); got != "SUMMARY:after" || l.Oversized != 1 {
		t.Errorf("%q, %d oversized, want SUMMARY:after and 1", got, l.Oversized)
	}
}

func TestUnfoldReadError(t *testing.T) {
	t.Parallel()
	l := NewReader(iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader("A:1\r\nB:2\r\n"))), make([]byte, 8))
	for l.Next() != nil {
	}
	if l.Err == nil {
		t.Fatal("the error is lost")
	}
}
