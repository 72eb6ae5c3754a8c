package read

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/pgtest"
)

// RD-23.1 to RD-23.6, RD-23.8: the worked sequence of the contract, for a client that has id
// and title, and one with id, title and body since 2026; split into sessions in every way.
func TestChangesBySequence(t *testing.T) {
	t.Parallel()
	writes := [][]string{
		{"7", `{"id":"7","title":"t","body":"b","at":"2026-02-01T00:00:00Z"}`},
		{"8", `{"id":"8","title":"u","at":"2025-12-01T00:00:00Z"}`},
		{"7", `{"id":"7","title":"t","body":"c","at":"2026-02-01T00:00:00Z"}`},
		{"8", `{"id":"8","title":"u","at":"2026-03-01T00:00:00Z"}`},
		{"7", `{"id":"7","title":"t","body":"c","at":"2025-01-01T00:00:00Z"}`},
		{"-7", ""},
		{"9", `{"id":"9","title":"v","at":"2026-03-01T00:00:00Z"}`, "-9", ""},
		{"7", `{"id":"7","title":"t","at":"2026-04-01T00:00:00Z"}`},
	}
	one := [2][]string{ // each write as a session of its own
		{"7", "8", "", "", "", "-7", "", "7"},
		{"7", "", "7", "8", "-7", "", "", "7"},
	}
	// The rows of a session over several writes, by those: only the last state counts.
	several := [2]map[[2]int]string{
		{{0, 8}: "8 7", {1, 8}: "8 7", {0, 6}: "8", {2, 6}: "-7", {2, 8}: "7", {5, 8}: "7", {1, 6}: "8 -7", {2, 5}: ""},
		{{0, 8}: "8 7", {1, 8}: "8 7", {0, 6}: "8", {1, 6}: "8 -7", {4, 6}: "-7", {4, 8}: "7", {5, 8}: "7", {2, 5}: "8 -7"},
	}
	for _, limit := range []int{1, 100} {
		s := newShelfOf(t, fmt.Sprint(limit), "c")
		ids := s.ids("c")
		scopes := [2]*Scope{
			{Streams: []StreamScope{{Name: "notes", Connections: ids, Fields: []string{"id", "title"}}}},
			{Streams: []StreamScope{{Name: "notes", Connections: ids, Fields: []string{"id", "title", "body"}, Time: &TimeBound{Field: "at", Since: new(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))}}}},
		}
		tokens := [2][]string{}
		session := func(client int, since string) (string, string) {
			f := &follower{shelf: s, scope: scopes[client], ask: Changes{From: From{Stream: "notes"}, Since: since, Limit: limit}, copy: map[string]string{}}
			var rows []string
			for _, row := range f.session(t.Fatalf, func() {}) {
				at, _, _ := strings.Cut(row, " ")
				rows = append(rows, strings.ReplaceAll(at, ids[0]+"/", ""))
			}
			return strings.Join(rows, " "), f.ask.Since
		}
		for client := range scopes {
			_, since := session(client, Beginning)
			tokens[client] = append(tokens[client], since)
		}
		for n, w := range writes {
			s.now = s.now.Add(time.Minute)
			for i := 0; i < len(w); i += 2 {
				s.put("c", "notes", w[i:i+2]...)
				_, err := s.Index.All(t.Context(), 0)
				s.ok(err)
			}
			for client := range scopes {
				got, since := session(client, tokens[client][n])
				if got != one[client][n] {
					t.Errorf("limit %d, client %d, write %d: got %q, want %q", limit, client, n+1, got, one[client][n])
				}
				tokens[client] = append(tokens[client], since)
				if from := tokens[client][0]; len(since) != len(from) {
					t.Errorf("client %d, write %d: a token of %d bytes, want %d as of any", client, n+1, len(since), len(from))
				}
				for span, want := range several[client] {
					if span[1] != n+1 {
						continue
					}
					if got, _ := session(client, tokens[client][span[0]]); got != want {
						t.Errorf("limit %d, client %d, writes %v: got %q, want %q", limit, client, span, got, want)
					}
				}
			}
		}
		for client := range scopes {
			if got, _ := session(client, Beginning); got != "8 7" {
				t.Errorf("limit %d, client %d, from the beginning: got %q, want 8 and 7", limit, client, got)
			}
		}
		s.ok(s.Store.Close())
	}
}

