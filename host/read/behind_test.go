package read

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/storage"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/pgtest"
)

// RD-16.6, RD-23.7: while records are written and indexed, no session passes over a record,
// and no list or session is refused when it may wait as long as it takes.
func TestReadsWhileRecordsAreWritten(t *testing.T) {
	t.Parallel()
	pgtest.OnFile(t)
	const writes, pollers = 100, 4
	s := newShelf(t, "c", "d")
	for _, c := range []string{"c", "d"} {
		s.put(c, "notes", "first-"+c, `{"id":"a"}`)
	}
	_, err := s.Index.All(t.Context(), 0)
	s.ok(err)
	ctx, stop := context.WithCancel(t.Context())
	var indexing, polling sync.WaitGroup
	indexing.Go(func() { s.Index.Run(ctx, func(err error) { t.Error(err) }) })
	written := make(chan struct{})
	for range pollers {
		polling.Go(func() {
			seen := map[string]bool{}
			ask := Changes{From: From{Stream: "notes"}, Since: Beginning}
			for done := false; ; {
				select {
				case <-written:
					done = true
				default:
				}
				before := done
				if _, err := s.List(t.Context(), OwnerScope(), List{From: ask.From, Limit: 1}); err != nil {
					t.Errorf("a list was refused: %v", err)
					return
				}
				page, err := s.Changes(t.Context(), OwnerScope(), ask)
				if err != nil {
					t.Errorf("a session was refused: %v", err)
					return
				}
				for i := range page.Rows {
					seen[page.Rows[i].Key] = true
				}
				if ask.Cursor = page.Next; page.Next == "" {
					ask.Since = page.Since
					if before {
						break
					}
				}
			}
			if len(seen) != writes+2 {
				t.Errorf("the sessions told of %d records, want %d", len(seen), writes+2)
			}
		})
	}
	for i := range writes {
		s.put([]string{"c", "d"}[i%2], "notes", fmt.Sprint("k", i), `{"id":"k"}`)
	}
	close(written)
	polling.Wait()
	stop()
	indexing.Wait()
}

// RD-23.7: a change that is written and indexed while the streams are looked for is behind the
// position that is told with them.
func TestAPositionIsNotAheadOfItsStreams(t *testing.T) {
	t.Parallel()
	s := newShelf(t, "c")
	s.put("c", "notes", "a", `{"id":"a"}`)
	first := true
	streams, at, err := s.Index.Ready(t.Context(), 0, func(ctx context.Context) ([]storage.ReadStream, error) {
		found, err := s.Store.ReadStreams(ctx, storage.ReadStreams{Name: "notes"})
		s.ok(err)
		if len(found) == 1 && found[0].Fit() && first {
			first = false
			s.put("c", "notes", "b", `{"id":"b"}`)
			_, err = s.Index.All(ctx, 0)
		}
		return found, err
	})
	s.ok(err)
	if first || len(streams) != 1 || at.Indexed > streams[0].LastSeq {
		t.Errorf("got the position %d for %+v, want none ahead of its last change", at.Indexed, streams)
	}
}

// RD-24: a stream that a token does not know is told from its beginning, whenever its
// changes were.
func TestFeedTellsAStreamThatCameLater(t *testing.T) {
	t.Parallel()
	s := newShelf(t, "c")
	s.accept("d", strings.ReplaceAll(manifest, `"title":{"type":"string"},`, ""))
	s.put("c", "notes", "a", `{"id":"a","title":"t"}`, "b", `{"id":"b","title":"t"}`)
	s.put("d", "notes", "x", `{"id":"x","title":"t"}`, "y", `{"id":"y","title":"t"}`, "z", `{"id":"z","title":"t"}`)
	s.put("c", "notes", "c", `{"id":"c","title":"t"}`)
	f := &follower{shelf: s, scope: OwnerScope(), ask: Changes{From: From{Stream: "notes"}, Since: Beginning, Fields: []string{"id", "title"}, Limit: 2}, copy: map[string]string{}}
	if rows := f.session(t.Fatalf, func() {}); len(rows) != 3 {
		t.Fatalf("got %q, want the three of c, whose records have all that is asked for", rows)
	}
	s.accept("d", manifest)
	s.put("c", "notes", "a", `{"id":"a","title":"u"}`)
	if rows := f.session(t.Fatalf, func() {}); len(rows) != 4 {
		t.Errorf("got %q, want the three of d and the one that changed", rows)
	}
	if rows := f.session(t.Fatalf, func() {}); len(rows) != 0 {
		t.Errorf("got %q, want nothing once more", rows)
	}
}

