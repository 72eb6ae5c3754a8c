package read

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/host/read/index"
	"github.com/pdpp-host/pdpp-host/host/read/plan"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/artifact"
)

// fed is a store with two connections that devices feed.
func fed(t *testing.T) (s *shelf, put func(connection, data string), one, two string) {
	t.Helper()
	s = newShelf(t)
	first, second := artifact.Source(t, s.Store, "one", "demo"), artifact.Source(t, s.Store, "two", "demo")
	one, two = s.accept("one", manifest), s.accept("two", manifest)
	return s, func(connection, data string) {
		src := first
		if connection == "two" {
			src = second
		}
		artifact.Put(t, s.Store, src, "text/plain", data)
	}, one, two
}

func refer(data string) string { return artifact.Ref("text/plain", data) }

// found says in which connections a blob is found.
func (s *shelf) found(scope *Scope, data string, from From) string {
	s.Helper()
	all, err := s.Blobs(s.Context(), scope, artifact.ID(data), from)
	if err != nil {
		s.code(err, CodeNoBlob)
		return ""
	}
	var names []string
	for i := range all {
		b := &all[i]
		names = append(names, b.Connection+"/"+b.Stream)
		var text string
		for int64(len(text)) < b.Bytes {
			part, err := s.BlobPart(s.Context(), b, int64(len(text)))
			s.ok(err)
			text += string(part)
		}
		if text != data {
			s.Errorf("got %q, want %q", text, data)
		}
	}
	return strings.Join(names, " ")
}

// Invariant 9, RD-29.1: a blob is found by who sees a record that refers to it in a field that is seen, in
// the connection that has the bytes, and by nobody else.
func TestBlobsAreFoundByWhatIsSeen(t *testing.T) {
	t.Parallel()
	s, put, one, two := fed(t)
	for _, data := range []string{"shown", "hidden", "old", "keyed", "both", "loose"} {
		put("one", data)
	}
	for _, data := range []string{"both", "of two"} {
		put("two", data)
	}
	s.put("one", "notes",
		"a", `{"id":"a","at":"2026-01-05T00:00:00Z","title":`+refer("shown")+`,"secret":`+refer("hidden")+`}`,
		"b", `{"id":"b","at":"2026-01-01T00:00:00Z","title":`+refer("old")+`}`,
		"c", `{"id":"c","title":`+refer("keyed")+`,"body":{"in":`+refer("loose")+`},"list":[`+refer("loose")+`]}`,
		"d", `{"id":"d","at":"2026-01-05T00:00:00Z","title":`+refer("both")+`}`,
		"e", `{"id":"e","at":"2026-01-05T00:00:00Z","title":`+refer("of two")+`}`,
		"f", `{"id":"f","at":"2026-01-05T00:00:00Z","title":`+refer("nowhere")+`}`)
	s.put("two", "notes", "d", `{"id":"d","at":"2026-01-05T00:00:00Z","title":`+refer("both")+`}`)
	scope := func(g StreamScope) *Scope {
		g.Name = "notes"
		if g.Fields == nil {
			g.Fields = []string{"id", "title"}
		}
		return &Scope{Streams: []StreamScope{g}}
	}
	since := time.Date(2026, 1, 3, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name  string
		scope *Scope
		want  map[string]string // by data; what is not named is not found
	}{
		{"the owner", OwnerScope(), map[string]string{"shown": "one/notes", "hidden": "one/notes", "old": "one/notes", "keyed": "one/notes", "both": "one/notes two/notes"}},
		{"a client", scope(StreamScope{Connections: []string{one}}), map[string]string{"shown": "one/notes", "old": "one/notes", "keyed": "one/notes", "both": "one/notes"}},
		{"of another field", scope(StreamScope{Connections: []string{one}, Fields: []string{"id", "secret"}}), map[string]string{"hidden": "one/notes"}},
		{"of keys", scope(StreamScope{Connections: []string{one}, Keys: []string{"c", "z"}}), map[string]string{"keyed": "one/notes"}},
		{"of a time", scope(StreamScope{Connections: []string{one, two}, Time: &TimeBound{Field: "at", Since: &since}}), map[string]string{"shown": "one/notes", "both": "one/notes two/notes"}},
		{"until a time", scope(StreamScope{Connections: []string{one, two}, Time: &TimeBound{Field: "at", Until: &since}}), map[string]string{"old": "one/notes"}},
		{"of the other connection", scope(StreamScope{Connections: []string{two}}), map[string]string{"both": "two/notes"}},
		{"of nothing", &Scope{}, nil},
	} {
		for _, data := range []string{"shown", "hidden", "old", "keyed", "both", "of two", "nowhere", "loose", "never"} {
			if got := s.found(c.scope, data, From{}); got != c.want[data] {
				t.Errorf("%s, the blob %q: got %q, want %q", c.name, data, got, c.want[data])
			}
		}
	}
	if got := s.found(OwnerScope(), "both", From{Connections: []string{"two"}}); got != "two/notes" {
		t.Errorf("in a connection that is named: got %q, want %q", got, "two/notes")
	}
	if got := s.found(OwnerScope(), "both", From{Connector: "other"}); got != "" {
		t.Errorf("of another connector: got %q, want nothing", got)
	}
	s.sound()
}

