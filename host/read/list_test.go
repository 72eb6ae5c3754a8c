package read

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// RD-15.3: by the cursor field and then by key, descending by default, records without a
// value last either way; without a cursor field by key alone.
func TestListOrder(t *testing.T) {
	t.Parallel()
	s := newShelf(t, "c")
	s.put("c", "notes", "a", `{"id":"a","at":"2026-01-01T12:00:00+02:00"}`, "b", `{"id":"b","at":"2026-01-01T10:00:00Z"}`, "c", `{"id":"c"}`,
		"d", `{"id":"d","at":null}`, "e", `{"id":"e","at":"soon"}`, "f", `{"id":"f","at":"2026-01-01T10:00:00.001Z"}`, "g", `{"id":"g","at":"2025-01-01T00:00:00Z"}`)
	for limit := 1; limit < 9; limit++ {
		s.same(s.keys(List{From: From{Stream: "notes"}, Limit: limit}), []string{"f", "b", "a", "g", "e", "d", "c"})
		s.same(s.keys(List{From: From{Stream: "notes"}, Limit: limit, Order: "asc"}), []string{"g", "a", "b", "f", "c", "d", "e"})
	}
	s.same(s.keys(List{From: From{Stream: "notes"}, Sort: "-at"}), []string{"f", "b", "a", "g", "e", "d", "c"})
	for sort, order := range map[string]string{"n": "", "-": "", "at": "desc", "gone": ""} {
		_, err := s.List(t.Context(), OwnerScope(), List{From: From{Stream: "notes"}, Sort: sort, Order: order})
		s.code(err, CodeSort)
	}
	s.put("c", "plain", "b", `{"n":1}`, "a", `{"n":2}`, "ä", `{"n":3}`)
	s.same(s.keys(List{From: From{Stream: "plain"}, Order: "asc", Limit: 2}), []string{"a", "b", "ä"})
	s.sound()
}

// RD-09.1, RD-15.2: several connections make one list in one order, in pages of any size.
func TestListMerges(t *testing.T) {
	t.Parallel()
	s := newShelf(t, "one", "two", "three")
	var want []string
	for i := range 9 {
		for _, name := range []string{"one", "two", "three"} {
			at := fmt.Sprintf("2026-01-0%dT00:00:00Z", 1+i/3)
			s.put(name, "notes", fmt.Sprint("k", i), fmt.Sprintf(`{"id":"k","at":%q}`, at))
		}
		want = append(want, fmt.Sprint("k", i), fmt.Sprint("k", i), fmt.Sprint("k", i))
	}
	for limit := 1; limit < 30; limit += 3 {
		s.same(s.keys(List{From: From{Stream: "notes"}, Limit: limit, Order: "asc"}), want)
	}
	page, err := s.List(t.Context(), OwnerScope(), List{From: From{Stream: "notes", Connections: []string{"two"}}, Limit: 100, Count: true})
	s.ok(err)
	if len(page.Records) != 9 || page.Records[0].Connection != "two" || page.Count == nil || *page.Count != 9 {
		t.Errorf("got %d records, count %v, want the nine of two", len(page.Records), page.Count)
	}
	_, err = s.List(t.Context(), OwnerScope(), List{From: From{Stream: "notes", Connections: []string{"four"}}})
	s.code(err, abi.CodeConnectionUnknown)
	_, err = s.List(t.Context(), OwnerScope(), List{From: From{Stream: "gone"}})
	s.code(err, abi.CodeStreamUnknown)
}