// RD-23.1, RD-23.9: once the spans of a record are removed, the beginning still tells of it, and
// a token that lives does not tell again what its reader has.
func TestBeginningTellsOfPrunedSpans(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	for name, moves := range map[string][]int{"one move is kept": {30, 60}, "no move is kept": {30}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newShelfOf(t, strings.ReplaceAll(name, " ", ""), "c")
			s.Kept = 90 * day
			since := began.AddDate(-1, 0, 0)
			scope := &Scope{Streams: []StreamScope{{Name: "notes", Connections: s.ids("c"), Fields: []string{"id", "title"}, Time: &TimeBound{Field: "at", Since: new(since)}}}}
			write := func(at string) {
				s.put("c", "notes", "a", `{"id":"a","title":"t","at":"`+at+`"}`)
				_, err := s.Index.All(t.Context(), 0)
				s.ok(err)
			}
			write("2026-01-01T00:00:00Z")
			last := ""
			for i, at := range moves {
				s.now = began.Add(time.Duration(at) * day)
				last = fmt.Sprintf("2026-01-%02dT00:00:00", 2+i)
				write(last + "Z")
			}
			write(last + "+00:00") // the same time, otherwise written
			s.now = began.Add(100 * day)
			f := &follower{shelf: s, scope: scope, ask: Changes{From: From{Stream: "notes"}, Since: Beginning}, copy: map[string]string{}}
			if rows := f.session(t.Fatalf, func() {}); len(rows) != 1 {
				t.Errorf("before: got %q, want a", rows)
			}
			token := f.ask.Since
			s.now = began.Add(130 * day)
			_, err := s.Store.PrunePast(t.Context(), s.Kept, 10)
			s.ok(err)
			if rows := f.session(t.Fatalf, func() {}); len(rows) != 0 {
				t.Errorf("since %q: got %q, want nothing", token, rows)
			}
			f.ask.Since = Beginning
			if rows := f.session(t.Fatalf, func() {}); len(rows) != 1 {
				t.Errorf("from the beginning: got %q, want a, as a list has it", rows)
			}
		})
	}
}

// RD-16.5: a page of the store has each record as it is now, and says how the index knows it, also
// where it has changed or went since.
func TestAPageOfRecordsThatHaveChanged(t *testing.T) {
	t.Parallel()
	s := newShelf(t, "c")
	s.put("c", "notes", "a", `{"id":"a"}`, "b", `{"id":"b"}`, "c", `{"id":"c"}`)
	_, err := s.Index.All(t.Context(), 0)
	s.ok(err)
	s.put("c", "notes", "a", `{"id":"a","title":"new"}`, "-b", "")
	streams, err := s.Store.ReadStreams(t.Context(), storage.ReadStreams{Name: "notes"})
	s.ok(err)
	for _, keys := range [][]string{nil, {"a", "b", "c"}} {
		rows, _, err := s.Store.ReadPage(t.Context(), storage.ReadPage{StreamID: streams[0].ID, Keys: keys, Limit: 9, Bytes: 1 << 20})
		s.ok(err)
		var got []string
		for i := range rows {
			r := &rows[i]
			got = append(got, fmt.Sprintf("%s %s as indexed: %v", r.Key, r.Data, r.Seq == r.Indexed))
		}
		s.same(got, []string{`a {"id":"a","title":"new"} as indexed: false`, `b  as indexed: true`, `c {"id":"c"} as indexed: true`})
	}
}
