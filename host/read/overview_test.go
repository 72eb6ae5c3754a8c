package read

import (
	"context"
	"crypto/rand"
	"fmt"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/host/read/index"
)

// Streams are told with their counts and spans, and days with their counts, which follow
// changes and deletions. A record without a time of its own counts on the day when it was collected.
func TestOverview(t *testing.T) {
	t.Parallel()
	s := newShelf(t, "c", "d")
	s.put("c", "notes", "a", `{"id":"a","at":"2024-02-29T23:59:59Z"}`, "b", `{"id":"b","at":"2025-01-01T00:30:00+01:00"}`, "c", `{"id":"c","at":"2025-01-01T12:00:00Z"}`)
	s.put("d", "notes", "a", `{"id":"a","at":"2025-01-01T12:00:00Z"}`, "old", `{"id":"a","at":"1969-12-31T12:00:00Z"}`)
	s.put("d", "plain", "a", `{"n":1}`)
	all, behind, err := s.Streams(t.Context(), OwnerScope(), Overview{})
	s.ok(err)
	var got []string
	for _, one := range all {
		got = append(got, fmt.Sprint(one.Connection, " ", one.Name, " ", *one.Records, " ", one.First.Format(time.DateOnly), " ", one.Last.Format(time.DateOnly), " ", one.Changed))
	}
	s.same(got, []string{
		"c notes 3 2024-02-29 2025-01-01 2026-01-02T03:04:05Z", "d notes 2 1969-12-31 2025-01-01 2026-01-02T03:04:05Z", "d plain 1 2026-01-02 2026-01-02 2026-01-02T03:04:05Z",
	})
	days := func(o Overview) (text []string) {
		t.Helper()
		days, more, err := s.Days(t.Context(), OwnerScope(), o, began.AddDate(-2, 0, 0), began)
		s.ok(err)
		behind += more
		for _, d := range days {
			text = append(text, fmt.Sprint(d.Date.Format(time.DateOnly), " ", d.Records))
		}
		return text
	}
	s.same(days(Overview{}), []string{"2024-02-29 1", "2024-12-31 1", "2025-01-01 2", "2026-01-02 1"})
	s.same(days(Overview{Stream: "notes", Connections: []string{"c"}}), []string{"2024-02-29 1", "2024-12-31 1", "2025-01-01 1"})
	s.put("c", "notes", "-a", "", "b", `{"id":"b","at":"2025-01-01T00:00:00Z"}`)
	s.same(days(Overview{}), []string{"2025-01-01 3", "2026-01-02 1"})
	if behind != 0 {
		t.Errorf("%d changes are not indexed, want 0", behind)
	}
	s.sound()
}

// RD-10.1, RD-10.2: a client's streams are counted under its whole scope, as soon as that is
// quick, and a granted stream without a record is listed with none.
func TestOverviewOfAPart(t *testing.T) {
	t.Parallel()
	s := newShelf(t, "c", "d")
	s.put("c", "notes", "a", `{"id":"a","at":"2024-02-29T23:59:59Z"}`, "b", `{"id":"b","at":"2025-01-01T00:00:00Z"}`, "c", `{"id":"c"}`)
	since := time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)
	ids := s.ids("c", "d")
	for name, granted := range map[string]StreamScope{
		"by its time":  {Name: "notes", Connections: ids, Fields: []string{"id"}, Time: &TimeBound{Field: "at", Since: &since}},
		"until a time": {Name: "notes", Connections: ids, Fields: []string{"id"}, Time: &TimeBound{Field: "at", Until: &since}},
		"by its keys":  {Name: "notes", Connections: append(ids, "removed"), Fields: []string{"id"}, Keys: []string{"a", "gone"}},
	} {
		scope := &Scope{Streams: []StreamScope{granted}}
		for {
			all, _, err := s.Streams(t.Context(), scope, Overview{})
			s.ok(err)
			if len(all) != 2 || all[0].Connection != "c" || all[1].Connection != "d" || all[1].Records == nil || *all[1].Records != 0 {
				t.Fatalf("%s: got %+v, want notes of both connections, and none of d", name, all)
			}
			if n := all[0].Records; n != nil { // else the machine was slow
				if *n != 1 {
					t.Errorf("%s: got %d records, want 1", name, *n)
				}
				break
			}
		}
		if found, err := s.Describe(t.Context(), scope, Overview{Stream: "notes"}); err != nil || len(found) != 2 || len(found[1].Fields) != 1 {
			t.Errorf("%s: got %+v, %v, want the declaration of both", name, found, err)
		}
	}
}

