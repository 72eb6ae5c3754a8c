package read

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pdpp-host/pdpp-host/abi"
)

// RD-22.1, RD-22.4, RD-22.5: the windows of a text, what is refused, and in which order; of a record that is read with its
// row, and of one that is read in parts.
func TestWindow(t *testing.T) {
	t.Parallel()
	for _, body := range []string{"x", strings.Repeat("é", mostWhole)} {
		t.Run(fmt.Sprint(len(body)), func(t *testing.T) {
			t.Parallel()
			testWindow(t, body)
		})
	}
}

func testWindow(t *testing.T, body string) {
	s := newShelf(t, "c")
	since := began
	fields, keys := []string{"id", "title", "n"}, []string{"a", "b", "late"}
	scope := &Scope{Streams: []StreamScope{{Name: "notes", Connections: s.ids("c"), Fields: fields, Keys: keys}}}
	late := &Scope{Streams: []StreamScope{{Name: "notes", Connections: s.ids("c"), Fields: fields, Keys: keys, Time: &TimeBound{Field: "at", Since: &since}}}}
	record := func(key, members string) string { return fmt.Sprintf(`{"id":%q,"body":%q%s}`, key, body, members) }
	s.put("c", "notes", "a", record("a", `,"title":"äb\ud83d\ude00d needle f","n":5`), "b", record("b", ""), "hidden", record("hidden", `,"title":"t"`),
		"late", record("late", `,"title":"l","at":"2026-02-01T00:00:00Z"`), "gone", record("gone", `,"title":"t"`))
	s.put("c", "notes", "-gone", "")
	for _, c := range []struct {
		scope *Scope
		ask   Window
		want  string
	}{
		{scope, Window{Key: "a", Field: "title"}, "äb😀d needle f 0-13 of 13, -1--1"},
		{scope, Window{Key: "a", Field: "title", Offset: 1, Limit: 2}, "b😀 1-3 of 13, -1--1"},
		{scope, Window{Key: "a", Field: "title", Offset: 99}, " 13-13 of 13, -1--1"},
		{scope, Window{Key: "a", Field: "title", Query: "needle", Before: 2, After: 1}, "d needle  3-12 of 13, 5-11"},
		{scope, Window{Key: "a", Field: "title", Query: "needle"}, "needle f 5-13 of 13, 5-11"},
		{scope, Window{Key: "a", Field: "title", Query: "Needle"}, string(CodeNoMatch)},
		{scope, Window{Key: "a", Field: "title", Query: "n", Offset: 1}, string(CodeWindow)},
		{scope, Window{Key: "a", Field: "title", Before: 1}, string(CodeWindow)},
		{scope, Window{Key: "a", Field: "title", Query: "n", Before: MostContext + 1}, string(CodeWindow)},
		{scope, Window{Key: "a", Field: "title", Offset: -1}, string(CodeWindow)},
		{scope, Window{Key: "a"}, string(CodeFieldPath)},
		{scope, Window{Key: "a", Field: "n"}, string(CodeNotText)},
		{scope, Window{Key: "b", Field: "title"}, string(CodeNoField)},
		{scope, Window{Key: "a", Field: "body"}, string(CodeFieldHidden)},
		{scope, Window{Key: "nothing", Field: "body"}, string(CodeFieldHidden)},
		{scope, Window{Key: "a", Field: "nothing"}, string(CodeField)},
		{scope, Window{Key: "hidden", Field: "title"}, string(abi.CodeRecordUnknown)},
		{scope, Window{Key: "nothing", Field: "title"}, string(abi.CodeRecordUnknown)},
		{scope, Window{Key: "gone", Field: "title"}, string(abi.CodeRecordUnknown)},
		{OwnerScope(), Window{Key: "gone", Field: "title"}, string(abi.CodeRecordUnknown)},
		{OwnerScope(), Window{Key: "hidden", Field: "title"}, "t 0-1 of 1, -1--1"},
		{late, Window{Key: "late", Field: "title"}, "l 0-1 of 1, -1--1"},
		{late, Window{Key: "a", Field: "title"}, string(abi.CodeRecordUnknown)},
	} {
		c.ask.Stream = "notes"
		var got string
		p, err := s.Window(t.Context(), c.scope, c.ask)
		if got = string(abi.CodeOf(err)); err == nil {
			got = fmt.Sprintf("%s %d-%d of %d, %d-%d", p.Text, p.Start, p.End, p.Total, p.Match, p.MatchEnd)
		}
		if got != c.want {
			t.Errorf("%+v: got %s, want %s", c.ask, got, c.want)
		}
	}
	p, err := s.Window(t.Context(), scope, Window{From: From{Stream: "notes"}, Key: "a", Field: "title", Limit: MostWindow})
	s.ok(err)
	if p.Limit != MostWindow || len(p.Warnings) != 0 {
		t.Errorf("got the limit %d and %v, want %d and no warning", p.Limit, p.Warnings, MostWindow)
	}
	p, err = s.Window(t.Context(), scope, Window{From: From{Stream: "notes"}, Key: "a", Field: "title", Limit: MostWindow + 1})
	s.ok(err)
	if p.Limit != MostWindow || len(p.Warnings) != 1 || p.Warnings[0].Code != WarnClamped {
		t.Errorf("got the limit %d and %v, want %d and a warning", p.Limit, p.Warnings, MostWindow)
	}
}

