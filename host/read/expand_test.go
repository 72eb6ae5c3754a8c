package read

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
)

// related declares albums with songs, each of which has one text, and the albums' label.
const related = `{"streams":[
{"name":"albums","cursor_field":"year","schema":{"properties":{"id":{"type":"string"},"year":{"type":"integer"},"label_id":{"type":"integer"},"song_id":{"type":"string"}}},
 "relationships":[{"name":"songs","stream":"songs","foreign_key":"album_id","cardinality":"has_many"},{"name":"label","stream":"labels","foreign_key":"label_id","cardinality":"has_one"},
  {"name":"cover","stream":"covers","foreign_key":"album_id","cardinality":"has_one"},{"name":"hidden","stream":"songs","foreign_key":"album_id","cardinality":"has_many"},
  {"name":"gone","stream":"gone","foreign_key":"album_id","cardinality":"has_many"}],
 "query":{"expand":[{"name":"songs","default_limit":2,"max_limit":900},{"name":"label"},{"name":"cover"},{"name":"gone"},{"name":"none"}],"range_filters":{"year":["gte"]}}},
{"name":"songs","cursor_field":"n","schema":{"properties":{"id":{"type":"string"},"n":{"type":"integer"},"album_id":{"type":"string"}}}},
{"name":"labels","schema":{"properties":{"id":{"type":"integer"}}}},
{"name":"covers","schema":{"properties":{"id":{"type":"string"},"album_id":{"type":"string"}}}}]}`

func relatedShelf(t testing.TB, connections ...string) *shelf {
	t.Helper()
	s := newShelf(t)
	for _, name := range connections {
		s.accept(name, related)
	}
	return s
}

// expandedOf tells what the relations of a record lead to: names, keys, and + where there are others.
func expandedOf(r *Record) string {
	all := make([]string, len(r.Expanded))
	for i := range r.Expanded {
		x := &r.Expanded[i]
		all[i] = x.Name + ":"
		for j := range x.Records {
			all[i] += " " + x.Records[j].Key
		}
		if x.More {
			all[i] += " +"
		}
	}
	return strings.Join(all, ", ")
}

func (s *shelf) expanded(l List) (all []string) {
	s.Helper()
	for {
		page, err := s.List(s.Context(), OwnerScope(), l)
		s.ok(err)
		if page.Since != "" {
			s.Error("got a token of changes with an expanded list, want none (RD-16.5)")
		}
		for i := range page.Records {
			all = append(all, page.Records[i].Key+" "+expandedOf(&page.Records[i]))
		}
		if l.Cursor = page.Next; page.Next == "" {
			return all
		}
	}
}

// RD-20.2: one to many shows the first records by their stream's order, with as many as were asked
// for; one to one a record or none, by a field of either of them. A relation stays within its
// connection, and shows records as they are now, in a list and by itself.
func TestExpand(t *testing.T) {
	t.Parallel()
	s := relatedShelf(t, "one", "two")
	s.put("one", "albums", "a", `{"id":"a","year":1,"label_id":7}`, "b", `{"id":"b","year":2,"label_id":8}`, "c", `{"id":"c","year":3}`)
	s.put("one", "songs", "s1", `{"id":"s1","n":3,"album_id":"a"}`, "s2", `{"id":"s2","n":1,"album_id":"a"}`, "s3", `{"id":"s3","n":2,"album_id":"a"}`, "s4", `{"id":"s4","album_id":"b"}`,
		"s5", `{"id":"s5","n":1,"album_id":null}`, "s6", `{"id":"s6","n":1,"album_id":["a"]}`, "s7", `{"id":"s7","n":10,"album_id":"b"}`)
	s.put("one", "labels", "7", `{"id":7}`, "9", `{"id":9}`)
	s.put("two", "albums", "a", `{"id":"a","year":4,"label_id":7}`)
	s.put("two", "songs", "t1", `{"id":"t1","n":1,"album_id":"a"}`)
	l := List{From: From{Stream: "albums"}, Order: "asc", Expand: Expand{Names: []string{"songs", "label", "cover"}}}
	want := []string{"a cover:, label: 7, songs: s2 s3 +", "b cover:, label:, songs: s7 s4", "c cover:, label:, songs:", "a cover:, label:, songs: t1"}
	for l.Limit = range 5 {
		s.same(s.expanded(l), want)
	}
	l.Fields = []string{"id"} // what they are found by need not be shown
	s.same(s.expanded(l), want)

	s.put("one", "songs", "s2", `{"id":"s2","n":11,"album_id":"b"}`, "-s3", ``, "s5", `{"id":"s5","n":2,"album_id":"c"}`)
	s.put("one", "covers", "k2", `{"id":"k2","album_id":"c"}`, "k1", `{"id":"k1","album_id":"c"}`)
	s.put("one", "labels", "-7", ``, "8", `{"id":8}`)
	l.Expand.Limits = map[string]int{"songs": 500}
	s.same(s.expanded(l), []string{"a cover:, label:, songs: s1", "b cover:, label: 8, songs: s7 s2 s4", "c cover: k1, label:, songs: s5", "a cover:, label:, songs: t1"})
	one, err := s.Record(t.Context(), OwnerScope(), One{From: From{Stream: "albums", Connections: []string{"one"}}, Key: "b", Fields: []string{"id"}, Expand: Expand{Names: []string{"songs", "songs"}, Limits: map[string]int{"songs": 1}}})
	s.ok(err)
	if got := expandedOf(one); got != "songs: s7 +" {
		t.Errorf("got %s, want the first of two songs", got)
	}
	s.sound()
}