// Invariant 9, RD-10.1: a client that asks which streams there are waits for no other stream to be
// indexed.
func TestAClientWaitsForNoOtherStream(t *testing.T) {
	t.Parallel()
	s := newShelf(t, "c")
	s.put("c", "plain", "a", `{"id":"a"}`)
	s.put("c", "notes", "a", `{"id":"a"}`)
	indexed := func(scope *Scope) int64 {
		all, _, err := s.Streams(t.Context(), scope, Overview{})
		s.ok(err)
		if len(all) == 0 || all[0].Name != "notes" || all[0].Records == nil || *all[0].Records != 1 {
			t.Fatalf("got %+v, want notes with a record first", all)
		}
		at, err := s.Store.Position(t.Context())
		s.ok(err)
		return at.Indexed
	}
	if at := indexed(&Scope{Streams: []StreamScope{{Name: "notes", Connections: s.ids("c"), Fields: []string{"id"}}}}); at != 0 {
		t.Errorf("a client had changes indexed up to %d, want none", at)
	}
	if at := indexed(OwnerScope()); at != 2 {
		t.Errorf("an owner had changes indexed up to %d, want 2", at)
	}
}

// Invariant 9, RD-10.1: what a time chooses is counted by the index of that time alone: of a change that
// it has not seen it says nothing, where a walk over the records would.
func TestATimeIsCountedByItsIndex(t *testing.T) {
	t.Parallel()
	s := newShelf(t, "c")
	s.put("c", "notes", "a", `{"id":"a","at":"2025-01-01T00:00:00Z"}`, "b", `{"id":"b","at":"2025-01-02T00:00:00Z"}`, "until", `{"id":"until","at":"2025-01-03T00:00:00Z"}`, "none", `{"id":"none"}`)
	since, until := time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2025, 1, 3, 0, 0, 0, 0, time.UTC)
	scope := &Scope{Streams: []StreamScope{{Name: "notes", Connections: s.ids("c"), Fields: []string{"id"}, Time: &TimeBound{Field: "at", Since: &since, Until: &until}}}}
	sources, _, err := s.sources(t.Context(), scope, From{Stream: "notes"})
	s.ok(err)
	s.put("c", "notes", "-a", "")
	if got, err := s.countOf(t.Context(), &sources[0], nil); err != nil || got != 2 {
		t.Errorf("got %d, %v, want the 2 of the index", got, err)
	}
	if sources, _, err = s.sources(t.Context(), scope, From{Stream: "notes"}); err != nil {
		t.Fatal(err)
	}
	if got, err := s.countOf(t.Context(), &sources[0], nil); err != nil || got != 1 {
		t.Errorf("as it is indexed: got %d, %v, want 1", got, err)
	}
}

// A stream is made anew when its declaration changes, and not when the rest of the module
// does; a removed connection leaves nothing behind.
func TestDeclarationChanges(t *testing.T) {
	t.Parallel()
	s := newShelf(t, "c")
	s.put("c", "notes", "a", `{"id":"a","at":"2026-01-01T00:00:00Z","n":2,"title":"red"}`, "b", `{"id":"b","at":"2026-01-02T00:00:00Z","n":1,"title":"red"}`)
	s.same(s.keys(List{From: From{Stream: "notes"}}), []string{"b", "a"})
	s.accept("c", `{"streams":[{"name":"notes","cursor_field":"n","schema":{"properties":{"n":{"type":"integer"},"title":{"type":"string"}}}}]}`)
	s.same(s.keys(List{From: From{Stream: "notes"}}), []string{"a", "b"})
	if got := s.searchAt("red"); len(got) != 0 {
		t.Errorf("found %q in a field that is not declared for a search any more", got)
	}
	s.sound()
	s.put("c", "notes", "c", `{"id":"c","n":3}`)
	s.same(s.keys(List{From: From{Stream: "notes"}}), []string{"c", "a", "b"})
	s.accept("c", manifest)
	s.same(s.keys(List{From: From{Stream: "notes"}}), []string{"b", "a", "c"})
	if got := s.searchAt("red"); len(got) != 2 {
		t.Errorf("found %q, want a and b", got)
	}
	s.ok(s.Store.RemoveConnection(t.Context(), "c", nil))
	if got := s.searchAt("red"); len(got) != 0 {
		t.Errorf("found %q of a removed connection", got)
	}
	s.sound()
	s.accept("c", manifest)
	s.put("c", "notes", "z", `{"id":"z","title":"red"}`)
	s.same(s.keys(List{From: From{Stream: "notes"}}), []string{"z"})
	s.sound()
}

// RD-14.2, RD-16.6: a server indexes what is written, and a read that does not get there in
// its time is refused and does not show an older list.
func TestIndexing(t *testing.T) {
	t.Parallel()
	s := newShelf(t, "c")
	s.put("c", "notes", "a", `{"id":"a","title":"red"}`)
	s.Reader.Wait = time.Nanosecond
	_, err := s.List(t.Context(), OwnerScope(), List{From: From{Stream: "notes"}})
	s.code(err, CodeBehind)
	s.Reader.Wait = 0
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		index.New(s.Store, rand.Reader).Run(ctx, func(err error) { t.Error(err) })
		close(done)
	}()
	for _, key := range []string{"b", "c"} {
		s.put("c", "notes", key, `{"id":"x","title":"red"}`)
		for at, err := s.Store.Position(t.Context()); at.Indexed < at.Last; at, err = s.Store.Position(t.Context()) {
			s.ok(err)
		}
	}
	stop()
	<-done
	s.Reader.Wait = time.Nanosecond
	s.same(s.keys(List{From: From{Stream: "notes"}}), []string{"c", "b", "a"})
	s.sound()
}
