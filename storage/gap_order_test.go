package storage

import (
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/run"
)

// Gaps that keep failing come after those that were never tried: under a small
// cap they would otherwise use up every run.
func TestGapsTriedLeastComeFirst(t *testing.T) {
	t.Parallel()
	x := &exercise{T: t, s: mustOpen(t, Options{Path: t.TempDir() + "/pdpp.sqlite"})}
	w := x.begin("c")
	x.ok(w.PutGap(t.Context(), Gap{Stream: "a", RecordKey: "old", Reason: "temporary_unavailable"}))
	x.ok(w.Finish(t.Context(), Outcome{Status: "succeeded"}))
	w = x.begin("c")
	old := x.lease(w, 1)[0]
	x.ok(w.GapOutcome(t.Context(), old.ID, old.LeaseID, false))
	x.ok(w.PutGap(t.Context(), Gap{Stream: "a", RecordKey: "old", Reason: "temporary_unavailable"}))
	x.ok(w.PutGap(t.Context(), Gap{Stream: "a", RecordKey: "new", Reason: "temporary_unavailable"}))
	x.ok(w.Finish(t.Context(), Outcome{Status: "succeeded"}))
	w = x.begin("c")
	if got := x.lease(w, 1); got[0].RecordKey != "new" {
		t.Fatalf("got %s first, want new", got[0].RecordKey)
	}
	x.ok(w.Finish(t.Context(), Outcome{Status: "succeeded"}))
}

// A run gets each gap once, also those that have to wait: when their moment
// comes while it goes on, or after it was told that there are none.
func TestGapsThatWaitedAreLeased(t *testing.T) {
	t.Parallel()
	clock := newClock()
	x := &exercise{T: t, s: mustOpen(t, Options{Path: t.TempDir() + "/pdpp.sqlite", Now: clock.Now}), clock: clock}
	w := x.begin("c")
	for i, wait := range []time.Duration{2 * time.Hour, 0, time.Hour, 0, 3 * time.Hour} {
		g := Gap{Stream: "a", RecordKey: string(rune('a' + i))}
		if wait > 0 {
			g.NextAttemptAfter = clock.Now().Add(wait)
		}
		x.ok(w.PutGap(t.Context(), g))
		x.ok(w.Flush(t.Context()))
		clock.forward(time.Second) // the oldest comes first
	}
	x.finish(w)
	clock.forward(time.Minute)
	w = x.begin("c")
	x.ok(w.PutGap(t.Context(), Gap{Stream: "a", RecordKey: "own"}))
	keys := func(n int) (out string) {
		for _, g := range x.lease(w, n) {
			out += g.RecordKey
		}
		return out
	}
	x.same(len(keys(1)+keys(1)), 2)
	x.same(keys(9), "")
	clock.forward(2 * time.Hour)
	x.same(keys(9), "ac")
	x.same(keys(9), "")
	x.finish(w)
	w = x.begin("c")
	x.same(len(keys(9)), len("own")+4) // the one that still waits is left
	x.finish(w)
}

// A run leases the gaps that lie behind more of its own finding than one look passes over.
func TestGapsBehindTheRunsOwnAreLeased(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	const n = 2*run.MaxLookedAt + 1000
	s, c := benchGaps(t, n, "leasing", time.Time{})
	id := connectionID(t, s, "c")
	const behind = 3
	err := s.db.Alone(ctx, "leave some by an earlier run", func(t *db.Tx) error {
		_, err := t.DB.ExecContext(t.Ctx, "UPDATE gaps SET last_run_id = 'earlier' WHERE attempt_count = 4 AND id IN (SELECT id FROM gaps WHERE attempt_count = 4 ORDER BY created_us DESC LIMIT ?)", behind)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	w, err := s.BeginRun(ctx, NewRun{RunID: "leasing", ConnectionID: id, Bookmark: BookmarkIncremental, Holder: "h", Streams: []string{"a"}, LeaseTTL: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	page := GapPage{Streams: []string{"a"}, MaxBytes: 1 << 20, Due: c.Now()}
	for _, want := range []int{behind, 0} {
		if got, err := w.LeaseGaps(ctx, page); err != nil || len(got) != want {
			t.Fatalf("got %d gaps, %v; want %d", len(got), err, want)
		}
	}
}
