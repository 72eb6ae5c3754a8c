package contentline

import (
	"fmt"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"
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
		// AC-06: other line ends.
		{"A:one\r\r\nB:2\r\n", `["A:one" "B:2"]`},
		{"A:one\r\r\r\n fold\r\r\nB:2", `["A:onefold" "B:2"]`},
		{"A:1\rB:2\r fold\r", `["A:1" "B:2fold"]`},
		{"A:1\n\r\n more\n\nB:2\n\n", `["A:1more" "B:2"]`}, // every line end doubled
		// Blanks around lines.
		{" BEGIN:VCALENDAR\r\nA:1\r\n 2\r\n", `["BEGIN:VCALENDAR" "A:12"]`},
		{"BEGIN:A\n  X:1\n    fold\n  BEGIN:B\n\tY;Z=1:2\n\t\t fold\n  END:B\nEND:A\nX:1\n  y\n",
			`["BEGIN:A" "X:1 fold" "BEGIN:B" "Y;Z=1:2 fold" "END:B" "END:A" "X:1 y"]`},
		{"A:1\n\tBEGIN:B\n\t\tX:1\n\tEND:B\nA:see\n BEGIN:B\n", `["A:1" "BEGIN:B" "X:1" "END:B" "A:seeBEGIN:B"]`},
		{"A:1\n  BEGIN:B\n    X:1\n  END:B\nA:2\n", `["A:1" "BEGIN:B" "X:1" "END:B" "A:2"]`},
		{"BEGIN:VCAL\r\n ENDAR\r\nEND:VCALENDAR\r\n \r\n", `["BEGIN:VCALENDAR" "END:VCALENDAR"]`},
		// A property behind a short line that has no text.
		{"UID:u\n DTSTART:20260105T090000Z\n SUMMARY:in\n  ner\nX:1\n", `["UID:u" "DTSTART:20260105T090000Z" "SUMMARY:inner" "X:1"]`},
		{"DTSTAMP;X=\"a:b\":1\r\n dtstart;TZID=A:2\r\nX:1\r\n", `["DTSTAMP;X=\"a:b\":1" "dtstart;TZID=A:2" "X:1"]`},
		{"SUMMARY:see\n LOCATION: there\nUID:u\n FOO:1\nUID:u\n SUMMARY\n", `["SUMMARY:seeLOCATION: there" "UID:uFOO:1" "UID:uSUMMARY"]`},
		{"DTSTART;X=\n UID:2\nDTSTART:\n UID:2\nDTSTART;X=\":\n UID:2\":3\n", `["DTSTART;X=UID:2" "DTSTART:UID:2" "DTSTART;X=\":UID:2\":3"]`},
		{"UID:" + strings.Repeat("x", 60) + "\n URL:1\n", `["UID:` + strings.Repeat("x", 60) + `URL:1"]`},
		{"BEGIN:VEVENT \t\nA:1\n", `["BEGIN:VEVENT \t" "A:1"]`},
		// Soft line breaks of quoted-printable text.
		{"A;ENCODING=QUOTED-PRINTABLE:und=\r\n=20mehr= \r\n\r\n!\r\nB:1=\r\nC:2\r\n", `["A;ENCODING=QUOTED-PRINTABLE:und=20mehr!" "B:1=" "C:2"]`},
		{"A;quoted-printable:und=\nEND:VEVENT\nB:1\n", `["A;quoted-printable:und=" "END:VEVENT" "B:1"]`},
		{"A;QUOTED-PRINTABLE:und=\n mehr=\n", `["A;QUOTED-PRINTABLE:und mehr="]`},
		// AC-07: other encodings.
		{"S:Gr\xf6\xdfe\r\nT:Größe\r\n", `["S:Größe" "T:Größe"]`},
		{"S;CHARSET=windows-1251:\xcf\xf0\r\n", `["S;CHARSET=windows-1251:Пр"]`},
		{"\xff\xfeS\x00:\x00\xf6\x00\r\x00\n\x00T\x00:\x00", `["S:ö" "T:"]`},
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

// AC-07: a guess is counted, and a declared encoding is no guess.
func TestGuessesAreCounted(t *testing.T) {
	t.Parallel()
	l := NewReader(strings.NewReader("S:Gr\xf6\xdfe\nS;CHARSET=ISO-8859-1:Gr\xf6\xdfe\nS:Größe\nS:"+strings.Repeat("ö", MaxBytes)+"\nT:\xf6\n"), make([]byte, 64))
	for l.Next() != nil {
	}
	if l.Guessed != 2 || l.Oversized != 1 || l.Number != 5 {
		t.Errorf("%d guessed, %d cut, line %d, want 2, 1 and 5", l.Guessed, l.Oversized, l.Number)
	}
}

// The number of a line is that of its first part in the file.
func TestNumbersOfLines(t *testing.T) {
	t.Parallel()
	l := NewReader(strings.NewReader("A:1\r\n 2\r\n\r\nBEGIN:X\r\n Y:1\r\nQ;QUOTED-PRINTABLE:=\r\nEND:X\r\nC:1"), make([]byte, 3))
	var got []string
	for line := l.Next(); line != nil; line = l.Next() {
		got = append(got, fmt.Sprint(l.Number, " ", string(line)))
	}
	if want := `["1 A:12" "4 BEGIN:X" "5 Y:1" "6 Q;QUOTED-PRINTABLE:=" "7 END:X" "8 C:1"]`; fmt.Sprintf("%q", got) != want {
		t.Errorf("%q, want %s", got, want)
	}
}

func FuzzLines(f *testing.F) {
	for _, seed := range []string{
		"BEGIN:A\n  X:1\n    fold\n", "A;QUOTED-PRINTABLE:a=\r\r\nEND:A\r B\r", "\xff\xfeS\x00:\x00\r\x00", "S;CHARSET=x:\xf6\n\n \n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		var first string
		for _, size := range []int{1, 5, 4096} {
			got := unfolded(string(in), size)
			for _, line := range got {
				if line == "" || !utf8.ValidString(line) {
					t.Errorf("%q: line %q, want text", in, line)
				}
			}
			all := fmt.Sprintf("%q", got)
			if first == "" {
				first = all
			}
			if all != first {
				t.Errorf("%q in steps of %d: %s, want %s", in, size, all, first)
			}
		}
	})
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
