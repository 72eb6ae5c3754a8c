package owner

import (
	"context"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/health/view"
	"github.com/pdpp-host/pdpp-host/host/run/holder"
	"github.com/pdpp-host/pdpp-host/storage"
)

// HL-28.1: a clock that went back is told for an hour from when it was noticed, before a
// scheduler that is then missed; who serves in time, whose process lives, and whose is gone
// are told apart.
func TestFaultsOfTheMachine(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	clock := func() time.Time { return now }
	quiet := slog.New(slog.DiscardHandler)
	store, err := storage.Open(ctx, storage.Options{Path: filepath.Join(t.TempDir(), "pdpp.sqlite"), Now: clock, Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	o := New(Deps{Now: clock, Logger: quiet, Open: func(context.Context) (*storage.Store, error) { return store, nil }})
	t.Cleanup(func() { _ = o.Close() })
	fault := func(want string) {
		t.Helper()
		r, err := o.Runtime(ctx)
		if err != nil || r.Fault != want || r.OK != (want == "") || r.RefusesRuns() {
			t.Errorf("got %+v, %v, want %q", r, err, want)
		}
		if told := r.Indicator() != "" && r.Advice() != ""; told == r.OK {
			t.Errorf("%+v: got %q and %q", r, r.Indicator(), r.Advice())
		}
	}
	serve := func(who string) {
		t.Helper()
		if _, err := store.Serve(ctx, who, time.Minute, func(string) bool { return false }); err != nil {
			t.Fatal(err)
		}
	}
	fault("")
	serve(holder.Self())
	fault("")
	now = now.Add(2 * time.Minute)
	fault(view.FaultSchedulerUnheard)
	now = now.Add(-24 * time.Hour)
	fault(view.FaultClockBack)
	serve(holder.Self())
	fault(view.FaultClockBack)
	now = now.Add(59 * time.Minute)
	fault(view.FaultClockBack)
	now = now.Add(2 * time.Minute)
	serve(holder.Self())
	fault("")
	if err := store.StopServing(ctx, holder.Self()); err != nil {
		t.Fatal(err)
	}
	fault("")
}