// RD-09.5: a connection whose records lack the field that a list is sorted by is left out of it, with a
// warning. One that has the field, and is ordered by another one, refuses the list (RD-15.4).
func TestListLeavesOutWhatLacksItsOrder(t *testing.T) {
	t.Parallel()
	s := newShelf(t, "c", "d")
	other := strings.ReplaceAll(manifest, `"at":{`, `"when":{`)
	s.accept("d", strings.ReplaceAll(other, `"cursor_field":"at"`, `"cursor_field":"when"`))
	s.put("c", "notes", "a", `{"id":"a","at":"2026-01-01T00:00:00Z"}`, "b", `{"id":"b","at":"2026-01-02T00:00:00Z"}`)
	s.put("d", "notes", "x", `{"id":"x","when":"2026-01-03T00:00:00Z"}`)
	for sort, want := range map[string][]string{"at": {"a", "b"}, "-at": {"b", "a"}, "when": {"x"}} {
		page, err := s.List(t.Context(), OwnerScope(), List{From: From{Stream: "notes"}, Sort: sort, Limit: 1})
		s.ok(err)
		name, left := strings.TrimPrefix(sort, "-"), map[string]string{"at": "d", "-at": "d", "when": "c"}[sort]
		if w := page.Warnings; len(w) != 1 || w[0].Code != WarnSkipped || w[0].Field != name || w[0].Connection != s.ids(left)[0] {
			t.Errorf("%s: got the warnings %+v, want one that %s is left out, which lacks %s", sort, w, left, name)
		}
		s.same(s.keys(List{From: From{Stream: "notes"}, Sort: sort, Limit: 1}), want)
	}
	s.accept("d", strings.ReplaceAll(manifest, `"cursor_field":"at"`, `"cursor_field":"n"`))
	_, err := s.List(t.Context(), OwnerScope(), List{From: From{Stream: "notes"}, Sort: "at"})
	s.code(err, CodeSort)
}

// RD-15.4: an owner sorts by when records were emitted, either way and over several connections,
// by moments and not by how they are written; what comes before or behind a page moves no other.
func TestListByEmittedAt(t *testing.T) {
	t.Parallel()
	s := newShelf(t, "one", "two")
	for _, r := range []struct{ connection, at, key string }{
		{"one", "2026-01-01T12:00:00+02:00", "b"}, {"two", "2026-01-01T10:00:00.5Z", "d"}, {"one", "2026-01-01T10:00:00Z", "c"},
		{"two", "2026-01-01T09:59:59.999999999Z", "a"}, {"one", "2026-01-01T10:00:00.500000001Z", "e"}, {"two", "soon", "f"},
	} {
		s.at = r.at
		s.put(r.connection, "notes", r.key, fmt.Sprintf(`{"id":%q,"at":"2026-01-01T00:00:00Z"}`, r.key))
	}
	for limit := 1; limit < 8; limit++ {
		s.same(s.keys(List{From: From{Stream: "notes"}, Limit: limit, Sort: "emitted_at"}), []string{"a", "b", "c", "d", "e", "f"})
		s.same(s.keys(List{From: From{Stream: "notes"}, Limit: limit, Sort: "-emitted_at", Filters: []Filter{{"at", AtLeast, "2026-01-01T00:00:00Z"}}}), []string{"e", "d", "c", "b", "a", "f"})
	}
	l := List{From: From{Stream: "notes"}, Limit: 2, Sort: "-emitted_at"}
	page, err := s.List(t.Context(), OwnerScope(), l)
	s.ok(err)
	s.at = "2026-01-02T00:00:00Z" // before the page: d again, which was shown
	s.put("two", "notes", "d", `{"id":"d","n":2}`)
	s.at = "2025-01-01T00:00:00Z" // behind it
	s.put("two", "notes", "g", `{"id":"g"}`)
	l.Cursor = page.Next
	s.same(s.keys(l), []string{"c", "b", "a", "g", "f"})
	ascending := l
	ascending.Sort = "emitted_at"
	_, err = s.List(t.Context(), OwnerScope(), ascending)
	s.code(err, CodeCursor)
	for _, l := range []List{{Sort: "emitted_at", Order: "desc"}, {Sort: "-emitted_at", Order: "asc"}} {
		l.Stream = "notes"
		_, err := s.List(t.Context(), OwnerScope(), l)
		s.code(err, CodeSort)
	}
	client := &Scope{Streams: []StreamScope{{Name: "notes", Connections: s.ids("one"), Fields: []string{"id", "at"}}}}
	_, err = s.List(t.Context(), client, List{From: From{Stream: "notes"}, Sort: "emitted_at"})
	s.code(err, CodeFieldHidden)
	s.sound()
}

