package run

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage"
)

// The next run tries a detail that failed again, and later runs ever more seldom, under
// a class of its own. A run's bound in between neither resets the wait nor counts as a
// failure. Every run's result counts the gap.
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
			t.Fatalf("step %d: got gaps %+v (%v), want one with reason temporary_unavailable", n, gaps, err)
		}
		if wait := gaps[0].NextAttemptAfter.Sub(before); step.wait > 0 && (wait < step.wait-time.Second || wait > step.wait+time.Minute) {
			t.Errorf("step %d: it waits %s, want %s", n, wait, step.wait)
		}
		if step.wait > 0 {
			// A run that is not forced does not serve the gap before its time.
			res := h.mustPlay("submit 4\nexpect \"detail_gaps\":[]" + done(0))
			if len(res.OpenGaps) != 1 || res.Status != StatusSucceeded || res.OpenGaps[0].NextAttempt == nil {
				t.Errorf("step %d: got %s with open gaps %+v, want succeeded and one gap with a moment", n, res.Status, res.OpenGaps)
			}
		}
	}
}

// A detail that answers 503 in every run cools the connection down once. From its
// second failure on it waits by itself; a moment that the provider names still holds
// the connection.
func TestDetailThatAnswers503(t *testing.T) {
	t.Parallel()
	f := &fakeSender{answer: func(string) string { return `{"status":200,"url":"u","headers":{}}` + "\n" }}
	h := newHost(t, setup{sender: f})
	gap := func(more string) string {
		return "\ngap " + `{"type":"DETAIL_GAP",` + more + `"stream":"messages","parent_stream":"chats","record_key":"b","reason":"upstream_pressure",` +
			`"retryable":true,"status":"pending","detail_locator":{},"last_error":{"class":"503"}}`
	}
	again := func(step string, n int64, next time.Time, want map[string]int) {
		f.pressure, f.until = abi.ReasonUpstreamPressure, next
		more := ""
		if n > 0 {
			gaps, err := h.store.Gaps(t.Context(), "scripted", storage.GapQuery{})
			if err != nil || len(gaps) != 1 {
				t.Fatalf("%s: got gaps %+v, %v; want one", step, gaps, err)
			}
			more = `"gap_id":"` + gaps[0].ID + `","lease_id":"` + fmt.Sprintf("run_%s_%d.1", filepath.Base(h.dir), h.ids.Load()+1) + `",`
		}
		h.mustPlay(get+gap(more)+done(0), func(r *Request) { r.Force = true })
		gaps, err := h.store.Gaps(t.Context(), "scripted", storage.GapQuery{})
		if err != nil || len(gaps) != 1 {
			t.Fatalf("%s: got gaps %+v, %v; want one", step, gaps, err)
		}
		p, err := h.store.SourcePressure(t.Context(), "scripted", []string{"rate_limited", "upstream_pressure"})
		if err != nil || len(p.Gaps) != want["pressed"] || p.Record != nil || gaps[0].Failures != int64(want["failures"]) {
			t.Errorf("%s: got %d gaps that press, record %+v, %d failures (%v); want %v", step, len(p.Gaps), p.Record, gaps[0].Failures, err, want)
		}
	}
	again("first", 0, time.Time{}, map[string]int{"pressed": 1})
	again("second", 1, time.Time{}, map[string]int{"failures": 1})
	again("third", 2, time.Time{}, map[string]int{"failures": 2})
	again("told", 3, h.deps.Now().Add(time.Hour), map[string]int{"pressed": 1, "failures": 2})
}

// A refusal of the list cools the connection down, although a detail of the same run
// fails by itself.
func TestFailingDetailHidesNoRefusal(t *testing.T) {
	t.Parallel()
	f := &fakeSender{answer: func(string) string { return `{"status":200,"url":"u","headers":{}}` + "\n" }}
	h := newHost(t, setup{sender: f})
	gap := func(more string) string {
		return "\ngap " + `{"type":"DETAIL_GAP",` + more + `"stream":"messages","parent_stream":"chats","record_key":"b","reason":"upstream_pressure",` +
			`"retryable":true,"status":"pending","detail_locator":{},"last_error":{"class":"503"}}`
	}
	f.pressure = abi.ReasonUpstreamPressure
	h.mustPlay(get+gap("")+done(0), func(r *Request) { r.Force = true })
	gaps, err := h.store.Gaps(t.Context(), "scripted", storage.GapQuery{})
	if err != nil || len(gaps) != 1 {
		t.Fatalf("got gaps %+v, %v; want one", gaps, err)
	}
	f.pressure = abi.ReasonRateLimited // the list is refused with a 429 that names no moment
	served := `"gap_id":"` + gaps[0].ID + `","lease_id":"` + fmt.Sprintf("run_%s_%d.1", filepath.Base(h.dir), h.ids.Load()+1) + `",`
	h.mustPlay(get+gap(served)+done(0), func(r *Request) { r.Force = true })
	if p := h.pressure(); p.Record == nil || p.Record.Reason != "rate_limited" {
		t.Errorf("got pressure %+v, want the record of a refusal", p)
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
