package read

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/pdpp-host/pdpp-host/abi"
)

// follower keeps a copy of what a scope shows, by the feed alone.
type follower struct {
	*shelf

	name  string
	scope *Scope
	ask   Changes
	late  bool              // what changed twice before it was indexed is dated by the later change
	copy  map[string]string // by connection and key: what a list shows of the record
}

// shown is a record as a test compares it. To an owner a record is as its connector emitted
// it last, whichever fields are asked for.
func (f *follower) shown(r *Record) string {
	if f.scope.Owner || f.late {
		return string(r.Data)
	}
	return string(r.Data) + " " + r.EmittedAt
}

// session applies the changes since the last token. between is called between its pages.
func (f *follower) session(fatal func(string, ...any), between func()) (rows []string) {
	f.Helper()
	told := map[string]bool{}
	f.ask.Cursor = ""
	for {
		page, err := f.Changes(f.Context(), f.scope, f.ask)
		if abi.CodeOf(err) == CodeExpired {
			if f.ask.Since == Beginning {
				fatal("%s: the beginning has expired", f.name)
			}
			clear(f.copy)
			f.ask.Since, f.ask.Cursor = Beginning, ""
			continue
		}
		if err != nil {
			fatal("%s: %v", f.name, err)
		}
		for i := range page.Rows {
			r := &page.Rows[i]
			at := r.ConnectionID + "/" + r.Key
			if told[at] {
				fatal("%s: %s came twice in a session", f.name, at)
			}
			told[at] = true
			if r.Gone {
				if f.ask.Since == Beginning {
					fatal("%s: the beginning tells that %s went", f.name, at)
				}
				delete(f.copy, at)
				rows = append(rows, "-"+at+" "+r.EmittedAt)
				continue
			}
			f.copy[at] = f.shown(&r.Record)
			rows = append(rows, at+" "+f.shown(&r.Record))
		}
		if (page.Next == "") == (page.Since == "") {
			fatal("%s: a page has the next page %q and the next token %q, want one of them", f.name, page.Next, page.Since)
		}
		if f.ask.Cursor = page.Next; page.Next == "" {
			f.ask.Since = page.Since
			return rows
		}
		between()
	}
}

// list reads all that the scope shows, and returns the token of its last page.
func (f *follower) list(fatal func(string, ...any), limit int, between func()) (map[string]string, []string, string) {
	f.Helper()
	all, rows := map[string]string{}, []string(nil)
	l := List{From: f.ask.From, Fields: f.ask.Fields, Limit: limit}
	for {
		page, err := f.List(f.Context(), f.scope, l)
		if err != nil {
			fatal("%s: %v", f.name, err)
		}
		for i := range page.Records {
			r := &page.Records[i]
			all[r.ConnectionID+"/"+r.Key] = f.shown(r)
			rows = append(rows, r.Connection+"/"+r.Key+" "+f.shown(r))
		}
		if l.Cursor = page.Next; page.Next == "" {
			return all, rows, page.Since
		}
		between()
	}
}

// followers are readers of several scopes.
func followers(s *shelf, ids []string, limit int) []*follower {
	since := time.Date(2026, 1, 3, 0, 0, 0, 0, time.UTC)
	granted := func(g StreamScope) *Scope {
		g.Name = "notes"
		return &Scope{Streams: []StreamScope{g}}
	}
	var all []*follower
	for name, scope := range map[string]*Scope{
		"owner":  OwnerScope(),
		"fields": granted(StreamScope{Connections: ids, Fields: []string{"id", "title"}}),
		"timed":  granted(StreamScope{Connections: ids[:1], Fields: []string{"id", "title"}, Time: &TimeBound{Field: "at", Since: new(since)}}),
		"window": granted(StreamScope{Connections: ids, Fields: []string{"id", "body", "at"}, Time: &TimeBound{Field: "at", Since: new(since), Until: new(since.AddDate(0, 0, 2))}}),
		"keys":   granted(StreamScope{Connections: ids, Fields: []string{"id", "n"}, Keys: []string{"a", "c"}}),
	} {
		all = append(all, &follower{shelf: s, name: name, scope: scope, ask: Changes{From: From{Stream: "notes"}, Since: Beginning, Limit: limit}, copy: map[string]string{}})
	}
	slices.SortFunc(all, func(a, b *follower) int { return strings.Compare(a.name, b.name) })
	all = append(all, &follower{shelf: s, name: "owner of a field", scope: OwnerScope(), ask: Changes{From: From{Stream: "notes"}, Fields: []string{"title"}, Since: Beginning, Limit: limit}, copy: map[string]string{}})
	return all
}