// RD-06.1, RD-19: the times of all that a list chooses are told, where the field of them is seen; what is
// not counted in time is estimated, or left out where a part of it is seen.
func TestListTimes(t *testing.T) {
	t.Parallel()
	s := newShelf(t, "c", "d")
	s.put("c", "notes", "a", `{"id":"a","n":1,"at":"2026-01-01T12:00:00+02:00"}`, "b", `{"id":"b","n":1,"at":"2026-01-01T11:00:00Z"}`, "c", `{"id":"c"}`)
	s.put("d", "notes", "z", `{"id":"z","n":2,"at":"2026-03-01T00:00:00Z"}`)
	granted := func(fields ...string) *Scope {
		return &Scope{Streams: []StreamScope{{Name: "notes", Connections: s.ids("c"), Fields: fields}}}
	}
	within := func(scope *Scope, hour int) *Scope {
		scope.Streams[0].Time = &TimeBound{Field: "at", Since: new(time.Date(2026, 1, 1, hour, 0, 0, 0, time.UTC))}
		return scope
	}
	for _, c := range []struct {
		scope *Scope
		list  List
		want  Times
	}{
		{OwnerScope(), List{}, Times{4, "2026-01-01T12:00:00+02:00", "2026-03-01T00:00:00Z"}},
		{OwnerScope(), List{Filters: []Filter{{"n", Equal, "1"}}}, Times{2, "2026-01-01T12:00:00+02:00", "2026-01-01T11:00:00Z"}},
		{granted("id", "at"), List{}, Times{3, "2026-01-01T12:00:00+02:00", "2026-01-01T11:00:00Z"}},
		{granted("id"), List{}, Times{3, "", ""}},
		{within(granted("id", "at"), 10), List{}, Times{2, "2026-01-01T12:00:00+02:00", "2026-01-01T11:00:00Z"}},
		{within(granted("id", "at"), 11), List{}, Times{1, "2026-01-01T11:00:00Z", "2026-01-01T11:00:00Z"}},
		{within(granted("id", "at"), 12), List{}, Times{}},
		{within(granted("id"), 11), List{}, Times{1, "", ""}},
	} {
		c.list.From, c.list.Times, c.list.Limit = From{Stream: "notes"}, true, 1
		page, err := s.List(t.Context(), c.scope, c.list)
		s.ok(err)
		if page.Times == nil || *page.Times != c.want || len(page.Records) != int(min(c.want.Total, 1)) {
			t.Errorf("%+v: got %+v, want %+v", c.list.Filters, page.Times, c.want)
		}
	}
	// Invariant 9: under a time they are found by the index of that time, whatever lies outside of it.
	timed := within(granted("id"), 10)
	sources, _, err := s.sources(t.Context(), timed, From{Stream: "notes"})
	s.ok(err)
	s.put("c", "notes", "-a", "")
	page := new(Page)
	s.times(t.Context(), []*walk{{store: s.Store, source: &sources[0], descending: true}}, page)
	if page.Times == nil || page.Times.Total != 2 {
		t.Errorf("got %+v, want the 2 of the index, which has not seen that one went", page.Times)
	}
	s.put("c", "notes", "a", `{"id":"a","n":1,"at":"2026-01-01T12:00:00+02:00"}`)
	late, stop := context.WithCancel(t.Context())
	stop()
	part := granted("id")
	part.Streams[0].Keys = []string{"a"}
	for scope, want := range map[*Scope]bool{OwnerScope(): true, part: false} {
		sources, _, err := s.sources(t.Context(), scope, From{Stream: "notes", Connections: s.ids("c")})
		s.ok(err)
		page, asked := new(Page), List{From: From{Stream: "notes"}}
		if scope.Owner {
			asked.Filters = []Filter{{"n", Equal, "1"}}
		}
		m, err := s.merge(sources, &asked, page)
		s.ok(err)
		s.count(late, m.walks, page)
		s.times(late, m.walks, page)
		if page.Count != nil || page.Times != nil || (page.Estimate != nil) != want || want && *page.Estimate != 3 || len(page.Warnings) != 2 {
			t.Errorf("too late: got the count %v, the estimate %v, the times %v, %+v, want an estimate %v and warnings", page.Count, page.Estimate, page.Times, page.Warnings, want)
		}
	}
}

