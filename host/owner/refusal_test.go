package owner

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/schedule"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Starts that a full disk refuses are remembered by the process that serves, one for all of a
// connection and a reason, and stand beside the list of runs at once. They are kept when the store
// takes writes again, once, and are told no more often than they were.
func TestTurnedAwayIsRemembered(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	clock := func() time.Time { return now }
	at := storage.Options{Path: filepath.Join(t.TempDir(), "pdpp.sqlite"), Now: clock}
	o := New(Deps{Now: clock, Logger: slog.New(slog.DiscardHandler), Away: new(TurnedAway),
		Open: func(ctx context.Context) (*storage.Store, error) { return storage.Open(ctx, at) },
		Show: func(ctx context.Context, why error) (*storage.Store, error) { return storage.OpenToShow(ctx, at, why) },
	})
	ok := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { _ = o.Close() })
	store, err := o.Store(ctx)
	ok(err)
	conn, err := store.EnsureConnection(ctx, "mine", "notes")
	ok(err)
	full := abi.NewError(abi.CodeStoreFull, "no space left, token ghp_a1b2c3d4e5f6", "")
	turn := func(want bool) {
		t.Helper()
		now = now.Add(time.Minute)
		if got := o.TurnAway(ctx, store, conn, schedule.Scheduled, full); got != want {
			t.Errorf("got a new one: %t, want %t", got, want)
		}
	}
	lists := func(when, want string) {
		t.Helper()
		got := ""
		for _, connection := range []string{"", "mine"} {
			all, err := o.Runs(ctx, connection, 5)
			ok(err)
			for _, r := range all.Refused {
				got += fmt.Sprintf("%s %s %d %d-%d; ", r.Connection, r.Code, r.Times, r.Since.Minute(), r.At.Minute())
				if r.Message == "" || r.Message == full.Message {
					t.Errorf("%s: got the words %q, want them without the secret", when, r.Message)
				}
			}
		}
		if got != want+want {
			t.Errorf("%s: got %q, want %q twice", when, got, want)
		}
	}
	turn(false) // it is kept at once
	lists("kept", "mine storage.full 1 5-5; ")

	ok(o.LetGo())
	store, err = o.StoreToShow(ctx, full)
	ok(err)
	turn(true)
	turn(false)
	lists("remembered", "mine storage.full 3 5-7; ")
	o.KeepTurnedAway(ctx)
	lists("the store takes nothing", "mine storage.full 3 5-7; ")

	ok(o.LetGo())
	store, err = o.Store(ctx)
	ok(err)
	lists("before it is kept", "mine storage.full 3 5-7; ")
	o.KeepTurnedAway(ctx)
	o.KeepTurnedAway(ctx)
	lists("kept again", "mine storage.full 3 5-7; ")
	if left := o.Away.of(""); len(left) > 0 {
		t.Errorf("got %v left, want nothing", left)
	}
	for i := range 2 * mostAway {
		o.Away.note(&storage.TurnedAway{ConnectionID: fmt.Sprint(i), Count: 1})
	}
	if left := o.Away.of(""); len(left) != mostAway {
		t.Errorf("got %d remembered, want %d at most", len(left), mostAway)
	}
}
