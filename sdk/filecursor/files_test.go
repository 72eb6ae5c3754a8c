package filecursor

import (
	"fmt"
	"slices"
	"testing"
)

func TestFiles(t *testing.T) {
	t.Parallel()
	d, sc := newDisk("one\n"), &Scanner{}
	_, res := scan(t, sc, d, Cursor{}, nil)
	var f Files
	f.Set("b \"q\"", res.Cursor, []byte(`{"n":1}`))
	f.Set("a", res.Cursor, nil)
	f.Set("c", Cursor{}, []byte(`"only extra"`))
	f.Set("\xff", res.Cursor, nil) // no fs.FS opens it
	c := string(res.Cursor.AppendJSON(nil))
	want := `{"a":` + c + `,"b \"q\"":` + c[:len(c)-1] + `,"extra":{"n":1}},"c":{"extra":"only extra"}}`
	if got := string(f.AppendJSON([]byte("> "))); got != "> "+want {
		t.Fatalf("got  %s\nwant %s", got, want)
	}
	g := ParseFiles(value(t, want))
	if got := string(g.AppendJSON(nil)); got != want {
		t.Errorf("back comes %s, want %s", got, want)
	}
	if g.Len() != 3 || g.Cursor("a") != res.Cursor || string(g.Extra("b \"q\"")) != `{"n":1}` || g.Extra("a") != nil ||
		g.Cursor("none").Known() || g.Extra("none") != nil || g.Cursor("c").Known() {
		t.Error("a look-up in three files gave another file's cursor or extra, or found one that is not there")
	}
	if got := g.Vanished(); !slices.Equal(got, []string{"b \"q\""}) {
		t.Errorf("vanished %q, want %q", got, []string{"b \"q\""})
	}
	g.Remove("b \"q\"")
	g.Remove("none")
	if got := g.Vanished(); got != nil || g.Len() != 2 {
		t.Errorf("vanished %q, want got = nil and g.Len() = 2", got)
	}
	for _, text := range []string{"null", "[1]", `"x"`, "{}"} {
		if g := ParseFiles(value(t, text)); g.Len() != 0 || string(g.AppendJSON(nil)) != "{}" {
			t.Errorf("%s: %d files, want g.Len() = 0 and g.AppendJSON(nil) = {}", text, g.Len())
		}
	}
}

// Encoding all cursors stays a small share of reading the files.
func TestDue(t *testing.T) {
	t.Parallel()
	var f Files
	if f.Due(CheckpointEvery-1) || !f.Due(1) || f.Due(1) {
		t.Error("a small cursor is due at another number of bytes, want once at CheckpointEvery")
	}
	for i := range 20_000 {
		f.Set(fmt.Sprintf("projects/some-project/%08d.jsonl", i), Cursor{known: true}, nil)
	}
	const step = 1 << 20
	read, written := 0, 0
	for range 500 {
		read += step
		if f.Due(step) {
			written += len(f.AppendJSON(nil))
		}
	}
	if written == 0 || written*encodeShare > 2*read {
		t.Errorf("%d bytes of cursors for %d bytes read, want written not 0 and written*encodeShare at most 2*read", written, read)
	}
}
