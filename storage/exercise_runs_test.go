package storage

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
)

func exerciseRun(t *testing.T, x *exercise) {
	ctx := t.Context()
	w := x.begin("c", func(n *NewRun) { n.Mode = abi.ModeFullRefresh })
	r, err := x.s.Run(ctx, w.RunID())
	x.ok(err)
	x.same([]any{r.Status, r.FinishedAt.IsZero(), r.Mode, r.Streams, r.Epoch}, []any{StatusRunning, true, "full_refresh", []string{"a", "b"}, 1})
	x.put(w, 0, "k=1")
	x.ok(w.Stage(ctx, "a", []byte(`{"n":1}`), ""))
	x.ok(w.Stage(ctx, "a", []byte(`{"n":2}`), ""))
	x.ok(w.Stage(ctx, "b", nil, ""))
	x.ok(w.Flush(ctx))
	x.same(x.cursors("c"), `[a/incremental={"n":2}] [b/incremental=null]`)
	x.clock.forward(time.Second)
	x.ok(w.Finish(ctx, Outcome{
		Status: "failed", Reason: "connector_reported_failed", Error: &RunError{Code: "x", Message: "it's", Retryable: true},
		Checkpoints: []StateCommit{{Stream: "a", Cursor: []byte(`{"n":2}`)}}, Withheld: []Withheld{{Stream: "b", Reason: "detail_coverage_incomplete"}},
		KnownGaps: []byte(`[1]`), Result: []byte(`{"ok":false}`), Events: []Event{{Type: "run.failed"}},
	}))
	x.same(x.cursors("c"), `a/incremental={"n":2}`)
	r, err = x.s.Run(ctx, w.RunID())
	x.ok(err)
	x.same([]any{r.Status, r.Reason, *r.Error, r.Checkpoints, r.Withheld, string(r.KnownGaps), string(r.Result)}, []any{
		"failed", "connector_reported_failed", RunError{Code: "x", Message: "it's", Retryable: true}, []string{"a"},
		[]Withheld{{Stream: "b", Reason: "detail_coverage_incomplete"}}, "[1]", `{"ok":false}`,
	})
	x.same(r.FinishedAt.Sub(r.StartedAt), time.Second)
	x.same(x.eventTypes(w.RunID()), "1:run.failed")

	// The writer is spent; the next run sees the cursor.
	x.code(put(ctx, w, 0, "k=2"), abi.CodeInternal)
	x.code(w.Heartbeat(ctx), abi.CodeInternal)
	w = x.begin("c")
	x.same(string(w.State()["a"]), `{"n":2}`)
	x.same(w.Epoch(), 2)
	x.finish(w)
	runs, err := x.s.Runs(ctx, "c", 1)
	x.ok(err)
	x.same(runs[0].ID, "run2")
	runs, err = x.s.Runs(ctx, "", 0)
	x.ok(err)
	x.same(len(runs), 2)
	_, err = x.s.Run(ctx, "none")
	x.code(err, abi.CodeRunUnknown)
	_, err = x.s.Runs(ctx, "none", 0)
	x.code(err, abi.CodeConnectionUnknown)
}

func exerciseEvents(t *testing.T, x *exercise) {
	ctx := t.Context()
	w := x.begin("c")
	data := []byte(`{"n":1}`)
	x.ok(w.Event(ctx, Event{Type: "run.progress_reported", Stream: "a", Data: data}))
	copy(data, "garbage") // the store has its own copy
	for range 200 {
		x.ok(w.Event(ctx, Event{Type: "run.state_staged"}))
	}
	x.finish(w)
	list, err := x.s.Events(ctx, w.RunID(), 0, 2)
	x.ok(err)
	x.same([]any{list[0].Type, list[0].Stream, string(list[0].Data), list[0].At, list[1].Seq, list[1].Data == nil},
		[]any{"run.progress_reported", "a", `{"n":1}`, x.clock.Now().UTC(), 2, true})
	list, err = x.s.Events(ctx, w.RunID(), 200, 0)
	x.ok(err)
	x.same(len(list), 1)
	_, err = x.s.Events(ctx, "none", 0, 0)
	x.code(err, abi.CodeRunUnknown)
}

