package collector

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/host/collector/client"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/storage"
)

// missing is why there is no module.
var missing = abi.NewError(abi.CodePluginUnknown, "there is no module scripted in /home/ana/plugins", "copy it to /home/ana/plugins")

// A run that was refused before it began is a failed run at the host, so that the
// lane does not look well; and the lane itself has nothing left to do.
func TestRefusedRunReachesTheHost(t *testing.T) {
	t.Parallel()
	w := newWorld(t).guest()
	w.run(done(0))
	for range 2 { // each is a run of its own once the one before it is known
		res, err := w.collector().Run(t.Context(), RunRequest{Refused: missing})
		w.same(abi.CodeOf(err), abi.CodePluginUnknown, "code")
		w.same(res.Outcome, OutcomeFailed, "outcome")
	}
	w.same(len(w.host.commits), 3, "ends of runs")
	c := w.host.commits[2]
	w.same([]string{c.Outcome.Status, c.Outcome.Reason, c.Outcome.Connector}, "[failed run_refused scripted]", "the run")
	var e storage.RunError
	w.ok(json.Unmarshal(c.Outcome.Error, &e))
	w.same(e.Code+" "+e.RecoveryHint, "plugin.unknown manual_action_required", "its error")
	if strings.Contains(string(c.Outcome.Error), "ana") || len(c.Outcome.Streams) == 0 || len(c.Outcome.ModuleSHA256) != 64 || len(c.StateDelta) != 0 {
		t.Errorf("%+v %s", c, c.Outcome.Error)
	}
	w.same(w.host.statuses(), "starting healthy starting healthy starting healthy", "heartbeats")
	s, err := w.collector().Status(t.Context())
	w.ok(err)
	if s.Last == nil || s.Last.Status != "failed" || s.Last.Reason != "run_refused" || s.Last.Code != "plugin.unknown" {
		t.Errorf("%+v", s.Last)
	}
	res := w.run(records("notes", 0, 1) + done(1))
	w.same(res.Outcome, OutcomeComplete, "outcome once it can run")
	s, err = w.collector().Status(t.Context())
	w.ok(err)
	w.same(s.Last.Status, "succeeded", "the last run")
}

// Refusals do not pile up while the host cannot be told, and one that it will not
// take holds nothing up.
func TestRefusalsDoNotPileUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(d *Deps) { d.Policy.MaxDrain = time.Second }).guest() // nothing is waited for
	w.run(done(0))
	w.host.fail(on("/terminal-run-commits", answer{status: 500}))
	for range 3 {
		_, err := w.collector().Run(t.Context(), RunRequest{Refused: missing})
		w.same(abi.CodeOf(err), abi.CodePluginUnknown, "code")
	}
	w.same(w.counts().Retrying, 1, "waiting")
	w.same(w.host.lastBeat().Status, device.StatusRetrying, "heartbeat while it waits")

	w = newWorld(t).guest() // a host that has no manifest, and a lane that knows none
	w.host.fail(on("/terminal-run-commits", answer{status: 409, body: `{"error":{"code":"device_manifest_missing"}}`}))
	_, err := w.collector().Run(t.Context(), RunRequest{Refused: missing})
	w.same(abi.CodeOf(err), abi.CodePluginUnknown, "code")
	c := w.counts()
	w.same(undelivered(&c), 0, "undelivered")
	w.same(w.host.lastBeat().Status, device.StatusHealthy, "heartbeat")
}

