package view_test

import (
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/health/verdict"
	"github.com/pdpp-host/pdpp-host/health/view"
)

// of is a connection whose run went as given.
func of(status health.RunStatus, reason health.Word, records int64, runtimeOK bool) verdict.RenderedVerdict {
	e := health.Evidence{
		ObservedAt: now, Run: &health.Run{LatestStatus: status, ReasonCode: reason}, Coverage: &health.Coverage{Axis: health.CoverageComplete},
		Freshness: &health.FreshnessResult{Axis: health.FreshnessFresh},
	}
	return verdict.Synthesize(verdict.Input{
		Snapshot: health.Project(e), RuntimeOK: runtimeOK, Progress: &verdict.ProgressEvidence{Mode: verdict.ModeManual, RetainedRecords: &records},
	})
}

func count(runtimeOK bool, verdicts ...verdict.RenderedVerdict) view.Fleet {
	var f view.Fleet
	for i := range verdicts {
		f.Add(view.StandingOf(&verdicts[i]), 1, runtimeOK)
	}
	return f
}

// HL-09.1: a summary with a degraded card never claims that all is well.
func TestFleetShowsDegradedWork(t *testing.T) {
	t.Parallel()
	well, bad := of(health.RunSucceeded, "", 1, true), of(health.RunFailed, "demo_http_500", 1, true)
	f := count(true, well, bad)
	if f.Degraded != 1 || f.Healthy != 1 || f.AttentionVisible != 1 || f.AllClear || !strings.Contains(f.Summary(), "1 degraded") {
		t.Errorf(`got %+v %s, want f.Degraded == 1 && f.Healthy == 1 && f.AttentionVisible == 1 && !f.AllClear && strings.Contains(f.Summary(), "1 degraded")`, f, f.Summary())
	}
	if f := count(true, well); f.AttentionVisible != 0 || !f.AllClear || f.Summary() != "1 connection: 1 healthy" {
		t.Errorf(`count(true, well): got %+v %s, want f.AttentionVisible == 0 && f.AllClear && f.Summary() == "1 connection: 1 healthy"`, f, f.Summary())
	}
	// An unknown state is not clear either (Invariant 8).
	unknown := verdict.Synthesize(verdict.Input{Snapshot: health.Project(health.Evidence{ObservedAt: now}), RuntimeOK: true})
	if f := count(true, well, unknown); f.AllClear || f.Checking != 1 {
		t.Errorf("count(true, well, unknown): got %+v, want !f.AllClear && f.Checking == 1", f)
	}
}

// HL-09.2: uploads that stalled are counted as what they are.
func TestFleetShowsStalledUploads(t *testing.T) {
	t.Parallel()
	f := count(true, outbox(health.OutboxStalled, health.CauseStalePending, nil))
	if f.UploadsStalled != 1 || f.AttentionVisible != 1 || f.AllClear || !strings.Contains(f.Summary(), "1 with uploads that stalled") {
		t.Errorf(`got %+v %s, want f.UploadsStalled == 1 && f.AttentionVisible == 1 && !f.AllClear && strings.Contains(f.Summary(), "1 with uploads that stalled")`, f, f.Summary())
	}
	if strings.Contains(f.Summary(), "schedul") {
		t.Error("it is called a scheduler's failure")
	}
}

// HL-10.1: every count names whom it counts, and those without records stay in
// sight.
func TestFleetNamesPopulations(t *testing.T) {
	t.Parallel()
	f := count(true, of(health.RunSucceeded, "", 12, true), of(health.RunSucceeded, "", 4, true), of(health.RunSucceeded, "", 0, true))
	if f.Registered != 3 || f.WithRecords != 2 || f.WithoutRecords != 1 || f.Summary() != "3 connections: 3 healthy; 1 without records" {
		t.Errorf(`got %+v %s, want f.Registered == 3 && f.WithRecords == 2 && f.WithoutRecords == 1 && f.Summary() == "3 connections: 3 healthy; 1 without records"`, f, f.Summary())
	}
	var none view.Fleet
	if none.Summary() != "no connections" {
		t.Errorf(`got %+v, want none.Summary() == "no connections"`, none.Summary())
	}
}

// HL-28.1: a runtime at fault is one indicator and no connection's alarm; the
// pills stay honest.
func TestRuntimeFaultIsOneIndicator(t *testing.T) {
	t.Parallel()
	for _, ok := range []bool{true, false} {
		rejected := of(health.RunFailed, "demo_auth_failed", 1, ok)
		f := count(ok, rejected, rejected, rejected, of(health.RunSucceeded, "", 1, ok))
		runtime := view.Runtime{OK: ok, Fault: "scheduler_stopped"}
		want := int64(3)
		if !ok {
			want = 0
		}
		if f.NeedsOwner != want || f.CannotCollect != 3 || (runtime.Indicator() == "") != ok {
			t.Errorf(`runtime ok %v: %+v %q, want f.NeedsOwner == want && f.CannotCollect == 3 && (runtime.Indicator() == "") == ok`, ok, f, runtime.Indicator())
		}
		if verdict.ShouldPush(rejected) != ok {
			t.Errorf("runtime ok %v: push", ok)
		}
		// Nothing is clear while nothing runs, however well everything was.
		if w := count(ok, of(health.RunSucceeded, "", 1, ok)); w.AllClear != ok || w.Healthy != 1 {
			t.Errorf("runtime ok %v: %+v, want w.AllClear == ok && w.Healthy == 1", ok, w)
		}
		// Counted from verdicts of a sound runtime, it is the same.
		if g := count(ok, of(health.RunFailed, "demo_auth_failed", 1, true)); !ok && g.NeedsOwner != 0 {
			t.Errorf(`count(ok, of(health.RunFailed, "demo_auth_failed", 1, true)): got %+v, want ok || g.NeedsOwner == 0`, g)
		}
	}
	if (view.Runtime{Fault: "something new"}).Indicator() == "" {
		t.Error("an unknown fault is silent")
	}
}
