package serving

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/storage"
)

// HL-28.1: a server whose scheduler makes no pass any more is one that has stopped, to
// whoever looks and to the next server, however alive its process is.
func TestAStuckSchedulerIsNoServer(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	clock := func() time.Time { return now }
	quiet := slog.New(slog.DiscardHandler)
	store, err := storage.Open(ctx, storage.Options{Path: filepath.Join(t.TempDir(), "pdpp.sqlite"), Now: clock, Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	o := owner.New(owner.Deps{Now: clock, Logger: quiet, Open: func(context.Context) (*storage.Store, error) { return store, nil }})
	lock, err := take(ctx, store, now, nil)
	if err != nil {
		t.Fatal(err)
	}
	fault := func(want string) {
		t.Helper()
		if r, err := o.Runtime(ctx); err != nil || r.Fault != want || r.OK != (want == "") {
			t.Errorf("%+v, %v, want %q", r, err, want)
		}
	}
	renew := func(lost bool) {
		t.Helper()
		now = now.Add(servingEvery)
		if other, err := lock.renew(ctx, now); err != nil || (other != nil) != lost {
			t.Fatal(other, err)
		}
	}
	// The one pass of `serve --once` lasts for as long as its runs do.
	for range 60 {
		renew(false)
	}
	fault("")
	lock.passed(now)
	for range 10 {
		renew(false)
		fault("")
	}
	now = now.Add(passWithin)
	renew(false)
	fault("scheduler_unheard") // its process lives: to start another would be wrong
	lock.passed(now)           // it works again
	renew(false)
	fault("")
	now = now.Add(2 * passWithin)
	other := &right{store: store, holder: "elsewhere:1"}
	if was, err := other.hold(ctx, now); err != nil || was != nil {
		t.Fatal("another server could not take over", was, err)
	}
	renew(true) // which the stuck one sees, and stops for
	lock.passed(now)
	renew(true)
}

// OC-11: a server is not ready while its store takes no writes, or its scheduler makes no
// passes.
func TestReady(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	clock := func() time.Time { return now }
	quiet := slog.New(slog.DiscardHandler)
	store, err := storage.Open(ctx, storage.Options{Path: filepath.Join(t.TempDir(), "pdpp.sqlite"), Now: clock, Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	r, err := take(ctx, store, now, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{Owner: owner.New(owner.Deps{Now: clock, Logger: quiet, Config: &config.Config{}}), right: r}
	ready := func(when, want string) {
		t.Helper()
		got := ""
		for _, c := range s.Ready()[:2] {
			got += fmt.Sprint(c.Name, " ", c.OK, "; ")
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", when, got, want)
		}
	}
	r.passed(now)
	ready("at first", "store true; scheduler true; ")
	now = now.Add(servingTTL)
	ready("a minute unheard of", "store false; scheduler true; ")
	if _, err := r.renew(ctx, now); err != nil {
		t.Fatal(err)
	}
	ready("renewed", "store true; scheduler true; ")
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	now = now.Add(servingEvery)
	if _, err := r.renew(ctx, now); err == nil {
		t.Error("the right was renewed in a store that is closed")
	}
	ready("on a store that took no write", "store false; scheduler true; ")
	now = now.Add(servingTTL)
	ready("on a store that takes no writes", "store false; scheduler true; ")
	now = now.Add(2 * passWithin)
	ready("without passes", "store false; scheduler false; ")
}

// OC-11: a server is not ready whose disk has less room than a run could fill; of a system that
// does not say it is not known.
func TestRoomOnTheDisk(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		free  uint64
		known bool
		want  bool
	}{{leastFree, true, true}, {leastFree - 1, true, false}, {0, true, false}, {0, false, true}} {
		if got := roomy(c.free, c.known); got != c.want {
			t.Errorf("%d bytes, known %v: got %v, want %v", c.free, c.known, got, c.want)
		}
	}
}
