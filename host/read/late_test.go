package read

import (
	"fmt"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/storage"
)

// many are records with a title, more than one step of the index takes.
func many(n int) (all []string) {
	for i := range n {
		all = append(all, fmt.Sprintf("k%05d", i), `{"id":"k","title":"word"}`)
	}
	return all
}

// RD-27.3, RD-27.8: a search that cannot look at all records says so, and how many they are; one of a stream that is
// indexed is complete.
func TestASearchSaysWhatItDidNotLookAt(t *testing.T) {
	t.Parallel()
	s := newShelf(t, "c", "d")
	s.put("d", "notes", "a", `{"id":"a","title":"word"}`)
	_, err := s.Index.All(t.Context(), 0)
	s.ok(err)
	s.put("c", "notes", many(9000)...)
	s.Wait = 1
	page, err := s.Rank(t.Context(), OwnerScope(), Search{Text: "none"})
	s.ok(err)
	if page.Complete || !page.Late || page.Unknown < 1000 || page.Behind < 1000 || len(page.Warnings) != 1 || page.Warnings[0].Code != WarnPartial {
		t.Errorf("got %+v, want that records are missing, and how many", page)
	}
	found, err := s.Search(t.Context(), OwnerScope(), Search{Text: "word", Connections: []string{"d"}})
	s.ok(err)
	if found.Late || found.Behind != 0 || len(found.Hits) != 1 || found.Warnings != nil {
		t.Errorf("of what is indexed: got %+v, want one hit and nothing missing", found)
	}
	s.Wait = 0
	page, err = s.Rank(t.Context(), OwnerScope(), Search{Text: "none"})
	s.ok(err)
	if !page.Complete || page.Late || page.Unknown != 0 || page.Behind != 0 || page.Warnings != nil {
		t.Errorf("once indexed: got %+v, want that nothing is missing", page)
	}
}

// RD-27.4: the further pages of an order say that its first page was made while records were missing.
func TestALaterPageOfAnOrderIsNoMoreComplete(t *testing.T) {
	t.Parallel()
	s := newShelf(t, "c")
	s.put("c", "notes", many(9000)...)
	s.Wait = 1
	first, err := s.Rank(t.Context(), OwnerScope(), Search{Text: "word", Limit: 2})
	s.ok(err)
	if first.Next == "" || !first.Late {
		t.Fatalf("got %+v, want a page of more, of which records are missing", first)
	}
	s.Wait = 0
	next, err := s.Rank(t.Context(), OwnerScope(), Search{Text: "word", Limit: 2, Cursor: first.Next})
	s.ok(err)
	if next.Complete || !next.Late {
		t.Errorf("got %+v, want that records are missing from the order", next)
	}
}

// Invariant 9: a client is told that records are missing, and how many where it sees all of them; of a
// stream that is late nothing is searched, so that no record that is not there tells of a change that is not seen.
func TestAClientIsToldWhatIsMissingOfItsOwn(t *testing.T) {
	t.Parallel()
	s := newShelf(t, "c", "d")
	s.put("c", "notes", "a", `{"id":"a","title":"word"}`)
	_, err := s.Index.All(t.Context(), 0)
	s.ok(err)
	s.put("d", "notes", many(6000)...)
	since := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	s.put("d", "plain", many(6000)...) // not granted
	s.Wait = 1
	for name, c := range map[string]struct {
		time *TimeBound
		want int64
	}{"a whole stream": {nil, 6000}, "a part of one": {&TimeBound{Field: "at", Since: &since}, 0}} {
		scope := &Scope{Streams: []StreamScope{{Name: "notes", Connections: s.ids("c", "d"), Fields: []string{"id", "title"}, Time: c.time}}}
		if c.time != nil { // of the other connection nothing is within the time
			scope.Streams[0].Connections = s.ids("d")
			if _, err := s.Rank(t.Context(), scope, Search{Text: "word"}); err == nil {
				t.Errorf("%s: got an answer, want %s", name, CodeBehind)
			} else {
				s.code(err, CodeBehind)
			}
			continue
		}
		page, err := s.Rank(t.Context(), scope, Search{Text: "word"})
		s.ok(err)
		if page.Complete || !page.Late || page.Matches != 1 || page.Unknown != c.want || page.Behind != 0 {
			t.Errorf("%s: got %+v, want the one of c, and %d records that are missing", name, page, c.want)
		}
	}
}

// RD-27.8: of a backlog the newest changes are indexed first, and what is written meanwhile before the rest;
// the oldest do not wait for all others; at the end the read state is the same.
func TestTheNewestAreIndexedFirst(t *testing.T) {
	t.Parallel()
	s := newShelf(t, "c", "d")
	s.put("c", "notes", many(24_000)...)
	step := func(n int) storage.ReadPosition {
		for range n {
			_, err := s.Index.All(t.Context(), 1)
			s.ok(err)
		}
		at, err := s.Store.Position(t.Context())
		s.ok(err)
		return at
	}
	at := step(3)
	if len(at.Ahead) == 0 || !at.Has(at.Last) || at.Missing() < 5000 {
		t.Fatalf("got %+v behind three steps, want the newest changes and not all", at)
	}
	s.Wait = 1
	if page, err := s.Search(t.Context(), OwnerScope(), Search{Text: "word", Limit: 1}); err != nil || len(page.Hits) != 1 || page.Hits[0].Key != "k23999" {
		t.Errorf("got %+v, %v, want the newest record", page, err)
	}
	s.put("d", "notes", "late", `{"id":"late","title":"late"}`)
	if at = step(2); !at.Has(at.Last) || at.Missing() == 0 {
		t.Errorf("got %+v, want what was written last", at)
	}
	was := at.Indexed
	if at = step(3); at.Indexed <= was && at.Missing() > 0 {
		t.Errorf("got %+v, want more of the oldest as well", at)
	}
	s.put("c", "notes", "k00000", `{"id":"k","title":"changed"}`, "-k12000", "", "-k23999", "")
	if left, err := s.Index.All(t.Context(), 0); err != nil || left.Any() {
		t.Fatalf("got %+v, %v, want nothing left", left, err)
	}
	if at = step(1); at.Ahead != nil || at.Indexed != at.Last {
		t.Errorf("got %+v, want one range of all", at)
	}
	s.sound()
	s.Wait = 0
	if got := s.searchKeys("changed"); len(got) != 1 {
		t.Errorf("got %q, want what has changed", got)
	}
}