func exerciseSlices(t *testing.T, x *exercise) {
	ctx := t.Context()
	w := x.begin("c")
	x.ok(w.Stage(ctx, "a", []byte("0"), ""))
	for i := range 50 {
		x.put(w, 0, fmt.Sprintf("k%02d=%d", i, i))
		x.ok(w.CommitSlice(ctx, "a", fmt.Appendf(nil, "%d", i), fmt.Sprintf("page%d", i)))
	}
	x.ok(w.Flush(ctx))
	w.Abandon()
	list, err := x.s.Checkpoints(ctx, "c")
	x.ok(err)
	x.same(len(list), 1) // committing a stream's slice drops what it had staged
	x.same([]any{string(list[0].Cursor), list[0].SliceID, list[0].Seq, list[0].RunID}, []any{"49", "page49", 50, "run1"})
}

func exerciseBookmarks(t *testing.T, x *exercise) {
	ctx := t.Context()
	w := x.begin("c")
	x.ok(w.CommitSlice(ctx, "a", []byte("1"), ""))
	x.finish(w, StateCommit{Stream: "b", Cursor: []byte("1")})
	backfill := func(n *NewRun) { n.Mode, n.Bookmark = abi.ModeBackfill, BookmarkBackfill }
	w = x.begin("c", backfill)
	x.same(len(w.State()), 0)
	x.ok(w.Stage(ctx, "b", []byte("-7"), ""))
	x.ok(w.CommitSlice(ctx, "a", []byte("-9"), ""))
	x.finish(w, StateCommit{Stream: "b", Cursor: []byte("-8")})
	x.same(x.cursors("c"), "a/backfill=-9 a/incremental=1 b/backfill=-8 b/incremental=1")
	w = x.begin("c")
	x.same(string(w.State()["a"])+string(w.State()["b"]), "11")
	x.finish(w)
	w = x.begin("c", backfill)
	x.same(string(w.State()["a"])+string(w.State()["b"]), "-9-8")
	x.finish(w)
}

func exerciseLease(t *testing.T, x *exercise) {
	ctx := t.Context()
	alive := func(n *NewRun) { n.HolderAlive = func(h string) bool { return h == "holder1" } }
	dead := func(n *NewRun) { n.HolderAlive = func(string) bool { return false } }
	first := x.begin("c")
	x.ok(first.Stage(ctx, "a", []byte("1"), ""))
	x.ok(first.Event(ctx, Event{Type: "x"}))
	x.put(first, 0, "k=1")
	x.ok(first.Flush(ctx))
	since := x.clock.Now().UTC().Format(time.RFC3339)
	for _, c := range []func(*NewRun){alive, func(*NewRun) {}} {
		_, err := x.s.BeginRun(ctx, x.newRun("c", c))
		x.code(err, abi.CodeConnectionBusy)
		if e, _ := errors.AsType[*abi.Error](err); e.Detail != "run run1 since "+since {
			t.Fatalf("got the detail %q, want %q", e.Detail, "run run1 since "+since)
		}
	}
	x.finish(x.begin("other")) // leases are per connection

	// A heartbeat renews the lease; without one it expires.
	x.clock.forward(40 * time.Second)
	x.ok(first.Heartbeat(ctx))
	x.clock.forward(40 * time.Second)
	_, err := x.s.BeginRun(ctx, x.newRun("c", alive))
	x.code(err, abi.CodeConnectionBusy)
	x.clock.forward(20 * time.Second)
	second := x.begin("c", alive)
	x.same(second.Epoch(), 2)
	x.same(x.cursors("c"), "") // what the first had staged is gone
	r, err := x.s.Run(ctx, first.RunID())
	x.ok(err)
	x.same([]any{r.Status, r.Reason, r.Counts["a"].New}, []any{StatusAbandoned, "lease_lost", 1}) // its holder is still there
	x.same(x.eventTypes(first.RunID()), "1:x 2:run.abandoned")

	// A dead holder's lease is taken over at once.
	third := x.begin("c", dead)
	x.same(third.Epoch(), 3)
	x.finish(third)

	// A lease of a clock that was a year ahead does not hold for a year.
	const year = 365 * 24 * time.Hour
	x.clock.forward(year)
	x.begin("c")
	x.clock.forward(-year)
	fifth := x.begin("c", alive)
	x.same(fifth.Epoch(), 5)
	x.finish(fifth)
}

