package read

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/pdpp-host/pdpp-host/testplugins/rig/pgtest"
)

// RD-16.6, RD-23.7: while records are written and indexed, no session passes over a record,
// and no list or session is refused when it may wait as long as it takes.
func TestReadsWhileRecordsAreWritten(t *testing.T) {
	t.Parallel()
	pgtest.OnFile(t)
	const writes, pollers = 300, 4
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
