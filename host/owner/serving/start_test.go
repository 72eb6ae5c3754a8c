package serving_test

import (
	"context"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/credentials"
	"github.com/pdpp-host/pdpp-host/host/owner/serving"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/served"
)

// lasting is a guest's script that goes on until it is stopped.
const lasting = "sleep 600000"

// OC-01, OC-02, RD-55: a run that is begun on a face goes on by itself, one at a time for each
// connection, and is stopped on a face. Each change leaves its event, and each refusal.
func TestRunsAreStartedAndStopped(t *testing.T) {
	t.Parallel()
	h := served.New(t, "testplugins/guests/scripted")
	browser := h.Browser(t, "session_1")
	h.Connect(t, "long", "scripted", map[string]string{"script": lasting})
	ctx := t.Context()

	asked, gone := context.WithCancel(ctx)
	id, err := h.Server.Start(asked, browser, serving.Order{Connection: "long"})
	gone() // the browser that began it went away
	if err != nil {
		t.Fatalf("got %v, want a run", err)
	}
	if _, err := h.Server.Start(ctx, browser, serving.Order{Connection: "long"}); abi.CodeOf(err) != abi.CodeConnectionBusy {
		t.Errorf("a second run: got %v, want %s", err, abi.CodeConnectionBusy)
	}
	if err := h.Server.Stop(ctx, browser, id); err != nil {
		t.Errorf("stopping: got %v, want none", err)
	}
	if r := h.Ended(t, id); r.Status != "cancelled" || r.Mode != abi.ModeIncremental {
		t.Errorf("got an %s run that is %s, want an %s one that is cancelled", r.Mode, r.Status, abi.ModeIncremental)
	}
	awaitGone(t, h.Server, id)
	if err := h.Server.Stop(ctx, browser, id); abi.CodeOf(err) != serving.CodeRunEnded {
		t.Errorf("stopping it again: got %v, want %s", err, serving.CodeRunEnded)
	}
	if err := h.Server.Stop(ctx, browser, "run_of_nobody"); abi.CodeOf(err) != abi.CodeRunUnknown {
		t.Errorf("stopping no run: got %v, want %s", err, abi.CodeRunUnknown)
	}
	page, err := h.Owner.AuditEvents(ctx, owner.AuditQuery{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range page.Events {
		if e.Actor == string(owner.BrowserSession) {
			got = append(got, e.Operation+" "+e.Subject+" "+e.Outcome)
		}
	}
	want := []string{"runs.stop long run.ended", "runs.stop long done", "runs.start long run.connection_busy", "runs.start long done"}
	if len(got) != len(want) {
		t.Fatalf("got events %q, want %q", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("got event %q, want %q", got[i], want[i])
		}
	}
}

// A run is begun the way that was asked for, and no other.
func TestStartTakesTheModesThereAre(t *testing.T) {
	t.Parallel()
	h := served.New(t, "testplugins/guests/scripted")
	browser := h.Browser(t, "session_1")
	h.Connect(t, "short", "scripted", nil)
	id, err := h.Server.Start(t.Context(), browser, serving.Order{Connection: "short", Mode: abi.ModeFullRefresh})
	if err != nil {
		t.Fatal(err)
	}
	if r := h.Ended(t, id); r.Mode != abi.ModeFullRefresh || r.Status != "succeeded" {
		t.Errorf("got an %s run that %s, want a full refresh that succeeded", r.Mode, r.Status)
	}
	for order, want := range map[serving.Order]abi.Code{
		{Connection: "short", Mode: "sideways"}: abi.CodeUsage,
		{Connection: "nobody"}:                  abi.CodeConnectionUnknown,
	} {
		if _, err := h.Server.Start(t.Context(), browser, order); abi.CodeOf(err) != want {
			t.Errorf("%+v: got %v, want %s", order, err, want)
		}
	}
}

// A host that stops serving ends the runs that were begun on a face, and begins none.
func TestRunsEndWithTheServer(t *testing.T) {
	t.Parallel()
	h := served.New(t, "testplugins/guests/scripted")
	browser := h.Browser(t, "session_1")
	h.Connect(t, "long", "scripted", map[string]string{"script": lasting})
	id, err := h.Server.Start(t.Context(), browser, serving.Order{Connection: "long"})
	if err != nil {
		t.Fatal(err)
	}
	h.Stop(t)
	if r, err := h.Store.Run(t.Context(), id); err != nil || r.Status != "cancelled" {
		t.Errorf("got %+v, %v, want a run that is cancelled", r, err)
	}
	if _, err := h.Server.Start(t.Context(), browser, serving.Order{Connection: "long"}); abi.CodeOf(err) != serving.CodeWindingUp {
		t.Errorf("got %v, want %s", err, serving.CodeWindingUp)
	}
}

// A host that stops lets a run that was begun on a face go on to its next checkpoint, which
// it keeps, and ends it there.
func TestRunsReachACheckpoint(t *testing.T) {
	t.Parallel()
	h := served.Patient(t, time.Minute, "testplugins/guests/scripted")
	browser := h.Browser(t, "session_1")
	h.Connect(t, "long", "scripted", map[string]string{"script": "records notes 0 3\nsleep 1000\n" +
		`state {"type":"STATE","stream":"notes","cursor":{"at":1},"slice":{"id":"first","complete":true}}` + "\n" + lasting})
	id, err := h.Server.Start(t.Context(), browser, serving.Order{Connection: "long"})
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	h.Stop(t)
	if took := time.Since(began); took > time.Minute {
		t.Errorf("it took %s, want the time to the checkpoint", took)
	}
	r, err := h.Store.Run(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if r.Status != "cancelled" || len(r.Checkpoints) != 1 || r.Checkpoints[0] != "notes" {
		t.Errorf("got a run that is %s and committed %v, want a cancelled one with notes", r.Status, r.Checkpoints)
	}
	if c := r.Counts["notes"]; c.New != 3 {
		t.Errorf("got %+v, want the 3 records before the checkpoint", c)
	}
}

// A run that reaches no checkpoint is ended once the grace is over.
func TestTheGraceEnds(t *testing.T) {
	t.Parallel()
	const grace = 500 * time.Millisecond
	h := served.Patient(t, grace, "testplugins/guests/scripted")
	browser := h.Browser(t, "session_1")
	h.Connect(t, "long", "scripted", map[string]string{"script": lasting})
	id, err := h.Server.Start(t.Context(), browser, serving.Order{Connection: "long"})
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	h.Stop(t)
	if took := time.Since(began); took < grace {
		t.Errorf("it took %s, want the grace of %s at least", took, grace)
	}
	if r, err := h.Store.Run(t.Context(), id); err != nil || r.Status != "cancelled" {
		t.Errorf("got %+v, %v, want a run that is cancelled", r, err)
	}
}

// awaitGone waits until the server has forgotten a run that has ended.
func awaitGone(t *testing.T, s *serving.Server, id string) {
	t.Helper()
	for s.Progress(id) != nil {
		if t.Context().Err() != nil {
			t.Fatal(t.Context().Err())
		}
	}
}

// HL-26.1: a credential that an owner stores on a face wakes the scheduler, which confirms it.
func TestAStoredCredentialWakesTheScheduler(t *testing.T) {
	t.Parallel()
	h := served.New(t, "testplugins/guests/credentialed")
	browser := h.Browser(t, "session_1")
	h.Connect(t, "mine", "credentialed", nil)
	o := h.Server.Asks(browser)
	wake, told := o.PutRight, 0
	if wake == nil {
		t.Fatal("nobody is told of what was put right, want the scheduler")
	}
	o.PutRight = func() { wake(); told++ }
	if _, err := credentials.Set(t.Context(), o, "mine", "token", func(string, string) ([]byte, error) { return []byte("a secret of mine"), nil }); err != nil {
		t.Fatal(err)
	}
	if told != 1 {
		t.Errorf("the scheduler is told %d times, want once", told)
	}
}