// RD-20.1, RD-20.2: a relation that is not declared for it, a limit that it does not take, and any
// relation under a grant are refused. RD-16.2: a cursor is bound to the relations and their limits.
func TestExpandRefused(t *testing.T) {
	t.Parallel()
	s := relatedShelf(t, "one")
	s.put("one", "albums", "a", `{"id":"a"}`, "b", `{"id":"b"}`)
	from := From{Stream: "albums"}
	for name, e := range map[string]Expand{
		"another":     {Names: []string{"hidden"}},
		"undeclared":  {Names: []string{"none"}},
		"no stream":   {Names: []string{"gone"}},
		"two hops":    {Names: []string{"songs.album"}},
		"no name":     {Limits: map[string]int{"songs": 1}},
		"too many":    {Names: []string{"songs"}, Limits: map[string]int{"songs": 501}},
		"none":        {Names: []string{"songs"}, Limits: map[string]int{"songs": 0}},
		"many of one": {Names: []string{"label"}, Limits: map[string]int{"label": 1}},
	} {
		if _, err := s.List(t.Context(), OwnerScope(), List{From: from, Expand: e}); abi.CodeOf(err) != CodeExpand {
			t.Errorf("%s in a list: got %v, want %s", name, err, CodeExpand)
		}
		if _, err := s.Record(t.Context(), OwnerScope(), One{From: from, Key: "a", Expand: e}); abi.CodeOf(err) != CodeExpand {
			t.Errorf("%s of a record: got %v, want %s", name, err, CodeExpand)
		}
	}
	client := &Scope{Streams: []StreamScope{{Name: "albums", Connections: s.ids("one"), Fields: []string{"id"}}, {Name: "songs", Connections: s.ids("one"), Fields: []string{"id"}}}}
	_, err := s.List(t.Context(), client, List{From: From{Stream: "unknown"}, Expand: Expand{Names: []string{"songs"}}})
	s.code(err, CodeRequest)
	_, err = s.Record(t.Context(), client, One{From: from, Key: "a", Expand: Expand{Names: []string{"songs"}}})
	s.code(err, CodeRequest)

	l := List{From: from, Limit: 1, Expand: Expand{Names: []string{"songs"}}}
	page, err := s.List(t.Context(), OwnerScope(), l)
	s.ok(err)
	for _, e := range []Expand{{}, {Names: []string{"songs", "label"}}, {Names: []string{"songs"}, Limits: map[string]int{"songs": 3}}} {
		_, err := s.List(t.Context(), OwnerScope(), List{From: from, Limit: 1, Cursor: page.Next, Expand: e})
		s.code(err, CodeCursor)
	}
	l.Cursor = page.Next
	_, err = s.List(t.Context(), OwnerScope(), l)
	s.ok(err)
}

