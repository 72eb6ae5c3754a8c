package collector

import (
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/storage"
	"github.com/pdpp-host/pdpp-host/testplugins/rig"
)

// A connector that needs what is not here is refused before it collects anything;
// what waits is delivered all the same.
func TestPlacementComesFirst(t *testing.T) {
	t.Parallel()
	w := newWorld(t).guest()
	w.host.manifest = []byte("{}")
	w.enqueue(2)
	module := rig.Guest(t, networked)
	res, err := w.collector().Run(t.Context(), RunRequest{Module: module})
	p := problem(err)
	w.same(p.Code, abi.CodeBindingMissing, "code")
	if res == nil || res.Run != nil || p.Message != "Runtime cannot satisfy required binding: network" || !strings.Contains(p.Hint, "pdpp-host run") {
		t.Errorf("%+v %+v", res, p)
	}
	w.same(len(w.host.keys("notes")), 2, "records at the host")
	_, err = w.collector().Recover(t.Context(), RecoverRequest{Apply: true, Run: RunRequest{Module: module}})
	w.same(problem(err).Code, abi.CodeBindingMissing, "code of a recovery")

	for name, ok := range map[string]bool{abi.BindingFilesystem: true, abi.BindingNetwork: false, "browser": false, abi.BindingInteractive: false} {
		m := &abi.Manifest{Requirements: abi.RuntimeRequirements{Bindings: map[string]abi.Binding{name: {Required: true}}}}
		if needs, got := Runnable(m); got != ok || len(needs) != 1 {
			t.Errorf("%s: %v %v", name, needs, got)
		}
		m.Requirements.Bindings[name] = abi.Binding{}
		if needs, got := Runnable(m); !got || len(needs) != 0 {
			t.Errorf("optional %s: %v %v", name, needs, got)
		}
	}
}

// LC-03.1: what waits does not wait for a module that cannot be read.
func TestABrokenModuleKeepsNothingBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t).guest()
	w.host.manifest = []byte("{}")
	w.enqueue(2)
	path := filepath.Join(t.TempDir(), "scripted.wasm")
	w.ok(os.WriteFile(path, []byte("\x00asm\x01\x00\x00\x00"), 0o600))
	module, err := plugin.Open(path, 1<<20)
	w.ok(err)
	res, err := w.collector().Run(t.Context(), RunRequest{Module: module})
	if err == nil || res == nil || res.Outcome != OutcomeFailed {
		t.Fatalf("%v %+v", err, res)
	}
	w.same(len(w.host.keys("notes")), 2, "records at the host")
}

// The end of a run names the connection as the host calls it: where the profile
// does not say it, it is asked for before anything is sent.
func TestLearnsTheConnectionFirst(t *testing.T) {
	t.Parallel()
	nameless := func(d *Deps) { d.Profile.ConnectorInstanceID = "" }
	w := newWorld(t, nameless).guest()
	w.host.manifest = []byte("{}")
	w.enqueue(1)
	w.host.fail(on("/state", answer{status: 503}))
	res, err := w.collector().Run(t.Context(), w.script(done(0)))
	w.same(problem(err).Code, CodeStateRead, "code")
	w.same([]int{w.host.count("ingest-batches"), w.host.count("terminal-run-commits")}, "[0 0]", "sent")
	w.same(res.Outbox.DeadLetter, 0, "given up")

	w.host.fail(on("/state", answer{status: 200, body: `{"source_instance_id":"src_1","device_id":"dev_1"}`}))
	_, err = w.collector().Run(t.Context(), w.script(done(0)))
	w.same(problem(err).Code, CodeStateRead, "code of an answer that does not name it")

	w.host.fail(nil)
	res = w.run(done(0))
	w.same(res.Outcome, OutcomeComplete, "outcome")
	w.same(len(w.host.commits), 2, "ends of runs")
	w.same(w.host.commits[0].ConnectorInstanceID, "conn_1", "the connection")
}

// A gap that cannot be told yet stops no scan: nothing that a scan brings may
// overtake records, and a gap is none.
func TestGapsAloneStopNoScan(t *testing.T) {
	t.Parallel()
	var ahead atomic.Int64
	w := newWorld(t, func(d *Deps) {
		d.Run.HolderAlive = func(string) bool { return false }
		d.Policy.MaxDrain = time.Second // less than a retry waits
		d.Now = func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
	}).guest()
	w.run(done(0))
	s := w.open()
	conn, err := s.Connection(t.Context(), "scripted")
	w.ok(err)
	r, err := s.BeginRun(t.Context(), storage.NewRun{
		RunID: "run_crashed", ConnectionID: conn.ID, Connector: "scripted", Version: "1", ModuleSHA256: "abc", Mode: "incremental", Bookmark: "incremental",
		Holder: "dead", Streams: []string{"notes"}, LeaseTTL: 1, HolderAlive: func(string) bool { return true },
	})
	w.ok(err)
	w.ok(r.PutGap(t.Context(), storage.Gap{Stream: "notes", RecordKey: "k", Reason: "temporary_unavailable"}))
	w.ok(r.Flush(t.Context()))
	r.Abandon()
	w.ok(s.Close())
	w.same(w.counts().HoldsScan, 0, "rows that hold a scan")

	w.host.fail(on("/local-collector-gaps", answer{status: 503}))
	res := w.run(records("notes", 0, 1) + done(1))
	if res.SkippedScan || res.Run == nil {
		t.Fatalf("a gap held the scan: %+v", res)
	}
	w.same(w.host.keys("notes"), "[notes-0]", "records at the host")
	w.same(res.Outcome, OutcomeBacklog, "outcome")

	// The end of that run waits behind the gap, and holds the next scan.
	w.same(w.run(done(0)).SkippedScan, true, "skipped")
	w.host.fail(nil)
	ahead.Store(int64(time.Hour))
	w.same(w.run(done(0)).SkippedScan, false, "skipped once it is told")
	w.same(w.host.lastBeat().Status, device.StatusHealthy, "heartbeat")
}
