package filecursor

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
)

// all reads a file with a scanner that takes a last line for whole which ends with a brace.
func all(t *testing.T, sc *Scanner, d *disk, c Cursor) (string, Cursor) {
	t.Helper()
	plan, err := sc.Open(d, name, c)
	if err != nil {
		t.Fatal(err)
	}
	lines := []string{plan.String()}
	for sc.Next() {
		lines = append(lines, fmt.Sprintf("%d:%s", sc.Offset(), sc.Line()))
	}
	res, err := sc.Close()
	if err != nil || !res.Advanced {
		t.Fatalf("%+v, %v", res, err)
	}
	return strings.Join(lines, " "), res.Cursor
}

// AC-06: a last line that is whole is read without its LF, once, and again with its file if it goes on.
func TestALastLineWithoutALineFeed(t *testing.T) {
	t.Parallel()
	sc := &Scanner{Whole: func(line []byte) bool { return bytes.HasSuffix(line, []byte("}")) }}
	for _, buffer := range []int{1, 3, 100} {
		sc.buf, sc.Buffer = nil, buffer
		d := newDisk("")
		var c Cursor
		for i, step := range []struct{ text, want string }{
			{"{1}\n{2}", "rebuild 0:{1} 4:{2}"},
			{"{1}\n{2}\n", "append"},
			{"{1}\n{2}\n{3}", "append 8:{3}"},
			{"{1}\n{2}\n{3}\n{4", "append"},
			{"{1}\n{2}\n{3}\n{4}", "append 12:{4}"},
			{"{1}\n{2}\n{3}\n{4}\n{5}\n", "append 16:{5}"},
			{"{1}\n{2}\n{3}\n{4}\n{5}\n{6}", "append 20:{6}"},
			{"{1}\n{2}\n{3}\n{4}\n{5}\n{6}{7}\n", "rebuild 0:{1} 4:{2} 8:{3} 12:{4} 16:{5} 20:{6}{7}"},
		} {
			d.write(step.text)
			var got string
			if got, c = all(t, sc, d, c); got != step.want {
				t.Errorf("buffer %d, step %d: got %q, want %q", buffer, i, got, step.want)
			}
			if again, same := all(t, sc, d, c); again != "skip" || same != c {
				t.Errorf("buffer %d, step %d: the file as it was gives %q, want nothing", buffer, i, again)
			}
		}
	}
	sc = &Scanner{}
	if got, _ := all(t, sc, newDisk("{1}\n{2}"), Cursor{}); got != "rebuild 0:{1}" {
		t.Errorf("without Whole: got %q, want the line with its LF alone", got)
	}
	sc = &Scanner{MaxLine: 3, Whole: func([]byte) bool { return true }}
	if got, _ := all(t, sc, newDisk("{1}\n{234}"), Cursor{}); got != "rebuild 0:{1}" {
		t.Errorf("a line that is too long: got %q, want the first alone", got)
	}
}

// AC-06: a mark of the byte order is no part of a line.
func TestAMarkOfTheByteOrder(t *testing.T) {
	t.Parallel()
	sc := &Scanner{Whole: func(line []byte) bool { return string(line) == "c" }}
	if got, _ := all(t, sc, newDisk("\ufeffa\nb\n\ufeffc"), Cursor{}); got != "rebuild 3:a 5:b 10:c" {
		t.Errorf("got %q, want the lines without the marks", got)
	}
}

func TestLineAfter(t *testing.T) {
	t.Parallel()
	fsys := fstest.MapFS{"f": {Data: []byte("a\nb\n\ncd")}}
	for _, c := range []struct {
		offset, want int64
		goesOn       bool
	}{{0, 0, false}, {1, 2, false}, {2, 2, false}, {3, 4, false}, {4, 4, false}, {5, 5, false}, {6, 6, true}, {7, 7, false}} {
		if next, goesOn, err := LineAfter(fsys, "f", c.offset); next != c.want || goesOn != c.goesOn || err != nil {
			t.Errorf("%d: got %d, %v, %v, want %d, %v", c.offset, next, goesOn, err, c.want, c.goesOn)
		}
	}
	if _, _, err := LineAfter(fsys, "f", 9); err == nil {
		t.Error("an offset behind the end: got no error")
	}
	if _, _, err := LineAfter(fsys, "g", 1); err == nil {
		t.Error("no file: got no error")
	}
}
