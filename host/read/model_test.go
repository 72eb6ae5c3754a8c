package read

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pdpp-host/pdpp-host/host/read/index"
	"github.com/pdpp-host/pdpp-host/host/read/words"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/pgtest"
)

// modelNote is a record of the model.
type modelNote struct {
	key, connection string
	At              *int   `json:"-"`
	Body            string `json:"body"`
}

func (n *modelNote) json() string {
	if n.At == nil {
		return fmt.Sprintf(`{"id":%q,"body":%q}`, n.key, n.Body)
	}
	return fmt.Sprintf(`{"id":%q,"at":"2026-01-%02dT00:00:00Z","body":%q}`, n.key, *n.At, n.Body)
}

// model is what a reader of two connections has to see.
type model map[string]*modelNote // by connection and key

// order compares as an ascending list shows them, but for those without a value.
func order(a, b *modelNote) int {
	if a.At != nil && b.At != nil && *a.At != *b.At {
		return cmp.Compare(*a.At, *b.At)
	}
	return cmp.Or(strings.Compare(a.key, b.key), strings.Compare(a.connection, b.connection))
}

func (m model) list(descending bool) (names []string) {
	all := make([]*modelNote, 0, len(m))
	for _, n := range m {
		all = append(all, n)
	}
	slices.SortFunc(all, func(a, b *modelNote) int {
		if (a.At == nil) != (b.At == nil) {
			if a.At == nil {
				return 1
			}
			return -1
		}
		if descending {
			return order(b, a)
		}
		return order(a, b)
	})
	for _, n := range all {
		names = append(names, n.connection+"/"+n.key)
	}
	return names
}

func (m model) search(q string) (names []string) {
	for _, n := range m {
		if _, _, found := words.Find(n.Body, words.Query(q)); found {
			names = append(names, n.connection+"/"+n.key)
		}
	}
	slices.Sort(names)
	return names
}

// RD-14.1, RD-15, RD-16.4, RD-27.2: whatever is written, changed, deleted and revived, lists
// and searches show what a model does; and in a chain of pages between writes each record
// that did not change meanwhile comes once.
func TestModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		s := newShelfAt(t, "one", "two")
		defer func() { s.ok(s.Store.Close()) }()
		ids := map[string]string{}
		for _, name := range []string{"one", "two"} {
			c, err := s.Store.Connection(t.Context(), name)
			s.ok(err)
			ids[name] = c.ID
		}
		m := model{}
		write := func() (touched []string) {
			name := rapid.SampledFrom([]string{"one", "two"}).Draw(rt, "connection")
			var records []string
			for range rapid.IntRange(1, 4).Draw(rt, "records") {
				n := &modelNote{key: rapid.SampledFrom(strings.Split("abcdefghij", "")).Draw(rt, "key"), connection: ids[name]}
				at := n.connection + "/" + n.key
				touched = append(touched, at)
				if rapid.IntRange(0, 3).Draw(rt, "delete") == 0 {
					delete(m, at)
					records = append(records, "-"+n.key, "")
					continue
				}
				if day := rapid.IntRange(0, 4).Draw(rt, "day"); day > 0 {
					n.At = &day
				}
				n.Body = strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"red", "Green", "blüe", "東京", "re-do"}), 0, 4).Draw(rt, "body"), " ")
				m[at] = n
				records = append(records, n.key, n.json())
			}
			s.put(name, "notes", records...)
			return touched
		}
		write()
		for range rapid.IntRange(1, 5).Draw(rt, "rounds") {
			write()
			if rapid.Bool().Draw(rt, "lost") {
				s.ok(s.Store.ResetRead(t.Context()))
				s.Index = index.New(s.Store, rand.Reader)
			}
			descending, limit := rapid.Bool().Draw(rt, "descending"), rapid.IntRange(1, 6).Draw(rt, "limit")
			l := List{From: From{Stream: "notes"}, Limit: limit, Order: map[bool]string{true: "desc", false: "asc"}[descending], Count: true}
			before, calm := m.list(descending), rapid.Bool().Draw(rt, "calm")
			var seen, touched []string
			for {
				page, err := s.List(t.Context(), OwnerScope(), l)
				s.ok(err)
				if *page.Count != int64(len(m)) {
					rt.Fatalf("counted %d, want %d", *page.Count, len(m))
				}
				for i := range page.Records {
					r := &page.Records[i]
					at := r.ConnectionID + "/" + r.Key
					seen = append(seen, at)
					var got, want any
					if json.Unmarshal(r.Data, &got) != nil || json.Unmarshal([]byte(m[at].json()), &want) != nil || fmt.Sprint(got) != fmt.Sprint(want) {
						rt.Fatalf("%s is %s, want %s", at, r.Data, m[at].json())
					}
				}
				if l.Cursor = page.Next; page.Next == "" {
					break
				}
				if !calm {
					touched = append(touched, write()...)
				}
			}
			if calm && !slices.Equal(seen, before) {
				rt.Fatalf("listed %q, want %q", seen, before)
			}
			for _, at := range before {
				n := 0
				for _, one := range seen {
					if one == at {
						n++
					}
				}
				if n != 1 && !slices.Contains(touched, at) {
					rt.Fatalf("%s came %d times in %q, want once", at, n, seen)
				}
			}
			for _, q := range []string{"red", "GREEN blue", `"red green"`, "gr*", "京", `"東京 red"`, "do", "nothing"} {
				got := s.searchAt(q)
				if slices.Sort(got); !slices.Equal(got, m.search(q)) {
					rt.Fatalf("%s: found %q, want %q", q, got, m.search(q))
				}
			}
			s.sound()
		}
	})
}

// newShelfAt is newShelf in a folder or database that a test has one after another.
func newShelfAt(t *testing.T, connections ...string) *shelf {
	t.Helper()
	return newShelfOf(t, "", connections...)
}

// newShelfOf is newShelfAt for a test that has several of them at a time, each with a name.
func newShelfOf(t *testing.T, name string, connections ...string) *shelf {
	t.Helper()
	if pgtest.Running() {
		return openShelf(t, pgtest.Anew(t, "", migrated, name), connections...)
	}
	return newShelf(t, connections...)
}

// searchAt is what a search finds, with its connections.
func (s *shelf) searchAt(text string) (found []string) {
	s.Helper()
	for _, h := range s.hits(text) {
		found = append(found, h.ConnectionID+"/"+h.Key)
	}
	return found
}

func (s *shelf) searchKeys(text string) (keys []string) {
	s.Helper()
	for _, h := range s.hits(text) {
		keys = append(keys, h.Key)
	}
	return keys
}

// hits searches to the end, in pages of two.
func (s *shelf) hits(text string) (all []Hit) {
	s.Helper()
	q := Search{Text: text, Limit: 2}
	for {
		f, err := s.Search(s.Context(), OwnerScope(), q)
		s.ok(err)
		all = append(all, f.Hits...)
		if q.Cursor = f.Next; f.Next == "" {
			return all
		}
	}
}
