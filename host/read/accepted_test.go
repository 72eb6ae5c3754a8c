package read

import (
	"context"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/host/read/plan"
	"github.com/pdpp-host/pdpp-host/storage"
)

// A module that is accepted while a stream is read leaves its plan to no other: the one before is
// read by its own when it is accepted again.
func TestAnAcceptanceWhileAStreamIsRead(t *testing.T) {
	t.Parallel()
	s := newShelf(t, "mine")
	s.put("mine", "notes", "a", `{"id":"a","title":"one"}`)
	newer := strings.Replace(manifest, `["title","body"]`, `["title"]`, 1)
	look := func() *storage.ReadStream {
		all, err := s.Store.ReadStreams(t.Context(), storage.ReadStreams{Name: "notes"})
		s.ok(err)
		return &all[0]
	}
	indexed := func(stream *storage.ReadStream, want ...string) {
		t.Helper()
		p, err := s.Index.Plans.Of(t.Context(), stream)
		s.ok(err)
		s.same(p.Indexed, want)
		if now := look().Module; stream.Module != now {
			t.Errorf("the plan is said to be of the module %s, want %s, which is accepted", stream.Module, now)
		}
	}
	before := look()
	s.accept("mine", newer)
	indexed(before, "title")
	s.accept("mine", manifest)
	indexed(look(), "body", "title")
}

// A stream whose module was replaced after it was looked up is indexed anew before it is read.
func TestAnAcceptanceBeforeAStreamIsReady(t *testing.T) {
	t.Parallel()
	s := newShelf(t, "mine")
	s.put("mine", "notes", "a", `{"id":"a","title":"one"}`)
	if got := s.keys(List{From: From{Stream: "notes"}}); len(got) != 1 {
		t.Fatalf("got the records %q, want one", got)
	}
	s.Index.Plans = plan.NewCache(s.Store) // as in a host that has just begun
	looks := 0
	_, _, err := s.Index.Ready(t.Context(), 0, func(ctx context.Context) ([]storage.ReadStream, error) {
		looks++
		all, err := s.Store.ReadStreams(ctx, storage.ReadStreams{Name: "notes"})
		if looks == 1 {
			s.accept("mine", strings.Replace(manifest, `["title","body"]`, `["title"]`, 1))
		}
		return all, err
	})
	s.ok(err)
	if looks == 1 {
		t.Error("the index of the former module was good enough, want that of the accepted one")
	}
	s.sound()
}
