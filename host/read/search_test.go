package read

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/pgtest"
)

// RD-27.2, RD-27.4, RD-27.6: what is found is told with its field and a part of it, the
// newest first, and a cursor goes on for ten minutes.
func TestSearch(t *testing.T) {
	t.Parallel()
	s := newShelf(t, "c", "d")
	s.put("c", "notes", "a", `{"id":"a","title":"Crème brûlée","body":"to be or not to be"}`, "b", `{"id":"b","title":"cream","body":"creme BRULEE \"x\""}`)
	s.put("d", "notes", "c", `{"id":"creme","title":"be to","n":5,"list":["creme"]}`)
	f, err := s.Search(t.Context(), OwnerScope(), Search{Text: "creme brulee"})
	s.ok(err)
	var got []string
	for _, h := range f.Hits {
		got = append(got, fmt.Sprint(h.Connection, h.Key, h.Matched, h.Field, h.Snippet))
	}
	s.same(got, []string{`cb[body]bodycreme BRULEE "x"`, "ca[title]titleCrème brûlée"})
	for q, want := range map[string]int{`"to be"`: 1, "be": 2, "to be": 2, "cre*": 2, "cream*": 1, "": 0, `"`: 0, "*": 0, "or NOT": 1, "brulee creme": 2, `AND (x OR" NEAR/2`: 0} {
		if got := s.searchAt(q); len(got) != want {
			t.Errorf("%q: found %q, want %d", q, got, want)
		}
	}
	// A word that no field for a search has is not found, though the record has it.
	if got := s.searchAt("5"); len(got) != 0 {
		t.Errorf("found %q by a field that is not searched", got)
	}
	f, err = s.Search(t.Context(), OwnerScope(), Search{Text: "be", Limit: 1})
	s.ok(err)
	next := Search{Text: "be", Limit: 1, Cursor: f.Next}
	s.now = s.now.Add(searchesLive)
	if f, err = s.Search(t.Context(), OwnerScope(), next); err != nil || len(f.Hits) != 1 || f.Hits[0].Key != "a" || f.Next != "" {
		t.Errorf("got %+v, %v, want a", f, err)
	}
	// RD-27.4: what was deleted since is not shown.
	s.put("c", "notes", "-a", "")
	if f, err = s.Search(t.Context(), OwnerScope(), next); err != nil || len(f.Hits) != 0 {
		t.Errorf("got %+v, %v, want nothing", f, err)
	}
	s.now = s.now.Add(1e9)
	_, err = s.Search(t.Context(), OwnerScope(), next)
	s.code(err, CodeCursor)
	_, err = s.Search(t.Context(), OwnerScope(), Search{Text: strings.Repeat("ä", 513)})
	s.code(err, CodeRequest)
	for _, q := range []Search{{Text: "creme", Connections: []string{"c"}}, {Text: "creme", Streams: []string{"notes"}, Connections: []string{"c"}}} {
		if f, err := s.Search(t.Context(), OwnerScope(), q); err != nil || len(f.Hits) != 1 {
			t.Errorf("got %+v, %v, want one", f, err)
		}
	}
	s.sound()
}