// RD-20.3: the children of a page are read at once: their bytes are bounded together, and the lists that are
// cut say so. A manifest that declares a relation later has it followed over what was there before.
func TestExpandBounded(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	s.accept("one", strings.Replace(related, `"expand"`, `"none"`, 1))
	filler := strings.Repeat("x", chunkBytes/3)
	for _, album := range []string{"a", "b"} {
		s.put("one", "albums", album, fmt.Sprintf(`{"id":%q}`, album))
		for n := range 3 {
			s.put("one", "songs", fmt.Sprint(album, n), fmt.Sprintf(`{"n":%d,"album_id":%q,"x":%q}`, n, album, filler))
		}
	}
	l := List{From: From{Stream: "albums"}, Order: "asc", Expand: Expand{Names: []string{"songs"}, Limits: map[string]int{"songs": 3}}}
	_, err := s.List(t.Context(), OwnerScope(), l)
	s.code(err, CodeExpand)
	s.accept("one", related)
	s.same(s.expanded(l), []string{"a songs: a0 a1 a2 +", "b songs: +"})

	// Several relations of several connections share the bound.
	s.accept("two", related)
	s.put("two", "albums", "c", `{"id":"c"}`)
	s.put("two", "songs", "c0", fmt.Sprintf(`{"n":0,"album_id":"c","x":%q}`, filler), "c1", fmt.Sprintf(`{"n":1,"album_id":"c","x":%q}`, filler))
	l.Expand.Names = []string{"songs", "cover"}
	s.same(s.expanded(l), []string{"a cover:, songs: a0 +", "b cover:, songs: +", "c cover:, songs: c0 +"})
}

// A connection whose module was revoked is read by the manifest of that one, and not by that of one
// that was revoked before.
func TestExpandRevoked(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	l := List{From: From{Stream: "albums"}, Expand: Expand{Names: []string{"songs"}}}
	revoke := func() {
		t.Helper()
		c, err := s.Store.Connection(t.Context(), "one")
		s.ok(err)
		_, err = s.Store.RevokeConnection(t.Context(), c.ID)
		s.ok(err)
	}
	s.accept("one", strings.Replace(related, `"expand"`, `"none"`, 1))
	s.put("one", "albums", "a", `{"id":"a"}`)
	s.put("one", "songs", "s1", `{"id":"s1","album_id":"a"}`)
	revoke()
	_, err := s.List(t.Context(), OwnerScope(), l)
	s.code(err, CodeExpand)
	s.accept("one", related)
	s.same(s.expanded(l), []string{"a songs: s1"})
	revoke()
	s.same(s.expanded(l), []string{"a songs: s1"})
}

// RD-09.5, RD-19: a connection that lacks a relation, or a field, that is asked for is left out of a list
// with its count and its times, and the warning says why.
func TestListLeavesOut(t *testing.T) {
	t.Parallel()
	s := relatedShelf(t, "one")
	s.accept("two", `{"streams":[{"name":"albums","schema":{"properties":{"id":{"type":"string"}}}}]}`)
	s.put("one", "albums", "a", `{"id":"a"}`)
	s.put("two", "albums", "b", `{"id":"b"}`, "c", `{"id":"c"}`)
	two := s.ids("two")[0]
	for _, c := range []struct {
		list List
		want Warning
	}{
		{List{Expand: Expand{Names: []string{"songs"}}}, Warning{WarnSkipped, "its records do not have a relation that was asked for, or not with that limit", "", two}},
		{List{Fields: []string{"id", "year"}}, Warning{WarnSkipped, "its records lack a field that was asked for", "year", two}},
	} {
		c.list.From, c.list.Count, c.list.Times = From{Stream: "albums"}, true, true
		page, err := s.List(t.Context(), OwnerScope(), c.list)
		s.ok(err)
		if page.Count == nil || page.Times == nil {
			t.Fatalf("got the count %v and the times %v, want both", page.Count, page.Times)
		}
		if len(page.Records) != 1 || *page.Count != 1 || page.Times.Total != 1 {
			t.Errorf("got %d records, the count %d and the times of %d, want one record, and each of them of one", len(page.Records), *page.Count, page.Times.Total)
		}
		if len(page.Warnings) != 1 || page.Warnings[0] != c.want {
			t.Errorf("got the warnings %+v, want %+v", page.Warnings, c.want)
		}
	}
}