// draft writes one random record or deletion.
func draft(rt *rapid.T) []string {
	key := rapid.SampledFrom(strings.Split("abcd", "")).Draw(rt, "key")
	if rapid.IntRange(0, 3).Draw(rt, "delete") == 0 {
		return []string{"-" + key, ""}
	}
	members := []string{`"id":"` + key + `"`}
	for _, name := range []string{"title", "body", "n"} {
		if v := rapid.IntRange(0, 2).Draw(rt, name); v > 0 {
			members = append(members, fmt.Sprintf(map[bool]string{true: `"%s":%d`, false: `"%s":"%d"`}[name == "n"], name, v))
		}
	}
	if day := rapid.IntRange(0, 6).Draw(rt, "day"); day > 0 {
		members = append(members, fmt.Sprintf(`"at":"2026-01-%02dT00:00:00Z"`, day))
	}
	return []string{key, "{" + strings.Join(members, ",") + "}"}
}

// Invariant 9, RD-16.5, RD-23.2, RD-23.5, RD-23.6, RD-23.7, RD-24: whatever is written, changed, deleted,
// revived and moved in time, and whenever: who applies the sessions of the feed has, after
// one during which nothing was written, what a list shows. It is so from the beginning, from
// any token, and from a list on. A session tells a record once.
func TestFeedMakesTheList(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		s := newShelfAt(t, "one", "two")
		defer func() { s.ok(s.Store.Close()) }()
		ids := s.ids("one", "two")
		write := func() {
			s.now = s.now.Add(time.Minute)
			var records []string
			for range rapid.IntRange(1, 3).Draw(rt, "records") {
				records = append(records, draft(rt)...)
			}
			s.put(rapid.SampledFrom([]string{"one", "two"}).Draw(rt, "connection"), "notes", records...)
			if rapid.Bool().Draw(rt, "indexed") {
				_, err := s.Index.All(t.Context(), 0)
				s.ok(err)
			}
		}
		write()
		all := followers(s, ids, rapid.IntRange(1, 4).Draw(rt, "limit"))
		for range rapid.IntRange(1, 8).Draw(rt, "rounds") {
			f := all[rapid.IntRange(0, len(all)-1).Draw(rt, "reader")]
			perhaps := func() {
				if rapid.Bool().Draw(rt, "write") {
					write()
				}
			}
			perhaps()
			switch rapid.IntRange(0, 9).Draw(rt, "do") {
			case 0: // whoever lists to the end has a token as well
				f.copy, _, f.ask.Since = f.list(rt.Fatalf, rapid.IntRange(1, 3).Draw(rt, "page"), perhaps)
			case 1:
				s.ok(s.Store.ResetRead(t.Context()))
			case 2, 3, 4:
				f.session(rt.Fatalf, perhaps)
			default:
				f.session(rt.Fatalf, func() {})
				if want, _, _ := f.list(rt.Fatalf, 100, func() {}); !maps.Equal(f.copy, want) {
					rt.Fatalf("%s: the copy is\n%v\nand the list\n%v", f.name, f.copy, want)
				}
			}
			s.sound()
		}
		for _, f := range all {
			f.session(rt.Fatalf, func() {})
			if want, _, _ := f.list(rt.Fatalf, 100, func() {}); !maps.Equal(f.copy, want) {
				rt.Fatalf("%s: at the end the copy is\n%v\nand the list\n%v", f.name, f.copy, want)
			}
			if rows := f.session(rt.Fatalf, func() {}); len(rows) > 0 {
				rt.Fatalf("%s: a session without a change tells %q", f.name, rows)
			}
		}
	})
}

// ids are the ids of connections.
func (s *shelf) ids(names ...string) (ids []string) {
	s.Helper()
	for _, name := range names {
		c, err := s.Store.Connection(s.Context(), name)
		s.ok(err)
		ids = append(ids, c.ID)
	}
	return ids
}