// RD-27.1, RD-27.5, RD-03.2: under a grant the index is asked for granted fields only, of
// granted connections, and records outside keys and time are not told.
func TestSearchUnderAScope(t *testing.T) {
	t.Parallel()
	s := newShelf(t, "c", "d")
	id := s.accept("c", manifest)
	s.put("c", "notes", "a", `{"id":"a","title":"red","body":"blue","at":"2026-01-01T00:00:00Z"}`, "b", `{"id":"b","title":"red","at":"2026-02-01T00:00:00Z"}`)
	s.put("d", "notes", "c", `{"id":"c","title":"red","at":"2026-01-01T00:00:00Z"}`)
	s.put("c", "plain", "x", `{"id":"red"}`)
	granted := StreamScope{Name: "notes", Connections: []string{id}, Fields: []string{"id", "title"}}
	count := func(sc StreamScope, text string) int {
		f, err := s.Search(t.Context(), &Scope{Streams: []StreamScope{sc}}, Search{Text: text})
		s.ok(err)
		return len(f.Hits)
	}
	early := granted
	early.Time = &TimeBound{Field: "at", Until: new(began.AddDate(0, 0, 20))}
	keyed := granted
	keyed.Keys = []string{"b"}
	plain := StreamScope{Name: "plain", Connections: []string{id}, Fields: []string{"id"}}
	for _, c := range []struct {
		scope StreamScope
		text  string
		want  int
	}{{granted, "red", 2}, {granted, "blue", 0}, {early, "red", 1}, {keyed, "red", 1}, {plain, "red", 0}} {
		if got := count(c.scope, c.text); got != c.want {
			t.Errorf("%+v: %q found %d, want %d", c.scope, c.text, got, c.want)
		}
	}
	_, err := s.Search(t.Context(), &Scope{Streams: []StreamScope{granted}}, Search{Text: "red", Streams: []string{"plain"}})
	s.code(err, CodeNotGranted)
	_, err = s.Search(t.Context(), &Scope{Streams: []StreamScope{granted}}, Search{Text: "red", Connections: []string{"d"}})
	s.code(err, abi.CodeConnectionUnknown)
}

// Invariant 9, RD-27.1: the index is asked for a stream where all that is searched of it is granted, for
// the granted fields where some are, and for nothing of one without any.
func TestTheIndexIsAskedForGrantedFields(t *testing.T) {
	t.Parallel()
	s := newShelf(t, "c")
	s.put("c", "notes", "a", `{"id":"a","title":"red","body":"blue"}`)
	for fields, want := range map[string]string{"id title body": "s%d", "body": "s%df0", "title id": "s%df1", "id": ""} {
		scope := &Scope{Streams: []StreamScope{{Name: "notes", Connections: s.ids("c"), Fields: strings.Fields(fields)}}}
		look, _, err := s.searching(t.Context(), scope, "rank", &Search{Text: "red"}, new(Found))
		s.ok(err)
		if want != "" {
			sources, _, err := s.sources(t.Context(), scope, From{Stream: "notes"})
			s.ok(err)
			want = fmt.Sprintf(want, sources[0].ID)
		}
		if got := strings.Join(look.words, " "); got != want {
			t.Errorf("with %s: the index is asked for %q, want %q", fields, got, want)
		}
	}
}

// The words of records that are indexed in one pass are one segment of a file's index: parts of
// them would be merged again and again.
func TestWordsOfAPassAreOneSegment(t *testing.T) {
	t.Parallel()
	pgtest.OnFile(t)
	s := newShelf(t, "c")
	var records []string
	for i := range 150 { // less than the shortest pass takes
		records = append(records, fmt.Sprint("k", i), fmt.Sprintf(`{"id":"k","title":"red %d","body":"blue"}`, i))
	}
	s.put("c", "notes", records...)
	_, err := s.Index.All(t.Context(), 0)
	s.ok(err)
	db, err := sql.Open("sqlite", s.Store.Path())
	s.ok(err)
	defer func() { _ = db.Close() }()
	segments := 0
	s.ok(db.QueryRowContext(t.Context(), "SELECT count(DISTINCT segid) FROM read_fts_idx").Scan(&segments))
	if segments != 1 {
		t.Errorf("got %d segments, want 1", segments)
	}
}

// RD-27.2: no text is an error.
func FuzzSearch(f *testing.F) {
	s := newShelf(f, "c")
	s.put("c", "notes", "a", `{"id":"a","title":"red NEAR blue"}`)
	for _, q := range []string{`"`, `red*`, `red AND (`, `{title} : red`, "\x00", "'); DROP", `^red + -blue`, "東*"} {
		f.Add(q)
	}
	f.Fuzz(func(t *testing.T, q string) {
		if _, err := s.Search(t.Context(), OwnerScope(), Search{Text: q}); err != nil && abi.CodeOf(err) != CodeRequest {
			t.Errorf("%q: %v", q, err)
		}
	})
}
