package collector

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/host/collector/client"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/storage"
)

// over opens the lane and drains it as one process does.
func (w *world) over(work func(e *execution)) {
	w.Helper()
	c := w.collector()
	s, err := c.open(w.Context())
	w.ok(err)
	work(c.execution(s))
	w.ok(s.Close())
}

// times gathers when a kind of request came.
func times(h *fakeHost, what string, a func(n int) *answer) *[]time.Duration {
	var at []time.Duration
	begin := time.Now()
	h.fail(func(r *http.Request, _ []byte) (*answer, error) {
		if !strings.HasSuffix(r.URL.Path, what) {
			return nil, nil
		}
		at = append(at, time.Since(begin))
		return a(len(at)), nil
	})
	return &at
}

// A host that says when it wants to be asked again is asked exactly then, in
// either form of Retry-After, however long that is.
func TestRetryAfterIsKeptExactly(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		header func() string
		want   time.Duration
	}{
		"seconds": {func() string { return "7" }, 7 * time.Second},
		"a date":  {func() string { return time.Now().Add(90 * time.Second).UTC().Format(http.TimeFormat) }, 90 * time.Second},
		"long":    {func() string { return "7200" }, 7200 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				w.host.manifest = []byte("{}")
				w.enqueue(1)
				at := times(w.host, "/ingest-batches", func(n int) *answer {
					if n > 1 {
						return nil
					}
					return &answer{status: 503, header: http.Header{"Retry-After": {tc.header()}}}
				})
				w.over(func(e *execution) {
					for range 2 {
						w.ok(e.d.Drain(t.Context()))
						if len(*at) < 2 { // longer than a drain waits: a later execution
							w.same(time.Until(w.counts().NextAttemptAt), tc.want, "next attempt")
							time.Sleep(tc.want)
						}
					}
				})
				if len(*at) != 2 || (*at)[1]-(*at)[0] != tc.want {
					t.Errorf("asked at %v", *at)
				}
				w.same(len(w.host.keys("notes")), 1, "records at the host")
			})
		})
	}
}

// A row with a transient failure is tried without end, each time later, and never given up.
func TestTransientIsNeverGivenUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.enqueue(1)
		at := times(w.host, "/ingest-batches", func(int) *answer { return &answer{status: 502} })
		w.over(func(e *execution) {
			for range 40 {
				w.ok(e.d.Drain(t.Context()))
				time.Sleep(time.Until(w.counts().NextAttemptAt))
			}
		})
		w.same(len(*at), 40, "attempts")
		for i := 1; i < len(*at); i++ {
			want := min(time.Duration(i)*30*time.Second, 15*time.Minute)
			if got := (*at)[i] - (*at)[i-1]; got != want {
				t.Fatalf("attempt %d came after %v, want %v", i, got, want)
			}
		}
		w.same(w.counts().DeadLetter, 0, "given up")
	})
}

// A row that is refused for good is tried five times and then given up; the store keeps the
// reason in a word, without the contents.
func TestPermanentIsGivenUpAfterFive(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.enqueue(1)
		at := times(w.host, "/ingest-batches", func(int) *answer {
			return &answer{status: 422, body: `{"error":{"code":"device_records_rejected","message":"record 0 of notes fails required"}}`}
		})
		w.over(func(e *execution) {
			for range 7 {
				w.ok(e.d.Drain(t.Context()))
				time.Sleep(10 * time.Minute)
			}
		})
		w.same(len(*at), 5, "attempts")
		c := w.counts()
		w.same(c.DeadLetter, 1, "given up")
		w.same(c.Pending, 1, "the end of the run waits for it")
		w.same(c.DeadLetterClasses, "[{1 http_422:device_records_rejected}]", "why")
		w.same(w.host.count("terminal-run-commits"), 0, "ends of runs sent")
	})
}

// The end of a run that the host refuses, and what nobody could take, is given up
// at once.
func TestGivenUpAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.host.manifest = []byte("{}")
	w.enqueue(0)
	w.host.fail(on("/terminal-run-commits", answer{status: 409, body: `{"error":{"code":"device_run_conflict"}}`}))
	w.over(func(e *execution) { w.ok(e.d.Drain(t.Context())) })
	w.same(w.counts().DeadLetter, 1, "ends of runs given up")
	w.same(w.host.count("terminal-run-commits"), 1, "tried")

	w = newWorld(t)
	w.over(func(e *execution) {
		l := *e.lane
		for name, item := range map[string]*storage.OutboxItem{
			"kind": {Kind: "other", Payload: []byte("{}")}, "not json": {Kind: storage.KindRecordBatch, Payload: []byte("{")},
			"no batch": {Kind: storage.KindRecordBatch, Payload: []byte("{}")}, "no state": {Kind: storage.KindCheckpoint, Payload: []byte(`{"run_id":"r"}`)},
			"no gap": {Kind: storage.KindGap, Payload: []byte("{}")}, "another's gap": {Kind: storage.KindGap, Payload: []byte(`{"reason":"x","source_instance_id":"y"}`)},
			"no commit": {Kind: storage.KindRunCommit, Payload: []byte("{}")}, "blob": {Kind: storage.KindBlobUpload, Payload: []byte("x"), BodyHash: device.Sum256([]byte("y"))},
		} {
			f, ok := client.FailureOf(l.Send(t.Context(), item))
			if !ok || f.Class != client.ClassPermanent || f.Word != client.WordShape {
				t.Errorf("%s: %+v", name, f)
			}
		}
	})
	w.same(len(w.host.calls), 0, "requests")
}