// RD-23.2: a record that changes between two pages, before it came, comes in the next session,
// and one of which a hidden field changes comes in this one.
func TestChangesBetweenPages(t *testing.T) {
	t.Parallel()
	s := newShelf(t, "c")
	scope := &Scope{Streams: []StreamScope{{Name: "notes", Connections: s.ids("c"), Fields: []string{"id", "title"}}}}
	s.put("c", "notes", "a", `{"id":"a"}`, "b", `{"id":"b"}`, "c", `{"id":"c"}`, "d", `{"id":"d"}`)
	ask := Changes{From: From{Stream: "notes"}, Since: Beginning, Limit: 1}
	var keys []string
	for n := 0; ; n++ {
		page, err := s.Changes(t.Context(), scope, ask)
		s.ok(err)
		for i := range page.Rows {
			keys = append(keys, page.Rows[i].Key)
		}
		if n == 0 {
			s.put("c", "notes", "b", `{"id":"b","title":"new"}`, "c", `{"id":"c","body":"hidden"}`)
		}
		if ask.Cursor = page.Next; page.Next == "" {
			ask.Since = page.Since
			break
		}
	}
	s.same(keys, []string{"a", "c", "d"})
	page, err := s.Changes(t.Context(), scope, ask)
	s.ok(err)
	if len(page.Rows) != 1 || page.Rows[0].Key != "b" || string(page.Rows[0].Data) != `{"id":"b","title":"new"}` {
		t.Errorf("got %+v, want b alone", page.Rows)
	}
}

// RD-23.1, RD-23.10: what is no token of this feed is refused, and the refusal names the
// beginning; a token is bound to its scope, its stream, its connections and its fields, and not
// to the order of these.
func TestChangesTokens(t *testing.T) {
	t.Parallel()
	s := newShelf(t, "c", "d")
	s.put("c", "notes", "a", `{"id":"a","title":"t"}`, "b", `{"id":"b"}`)
	ask := Changes{From: From{Stream: "notes"}, Since: Beginning, Limit: 1, Fields: []string{"id", "title"}}
	first, err := s.Changes(t.Context(), OwnerScope(), ask)
	s.ok(err)
	list, err := s.List(t.Context(), OwnerScope(), List{From: ask.From, Fields: ask.Fields, Limit: 1})
	s.ok(err)
	ask.Limit = 100
	whole, err := s.Changes(t.Context(), OwnerScope(), ask)
	s.ok(err)
	for name, since := range map[string]string{
		"a page cursor of the feed": first.Next, "a page cursor of a list": list.Next, "a timestamp": "2026-01-01T00:00:00Z", "nothing": "", "another word": "Beginning",
		"a token with a bit less": whole.Since[:len(whole.Since)-1],
	} {
		ask.Since = since
		_, err := s.Changes(t.Context(), OwnerScope(), ask)
		if s.code(err, CodeCursor); !strings.Contains(fmt.Sprint(err), Beginning) {
			t.Errorf("%s: got %v, want it to name %s", name, err, Beginning)
		}
	}
	for _, token := range []string{whole.Since, list.Since} {
		ask.Since, ask.Fields = token, []string{"title", "id"}
		_, err = s.Changes(t.Context(), OwnerScope(), ask)
		s.ok(err)
		for name, change := range map[string]func(*Changes){
			"other fields": func(c *Changes) { c.Fields = []string{"id"} }, "no fields": func(c *Changes) { c.Fields = nil },
			"a connection": func(c *Changes) { c.Connections = []string{"c"} },
		} {
			other := ask
			change(&other)
			if _, err := s.Changes(t.Context(), OwnerScope(), other); abi.CodeOf(err) != CodeCursor {
				t.Errorf("%s: got %v, want %s", name, err, CodeCursor)
			}
		}
		_, err = s.Changes(t.Context(), &Scope{Streams: []StreamScope{{Name: "notes", Connections: s.ids("c"), Fields: []string{"id", "title"}}}}, ask)
		s.code(err, CodeCursor)
	}
	_, err = s.List(t.Context(), OwnerScope(), List{From: ask.From, Cursor: first.Next})
	s.code(err, CodeCursor)
	filtered, err := s.List(t.Context(), OwnerScope(), List{From: ask.From, Filters: []Filter{{"title", Equal, "t"}}})
	s.ok(err)
	if filtered.Since != "" {
		t.Error("a list with a filter has a token of changes, want none")
	}
}

