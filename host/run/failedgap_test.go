package run

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage"
)

// A detail that failed is tried again by the next run, and then ever more seldom,
// under a class of its own; a bound of the run's in between neither takes any of that
// away nor counts as a failure. The result counts it in every run.
func TestFailedGapWaitsLonger(t *testing.T) {
	t.Parallel()
	h := newHost(t, setup{})
	gap := func(more, reason, class string) string {
		return "\ngap " + `{"type":"DETAIL_GAP",` + more + `"stream":"messages","parent_stream":"chats","record_key":"b","reason":"` + reason +
			`","retryable":true,"status":"pending","detail_locator":{},"last_error":{"class":"` + class + `"}}`
	}
	h.succeed(gap("", "temporary_unavailable", "own") + done(0))
	gaps, err := h.store.Gaps(t.Context(), "scripted", storage.GapQuery{})
	if err != nil || len(gaps) != 1 || !gaps[0].NextAttemptAfter.IsZero() {
		t.Fatalf("%v %+v, want one gap that is due at once", err, gaps)
	}
	id := gaps[0].ID
	for n, step := range []struct {
		reason, class, kept string
		wait                time.Duration
	}{
		{"retry_exhausted", "request_cap_reached", "own", 0},
		{"temporary_unavailable", "own", "detail_keeps_failing", time.Hour},
		{"retry_exhausted", "circuit_open", "detail_keeps_failing", 0},
		{"retry_exhausted", "run_cap_fetches", "detail_keeps_failing", 0},
		{"temporary_unavailable", "own", "detail_keeps_failing", 2 * time.Hour},
		{"temporary_unavailable", "own", "detail_keeps_failing", 4 * time.Hour},
		{"temporary_unavailable", "own", "detail_keeps_failing", 8 * time.Hour},
		{"temporary_unavailable", "own", "detail_keeps_failing", 16 * time.Hour},
		{"temporary_unavailable", "own", "detail_keeps_failing", 24 * time.Hour},
		{"temporary_unavailable", "own", "detail_keeps_failing", 24 * time.Hour},
	} {
		served := `"gap_id":"` + id + `","lease_id":"` + fmt.Sprintf("run_%s_%d.1", filepath.Base(h.dir), h.ids.Load()+1) + `",`
		attempted := "\ngap " + `{"type":"DETAIL_GAP_ATTEMPTED",` + served + `"stream":"messages"}`
		before := h.deps.Now()
		res := h.mustPlay("expect record_key"+attempted+gap(served, step.reason, step.class)+done(0), func(r *Request) { r.Force = true })
		if len(res.OpenGaps) != 1 || res.OpenGaps[0].Class != step.kept || res.OpenGaps[0].Count != 1 {
			t.Fatalf("step %d: the result says %+v, want one open gap of class %s", n, res.OpenGaps, step.kept)
		}
		if gaps, err = h.store.Gaps(t.Context(), "scripted", storage.GapQuery{}); err != nil || len(gaps) != 1 || gaps[0].Reason != "temporary_unavailable" {
			t.Fatalf("step %d: %v %+v", n, err, gaps)
		}
		if wait := gaps[0].NextAttemptAfter.Sub(before); step.wait > 0 && (wait < step.wait-time.Second || wait > step.wait+time.Minute) {
			t.Errorf("step %d: it waits %s, want %s", n, wait, step.wait)
		}
		if step.wait > 0 {
			// Without the owner's word it is not served before its time.
			res := h.mustPlay("submit 4\nexpect \"detail_gaps\":[]" + done(0))
			if len(res.OpenGaps) != 1 || res.Status != StatusSucceeded || res.OpenGaps[0].NextAttempt == nil {
				t.Errorf("step %d: the quiet run says %s, %+v", n, res.Status, res.OpenGaps)
			}
		}
	}
}

// PB-D9, RT-24.1: a connector whose list is cut at the owner's bound ends a run that
// succeeded: only slices move cursors, nothing counts as collected whole, and the
// bound is its reason. Retries that ended with nothing answered are no such thing.
func TestBoundIsNoFailure(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		stopped abi.Reason
		unwell  bool
		planned bool
	}{
		"cap": {abi.ReasonRequestCapReached, false, true}, "time": {abi.ReasonWallClockDeadline, false, true},
		"retries": {abi.ReasonRetryBudgetExhausted, false, true}, "retries, nothing answered": {abi.ReasonRetryBudgetExhausted, true, false},
		"circuit": {abi.ReasonCircuitOpen, false, false}, "none": {"", false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := &fakeSender{stopped: c.stopped, unwell: c.unwell, answer: func(string) string { return `{"status":200,"url":"u","headers":{}}` + "\n" }}
			h := newHost(t, setup{sender: f})
			res := h.mustPlay(get + slice("notes", `{"at":1}`) + state("journal", `{"at":2}`) +
				"\ndone " + `{"type":"DONE","status":"failed","records_emitted":0,"error":{"code":"send.budget_exhausted","message":"m","retryable":true,"recovery_hint":"retry_by_runtime"}}`)
			want := map[bool]string{true: StatusSucceeded, false: StatusFailed}[c.planned]
			if res.Status != want || (res.Error == nil) != c.planned || c.planned && res.Reason != string(c.stopped) {
				t.Fatalf("%s, reason %s, error %+v; want %s", res.Status, res.Reason, res.Error, want)
			}
			if h.cursor("notes") == "" || h.cursor("journal") != "" || len(res.Checkpoints.Withheld) != 1 {
				t.Errorf("cursors %q and %q, withheld %+v; want the slice's alone", h.cursor("notes"), h.cursor("journal"), res.Checkpoints.Withheld)
			}
			e, err := h.store.EvidenceOf(t.Context(), res.ConnectionID)
			if err != nil || len(e.Facts.CollectedUS) > 0 {
				t.Errorf("%v, collected %v; want no stream", err, e.Facts.CollectedUS)
			}
		})
	}
}