// LC-01: all kinds of work are delivered: batches, checkpoints, gaps, artifacts
// and ends of runs; each counts when the host has said so.
func TestEveryKindIsDelivered(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.host.manifest = []byte("{}")
	s := w.open()
	conn, err := s.EnsureConnection(t.Context(), "scripted", "scripted")
	w.ok(err)
	r, err := s.BeginRun(t.Context(), storage.NewRun{
		RunID: "run_kinds", ConnectionID: conn.ID, Connector: "scripted", Version: "1", ModuleSHA256: "abc", Mode: "incremental", Bookmark: "incremental",
		Holder: "before", Streams: []string{"notes"}, LeaseTTL: time.Minute, HolderAlive: func(string) bool { return true },
	})
	w.ok(err)
	b := r.NewBatch()
	b.Add(0, []byte("a"), []byte(`{"id":"a"}`), []byte("2026-01-01T00:00:00Z"), false)
	b.Add(0, []byte("b"), nil, []byte("2026-01-01T00:00:00Z"), true)
	w.ok(r.Write(t.Context(), b))
	w.ok(r.CommitSlice(t.Context(), "notes", []byte(`{"at":1}`), "s"))
	w.ok(r.PutGap(t.Context(), storage.Gap{Stream: "notes", RecordKey: "c", Reason: "temporary_unavailable", DetailLocator: []byte(`{}`)}))
	w.ok(r.Flush(t.Context()))
	w.ok(s.EnqueueBlob(t.Context(), "text/plain", []byte("an artifact")))
	w.ok(r.Finish(t.Context(), storage.Outcome{Status: run.StatusSucceeded}))
	w.ok(s.Close())
	w.over(func(e *execution) { w.ok(e.d.Drain(t.Context())) })
	c := w.counts()
	w.same(undelivered(&c), 0, "undelivered")
	w.same(w.host.keys("notes"), "[a]", "records")
	w.same(w.host.cursor("notes"), `{"at":1}`, "cursor")
	w.same(len(w.host.gaps), 1, "gaps")
	w.same(len(w.host.commits), 1, "ends of runs")
	w.same(w.host.count("PUT "+device.Sum256([]byte("an artifact"))), 1, "artifacts")
}

// A drain keeps to its bounds of time and of claims.
func TestDrainIsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.host.manifest = []byte("{}")
		w.enqueue(10)
		w.host.fail(func(r *http.Request, _ []byte) (*answer, error) {
			if strings.HasSuffix(r.URL.Path, "/ingest-batches") {
				time.Sleep(50 * time.Second)
			}
			return nil, nil
		})
		w.over(func(e *execution) {
			w.ok(e.d.Drain(t.Context()))
			done, _, _ := e.d.Report()
			w.same(done.Acknowledged, 3, "delivered in 120 s")
		})
		w.host.fail(nil)
		w.deps.Policy.MaxIterations = 2
		w.over(func(e *execution) {
			w.ok(e.d.Drain(t.Context()))
			done, _, _ := e.d.Report()
			w.same(done.Acknowledged, 2, "delivered in two claims")
		})
	})
}

// An interruption gives back what was claimed, and what the host had taken by
// then stays acknowledged.
func TestInterruptedDeliveryLosesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.host.manifest = []byte("{}")
	w.enqueue(3)
	ctx, stop := context.WithCancelCause(t.Context())
	w.host.fail(func(r *http.Request, _ []byte) (*answer, error) {
		if strings.HasSuffix(r.URL.Path, "/ingest-batches") && w.host.count("ingest-batches") == 2 {
			stop(run.ErrInterrupted)
			return nil, ctx.Err()
		}
		return nil, nil
	})
	w.over(func(e *execution) {
		if err := e.d.Drain(ctx); !errors.Is(err, run.ErrInterrupted) {
			t.Errorf("%v", err)
		}
	})
	c := w.counts()
	w.same([]int64{c.Succeeded, c.Pending, c.Leased, c.DeadLetter}, "[1 3 0 0]", "sent, waiting, leased, given up")
}

// An answer that does not say what was sent acknowledges nothing.
func TestAnswersAreHeldAgainstWhatWasSent(t *testing.T) {
	t.Parallel()
	for what, bodies := range map[string][]string{
		"/ingest-batches": {
			``, `{}`, `[]`, `{"status":"accepted","batch_id":"other"}`, `<html>Sign in to the network</html>`, strings.Repeat(" ", 256<<10+1) + `{}`,
		},
		"/terminal-run-commits": {`{}`, `{"commit_id":"x","run_id":"y","envelope_hash":"z"}`},
	} {
		for i, body := range bodies {
			w := newWorld(t)
			w.host.manifest = []byte("{}")
			w.enqueue(1)
			w.host.fail(on(what, answer{status: 200, body: body}))
			w.over(func(e *execution) {
				w.ok(e.d.Drain(t.Context()))
				_, why, _ := e.d.Report()
				if why == nil || why.Err.Code != client.CodeAnswer {
					t.Errorf("%s %d: %+v", what, i, why)
				}
			})
			c := w.counts()
			w.same(c.Retrying, 1, what+": rows to be sent again")
			w.same(c.DeadLetter, 0, what+": given up")
		}
	}
}

// The end of a run that the host does not confirm shows in the heartbeat.
func TestUnconfirmedRunShows(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.host.manifest = []byte("{}")
	w.enqueue(1)
	w.host.fail(on("/terminal-run-commits", answer{status: 200, body: `{}`}))
	res, err := w.collector().Run(t.Context(), RunRequest{})
	w.ok(err)
	w.same(res.Outcome, OutcomeBacklog, "outcome")
	w.same(w.host.statuses(), "starting retrying("+device.ErrorRunNotTakenUp+")", "heartbeats")
}