// RD-23.9: a token is too old once the spans behind it are removed, once the read state was
// made anew, a connection went, or an older store was put back; the beginning never is.
func TestChangesExpire(t *testing.T) {
	t.Parallel()
	s := newShelf(t, "c", "d")
	s.Kept = 90 * 24 * time.Hour
	s.put("c", "notes", "a", `{"id":"a","title":"t"}`)
	s.put("d", "notes", "b", `{"id":"b"}`)
	ask := Changes{From: From{Stream: "notes"}, Since: Beginning}
	token := func() string {
		page, err := s.Changes(t.Context(), OwnerScope(), Changes{From: ask.From, Since: Beginning})
		s.ok(err)
		return page.Since
	}
	expired := func(why string) {
		t.Helper()
		if _, err := s.Changes(t.Context(), OwnerScope(), ask); abi.CodeOf(err) != CodeExpired {
			t.Errorf("%s: got %v, want %s", why, err, CodeExpired)
		}
		ask.Since = token()
	}
	ask.Since = token()
	s.put("c", "notes", "-a", "")
	_, err := s.Index.All(t.Context(), 0)
	s.ok(err)
	s.now = s.now.Add(s.Kept)
	page, err := s.Changes(t.Context(), OwnerScope(), ask)
	s.ok(err)
	if len(page.Rows) != 1 || !page.Rows[0].Gone || page.Rows[0].Data != nil {
		t.Errorf("got %+v, want that a went", page.Rows)
	}
	s.now = s.now.Add(time.Second)
	expired("older than what is kept")
	if more, err := s.Store.PrunePast(t.Context(), s.Kept, 10); err != nil || more {
		t.Errorf("got more %v and %v, want one span removed", more, err)
	}
	if past, err := s.Store.ReadPast(t.Context(), 1, []string{"a"}); err != nil || len(past) != 0 {
		t.Errorf("got %v and %v, want no span left", past, err)
	}
	s.ok(s.Store.ResetRead(t.Context()))
	expired("the read state was emptied")
	s.accept("c", strings.ReplaceAll(manifest, `"cursor_field":"at"`, `"cursor_field":"title"`))
	expired("another declaration")
	s.ok(s.Store.RemoveConnection(t.Context(), "c", nil))
	expired("a connection was removed")
	s.put("d", "notes", "c", `{"id":"c"}`)
	later := token()
	s.put("d", "notes", "d", `{"id":"d"}`)
	ask.Since = later
	if page, err = s.Changes(t.Context(), OwnerScope(), ask); err != nil || len(page.Rows) != 1 || page.Rows[0].Key != "d" {
		t.Errorf("got %+v and %v, want d", page, err)
	}
	s.accept("e", manifest) // RD-24: what comes later is new
	s.put("e", "notes", "e", `{"id":"e"}`)
	if page, err = s.Changes(t.Context(), OwnerScope(), ask); err != nil || len(page.Rows) != 2 || page.Rows[1].Key != "e" {
		t.Errorf("got %+v and %v, want d and e", page, err)
	}
	s.sound()
}

// RD-23.9: a store that was put back from a copy is behind the token.
func TestChangesOfAnOlderStore(t *testing.T) {
	t.Parallel()
	pgtest.OnFile(t)
	s := newShelf(t, "c")
	s.put("c", "notes", "a", `{"id":"a"}`)
	sources, at, err := s.sources(t.Context(), OwnerScope(), From{Stream: "notes"})
	s.ok(err)
	older := markOf(at, sources, nil)
	older.Horizon = 1 << 40
	seal, err := s.sealSince(t.Context(), OwnerScope(), From{Stream: "notes"}, nil, &older)
	s.ok(err)
	_, err = s.Changes(t.Context(), OwnerScope(), Changes{From: From{Stream: "notes"}, Since: seal})
	s.code(err, CodeExpired)
}

