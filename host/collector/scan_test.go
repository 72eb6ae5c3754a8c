package collector

import (
	"context"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/storage"
)

// A scan's records are delivered while the scan goes on.
func TestDeliversAlongside(t *testing.T) {
	t.Parallel()
	w := newWorld(t).guest()
	arrived := make(chan struct{})
	ctx, stop := context.WithCancelCause(t.Context())
	defer stop(nil)
	first := true
	w.host.fail(func(r *http.Request, _ []byte) (*answer, error) {
		if strings.HasSuffix(r.URL.Path, "/ingest-batches") && first {
			first = false
			close(arrived)
		}
		return nil, nil
	})
	go func() {
		select {
		case <-arrived: // only then may the connector end
			stop(run.ErrInterrupted)
		case <-ctx.Done():
		}
	}()
	res, err := w.collector().Run(ctx, w.script(records("notes", 0, 1)+slice("notes", `{"at":1}`)+"poll"))
	w.ok(err)
	w.same(res.Run.Status, run.StatusCancelled, "the run")
	select {
	case <-arrived:
	default:
		t.Error("nothing was delivered while it scanned")
	}
}

// An owner's interruption ends the run, keeps what was enqueued, and is told to
// the host. The next execution delivers it.
func TestInterruption(t *testing.T) {
	t.Parallel()
	w := newWorld(t).guest()
	ctx, stop := context.WithCancelCause(t.Context())
	w.host.fail(func(r *http.Request, _ []byte) (*answer, error) {
		if strings.HasSuffix(r.URL.Path, "/ingest-batches") {
			stop(run.ErrInterrupted)
			return nil, context.Canceled
		}
		return nil, nil
	})
	res, err := w.collector().Run(ctx, w.script(records("notes", 0, 1)+slice("notes", `{"at":1}`)+"poll"))
	w.ok(err)
	w.same(res.Outcome, OutcomeCancelled, "outcome")
	w.same(res.Run.Reason == string(abi.ReasonOwnerCancelled) || res.Run.Reason == string(abi.ReasonOwnerCancelForced), true, "reason "+res.Run.Reason)
	w.same(w.host.lastBeat().Status, device.StatusStopped, "heartbeat")
	if res.Outbox.Pending == 0 {
		t.Errorf("nothing is kept: %+v", res.Outbox)
	}
	w.host.fail(nil)
	w.same(w.run(done(0)).Outcome, OutcomeComplete, "the next")
	w.same(w.host.keys("notes"), "[notes-0]", "records at the host")
	w.same(w.host.cursor("notes"), `{"at":1}`, "cursor at the host")
	w.same(w.host.commits[0].Outcome.Status, run.StatusCancelled, "the run at the host")
}

// One run at a time has the lane: a second one is refused, and leaves the first
// one's work alone.
func TestOneRunHasTheLane(t *testing.T) {
	t.Parallel()
	w := newWorld(t).guest()
	w.run(done(0))
	s := w.open()
	conn, err := s.Connection(t.Context(), "scripted")
	w.ok(err)
	first, err := s.BeginRun(t.Context(), storage.NewRun{
		RunID: "run_first", ConnectionID: conn.ID, Connector: "scripted", Version: "1", ModuleSHA256: "abc", Mode: "incremental", Bookmark: "incremental",
		Holder: "first", Streams: []string{"notes"}, LeaseTTL: time.Minute, HolderAlive: func(string) bool { return true },
	})
	w.ok(err)
	res, err := w.collector().Run(t.Context(), w.script(done(0)))
	if abi.CodeOf(err) != abi.CodeConnectionBusy || res.Outcome != OutcomeFailed {
		t.Errorf("%v %+v", err, res)
	}
	w.ok(first.Heartbeat(t.Context()))
	first.Abandon()
	w.ok(s.Close())
}

// LC-07.1: two lanes of one connector keep apart: what one cannot deliver is no
// matter of the other's.
func TestLanesKeepApart(t *testing.T) {
	t.Parallel()
	stuck, well := newWorld(t).guest(), newWorld(t).guest()
	stuck.host.fail(on("/ingest-batches", answer{status: 503}))
	stuck.run(records("notes", 0, 1) + done(1))
	res := well.run(records("notes", 0, 1) + done(1))
	well.same(res.Outcome, OutcomeComplete, "the one that is well")
	stuck.same(stuck.counts().Retrying, 1, "the one that is stuck")
	// And a file of one is never taken for the other's.
	profile := *well.deps.Profile
	profile.SourceInstanceID = "src_2"
	well.deps.Profile, well.deps.LanePath = &profile, stuck.path
	if _, err := well.collector().Run(t.Context(), well.script(done(0))); abi.CodeOf(err) != storage.CodeLaneMismatch {
		t.Errorf("%v", err)
	}
	stuck.same(stuck.counts().Retrying, 1, "the one that is stuck")
}

// A long scan tells the host every few minutes that it lives, and counts what
// waits for its own bound.
func TestHeartbeatsWhileScanning(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.enqueue(2)
		w.over(func(e *execution) {
			over := make(chan struct{})
			go func() {
				time.Sleep(11 * time.Minute)
				close(over)
			}()
			e.watch(t.Context(), over, func(error) {})
			w.same(e.budget.waiting.Load(), 3, "rows that wait")
		})
		w.same(strings.ReplaceAll(w.host.statuses(), " ", ","), "healthy,healthy", "heartbeats")
		if b := w.host.lastBeat(); b.Outbox == nil || b.Outbox.Pending != 3 {
			t.Errorf("%+v", b)
		}
	})
}

// An execution of a lane whose first run never ended begins a new one: its file
// needs no hand to put it right (LC-01.2).
func TestGoesOnAfterACrash(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(d *Deps) { d.Run.HolderAlive = func(string) bool { return false } }).guest()
	w.run(records("notes", 0, 1) + slice("notes", `{"at":1}`) + done(1))
	s := w.open()
	conn, err := s.Connection(t.Context(), "scripted")
	w.ok(err)
	crashed, err := s.BeginRun(t.Context(), storage.NewRun{
		RunID: "run_crashed", ConnectionID: conn.ID, Connector: "scripted", Version: "1", ModuleSHA256: "abc", Mode: "incremental", Bookmark: "incremental",
		Holder: "dead", Streams: []string{"notes"}, LeaseTTL: time.Hour, HolderAlive: func(string) bool { return true },
	})
	w.ok(err)
	b := crashed.NewBatch()
	b.Add(0, []byte("notes-1"), []byte(`{"id":"notes-1"}`), []byte("2026-01-01T00:00:00Z"), false)
	w.ok(crashed.Write(t.Context(), b))
	w.ok(crashed.CommitSlice(t.Context(), "notes", []byte(`{"at":2}`), "s"))
	w.ok(crashed.Flush(t.Context()))
	crashed.Abandon()
	w.ok(s.Close())

	res := w.run("expect {\"at\":2}\n" + done(0))
	w.same(res.Outcome, OutcomeComplete, "outcome")
	w.same(w.host.keys("notes"), "[notes-0 notes-1]", "records at the host")
	if files, err := filepath.Glob(filepath.Join(filepath.Dir(w.path), "*")); err != nil || len(files) > 3 {
		t.Errorf("%v %v", files, err)
	}
}
