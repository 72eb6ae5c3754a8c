package collector

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/host/collector/client"
	"github.com/pdpp-host/pdpp-host/storage"
)

// LC-07.1: a status says of one lane, and of no other of its connector, what waits,
// is put off, held, left over, given up and sent, with one word for it all.
func TestStatusIsOfOneLane(t *testing.T) {
	t.Parallel()
	w := given(t)
	before := w.folder()
	s, err := w.collector().Status(t.Context())
	w.ok(err)
	n := s.Outbox.Counts
	w.same([]int64{n.Pending, n.Retrying, n.Leased, n.StaleLeases, n.DeadLetter, n.Sent}, "[1 0 0 0 2 1]", "counts")
	w.same(s.LifecycleState, storage.LaneDeadLetter, "state")
	w.same(s.SourceInstanceID+" "+s.ConnectorID+" "+s.DeviceID+" "+s.Protocol, "src_1 scripted dev_1 1", "identity")
	w.same(s.Host, "127.0.0.1:7", "host")
	if n.OldestPendingAt == nil || n.LastAckAt == nil || s.AgentVersion == "" || s.Posture.Kind == "" || s.DB.Path != w.path || !s.DB.Exists {
		t.Errorf("%+v", s)
	}
	w.same(w.folder(), before, "the lane's folder")
	text, err := json.Marshal(s)
	w.ok(err)
	if strings.Contains(string(text), testToken) {
		t.Error("the status shows the credential")
	}

	// The other lane of the same connector is untouched by it.
	other := newWorld(t)
	profile := *other.deps.Profile
	profile.SourceInstanceID = "src_2"
	other.deps.Profile = &profile
	s, err = other.collector().Status(t.Context())
	w.ok(err)
	w.same(s.LifecycleState, storage.LaneHealthyIdle, "state of the other")
	w.same(s.DB.Exists, false, "the other's file")
	if _, err := other.collector().Doctor(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(other.path); err == nil {
		t.Error("a status made a file")
	}
}

func level(d *Diagnosis, name string) string {
	for _, c := range d.Checks {
		if c.Name == name {
			return c.Level
		}
	}
	return ""
}

// LC-07.2: a lane that has delivered records and never a coverage diagnostic is
// told apart from one that has collected nothing, and its owner is told to run it
// with its default streams.
func TestDoctorOnCoverage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d, err := w.collector().Doctor(t.Context())
	w.ok(err)
	w.same(level(d, "coverage"), "", "of a lane that has collected nothing")
	w.host.manifest = []byte("{}")
	w.enqueue(1)
	w.over(func(e *execution) { w.ok(e.d.Drain(t.Context())) })
	d, err = w.collector().Doctor(t.Context())
	w.ok(err)
	w.same(level(d, "coverage"), LevelWarn, "of a lane that never said")
	w.same(d.Status.LifecycleState, storage.LaneCoverageMissing, "state")
	if c := d.Status.Coverage; c.Observed == nil || *c.Observed || c.RecordBatches != 1 {
		t.Errorf("%+v", c)
	}
	for _, c := range d.Checks {
		if c.Name == "coverage" && !strings.Contains(c.Remedy, "default streams") {
			t.Errorf("the remedy is %q", c.Remedy)
		}
	}
	w.enqueueStreams(device.CoverageStream)
	w.over(func(e *execution) { w.ok(e.d.Drain(t.Context())) })
	d, err = w.collector().Doctor(t.Context())
	w.ok(err)
	w.same(level(d, "coverage"), "", "of a lane that has said")
	w.same(d.Status.LifecycleState, storage.LaneHealthyIdle, "state")
}

// Doctor's verdict is as bad as its worst finding, and each finding says what to do, with the
// lane's own id.
func TestDoctorLevels(t *testing.T) {
	t.Parallel()
	w := given(t)
	d, err := w.collector().Doctor(t.Context())
	w.ok(err)
	w.same(d.Overall, LevelCritical, "with uploads given up")
	for _, c := range d.Checks {
		if c.Name == "delivery" && (!strings.Contains(c.Remedy, "--source-instance-id src_1") || !strings.Contains(c.Remedy, "refuses them again as they are")) {
			t.Errorf("the remedy is %q, want one for what the host refuses, with the lane's id", c.Remedy)
		}
	}
	w = stuck(t)
	d, err = w.collector().Doctor(t.Context())
	w.ok(err)
	w.same(level(d, "leases"), LevelWarn, "with a lease left over")
	w.same(d.Overall, OverallWarn, "overall")

	w = newWorld(t)
	w.ok(os.WriteFile(w.path, []byte(strings.Repeat("not a database ", 100)), 0o600))
	d, err = w.collector().Doctor(t.Context())
	w.ok(err)
	w.same(d.Overall, LevelCritical, "with an outbox that cannot be read")
	if d.Status != nil || d.Checks[0].Remedy == "" {
		t.Errorf("%+v", d)
	}
}