// RD-29.1, RD-29.3: the index of references goes with the records: what is changed, deleted,
// written again or removed with its connection is found as the records are now.
func TestBlobsFollowTheirRecords(t *testing.T) {
	t.Parallel()
	s, put, _, _ := fed(t)
	put("one", "first")
	put("one", "second")
	want := func(when, first, second string) {
		t.Helper()
		for data, want := range map[string]string{"first": first, "second": second} {
			if got := s.found(OwnerScope(), data, From{}); got != want {
				t.Errorf("%s, the %s blob: got %q, want %q", when, data, got, want)
			}
		}
		s.sound()
	}
	want("before", "", "")
	s.put("one", "notes", "a", `{"id":"a","title":`+refer("first")+`,"body":`+refer("first")+`}`)
	want("referred to", "one/notes", "")
	s.put("one", "notes", "a", `{"id":"a","title":`+refer("second")+`}`, "b", `{"id":"b","title":`+refer("first")+`}`)
	want("changed", "one/notes", "one/notes")
	s.put("one", "notes", "-b", "")
	want("deleted", "", "one/notes")
	s.put("one", "plain", "b", `{"id":"b","x":`+refer("first")+`}`)
	want("written again", "one/plain", "one/notes")
	s.ok(s.Store.ResetRead(t.Context()))
	want("the index made anew", "one/plain", "one/notes")
	s.ok(s.Store.RemoveConnection(t.Context(), "two", nil))
	want("another connection removed", "one/plain", "one/notes")
}

// RD-29.3: a reader that sees none of the many records that refer to a blob is not kept by them.
func TestManyReferences(t *testing.T) {
	t.Parallel()
	s, put, one, _ := fed(t)
	put("one", "blob")
	var records []string
	for i := range 3*usesChunk + 1 {
		key := fmt.Sprintf("k%04d", i)
		records = append(records, key, fmt.Sprintf(`{"id":%q,"at":"2026-01-%02dT00:00:00Z","title":%s}`, key, 1+i/(3*usesChunk), refer("blob")))
	}
	s.put("one", "notes", records...)
	for day, want := range map[int]string{1: "one/notes", 2: "one/notes", 3: ""} {
		since := time.Date(2026, 1, day, 0, 0, 0, 0, time.UTC)
		scope := &Scope{Streams: []StreamScope{{Name: "notes", Connections: []string{one}, Fields: []string{"title"}, Time: &TimeBound{Field: "at", Since: &since}}}}
		if got := s.found(scope, "blob", From{}); got != want {
			t.Errorf("since day %d: got %q, want %q", day, got, want)
		}
	}
	since := time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
	scope := &Scope{Streams: []StreamScope{{Name: "notes", Connections: []string{one}, Fields: []string{"title"}, Time: &TimeBound{Field: "at", Since: &since}}}}
	sources, _, err := s.sources(t.Context(), scope, From{Stream: "notes"})
	s.ok(err)
	h, err := index.Hasher(t.Context(), s.Store, s.Random)
	s.ok(err)
	sum, _ := plan.BlobSum(artifact.ID("blob"))
	if all, more, err := s.Store.ReadBlobUses(t.Context(), *sources[0].references(sum, h)); err != nil || len(all) != 1 || more {
		t.Errorf("within the scope's time: got %d references (more: %v), %v, want the one", len(all), more, err)
	}
	scope.Streams[0].Time.Field = "title" // another field tells the time by now
	if got := s.found(scope, "blob", From{}); got != "" {
		t.Errorf("by another time: got %q, want nothing", got)
	}
	var hostile strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&hostile, `,"f%d":%s`, i, refer(fmt.Sprint(i)))
	}
	s.put("two", "notes", "a", `{"id":"a"`+hostile.String()+`}`)
	if got := s.found(OwnerScope(), "0", From{}); got != "" {
		t.Errorf("a blob that is not there: got %q, want nothing", got)
	}
	put("two", "999")
	if got := s.found(OwnerScope(), "999", From{}); got != "two/notes" {
		t.Errorf("behind hundreds of other references: got %q, want %q", got, "two/notes")
	}
	s.sound()
}

// Of a removed connection no artifact is left.
func TestRemovedBlobsAreGone(t *testing.T) {
	t.Parallel()
	s, put, one, _ := fed(t)
	put("one", strings.Repeat("x", 300<<10))
	s.put("one", "notes", "a", `{"id":"a","title":`+refer(strings.Repeat("x", 300<<10))+`}`)
	if got := s.found(OwnerScope(), strings.Repeat("x", 300<<10), From{}); got != "one/notes" {
		t.Errorf("before: got %q, want %q", got, "one/notes")
	}
	s.ok(s.Store.RemoveConnection(t.Context(), "one", nil))
	for n := range int64(2) {
		if _, err := s.Store.BlobPart(t.Context(), one, artifact.ID(strings.Repeat("x", 300<<10)), n); err == nil {
			t.Errorf("part %d is there, want it gone", n)
		}
	}
	if got := s.found(OwnerScope(), strings.Repeat("x", 300<<10), From{}); got != "" {
		t.Errorf("got %q, want nothing", got)
	}
}