func exerciseFencing(t *testing.T, x *exercise) {
	ctx := t.Context()
	dead := func(n *NewRun) { n.HolderAlive = func(string) bool { return false } }
	for i, stale := range []func(w *RunWriter) error{
		func(w *RunWriter) error { return w.Heartbeat(ctx) },
		func(w *RunWriter) error { return w.Flush(ctx) },
		func(w *RunWriter) error { return errors.Join(put(ctx, w, 0, "stale=1"), w.Flush(ctx)) },
		func(w *RunWriter) error {
			return errors.Join(w.CommitSlice(ctx, "a", []byte(`"stale"`), ""), w.Flush(ctx))
		},
		func(w *RunWriter) error { return errors.Join(w.Stage(ctx, "a", []byte(`"stale"`), ""), w.Flush(ctx)) },
		func(w *RunWriter) error { return errors.Join(w.Event(ctx, Event{Type: "stale"}), w.Flush(ctx)) },
		func(w *RunWriter) error {
			return errors.Join(w.PutGap(ctx, Gap{Stream: "a", RecordKey: "stale"}), w.Flush(ctx))
		},
		func(w *RunWriter) error { _, err := w.LeaseGaps(ctx, GapPage{Streams: []string{"a"}}); return err },
		func(w *RunWriter) error {
			return w.Finish(ctx, Outcome{Status: "succeeded", Checkpoints: []StateCommit{{Stream: "a", Cursor: []byte(`"stale"`)}}})
		},
	} {
		name := fmt.Sprintf("c%d", i)
		old := x.begin(name)
		x.put(old, 0, "k=1")
		x.ok(old.CommitSlice(ctx, "a", []byte("1"), ""))
		x.ok(old.Flush(ctx))
		fresh := x.begin(name, dead)
		err := stale(old)
		if !errors.Is(err, &abi.Error{Code: abi.CodeFenced}) {
			t.Fatalf("case %d: got %v, want %s", i, err, abi.CodeFenced)
		}
		x.code(old.Flush(ctx), abi.CodeFenced) // and stays fenced
		x.put(fresh, 0, "k=2")
		x.ok(fresh.CommitSlice(ctx, "a", []byte("2"), ""))
		x.finish(fresh)
		x.same(x.cursors(name), "a/incremental=2")
		if got := x.list(name, "a"); strings.Contains(got, "stale") || !strings.HasSuffix(got, ":k=2") {
			t.Fatalf("got %q, want k=2 at its end and nothing stale", got)
		}
		r, err := x.s.Run(ctx, old.RunID())
		x.ok(err)
		x.same(r.Status+" "+x.eventTypes(old.RunID()), "abandoned 1:run.abandoned")
	}
}

func exerciseFailure(t *testing.T, x *exercise) {
	ctx := t.Context()
	w := x.begin("c")
	x.put(w, 0, "k=1")
	x.ok(w.CommitSlice(ctx, "a", []byte("1"), ""))
	x.ok(w.Flush(ctx))
	x.code(w.Event(ctx, Event{}), abi.CodeInternal)
	x.code(put(ctx, w, 0, "late=1"), abi.CodeInternal)
	x.code(w.CommitSlice(ctx, "a", []byte("2"), ""), abi.CodeInternal)
	x.code(w.Flush(ctx), abi.CodeInternal)
	x.code(put(ctx, w, 0, "late=2"), abi.CodeInternal)
	x.code(w.Finish(ctx, Outcome{Status: "succeeded"}), abi.CodeInternal)
	x.code(w.Finish(ctx, Outcome{Status: "failed", Checkpoints: []StateCommit{{Stream: "a", Cursor: []byte("3")}}}), abi.CodeInternal)
	x.same(x.list("c", "a"), "1:k=1")
	x.same(x.cursors("c"), "a/incremental=1")
	x.same(w.Counts()[0], StreamCounts{New: 1})
	// That it failed may be written, once.
	x.ok(w.Finish(ctx, Outcome{Status: "failed", Reason: "runtime_error", Events: []Event{{Type: "run.failed"}}}))
	x.code(w.Finish(ctx, Outcome{Status: "failed"}), abi.CodeInternal)
	r, err := x.s.Run(ctx, w.RunID())
	x.ok(err)
	x.same(r.Status+" "+r.Reason+" "+x.cursors("c"), "failed runtime_error a/incremental=1")
	x.finish(x.begin("c")) // and the lease is free

	w = x.begin("d")
	x.code(put(ctx, w, 0, "a\x00b=1"), abi.CodeInternal)
	x.code(w.Flush(ctx), abi.CodeInternal)
	w = x.begin("e")
	w.Abandon()
	x.code(w.Flush(ctx), abi.CodeFenced)
	x.code(w.Finish(ctx, Outcome{Status: "failed"}), abi.CodeFenced)
}

