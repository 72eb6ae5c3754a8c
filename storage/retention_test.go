package storage

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
	"github.com/pdpp-host/pdpp-host/storage/run"
)

// prune ends the history of a connection early. The histories that this is a step of hold the
// evidence to that: it is made again from what is left, and held to what somebody remembers
// of every run.
func (d *history) prune(name string) {
	c, err := d.s.Connection(d.ctx, name)
	if err != nil {
		return
	}
	before := d.clock.Now().Add(-time.Duration(rapid.IntRange(0, 10).Draw(d.t, "kept hours")) * time.Hour)
	least := rapid.IntRange(1, 3).Draw(d.t, "least")
	d.ok(d.s.db.Alone(d.ctx, "prune", func(t *db.Tx) error {
		_, _, err := run.PruneRuns(t, c.ID, before, least, 1)
		return err
	}))
}

// quietResult is as long as what a run's outcome says of six streams.
var quietResult = []byte(`{"status":"succeeded","records":"` + strings.Repeat("0", 1200) + `"}`)

// quiet is a run that finds nothing new.
func (x *exercise) quiet() {
	x.Helper()
	w := x.begin("c")
	x.ok(w.Event(x.Context(), Event{Type: "run.state_staged", Stream: "a", Data: []byte(`{"slice":""}`)}))
	x.ok(w.Finish(x.Context(), Outcome{
		Status: tables.StatusSucceeded, Checkpoints: []StateCommit{{Stream: "a", Cursor: []byte(`{"c":1}`)}}, KnownGaps: []byte("[]"), Result: quietResult,
		Events: []Event{{Type: "run.completed"}},
	}))
}

// The history of runs ends at its age, but for a connection's newest fifty; records,
// the order of their changes, cursors, open gaps and losses stay.
func TestHistoryEnds(t *testing.T) {
	t.Parallel()
	ctx, clock := t.Context(), newClock()
	path := filepath.Join(t.TempDir(), "pdpp.sqlite")
	x := &exercise{T: t, clock: clock, s: mustOpen(t, Options{Path: path, Now: clock.Now, History: 24 * time.Hour})}
	w := x.begin("c", func(n *NewRun) { n.Streams = []string{"a", "b", "once"} })
	x.marked(w, "record", 3, false)
	for _, key := range []string{"open", "lost", "found"} {
		x.ok(w.PutGap(ctx, Gap{Stream: "a", RecordKey: key, Reason: "rate_limited"}))
	}
	x.finish(w)
	w = x.begin("c")
	for _, g := range x.lease(w, 10) {
		switch g.RecordKey {
		case "lost":
			x.ok(w.GiveUp(ctx, g.ID))
		case "found":
			x.ok(w.GapOutcome(ctx, g.ID, g.LeaseID, true))
		}
	}
	x.finish(w)
	before, err := x.s.Changes(ctx, "c", 0, 0)
	x.ok(err)
	for range 3 * run.LeastRuns {
		clock.forward(time.Hour)
		x.quiet()
	}
	x.ok(x.s.db.Alone(ctx, "wait", func(*db.Tx) error { return nil })) // behind what the last run queued
	runs, err := x.s.Runs(ctx, "c", 0)
	x.ok(err)
	if got, most := len(runs), run.LeastRuns+run.PruneFew+2; got < run.LeastRuns || got > most {
		t.Errorf("%d runs are left at the end of a run, want %d to %d", got, run.LeastRuns, most)
	}
	_, err = x.s.PruneRuns(ctx)
	x.ok(err)
	runs, err = x.s.Runs(ctx, "c", 0)
	x.ok(err)
	// The first run stays, too: it alone collected the stream once.
	x.same([]any{len(runs), runs[run.LeastRuns].ID}, []any{run.LeastRuns + 1, "run1"})
	events, err := x.s.Events(ctx, "run1", 0, 0)
	x.ok(err)
	x.same(len(events), 0)
	after, err := x.s.Changes(ctx, "c", 0, 0)
	x.ok(err)
	for i := range after {
		before[i].RunID = after[i].RunID
	}
	x.same(after, before)
	gaps, err := x.s.Gaps(ctx, "c", GapQuery{})
	x.ok(err)
	left := map[string]string{}
	for _, g := range gaps {
		left[g.RecordKey] = g.Status
	}
	x.same(left, map[string]string{"open": GapPending, "lost": GapTerminal})
	e, err := x.s.EvidenceOf(ctx, "c")
	x.ok(err)
	x.same(e.Facts.Gaps.Recovered, int64(1))
	states, err := x.s.Checkpoints(ctx, "c")
	x.ok(err)
	x.same(len(states), 1)
	differ, err := x.s.CheckEvidence(ctx)
	x.ok(err)
	x.same(len(differ), 0)
	x.ok(x.s.RepairEvidence(ctx, "c"))
	again, err := x.s.EvidenceOf(ctx, "c")
	x.ok(err)
	is, err := tables.EncodeJSON(again.Facts)
	x.ok(err)
	was, err := tables.EncodeJSON(e.Facts)
	x.ok(err)
	x.same(is, was)
	report, err := x.s.Check(ctx)
	x.ok(err)
	x.same(len(report.Problems), 0)
	// One run that is over is enough.
	clock.forward(time.Hour)
	x.quiet()
	n, err := x.s.PruneRuns(ctx)
	x.ok(err)
	x.same(n, int64(1))
}

// BenchmarkQuietRuns makes 10,000 quiet runs, one an hour, and says how much larger
// the store is after them: less than 5 MB.
func BenchmarkQuietRuns(b *testing.B) {
	for b.Loop() {
		clock := newClock()
		s, err := Open(b.Context(), Options{Path: filepath.Join(b.TempDir(), "quiet.sqlite"), Now: clock.Now, unsynced: true, History: 90 * 24 * time.Hour})
		if err != nil {
			b.Fatal(err)
		}
		size := func() float64 {
			if err := s.db.FoldLog(b.Context()); err != nil {
				b.Fatal(err)
			}
			st, err := s.Stats(b.Context())
			if err != nil {
				b.Fatal(err)
			}
			return float64(st.FileBytes+st.LogBytes) / 1e6
		}
		start := size()
		c, err := s.EnsureConnection(b.Context(), "c", "demo")
		if err != nil {
			b.Fatal(err)
		}
		for i := range 10_000 {
			clock.forward(time.Hour)
			w, err := s.BeginRun(b.Context(), NewRun{
				RunID: fmt.Sprintf("run_019ab3c4d5e6_%08d", i), ConnectionID: c.ID, Connector: "demo", Version: "0.1.0", ModuleSHA256: strings.Repeat("a", 64),
				Mode: "incremental", Bookmark: BookmarkIncremental, Holder: "host.example:12345:019ab3c4", LeaseTTL: time.Hour,
				Streams: []string{"notes", "riders", "journal", "ranked", "chats", "messages"},
			})
			if err != nil {
				b.Fatal(err)
			}
			err = w.Event(b.Context(), Event{Type: "run.state_staged", Stream: "notes", Data: []byte(`{"slice":""}`)})
			if err == nil {
				err = w.Finish(b.Context(), Outcome{
					Status: tables.StatusSucceeded, Checkpoints: []StateCommit{{Stream: "notes", Cursor: []byte(`{"c":1}`)}}, KnownGaps: []byte("[]"), Result: quietResult,
					Events: []Event{{Type: "run.completed"}},
				})
			}
			if err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(size()-start, "MB")
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
