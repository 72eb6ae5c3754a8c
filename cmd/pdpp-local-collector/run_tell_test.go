package main

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/cmd/internal/exitcode"
	"github.com/pdpp-host/pdpp-host/host/collector"
	"github.com/pdpp-host/pdpp-host/host/run"
)

// A run that reached its bound goes on with the next one, which is well; one that
// starts over each time is no clean run, and does not say that it goes on.
func TestARunThatStartsOverIsToldApart(t *testing.T) {
	t.Parallel()
	for _, startsOver := range []bool{false, true} {
		r := &collector.RunResult{
			Outcome: collector.OutcomeBacklog, BudgetReached: true, StartsOver: startsOver, SourceInstanceID: "src_1",
			Run: &run.Result{Status: run.StatusFailed, KnownGaps: []run.KnownGap{{Kind: "policy_budget", Reason: "the_reason", Message: "the advice"}}},
		}
		var e *exitcode.Ended
		if gaps := errors.As(failureOf(r, nil), &e) && e.Gaps; gaps != startsOver {
			t.Errorf("starts over %v: %v", startsOver, failureOf(r, nil))
		}
		var out bytes.Buffer
		newApp().writeRun(&out, r, false)
		if goesOn := strings.Contains(out.String(), "goes on from here"); goesOn == startsOver || startsOver && !strings.Contains(out.String(), "the advice") {
			t.Errorf("starts over %v: %s", startsOver, out.String())
		}
	}
}