// Invariant 1: what waits in the queue behind a batch that is lost is lost with it. The cursor there
// speaks of the batch's records.
func exerciseLostBatch(t *testing.T, x *exercise) {
	ctx := t.Context()
	w := x.begin("c")
	release := make(chan struct{})
	done := make(chan error, 2)
	execute := func(statement string) {
		x.ok(x.s.db.Push(&db.Op{Done: done, Do: func(t *db.Tx) error {
			<-release
			_, err := t.DB.ExecContext(t.Ctx, statement)
			return err
		}}))
	}
	execute("CREATE UNIQUE INDEX at_most_one ON records ((1))")
	x.put(w, 0, "k=1", "l=1")
	execute("DROP INDEX at_most_one")
	x.ok(w.CommitSlice(ctx, "a", []byte("1"), ""))
	close(release)
	if err := w.Flush(ctx); err == nil {
		t.Error("the run goes on behind a batch that was lost, want its failure")
	}
	x.ok(errors.Join(<-done, <-done))
	x.same(x.list("c", "a")+x.cursors("c"), "")
	x.ok(w.Finish(ctx, Outcome{Status: "failed", Reason: "runtime_error"}))
	x.finish(x.begin("c"))
}

func exerciseRefusals(t *testing.T, x *exercise) {
	ctx := t.Context()
	for _, change := range []func(*NewRun){
		func(n *NewRun) { n.Bookmark = "" },
		func(n *NewRun) { n.Streams = []string{"a", "b", "a"} },
	} {
		_, err := x.s.BeginRun(ctx, x.newRun("c", change))
		x.code(err, abi.CodeInternal)
	}
	_, err := x.s.BeginRun(ctx, x.newRun("c", func(n *NewRun) { n.ConnectionID = "none" }))
	x.code(err, abi.CodeConnectionUnknown)
	w := x.begin("c")
	x.code(w.Finish(ctx, Outcome{Status: StatusRunning}), abi.CodeInternal)
	x.code(w.Finish(ctx, Outcome{Status: "succeeded", Events: []Event{{}}}), abi.CodeInternal)
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if err := w.Finish(cancelled, Outcome{Status: "succeeded"}); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if _, err := x.s.BeginRun(cancelled, x.newRun("z")); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	x.finish(w) // nothing was half done
	x.finish(x.begin("z"))
}

func exerciseReopen(t *testing.T, x *exercise) {
	ctx := t.Context()
	w := x.begin("c")
	x.put(w, 0, "k1=1", "k2=2")
	x.ok(w.CommitSlice(ctx, "a", []byte("1"), ""))
	x.ok(x.s.Close()) // writes what is queued
	x.code(w.Flush(ctx), abi.CodeStoreUnavailable)
	x.code(put(ctx, w, 0, "k=2"), abi.CodeStoreUnavailable)
	_, err := x.s.EnsureConnection(ctx, "d", "demo")
	x.code(err, abi.CodeStoreUnavailable)
	x.s = x.open(t, x.clock.Now)
	x.same(x.list("c", "a"), "1:k1=1 2:k2=2")
	x.same(x.cursors("c"), "a/incremental=1")
	w = x.begin("c", func(n *NewRun) { n.HolderAlive = func(string) bool { return false } })
	x.put(w, 0, "k2=3")
	x.finish(w)
	x.same(x.list("c", "a"), "1:k1=1 3:k2=3")
}

// A stream's counts are one sum, whatever became of its records.
func TestStreamCounts(t *testing.T) {
	t.Parallel()
	c := StreamCounts{New: 1, Changed: 10, Unchanged: 100, Deleted: 1000, Suppressed: 10000}
	if got := c.Total(); got != 11111 {
		t.Errorf("got %d of %+v, want 11111", got, c)
	}
	c.Add(StreamCounts{New: 1, Changed: 2, Unchanged: 3, Deleted: 4, Suppressed: 5}, -1)
	if want := (StreamCounts{Changed: 8, Unchanged: 97, Deleted: 996, Suppressed: 9995}); c != want {
		t.Errorf("got %+v, want %+v", c, want)
	}
}

// A statement that cannot be prepared is an error of the store, and ends no process.
func TestAMissingTableIsAnError(t *testing.T) {
	t.Parallel()
	x := &exercise{T: t, open: sqliteFile(t), clock: newClock()}
	x.s = x.open(t, x.clock.Now)
	w := x.begin("c")
	x.ok(x.s.db.Alone(t.Context(), "rename", func(t *db.Tx) error {
		_, err := t.DB.ExecContext(t.Ctx, "ALTER TABLE records RENAME TO hidden")
		return err
	}))
	x.put(w, 0, "k=1")
	if err := w.Flush(t.Context()); err == nil {
		t.Error("got a batch written without its table, want an error")
	}
	x.code(x.s.db.Alone(t.Context(), "nothing", func(*db.Tx) error { return nil }), "storage.unavailable")
}