// RD-17.2, RD-17.3, RD-17.4, RD-19: filters are read by the field's type, hold together,
// and are counted.
func TestListFilters(t *testing.T) {
	t.Parallel()
	s := newShelf(t, "c")
	s.put("c", "notes", "a", `{"id":"a","n":1,"ok":true,"title":"","at":"2026-01-01T00:00:00Z"}`, "b", `{"id":"b","n":1.0,"ok":false,"title":"x","at":"2026-01-02T00:00:00Z"}`,
		"c", `{"id":"c","n":20,"title":"x","at":"2026-01-03T00:00:00Z"}`, "d", `{"id":"d","n":null,"title":"1"}`)
	for _, c := range []struct {
		want    string
		filters []Filter
	}{
		{"[b a]", []Filter{{"n", Equal, "1.0"}}},
		{"[a]", []Filter{{"n", Equal, "1"}, {"ok", Equal, "true"}}},
		{"[a]", []Filter{{"title", Equal, ""}}},
		{"[c]", []Filter{{"n", Above, "1"}}},
		{"[c b a]", []Filter{{"n", AtLeast, "1"}}},
		{"[b a]", []Filter{{"n", Below, "20"}}},
		{"[c b a]", []Filter{{"n", AtMost, "2e1"}}},
		{"[c b]", []Filter{{"at", AtLeast, "2026-01-02T01:00:00+01:00"}}},
		{"[b]", []Filter{{"at", AtLeast, "2026-01-02T00:00:00Z"}, {"at", Below, "2026-01-03T00:00:00Z"}}},
		{"[c]", []Filter{{"at", Above, "2026-01-02T00:00:00Z"}}},
		{"[b a]", []Filter{{"at", AtMost, "2026-01-02T00:00:00Z"}}},
		{"[b]", []Filter{{"at", Equal, "2026-01-02T00:00:00Z"}}},
		{"[a]", []Filter{{"at", Below, "2026-01-02T00:00:00Z"}}},
		{"[d]", []Filter{{"title", Equal, "1"}}},
	} {
		for _, limit := range []int{1, 100} {
			if got := fmt.Sprint(s.keys(List{From: From{Stream: "notes"}, Filters: c.filters, Limit: limit})); got != c.want {
				t.Errorf("%v: got %s, want %s", c.filters, got, c.want)
			}
		}
		page, err := s.List(t.Context(), OwnerScope(), List{From: From{Stream: "notes"}, Filters: c.filters, Limit: 1, Count: true})
		s.ok(err)
		if got := fmt.Sprint(*page.Count); got != fmt.Sprint(len(s.keys(List{From: From{Stream: "notes"}, Filters: c.filters}))) {
			t.Errorf("%v: counted %s, want as many as %s", c.filters, got, c.want)
		}
	}
	for _, c := range []struct {
		code   abi.Code
		filter Filter
	}{
		{CodeField, Filter{"gone", Equal, "1"}},
		{CodeRequest, Filter{"title", Above, "a"}}, // not declared
		{CodeRequest, Filter{"at", "like", "a"}},
		{CodeRequest, Filter{"n", Equal, "one"}},
		{CodeRequest, Filter{"ok", Equal, "yes"}},
		{CodeRequest, Filter{"list", Equal, "[]"}},
	} {
		_, err := s.List(t.Context(), OwnerScope(), List{From: From{Stream: "notes"}, Filters: []Filter{c.filter}})
		s.code(err, c.code)
	}
}

// RD-14: a limit is from 1 to 100, and more than that is clamped with a warning. RD-14.1:
// deleted records are not listed. RD-14.2: what is durable is in the list.
func TestListLimits(t *testing.T) {
	t.Parallel()
	s := newShelf(t, "c")
	var records []string
	for i := range 150 {
		records = append(records, fmt.Sprintf("k%03d", i), `{"id":"x"}`)
	}
	s.put("c", "notes", records...)
	for limit, want := range map[int]int{0: DefaultLimit, 1: 1, 100: 100, 101: 100} {
		page, err := s.List(t.Context(), OwnerScope(), List{From: From{Stream: "notes"}, Limit: limit})
		s.ok(err)
		if len(page.Records) != want || (len(page.Warnings) == 1) != (limit > MostLimit) {
			t.Errorf("limit %d: got %d records and %v, want %d", limit, len(page.Records), page.Warnings, want)
		}
	}
	_, err := s.List(t.Context(), OwnerScope(), List{From: From{Stream: "notes"}, Limit: -1})
	s.code(err, CodeRequest)
	s.put("c", "notes", "-k149", "", "new", `{"id":"new"}`)
	page, err := s.List(t.Context(), OwnerScope(), List{From: From{Stream: "notes"}, Limit: 2})
	s.ok(err)
	if got := page.Records[0].Key + page.Records[1].Key; got != "newk148" {
		t.Errorf("got %s, want new and k148", got)
	}
	s.sound()
}