// RD-09.3, RD-24, RD-23.12: the changes of several connections make one feed in one order, in pages
// of any size, and one without a change is not read at all.
func TestChangesMerge(t *testing.T) {
	t.Parallel()
	s := newShelf(t, "one", "two")
	var want []string
	for i := range 6 {
		name := []string{"one", "two"}[i%2]
		s.put(name, "notes", fmt.Sprint("k", i), `{"id":"k"}`)
		want = append(want, fmt.Sprint("k", i))
	}
	for limit := 1; limit < 8; limit++ {
		f := &follower{shelf: s, scope: OwnerScope(), ask: Changes{From: From{Stream: "notes"}, Since: Beginning, Limit: limit}, copy: map[string]string{}}
		var keys []string
		for _, row := range f.session(t.Fatalf, func() {}) {
			_, rest, _ := strings.Cut(row, "/")
			key, _, _ := strings.Cut(rest, " ")
			keys = append(keys, key)
		}
		if !slices.Equal(keys, want) {
			t.Errorf("limit %d: got %q, want %q", limit, keys, want)
		}
	}
	_, err := s.Changes(t.Context(), OwnerScope(), Changes{From: From{Stream: "notes"}, Since: Beginning, Fields: []string{"nothing"}})
	s.code(err, CodeField)
	_, err = s.Changes(t.Context(), OwnerScope(), Changes{From: From{Stream: "gone"}, Since: Beginning})
	s.code(err, abi.CodeStreamUnknown)
}

// RD-16.5, RD-23.5: a list shows a record that was made after it began. When that goes before
// the first session, the session tells that it went; one from an ordinary token does not.
func TestChangesTellWhatAListShowedLater(t *testing.T) {
	t.Parallel()
	s := newShelf(t, "c")
	scope := &Scope{Streams: []StreamScope{{Name: "notes", Connections: s.ids("c"), Fields: []string{"id", "at"}}}}
	s.put("c", "notes", "a", `{"id":"a","at":"2026-01-03T00:00:00Z"}`, "b", `{"id":"b","at":"2026-01-02T00:00:00Z"}`)
	plain, err := s.Changes(t.Context(), scope, Changes{From: From{Stream: "notes"}, Since: Beginning})
	s.ok(err)
	l := List{From: From{Stream: "notes"}, Limit: 1}
	page, err := s.List(t.Context(), scope, l)
	s.ok(err)
	s.put("c", "notes", "later", `{"id":"later","at":"2026-01-01T00:00:00Z"}`)
	l.Limit, l.Cursor = 9, page.Next
	page, err = s.List(t.Context(), scope, l)
	s.ok(err)
	if len(page.Records) != 2 || page.Records[1].Key != "later" {
		t.Fatalf("got %+v, want the record that was made later as the last", page.Records)
	}
	s.put("c", "notes", "-later", "")
	for since, want := range map[string]int{page.Since: 1, plain.Since: 0} {
		changes, err := s.Changes(t.Context(), scope, Changes{From: From{Stream: "notes"}, Since: since})
		s.ok(err)
		if len(changes.Rows) != want || want == 1 && (!changes.Rows[0].Gone || changes.Rows[0].Key != "later") {
			t.Errorf("got %+v, want %d row", changes.Rows, want)
		}
	}
}

// RD-16.5: a record that changes while it is read is read again once it is indexed: what of
// it has changed is known of no other.
func TestReadsSettle(t *testing.T) {
	t.Parallel()
	s := newShelf(t, "c")
	s.put("c", "notes", "a", `{"id":"a","title":"old"}`)
	sources, _, err := s.sources(t.Context(), OwnerScope(), From{Stream: "notes"})
	s.ok(err)
	var got []string
	_, err = s.settle(t.Context(), &sources[0], func(ctx context.Context) ([]*storage.ReadRow, error) {
		if got == nil {
			s.put("c", "notes", "a", `{"id":"a","title":"new"}`)
		}
		row, err := s.Store.ReadRecord(ctx, sources[0].ID, "a", 0)
		s.ok(err)
		got = append(got, fmt.Sprint(row.Indexed == row.Seq))
		return []*storage.ReadRow{row}, nil
	})
	s.ok(err)
	s.same(got, []string{"false", "true"})
}

// RD-23.11: a stream whose records are never deleted tells its changes as well.
func TestChangesOfAnAppendOnlyStream(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	s.accept("c", strings.Replace(manifest, `{"name":"notes",`, `{"name":"notes","semantics":"append_only",`, 1))
	f := &follower{shelf: s, scope: OwnerScope(), ask: Changes{From: From{Stream: "notes"}, Since: Beginning, Limit: 1}, copy: map[string]string{}}
	for i, records := range [][]string{{"a", `{"id":"a"}`, "b", `{"id":"b"}`}, {"c", `{"id":"c"}`}, {}} {
		if len(records) > 0 {
			s.put("c", "notes", records...)
		}
		if got := f.session(t.Fatalf, func() {}); len(got) != len(records)/2 {
			t.Errorf("session %d: got %q, want the %d records that came", i, got, len(records)/2)
		}
	}
}
