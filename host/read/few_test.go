package read

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// timedOf grants the titles of notes from the 15th of January 2026 on.
func (s *shelf) timedOf(connection string) *Scope {
	return &Scope{Streams: []StreamScope{{Name: "notes", Connections: s.ids(connection), Fields: []string{"id", "title"}, Time: &TimeBound{Field: "at", Since: new(began.AddDate(0, 0, 13))}}}}
}

// Invariant 9, RD-27.1: a search under a scope of keys, or of a time, does not look in the index,
// where what it takes goes by how many hidden records have the words.
func TestASearchAmongFewIsBlindToTheRest(t *testing.T) {
	t.Parallel()
	s := newShelf(t, "c")
	records := []string{"a", `{"id":"a","title":"red","at":"2026-01-20T00:00:00Z"}`, "b", `{"id":"b","title":"red red","at":"2026-01-21T00:00:00Z"}`, "none", `{"id":"none","title":"red"}`}
	for i := range 300 {
		records = append(records, fmt.Sprint("h", i), `{"id":"h","title":"red","at":"2026-01-01T00:00:00Z"}`)
	}
	s.put("c", "notes", records...)
	keyed := &Scope{Streams: []StreamScope{{Name: "notes", Connections: s.ids("c"), Fields: []string{"id", "title"}, Keys: []string{"b", "a", "b", "gone"}}}}
	for name, scope := range map[string]*Scope{"keys": keyed, "a time": s.timedOf("c")} {
		look, _, err := s.searching(t.Context(), scope, "rank", &Search{Text: "red"}, new(Found))
		s.ok(err)
		if len(look.words) != 0 {
			t.Errorf("%s: the index is asked for %q, want nothing", name, look.words)
		}
		got, last := s.ranked(scope, Search{Text: "red", Limit: 1})
		s.same(got, []string{"b", "a"})
		if !last.Complete || last.Matches != 2 {
			t.Errorf("%s: got %d matches, complete %v, want 2, and all of them", name, last.Matches, last.Complete)
		}
		var newest []string
		q := Search{Text: "red", Limit: 1}
		for more := true; more; more = q.Cursor != "" {
			f, err := s.Search(t.Context(), scope, q)
			s.ok(err)
			newest, q.Cursor = append(newest, f.Hits[0].Key), f.Next
		}
		s.same(newest, []string{"b", "a"})
	}
}

// Invariant 9, RD-27.3: under a grant of a time with many records the newest ones by that time are
// searched, and the answer says so. The index is not asked, whatever it has of the others.
func TestASearchOfATimeIsOfTheNewest(t *testing.T) {
	t.Parallel()
	s := newShelf(t, "c")
	const older, hidden = 3, 5
	records := []string{}
	for i := range mostFew + older {
		at, title := began.AddDate(0, 0, 20).Add(time.Duration(i)*time.Second), "blue"
		if i <= older || i == mostFew+older-1 {
			title = "red"
		}
		records = append(records, fmt.Sprint("k", i), fmt.Sprintf(`{"id":"k%d","title":%q,"at":%q}`, i, title, at.Format(time.RFC3339)))
	}
	for i := range hidden {
		records = append(records, fmt.Sprint("h", i), `{"id":"h","title":"red","at":"2026-01-01T00:00:00Z"}`)
	}
	s.put("c", "notes", records...)
	scope := s.timedOf("c")
	look, _, err := s.searching(t.Context(), scope, "rank", &Search{Text: "red"}, new(Found))
	s.ok(err)
	if len(look.words) != 0 || len(look.few) != 1 || len(look.few[0].keys) != mostFew {
		t.Errorf("the index is asked for %q, want nothing, and %d records to be read", look.words, mostFew)
	}
	page, err := s.Rank(t.Context(), scope, Search{Text: "red"})
	s.ok(err)
	got := []string{}
	for i := range page.Hits {
		got = append(got, page.Hits[i].Key)
	}
	slices.Sort(got)
	s.same(got, []string{fmt.Sprint("k", mostFew+older-1), fmt.Sprint("k", older)})
	if page.Complete || len(page.Warnings) != 1 || page.Warnings[0].Code != WarnPartial {
		t.Errorf("got complete %v and %v, want a warning that a part was searched", page.Complete, page.Warnings)
	}
	scope.Streams[0].Time.Field = "title" // the connector tells the time by another field since the grant
	if page, err = s.Rank(t.Context(), scope, Search{Text: "red"}); err != nil || len(page.Hits) != 0 || page.Complete || len(page.Warnings) != 1 {
		t.Errorf("by another time: got %d hits, %v, want none and a warning", len(page.Hits), err)
	}
}

// Invariant 9, RD-16.5, RD-27.3: a client's search waits for the index as a list does, and does not
// say that nothing matches while it is behind.
func TestAClientsSearchIsNotBehind(t *testing.T) {
	t.Parallel()
	s := newShelf(t, "c", "d")
	scope := &Scope{Streams: []StreamScope{{Name: "notes", Connections: s.ids("c"), Fields: []string{"id", "title"}}}}
	s.put("c", "notes", "m", `{"id":"m","title":"red"}`)
	told := func() string {
		page, err := s.Rank(t.Context(), scope, Search{Text: "red"})
		if err != nil {
			return err.Error()
		}
		return fmt.Sprint(page.Matches, page.Complete)
	}
	want := told()
	var others []string
	for i := range 6000 {
		others = append(others, fmt.Sprint(i), `{"id":"o"}`)
	}
	s.put("d", "notes", others...)
	s.put("c", "notes", "m", `{"id":"m","title":"red","body":"hidden"}`)
	s.Wait = 1
	if got := told(); got != want && !strings.Contains(got, "not indexed yet") {
		t.Errorf("behind a change that is not seen: got %s, want %s, or that it is not indexed yet", got, want)
	}
	s.Wait = 0
	if got := told(); got != want {
		t.Errorf("behind the index: got %s, want %s", got, want)
	}
}