// LC-07.4: what a host learns of a lane holds no path of the device, no secret,
// and nothing of what was collected.
func TestHeartbeatsTellNothingPrivate(t *testing.T) {
	t.Parallel()
	w := given(t)
	w.host.fail(on("/ingest-batches", answer{status: 422, body: `{"error":{"code":"refused","message":"` + filepath.Dir(w.path) + ` /home/ana/.codex/auth.json"}}`}))
	_, err := w.collector().Run(t.Context(), RunRequest{})
	w.ok(err)
	beat := w.host.lastBeat()
	text, err := json.Marshal(beat)
	w.ok(err)
	for _, private := range []string{testToken, filepath.Dir(w.path), "/home", "run_before", "notes"} {
		if strings.Contains(string(text), private) {
			t.Errorf("it tells %q: %s", private, text)
		}
	}
	if beat.LastError == nil || beat.LastError.Kind != device.ErrorDeadLetters || len(beat.LastError.Classes) != 1 || beat.LastError.Classes[0].Count != 2 {
		t.Errorf("%s", text)
	}
}

// LC-05.2: each way in which an execution can end has its own word.
func TestOutcomes(t *testing.T) {
	t.Parallel()
	run := func(script string, faults ...func(*world)) (*world, *RunResult) {
		w := newWorld(t).guest()
		for _, f := range faults {
			f(w)
		}
		res, err := w.collector().Run(t.Context(), w.script(script))
		w.ok(err)
		return w, res
	}
	_, res := run(records("notes", 0, 1) + done(1))
	newWorld(t).same(res.Outcome, OutcomeComplete, "clean")
	skip := `skip {"type":"SKIP_RESULT","stream":"journal","reason":"unsupported_store","message":"no reader for it","recovery_hint":"retry_on_connector_upgrade"}` + "\n"
	w, res := run(records("notes", 0, 1) + skip + done(1))
	w.same(res.Outcome, OutcomeGaps, "with a part that nothing retries")
	w.same(res.Outbox.GapsOpen, 1, "parts")
	gap := `gap {"type":"DETAIL_GAP","stream":"messages","parent_stream":"chats","record_key":"b","reason":"temporary_unavailable","retryable":true,"status":"pending","detail_locator":{"id":"b"}}` + "\n"
	w, res = run(records("notes", 0, 1) + gap + done(1))
	w.same(res.Outcome, OutcomeBacklog, "with a part that is retried")
	w.same(len(w.host.gaps), 1, "gaps at the host")
	_, res = run(records("notes", 0, 1)+done(1), func(w *world) {
		w.host.fail(on("/ingest-batches", answer{status: 503}))
	})
	w.same(res.Outcome, OutcomeBacklog, "with uploads that wait")
	_, res = run(records("notes", 0, 1)+done(1), func(w *world) {
		w.host.fail(on("/terminal-run-commits", answer{status: 409, body: `{"error":{"code":"device_run_conflict"}}`}))
	})
	w.same(res.Outcome, OutcomeDeadLetter, "with uploads given up")
	w, res = run(records("notes", 0, 1) + "trap")
	w.same(res.Outcome, OutcomeFailed, "with a scan that failed")
	w.same(len(w.host.keys("notes")), 1, "records of a scan that failed")
	w.same(w.host.commits[0].Outcome.Status, "failed", "the run at the host")
}

// Every way out of an execution leaves a last heartbeat that says how the lane is.
func TestEveryErrorHasAHeartbeat(t *testing.T) {
	t.Parallel()
	w := newWorld(t).guest()
	w.run(done(0))
	res := w.script(done(0))
	res.Streams = []string{"nothing"}
	if _, err := w.collector().Run(t.Context(), res); abi.CodeOf(err) != abi.CodeStreamUnknown {
		t.Errorf("%v", err)
	}
	w.same(w.host.statuses(), "starting healthy starting healthy", "of a run that was asked for a stream that is not there")

	w = newWorld(t).guest()
	w.host.fail(on("/manifest", answer{status: 400, body: `{"error":{"code":"invalid_request"}}`}))
	if _, err := w.collector().Run(t.Context(), w.script(done(0))); abi.CodeOf(err) != client.CodeRefused {
		t.Errorf("%v", err)
	}
	w.same(w.host.statuses(), "starting healthy", "of a manifest that was refused")

	w = newWorld(t).guest() // it scanned nothing, and no end of a run says so
	w.host.fail(on("/manifest", answer{status: 500}))
	if _, err := w.collector().Run(t.Context(), w.script(done(0))); abi.CodeOf(err) != client.CodeUnreachable {
		t.Errorf("%v", err)
	}
	w.same(w.host.statuses(), "starting retrying", "of a manifest that the host could not take")

	w = newWorld(t).guest()
	profile := *w.deps.Profile
	profile.ConnectorID = "other"
	w.deps.Profile = &profile
	if _, err := w.collector().Run(t.Context(), w.script(done(0))); abi.CodeOf(err) != abi.CodeConnectionInvalid {
		t.Errorf("%v", err)
	}

	w = newWorld(t)
	w.ok(os.WriteFile(w.path, []byte(strings.Repeat("not a database ", 100)), 0o600))
	if res, err := w.collector().Run(t.Context(), RunRequest{}); err == nil || res != nil {
		t.Errorf("%v %v", res, err)
	}
	w.same(w.host.statuses(), "blocked(state_read_failed)", "of an outbox that cannot be read")

	// A host that takes no heartbeat holds nothing up.
	w = newWorld(t).guest()
	w.host.fail(on("/heartbeat", answer{status: 500}))
	done := w.run(records("notes", 0, 1) + done(1))
	w.same(done.Outcome, OutcomeComplete, "outcome")
	if done.Heartbeat == nil || done.Heartbeat.Code != string(client.CodeUnreachable) {
		t.Errorf("%+v", done.Heartbeat)
	}
}
