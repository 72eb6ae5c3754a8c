package read

import (
	"fmt"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/pdpp-host/pdpp-host/abi"
)

// RD-22.1, RD-22.4, RD-22.5: the windows of a text, what is refused, and in which order.
func TestWindow(t *testing.T) {
	t.Parallel()
	s := newShelf(t, "c")
	scope := &Scope{Streams: []StreamScope{{Name: "notes", Connections: s.ids("c"), Fields: []string{"id", "title", "n"}, Keys: []string{"a", "b"}}}}
	s.put("c", "notes", "a", `{"id":"a","title":"äb\ud83d\ude00d needle f","n":5,"body":"x"}`, "b", `{"id":"b"}`, "hidden", `{"id":"hidden","title":"t"}`)
	for _, c := range []struct {
		ask  Window
		want string
	}{
		{Window{Key: "a", Field: "title"}, "äb😀d needle f 0-13 of 13, -1--1"},
		{Window{Key: "a", Field: "title", Offset: 1, Limit: 2}, "b😀 1-3 of 13, -1--1"},
		{Window{Key: "a", Field: "title", Offset: 99}, " 13-13 of 13, -1--1"},
		{Window{Key: "a", Field: "title", Query: "needle", Before: 2, After: 1}, "d needle  3-12 of 13, 5-11"},
		{Window{Key: "a", Field: "title", Query: "needle"}, "needle f 5-13 of 13, 5-11"},
		{Window{Key: "a", Field: "title", Query: "Needle"}, string(CodeNoMatch)},
		{Window{Key: "a", Field: "title", Query: "n", Offset: 1}, string(CodeWindow)},
		{Window{Key: "a", Field: "title", Before: 1}, string(CodeWindow)},
		{Window{Key: "a", Field: "title", Query: "n", Before: MostContext + 1}, string(CodeWindow)},
		{Window{Key: "a", Field: "title", Offset: -1}, string(CodeWindow)},
		{Window{Key: "a"}, string(CodeFieldPath)},
		{Window{Key: "a", Field: "n"}, string(CodeNotText)},
		{Window{Key: "b", Field: "title"}, string(CodeNoField)},
		{Window{Key: "a", Field: "body"}, string(CodeFieldHidden)},
		{Window{Key: "nothing", Field: "body"}, string(CodeFieldHidden)},
		{Window{Key: "a", Field: "nothing"}, string(CodeField)},
		{Window{Key: "hidden", Field: "title"}, string(abi.CodeRecordUnknown)},
		{Window{Key: "nothing", Field: "title"}, string(abi.CodeRecordUnknown)},
	} {
		c.ask.Stream = "notes"
		var got string
		p, err := s.Window(t.Context(), scope, c.ask)
		if got = string(abi.CodeOf(err)); err == nil {
			got = fmt.Sprintf("%s %d-%d of %d, %d-%d", p.Text, p.Start, p.End, p.Total, p.Match, p.MatchEnd)
		}
		if got != c.want {
			t.Errorf("%+v: got %s, want %s", c.ask, got, c.want)
		}
	}
	p, err := s.Window(t.Context(), scope, Window{From: From{Stream: "notes"}, Key: "a", Field: "title", Limit: MostWindow + 1})
	s.ok(err)
	if p.Limit != MostWindow || len(p.Warnings) != 1 || p.Warnings[0].Code != WarnClamped {
		t.Errorf("got the limit %d and %v, want %d and a warning", p.Limit, p.Warnings, MostWindow)
	}
}

// RD-22.3: windows joined are the value, and none splits a character.
func TestWindowsJoin(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.String().Draw(rt, "text")
		limit := rapid.IntRange(1, 5).Draw(rt, "limit")
		joined := ""
		for at := 0; ; {
			p := &Part{Limit: limit}
			if err := p.cut(text, &Window{Offset: at}); err != nil || !utf8.ValidString(p.Text) || utf8.RuneCountInString(p.Text) != p.End-p.Start {
				rt.Fatalf("got %q from %d to %d, %v, want whole characters", p.Text, p.Start, p.End, err)
			}
			joined += p.Text
			if at = p.End; at == p.Total {
				break
			}
		}
		if joined != text {
			rt.Fatalf("got %q, want %q", joined, text)
		}
	})
}