// RD-22.3: windows joined are the value, and none splits a character.
func TestWindowsJoin(t *testing.T) {
	t.Parallel()
	s := newShelf(t, "c")
	for key, text := range map[string]string{"short": "äb😀d", "long": strings.Repeat("äb😀d", 12_000)} {
		s.put("c", "notes", key, fmt.Sprintf(`{"id":"a","title":%q}`, text))
		joined := ""
		for w := (Window{From: From{Stream: "notes"}, Key: key, Field: "title", Limit: utf8.RuneCountInString(text)/5 + 1}); ; {
			p, err := s.Window(t.Context(), OwnerScope(), w)
			s.ok(err)
			if !utf8.ValidString(p.Text) || utf8.RuneCountInString(p.Text) != p.End-p.Start {
				t.Fatalf("got %.30q from %d to %d, want whole characters", p.Text, p.Start, p.End)
			}
			joined += p.Text
			if w.Offset = p.End; w.Offset == p.Total {
				break
			}
		}
		if joined != text {
			t.Errorf("got %.30q of %d bytes, want %.30q of %d", joined, len(joined), text, len(text))
		}
	}
}

// A long record is read in parts, as it was when it was found.
func TestReadData(t *testing.T) {
	t.Parallel()
	s := newShelf(t, "c")
	want := fmt.Sprintf(`{"id":"a","title":%q}`, strings.Repeat("äb😀d", 30_000))
	s.put("c", "notes", "a", want, "b", `{"id":"b"}`)
	sources, _, err := s.sources(t.Context(), OwnerScope(), From{Stream: "notes"})
	s.ok(err)
	row, err := s.Store.ReadRecord(t.Context(), sources[0].ID, "a", len(want)-1)
	s.ok(err)
	if row.Data == nil || len(row.Data) > 0 {
		t.Errorf("got data of %d bytes, want none of it, and no tombstone", len(row.Data))
	}
	var got []byte
	s.ok(s.Store.ReadData(t.Context(), sources[0].ID, row.Seq, func(part []byte) { got = append(got, part...) }))
	if string(got) != want {
		t.Errorf("got %.40q of %d bytes, want %.40q of %d", got, len(got), want, len(want))
	}
	whole, err := s.Store.ReadRecord(t.Context(), sources[0].ID, "a", len(want))
	s.ok(err)
	if string(whole.Data) != want {
		t.Errorf("got %.40q of %d bytes with the row, want all of it", whole.Data, len(whole.Data))
	}
	none := func(part []byte) { t.Errorf("got %.40q, want nothing", part) }
	s.code(s.Store.ReadData(t.Context(), sources[0].ID+1, row.Seq, none), abi.CodeRecordUnknown)
	s.put("c", "notes", "a", `{"id":"a","title":"changed"}`)
	s.code(s.Store.ReadData(t.Context(), sources[0].ID, row.Seq, none), abi.CodeRecordUnknown)
	s.put("c", "notes", "-b", "")
	row, err = s.Store.ReadRecord(t.Context(), sources[0].ID, "b", 1)
	s.ok(err)
	if row.Data != nil {
		t.Errorf("got %q of a tombstone, want no data", row.Data)
	}
	s.code(s.Store.ReadData(t.Context(), sources[0].ID, row.Seq, none), abi.CodeRecordUnknown)
}

// RD-22.6: a window of the longest text that a record may have takes under 1 MB, a search through it as well.
func TestWindowTakesLittle(t *testing.T) { //nolint:paralleltest // it counts what the process allocates
	s := newShelf(t, "c")
	scope := &Scope{Streams: []StreamScope{{Name: "notes", Connections: s.ids("c"), Fields: []string{"id", "title"}}}}
	s.put("c", "notes", "a", fmt.Sprintf(`{"id":"a","list":[],"title":%q}`, strings.Repeat("text ", abi.MaxRecordBytes/5-20)+"needle"))
	for _, w := range []Window{{Offset: abi.MaxRecordBytes / 2, Limit: MostWindow}, {Query: "needle", Before: MostContext}} {
		w.Stream, w.Key, w.Field = "notes", "a", "title"
		var used uint64
		for range 2 { // what the first one prepares is not counted
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			p, err := s.Window(t.Context(), scope, w)
			runtime.ReadMemStats(&after)
			s.ok(err)
			if want := abi.MaxRecordBytes/5*5 - 100 + len("needle"); p.Total != want {
				t.Errorf("got %d characters, want %d", p.Total, want)
			}
			used = after.TotalAlloc - before.TotalAlloc
		}
		if used > 1_000_000 {
			t.Errorf("%+v: a window of a record of %d bytes allocated %d, want under 1 MB", w, abi.MaxRecordBytes, used)
		}
	}
}