// RD-07: a search among large records holds a few of them at once, and leaves none out.
func TestASearchAmongLargeRecords(t *testing.T) {
	t.Parallel()
	const large, many = 512 << 10, 20
	s := newShelf(t, "c")
	var keys []string
	for i := range many {
		key := fmt.Sprintf("%02d", i)
		keys = append(keys, key)
		s.put("c", "notes", key, fmt.Sprintf(`{"id":%q,"title":"red","body":"red","list":[%q],"n":1}`, key, strings.Repeat("x", large)))
	}
	sources, _, err := s.sources(t.Context(), OwnerScope(), From{Stream: "notes"})
	s.ok(err)
	rows, more, err := s.Store.ReadRecords(t.Context(), sources[0].ID, keys, chunkBytes)
	s.ok(err)
	if n := len(rows) * large; !more || n > chunkBytes+large {
		t.Errorf("got %d bytes at once, others %v, want about %d, and others", n, more, chunkBytes)
	}
	keyed := &Scope{Streams: []StreamScope{{Name: "notes", Connections: s.ids("c"), Fields: []string{"id", "title"}, Keys: keys}}}
	for name, scope := range map[string]*Scope{"the owner": OwnerScope(), "a client of keys": keyed} {
		if got, _ := s.ranked(scope, Search{Text: "red"}); len(got) != many {
			t.Errorf("%s found %d records, want %d", name, len(got), many)
		}
		if got, err := s.Aggregate(t.Context(), scope, Aggregate{From: From{Stream: "notes"}, Metric: MetricCount}); err != nil || got.Records != many {
			t.Errorf("%s counts %+v, %v, want %d", name, got, err, many)
		}
	}
}

// RD-26: a grant that names a record twice counts it once, wherever the names stand.
func TestAKeyThatStandsTwiceCountsOnce(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	ids := []string{s.accept("c", summed)}
	s.put("c", "notes", "a", `{"id":"a","n":5}`)
	keys := make([]string, mostDocs)
	for i := range keys {
		keys[i] = fmt.Sprint("gone", i)
	}
	keys[0] = "a"
	scope := &Scope{Streams: []StreamScope{{Name: "notes", Connections: ids, Fields: []string{"id", "n"}, Keys: append(keys, "a")}}}
	if got, want := s.told(scope, Aggregate{Metric: MetricSum, Field: "n"}), "5 of 1"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Invariant 9, RD-14, RD-34: a list under a scope of keys, or of a time by which the stream is
// ordered, reads nothing of the hidden records, where what it takes would go by how many there are.
func TestAListIsBlindToTheRest(t *testing.T) {
	t.Parallel()
	s := newShelf(t, "c")
	records := []string{
		"a", `{"id":"a","at":"2026-01-20T00:00:00Z"}`, "b", `{"id":"b","at":"2026-01-21T00:00:00Z"}`, "none", `{"id":"none"}`,
		"edge", `{"id":"edge","at":"2026-01-15T03:04:05Z"}`, "past", `{"id":"past","at":"2026-01-30T00:00:00Z"}`,
	}
	for i := range 300 {
		records = append(records, fmt.Sprint("h", i), `{"id":"h","at":"2026-01-01T00:00:00Z"}`)
	}
	s.put("c", "notes", records...)
	keyed := &Scope{Streams: []StreamScope{{Name: "notes", Connections: s.ids("c"), Fields: []string{"id"}, Keys: []string{"none", "b", "a", "b", "gone"}}}}
	nothing := &Scope{Streams: []StreamScope{{Name: "notes", Connections: s.ids("c"), Fields: []string{"id"}, Keys: []string{}}}}
	timed := s.timedOf("c")
	timed.Streams[0].Fields, timed.Streams[0].Time.Until = []string{"id"}, new(began.AddDate(0, 0, 20))
	since := s.timedOf("c")
	since.Streams[0].Fields = []string{"id"}
	for name, c := range map[string]struct {
		scope *Scope
		want  []string // descending
	}{
		"keys": {keyed, []string{"b", "a", "none"}}, "no key": {nothing, nil},
		"a time": {timed, []string{"b", "a", "edge"}}, "a time on": {since, []string{"past", "b", "a", "edge"}},
	} {
		for _, order := range []string{"desc", "asc"} {
			l := List{From: From{Stream: "notes"}, Order: order, Limit: 2}
			sources, _, err := s.sources(t.Context(), c.scope, l.From)
			s.ok(err)
			m, err := s.merge(sources, &l, new(Page))
			s.ok(err)
			w := m.walks[0]
			for n := 0; !w.last && n < 3; n++ {
				s.ok(w.read(t.Context(), 1))
			}
			if !w.last {
				t.Errorf("%s, %s: the walk goes on behind %d rows, want it at its end", name, order, len(w.ahead))
			}
			var got []string
			for more := true; more; more = l.Cursor != "" {
				page, err := s.List(t.Context(), c.scope, l)
				s.ok(err)
				for i := range page.Records {
					got = append(got, page.Records[i].Key)
				}
				l.Cursor = page.Next
			}
			want := slices.Clone(c.want)
			if order == "asc" {
				slices.Reverse(want)
				if i := slices.Index(want, "none"); i == 0 { // what has no value comes last both ways
					want = append(want[1:], "none")
				}
			}
			s.same(got, want)
		}
	}
}
