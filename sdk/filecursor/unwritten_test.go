package filecursor

import (
	"bytes"
	"strings"
	"testing"
	"testing/fstest"
)

// A block of NUL at the end of a file is a line, alone and around a whole one: nothing will be a part of it.
func TestALastBlockThatWasNeverWritten(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"\x00\x00": "one|\x00\x00", "\ufeff\x00": "one|\x00", "{}\x00": "one|{}\x00", "\x00{}": "one|\x00{}", "{\x00": "one", "  ": "one", "": "one",
	} {
		sc := &Scanner{Whole: func(line []byte) bool { return string(line) == "{}" }}
		if _, err := sc.Open(newDisk("one\n"+text), name, Cursor{}); err != nil {
			t.Fatal(err)
		}
		var got [][]byte
		for sc.Next() {
			got = append(got, bytes.Clone(sc.Line()))
		}
		if got := string(bytes.Join(got, []byte("|"))); got != want {
			t.Errorf("%q: got the lines %q, want %q", text, got, want)
		}
		if _, err := sc.Close(); err != nil {
			t.Errorf("%q: got %v, want no error", text, err)
		}
	}
}

func TestBeginsObject(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"": true, `{"a`: true, "\ufeff\x00 \n{": true, "\x00": false, "  ": false, "[{": false, strings.Repeat("\x00", lookedAt) + "{": false,
	} {
		folder := fstest.MapFS{name: {Data: []byte(text)}}
		if got := BeginsObject(folder, name); got != want {
			t.Errorf("%.20q: got %t, want %t", text, got, want)
		}
	}
	if !BeginsObject(fstest.MapFS{}, name) {
		t.Error("a file that is not there: got false, want true: it may be one")
	}
}
