package read

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// RD-18.1, RD-18.2, RD-18.3, RD-21: a record comes whole or with the fields asked for, and
// always with the required ones; what is not there, deleted or not seen is one and the same.
func TestRecord(t *testing.T) {
	t.Parallel()
	s := newShelf(t, "c", "d")
	id := s.accept("c", manifest)
	s.put("c", "notes", "a", `{"title":"T","id":"a","n":1,"at":"2026-01-01T00:00:00Z"}`, "b", `{"id":"b"}`, "both", `{"id":"1"}`)
	s.put("d", "notes", "both", `{"id":"2"}`)
	s.put("c", "notes", "-b", "")
	of := func(key string, fields ...string) One {
		return One{From: From{Stream: "notes"}, Key: key, Fields: fields}
	}
	r, err := s.Reader.Record(t.Context(), OwnerScope(), of("a"))
	s.ok(err)
	s.same([]string{string(r.Data), r.Connection, r.RunID}, []string{`{"title":"T","id":"a","n":1,"at":"2026-01-01T00:00:00Z"}`, "c", "run1"})
	r, err = s.Reader.Record(t.Context(), OwnerScope(), of("a", "n"))
	s.ok(err)
	s.same([]string{string(r.Data)}, []string{`{"id":"a","n":1}`})
	granted := &Scope{Streams: []StreamScope{{Name: "notes", Connections: []string{id}, Fields: []string{"id", "title"}, Keys: []string{"a"}}}}
	r, err = s.Reader.Record(t.Context(), granted, of("a"))
	s.ok(err)
	s.same([]string{string(r.Data)}, []string{`{"title":"T","id":"a"}`})

	want := noRecord().Error()
	for _, c := range []struct {
		scope *Scope
		key   string
	}{{OwnerScope(), "b"}, {OwnerScope(), "never"}, {granted, "both"}, {granted, "b"}, {granted, "never"}} {
		if _, err := s.Reader.Record(t.Context(), c.scope, of(c.key)); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", c.key, err, want)
		}
	}
	_, err = s.Reader.Record(t.Context(), OwnerScope(), of("both"))
	s.code(err, CodeAmbiguous)
	_, err = s.Reader.Record(t.Context(), OwnerScope(), of("a", "gone"))
	s.code(err, CodeField)
	_, err = s.Reader.Record(t.Context(), granted, of("a", "n"))
	s.code(err, CodeFieldHidden)

	// The history of a record is what the store has: its last change, a deletion as well.
	for key, deleted := range map[string]bool{"a": false, "b": true} {
		h, err := s.History(t.Context(), OwnerScope(), of(key))
		s.ok(err)
		if len(h.Changes) != 1 || h.Changes[0].Deleted != deleted || !h.Earlier || h.Changes[0].RunID == "" {
			t.Errorf("%s: got %+v", key, h)
		}
	}
	_, err = s.History(t.Context(), granted, of("a"))
	s.code(err, CodeNotGranted)
}

// RD-14.1, RD-17.1, RD-18.3, RD-18.6, RD-15.5, RD-34.3: a list under a grant shows granted
// fields of the records inside its time and keys, in the stream's order, and takes no filter.
func TestListUnderAScope(t *testing.T) {
	t.Parallel()
	s := newShelf(t, "c", "d")
	id := s.accept("c", manifest)
	s.put("c", "notes", "a", `{"id":"a","n":1,"at":"2026-01-01T00:00:00Z"}`, "b", `{"id":"b","n":2,"at":"2026-01-02T00:00:00+01:00"}`,
		"c", `{"id":"c","n":3,"at":"2026-03-01T00:00:00Z"}`, "d", `{"id":"d"}`, "e", `{"id":"e","at":"soon"}`)
	s.put("d", "notes", "z", `{"id":"z"}`)
	granted := StreamScope{Name: "notes", Connections: []string{id}, Fields: []string{"id", "n"}, Time: &TimeBound{Field: "at", Since: new(began.AddDate(0, 0, -1)), Until: new(began.AddDate(0, 1, 0))}}
	scope := &Scope{Streams: []StreamScope{granted}}
	page, err := s.List(t.Context(), scope, List{From: From{Stream: "notes"}, Count: true})
	s.ok(err)
	var got []string
	for _, r := range page.Records {
		got = append(got, string(r.Data))
	}
	s.same(got, []string{`{"id":"b","n":2}`})
	if *page.Count != 1 {
		t.Errorf("counted %d, want 1", *page.Count)
	}
	for _, c := range []struct {
		code abi.Code
		list List
	}{
		{CodeRequest, List{From: From{Stream: "notes"}, Filters: []Filter{{"n", Equal, "1"}}}},
		{CodeFieldHidden, List{From: From{Stream: "notes"}, Sort: "at"}},
		{CodeFieldHidden, List{From: From{Stream: "notes"}, Fields: []string{"title"}}},
		{CodeNotGranted, List{From: From{Stream: "plain"}}},
		{CodeNotGranted, List{From: From{Stream: "never"}}},
		{abi.CodeConnectionUnknown, List{From: From{Stream: "notes", Connections: []string{"d"}}}},
		{abi.CodeConnectionUnknown, List{From: From{Stream: "notes", Connections: []string{"never"}}}},
	} {
		_, err := s.List(t.Context(), scope, c.list)
		s.code(err, c.code)
	}
}

// RD-03.2: to refuse a record outside the scope takes as long as to refuse one that is not there,
// however large it is: neither is read. Reading this one takes many times as long.
func TestAHiddenRecordTakesNoTime(t *testing.T) {
	t.Parallel()
	const pairs, most = 200, 10
	s := newShelf(t, "c")
	s.put("c", "notes", "hidden", `{"id":"hidden","at":"2025-01-01T00:00:00Z","body":"`+strings.Repeat("x", 16<<20)+`"}`, "shown", `{"id":"shown","at":"2026-01-01T00:00:00Z"}`)
	part := func(change func(*StreamScope)) *Scope {
		of := StreamScope{Name: "notes", Connections: s.ids("c"), Fields: []string{"id", "body", "at"}}
		change(&of)
		return &Scope{Streams: []StreamScope{of}}
	}
	for name, scope := range map[string]*Scope{
		"by its key":  part(func(of *StreamScope) { of.Keys = []string{"shown"} }),
		"by its time": part(func(of *StreamScope) { of.Time = &TimeBound{Field: "at", Since: new(began.AddDate(-1, 6, 0))} }),
	} {
		ask := func(key string) (time.Duration, error) {
			at := time.Now()
			_, err := s.Record(t.Context(), scope, One{From: From{Stream: "notes"}, Key: key})
			return time.Since(at), err
		}
		_, err := ask("shown")
		s.ok(err)
		took := map[string][]time.Duration{}
		for range pairs {
			for _, key := range []string{"hidden", "never"} {
				d, err := ask(key)
				s.code(err, abi.CodeRecordUnknown)
				took[key] = append(took[key], d)
			}
		}
		slices.Sort(took["hidden"])
		slices.Sort(took["never"])
		if hidden, never := took["hidden"][pairs/2], took["never"][pairs/2]; hidden > most*never {
			t.Errorf("hidden %s: got %s for a hidden record and %s for none, the medians of %d pairs, want %d times as long at most", name, hidden, never, pairs, most)
		}
	}
}
