package read

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// RD-34.1, RD-34.3: a newer manifest that declares the time of a grant as anything but a time
// shows none of its records.
func TestANewManifestDoesNotWidenATime(t *testing.T) {
	t.Parallel()
	until := time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)
	for name, field := range map[string]string{"text": `"at":{"type":"string"}`, "an integer": `"at":{"type":"integer"}`, "nothing": `"other":{"type":"string"}`} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newShelfOf(t, strings.ReplaceAll(name, " ", ""), "c")
			scope := &Scope{Streams: []StreamScope{{Name: "notes", Connections: s.ids("c"), Fields: []string{"id", "title"}, Time: &TimeBound{Field: "at", Until: new(until)}}}}
			s.put("c", "notes", "a", `{"id":"a","title":"word","at":"2026-03-01T00:00:00Z"}`, "b", `{"id":"b","title":"word","at":5}`)
			f := &follower{shelf: s, scope: scope, ask: Changes{From: From{Stream: "notes"}, Since: Beginning}, copy: map[string]string{}}
			for range 2 {
				if all, _, _ := f.list(t.Fatalf, 100, func() {}); len(all) != 0 {
					t.Errorf("a list has %v, want nothing", all)
				}
				f.ask.Since = Beginning
				if rows := f.session(t.Fatalf, func() {}); len(rows) != 0 {
					t.Errorf("the changes are %q, want none", rows)
				}
				found, err := s.Search(t.Context(), scope, Search{Text: "word"})
				if s.ok(err); len(found.Hits) != 0 {
					t.Errorf("a search finds %v, want nothing", found.Hits)
				}
				s.accept("c", strings.ReplaceAll(manifest, `"at":{"type":["string","null"],"format":"date-time"}`, field))
			}
		})
	}
}

// RD-34.3: a bound at the zero time is a bound, and so is one that no record's time compares
// with.
func TestABoundThatNothingIsWithin(t *testing.T) {
	t.Parallel()
	s := newShelf(t, "c")
	s.put("c", "notes", "a", `{"id":"a","at":"2026-03-01T00:00:00Z"}`)
	within, _ := bound(began)
	for _, year := range []int{-1, 10000} {
		at := time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC)
		for name, b := range map[string]TimeBound{"since": {Since: &at}, "until": {Until: &at}} {
			if b.holds(within) {
				t.Errorf("%s %s holds %s, want nothing held", name, at, began)
			}
		}
	}
	for _, until := range []time.Time{{}, time.Date(1, 1, 1, 0, 0, 0, 1, time.UTC)} {
		scope := &Scope{Streams: []StreamScope{{Name: "notes", Connections: s.ids("c"), Fields: []string{"id"}, Time: &TimeBound{Field: "at", Until: new(until)}}}}
		f := &follower{shelf: s, scope: scope, ask: Changes{From: From{Stream: "notes"}, Since: Beginning}, copy: map[string]string{}}
		if all, _, _ := f.list(t.Fatalf, 100, func() {}); len(all) != 0 {
			t.Errorf("until %s: a list has %v, want nothing", until, all)
		}
		if rows := f.session(t.Fatalf, func() {}); len(rows) != 0 {
			t.Errorf("until %s: the changes are %q, want none", until, rows)
		}
	}
}

// RD-03.2, RD-09.4: a client's connection outside its scope is refused without a look into the
// store, by id and by name alike, so that the time tells of none.
func TestConnectionsOfOthersAreNotLookedUp(t *testing.T) {
	t.Parallel()
	s := newShelf(t, "c", "d")
	scope := &Scope{Streams: []StreamScope{{Name: "notes", Connections: s.ids("c"), Fields: []string{"id"}}}}
	ended, end := context.WithCancel(t.Context())
	end()
	for _, name := range append(s.ids("d"), "c", "d", "never") {
		_, _, err := s.sources(ended, scope, From{Stream: "notes", Connections: []string{name}})
		if s.code(err, abi.CodeConnectionUnknown); err == nil || errors.Is(err, context.Canceled) {
			t.Errorf("%s: got %v, want a refusal before the store is asked", name, err)
		}
	}
	_, _, err := s.sources(t.Context(), scope, From{Stream: "notes", Connections: s.ids("c")})
	s.ok(err)
}

// RD-34.3: a time bound includes its beginning and leaves out its end, to the last digit, for a
// single record, a list, the changes, a count and a search alike.
func TestATimeBoundLeavesItsEndOut(t *testing.T) {
	t.Parallel()
	s := newShelf(t, "c")
	since, until := began, began.AddDate(0, 0, 1)
	records := map[string]time.Time{
		"before": since.Add(-time.Nanosecond), "first": since, "last": until.Add(-time.Nanosecond), "end": until, "after": until.Add(time.Nanosecond),
	}
	for key, at := range records {
		s.put("c", "notes", key, `{"id":"`+key+`","title":"word","at":"`+at.Format(time.RFC3339Nano)+`"}`)
	}
	const want = "first last"
	for name, b := range map[string]TimeBound{"both": {Since: &since, Until: &until}, "until": {Until: &until}, "since": {Since: &since}} {
		b.Field = "at"
		want := want
		switch name {
		case "until":
			want = "before " + want
		case "since":
			want = "after end " + want
		}
		scope := &Scope{Streams: []StreamScope{{Name: "notes", Connections: s.ids("c"), Fields: []string{"id", "title"}, Time: &b}}}
		from := From{Stream: "notes"}
		told := func(what string, keys []string) {
			t.Helper()
			slices.Sort(keys)
			if got := strings.Join(keys, " "); got != want {
				t.Errorf("%s, %s: got %q, want %q", name, what, got, want)
			}
		}
		var held, listed, found []string
		for key, at := range records {
			if in, ok := bound(at); ok && b.holds(in) {
				held = append(held, key)
			}
		}
		told("the bound", held)
		page, err := s.List(t.Context(), scope, List{From: from, Limit: 100})
		s.ok(err)
		for i := range page.Records {
			listed = append(listed, page.Records[i].Key)
		}
		told("a list", listed)
		hits, err := s.Search(t.Context(), scope, Search{Text: "word"})
		s.ok(err)
		for i := range hits.Hits {
			found = append(found, hits.Hits[i].Key)
		}
		told("a search", found)
		f := &follower{shelf: s, scope: scope, ask: Changes{From: from, Since: Beginning}, copy: map[string]string{}}
		f.session(t.Fatalf, func() {})
		var copied []string
		for key := range f.copy {
			copied = append(copied, key[strings.LastIndexByte(key, '/')+1:])
		}
		told("the changes", copied)
	}
}
