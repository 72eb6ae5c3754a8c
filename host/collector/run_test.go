package collector

import (
	"net/http"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/host/collector/client"
	"github.com/pdpp-host/pdpp-host/storage"
)

// LC-01.1, LC-04.1: what a connector collects goes through the outbox to the host
// and counts as delivered once the host said so; the cursor moves behind it.
func TestRunDelivers(t *testing.T) {
	t.Parallel()
	w := newWorld(t).guest()
	res := w.run(records("notes", 0, 2500) + state("notes", `{"at":1}`) + done(2500))
	w.same(res.Outcome, OutcomeComplete, "outcome")
	w.same(len(w.host.keys("notes")), 2500, "records at the host")
	w.same(w.host.cursor("notes"), `{"at":1}`, "cursor at the host")
	w.same(res.Outbox.Pending+res.Outbox.Retrying+res.Outbox.Leased+res.Outbox.DeadLetter, 0, "undelivered")
	w.same(res.LifecycleState, storage.LaneCoverageMissing, "state") // this guest has no coverage diagnostics
	w.same(w.host.statuses(), "starting healthy", "heartbeats")
	if len(w.host.commits) != 1 || w.host.commits[0].Outcome.Status != "succeeded" || w.host.commits[0].ConnectorInstanceID != "conn_1" {
		t.Errorf("commits: %+v", w.host.commits)
	}
	beat := w.host.lastBeat()
	if beat.Outbox == nil || beat.Outbox.LastAckAt == nil || beat.Outbox.LastCheckpointAt == nil || *beat.RecordsPending != 0 ||
		beat.Outbox.Succeeded != res.Outbox.Sent || beat.AgentVersion == "" {
		t.Errorf("the last heartbeat is %+v", beat)
	}

	// The next run is told the host's cursor, and the manifest is not sent again.
	res = w.run("expect \"state\":{\"notes\":{\"at\":1}}\n" + records("notes", 0, 1) + done(1))
	w.same(res.Outcome, OutcomeComplete, "outcome of the next run")
	w.same(w.host.puts, 1, "manifests sent")
}

// LC-04.2: a host that takes no records holds the cursor where it was, in its own
// state and in the one that the next run begins from.
func TestCursorWaitsForItsRecords(t *testing.T) {
	t.Parallel()
	w := newWorld(t).guest()
	w.run(records("notes", 0, 1) + state("notes", `{"at":1}`) + done(1))
	w.host.fail(on("/ingest-batches", answer{status: 503}))
	res := w.run(records("notes", 1, 2) + slice("notes", `{"at":2}`) + state("journal", `{"j":1}`) + done(1))
	w.same(res.Outcome, OutcomeBacklog, "outcome")
	w.same(res.Run.Status, "succeeded", "the run itself")
	w.same(w.host.cursor("notes"), `{"at":1}`, "cursor at the host")
	w.same(w.host.cursor("journal"), "", "cursor of another stream of the same end")
	w.same(w.host.count("terminal-run-commits"), 1, "ends of runs sent")
	w.same(w.host.statuses(), "starting healthy starting retrying", "heartbeats")
	s := w.open()
	confirmed, _, err := s.ConfirmedState(t.Context())
	w.ok(err)
	w.same(string(confirmed["notes"]), `{"at":1}`, "confirmed cursor")
	w.ok(s.Close())
	if res.Delivery == nil || res.Delivery.Code != string(client.CodePaused) {
		t.Errorf("why it is not delivered: %+v", res.Delivery)
	}
}

// LC-01.2, LC-03.1: what an execution left is delivered by the next one before
// the source is scanned; what cannot be delivered shows, and nothing is scanned.
func TestDrainsBeforeItScans(t *testing.T) {
	t.Parallel()
	w := newWorld(t).guest()
	w.host.manifest = []byte("{}")
	w.enqueue(3)
	res := w.run(records("notes", 0, 1) + done(1))
	w.same(res.SkippedScan, false, "skipped")
	first := strings.Join(w.host.calls, ",")
	if !strings.HasPrefix(first, "POST heartbeat,POST ingest-batches") || strings.Index(first, "POST terminal-run-commits") > strings.Index(first, "GET state") {
		t.Errorf("the order of calls is %s", first)
	}
	w.same(len(w.host.keys("notes")), 4, "records at the host")
	w.same(len(w.host.commits), 2, "ends of runs")

	w.enqueue(1)
	w.host.fail(on("/ingest-batches", answer{status: 500}))
	res = w.run(records("notes", 0, 1) + done(1))
	w.same(res.SkippedScan, true, "skipped")
	w.same(res.Outcome, OutcomeBacklog, "outcome")
	w.same(res.LifecycleState, storage.LaneRetryableBacklog, "state")
	w.same(w.host.lastBeat().Status, device.StatusRetrying, "heartbeat")
	if res.Run != nil {
		t.Error("it scanned with a backlog")
	}
}

// LC-05.2, HL-23.7: without the host's state nothing is scanned, and the host
// learns that as soon as it can hear it.
func TestNoScanWithoutState(t *testing.T) {
	t.Parallel()
	for name, a := range map[string]answer{
		"refused": {status: 500}, "no json": {status: 200, body: "<html>"}, "another lane": {status: 200, body: `{"source_instance_id":"x"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t).guest()
			w.host.fail(on("/state", a))
			res, err := w.collector().Run(t.Context(), w.script(records("notes", 0, 1)+done(1)))
			if problem(err).Code != string(CodeStateRead) || res == nil || res.Run != nil {
				t.Fatalf("%v %+v", err, res)
			}
			w.same(w.host.statuses(), "starting blocked(state_read_failed)", "heartbeats")
			w.same(res.Outcome, OutcomeFailed, "outcome")
		})
	}
}

// A device whose credential is dead keeps everything, gives nothing up, and says
// what to do.
func TestDeadCredentialGivesNothingUp(t *testing.T) {
	t.Parallel()
	for status, code := range map[int]string{401: string(client.CodeUnauthorized), 403: string(client.CodeUnauthorized), 404: string(client.CodeGone)} {
		w := newWorld(t).guest()
		w.host.manifest = []byte("{}")
		w.enqueue(12)
		w.host.fail(func(r *http.Request, _ []byte) (*answer, error) {
			if strings.HasSuffix(r.URL.Path, "/heartbeat") {
				return nil, nil
			}
			return &answer{status: status, body: `{"error":{"code":"not_found"}}`}, nil
		})
		res, err := w.collector().Run(t.Context(), w.script(done(0)))
		if err == nil || problem(err).Code != code {
			t.Fatalf("%d: %v", status, err)
		}
		w.same(res.Outbox.Pending, 13, "kept")
		w.same(res.Outbox.DeadLetter, 0, "given up")
		w.same(w.host.count("ingest-batches"), 1, "tried")
		w.host.fail(nil)
		w.same(w.run(done(0)).Outcome, OutcomeComplete, "once it is accepted again")
	}
}

// A manifest that the host has lost is sent again with what waits.
func TestManifestIsSentAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t).guest()
	w.run(records("notes", 0, 1) + done(1))
	w.enqueue(2)
	w.host.manifest = nil
	res := w.run(done(0))
	w.same(res.Outcome, OutcomeComplete, "outcome")
	w.same(len(w.host.keys("notes")), 3, "records at the host")
	w.same(w.host.puts, 2, "manifests sent")
}