// A module that is another one than the accepted one, and a folder that is not
// there, are told alike; the host learns of the connector with the first.
func TestRefusalsOfARunAreTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(d *Deps) {
		d.Run.Roots = nowhere{}
	}).guest()
	req := w.script(done(0))
	req.Roots = map[string]string{"home": "/home/ana/.scripted"}
	_, err := w.collector().Run(t.Context(), req)
	w.same(abi.CodeOf(err), abi.CodeRootMissing, "code")
	w.same(len(w.host.commits), 1, "ends of runs")
	w.same(w.host.commits[0].Outcome.Reason, "run_refused", "reason")
	w.same(w.host.puts > 0, true, "the host has a manifest")
	w.same(len(w.host.commits[0].Outcome.Streams) > 0, true, "streams")

	w = newWorld(t).guest()
	w.run(done(0))
	s := w.open()
	conn, err := s.Connection(t.Context(), "scripted")
	w.ok(err)
	w.ok(s.PinPlugin(t.Context(), conn.ID, strings.Repeat("a", 64), conn.PinnedManifest))
	w.ok(s.Close())
	_, err = w.collector().Run(t.Context(), w.script(done(0)))
	w.same(abi.CodeOf(err), abi.CodePluginChanged, "code")
	w.same(len(w.host.commits), 2, "ends of runs")
	w.same(w.host.commits[1].Outcome.ModuleSHA256, strings.Repeat("a", 64), "the module that was accepted")
}

// nowhere finds no folder.
type nowhere struct{}

func (nowhere) Resolve(*abi.Manifest, map[string]string, []storage.AcceptedItem) ([]run.ResolvedRoot, error) {
	return nil, abi.NewError(abi.CodeRootMissing, "the folder /home/ana/.scripted is not there", "mount it")
}

// A device whose credential was ended is told so at once, and nothing else is
// asked of the host.
func TestRevokedDeviceIsToldAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t).guest()
	w.host.revoked = true
	res, err := w.collector().Run(t.Context(), w.script(done(0)))
	w.same(abi.CodeOf(err), client.CodeUnauthorized, "code")
	w.same(len(w.host.calls), 1, "requests")
	w.same(res.Outcome, OutcomeFailed, "outcome")
	if p := problem(err); !strings.Contains(p.Hint, "setup --base-url http://127.0.0.1:7") {
		t.Errorf("%+v", p)
	}
}

// A page of something on the way is no refusal of what was sent.
func TestProxyPagesGiveNothingUp(t *testing.T) {
	t.Parallel()
	for _, status := range []int{400, 404, 405, 407, 411, 413, 414, 421, 431, 451} {
		w := newWorld(t)
		w.host.manifest = []byte("{}")
		w.enqueue(1)
		w.host.fail(on("/ingest-batches", answer{status: status, body: "<html>no</html>"}))
		w.over(func(e *execution) { w.ok(e.d.Drain(t.Context())) })
		c := w.counts()
		w.same([]int64{c.DeadLetter, c.Retrying}, "[0 1]", "given up, to be tried again")
	}
}

// A host that asks for no pause at all is not asked in a burst.
func TestNoPauseIsAShortOne(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.enqueue(1)
		at := times(w.host, "/ingest-batches", func(int) *answer {
			return &answer{status: 503, header: http.Header{"Retry-After": {"0"}}}
		})
		w.over(func(e *execution) { w.ok(e.d.Drain(t.Context())) })
		if n := len(*at); n < 2 || n > 121 {
			t.Errorf("asked %d times within two minutes", n)
		}
	})
}

// A row that waits in a back-off says so, and until when.
func TestWaitingSaysSo(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var said []string
		w := newWorld(t, func(d *Deps) { d.Observe = func(s Step) { said = append(said, s.Text) } })
		w.host.manifest = []byte("{}")
		w.enqueue(1)
		w.host.fail(on("/ingest-batches", answer{status: 502}))
		w.over(func(e *execution) { w.ok(e.d.Drain(t.Context())) })
		w.host.fail(nil)
		until := time.Now().Add(30 * time.Second).UTC().Format("15:04:05")
		w.over(func(e *execution) { w.ok(e.d.Drain(t.Context())) })
		if !strings.Contains(strings.Join(said, " "), "waiting until "+until) {
			t.Errorf("%q", said)
		}
	})
}

// An acknowledgement of fewer records than were sent is none.
func TestAcceptedCountIsHeldAgainstTheBatch(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.host.manifest = []byte("{}")
	w.enqueue(1)
	w.host.fail(func(r *http.Request, body []byte) (*answer, error) {
		if !strings.HasSuffix(r.URL.Path, "/ingest-batches") {
			return nil, nil
		}
		var b device.Batch
		w.ok(json.Unmarshal(body, &b))
		out, err := json.Marshal(device.BatchAnswer{Status: "accepted", BatchID: b.BatchID, BodyHash: b.BodyHash, SourceInstanceID: testSource})
		return &answer{status: 201, body: string(out)}, err
	})
	w.over(func(e *execution) { w.ok(e.d.Drain(t.Context())) })
	w.same(w.counts().Retrying, 1, "to be sent again")
}

// A run begins from cursors of streams that the connector has, and from nothing
// that is no cursor.
func TestStateIsHeldAgainstTheManifest(t *testing.T) {
	t.Parallel()
	w := newWorld(t).guest()
	w.host.state["notes"], w.host.state["of_another_version"] = json.RawMessage(`{"at":1}`), json.RawMessage(`{"at":2}`)
	w.run(done(0))
	s := w.open()
	state, _, err := s.ConfirmedState(t.Context())
	w.ok(errors.Join(err, s.Close()))
	w.same(len(state), 1, "cursors")
	for _, bad := range []string{`"x"`, `[]`, `1`} {
		w.host.state["notes"] = json.RawMessage(bad)
		_, err := w.collector().Run(t.Context(), w.script(done(0)))
		w.same(abi.CodeOf(err), CodeStateRead, "code for "+bad)
	}
}

// An owner who stops it while the lane is opened has not blocked it.
func TestStoppedWhileOpening(t *testing.T) {
	t.Parallel()
	w := newWorld(t).guest()
	ctx, stop := context.WithCancelCause(t.Context())
	stop(run.ErrInterrupted)
	if _, err := w.collector().Run(ctx, w.script(done(0))); err != nil && !errors.Is(err, run.ErrInterrupted) {
		t.Errorf("%v", err)
	}
	if got := w.host.statuses(); strings.Contains(got, device.StatusBlocked) {
		t.Error(got)
	}
}

// A connector without units of work is stopped when what waits would fill the
// disk, and says so: also that the next run begins from the beginning, and what
// helps. One that has given a checkpoint goes on from there.
func TestWhatWaitsIsBounded(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		script     string
		startsOver bool
	}{
		"without units": {records("notes", 0, 5000) + state("notes", `{"at":1}`) + "poll", true},
		"with a unit":   {records("notes", 0, 2000) + slice("notes", `{"at":1}`) + records("notes", 2000, 5000) + "poll", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(d *Deps) { d.Policy.MaxQueueBytes = 1 }).guest()
			w.host.fail(on("/ingest-batches", answer{status: 503}))
			res := w.run(tc.script)
			w.same(res.BudgetReached, true, "budget reached")
			w.same(res.StartsOver, tc.startsOver, "starts over")
			w.same(res.Run.Reason, "policy_budget", "reason")
			w.same(res.Outcome, OutcomeBacklog, "outcome")
			w.same(strings.Contains(res.Run.Error.Hint, "--stream"), tc.startsOver, "the run's hint: "+res.Run.Error.Hint)
			said := false
			for _, g := range res.Run.KnownGaps {
				said = said || g.Reason == device.GapStartsOver
			}
			w.same(said, tc.startsOver, "the run's known gaps")

			s, err := w.collector().Status(t.Context())
			w.ok(err)
			said = false
			for _, p := range s.Open.Parts {
				said = said || p.Reason == device.GapStartsOver && p.Retryable
			}
			w.same(said, tc.startsOver, "open work")
			d, err := w.collector().Doctor(t.Context())
			w.ok(err)
			said = false
			for _, c := range d.Checks {
				said = said || c.Name == device.GapStartsOver && c.Level == LevelWarn && strings.Contains(c.Remedy, "--stream")
			}
			w.same(said, tc.startsOver, "doctor")
		})
	}
}
