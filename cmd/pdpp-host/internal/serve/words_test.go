package serve

import (
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/show"
	"github.com/pdpp-host/pdpp-host/host/owner/serving"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/host/schedule"
)

// A refused dispatch is not a run, and a run that its owner stopped needs no attention.
func TestServeCounts(t *testing.T) {
	t.Parallel()
	var n onceCounts
	for _, l := range []schedule.Looked{
		{Started: true, Runs: 1, Run: &schedule.Ended{Status: run.StatusSucceeded}},
		{Started: true, Runs: 1, Run: &schedule.Ended{Status: run.StatusFailed}},
		{Started: true, Runs: 1, Run: &schedule.Ended{Status: run.StatusCancelled}},
		{Started: true, Err: abi.NewError(abi.CodeRootMissing, "gone", "")},
		{Err: abi.NewError(abi.CodePluginUnknown, "gone", "")},
		{Reason: schedule.ReasonNotDue},
	} {
		v := viewOnce(&l)
		n.add(&v)
	}
	if got := n.text(); got != "3 runs, 1 failed, 1 stopped; 2 refused, 1 skipped" {
		t.Error(got)
	}
	for want, n := range map[string]serving.Counts{
		"4 runs, 2 of them not well, 1 stopped": {Runs: 4, Failed: 2, Stopped: 1}, "1 run, 1 stopped": {Runs: 1, Stopped: 1},
	} {
		if got := served(n); got != want {
			t.Errorf("%+v: got %q, want %q", n, got, want)
		}
	}
}

// A refusal that a connection waits behind stands beside the reason.
func TestRefusalInAPass(t *testing.T) {
	t.Parallel()
	v := viewOnce(&schedule.Looked{Connection: "c", Reason: schedule.ReasonNotReady, Says: "no folder"})
	if got := v.row(); got[2] != "waits for its folder or its module: no folder" || v.failed {
		t.Error(got)
	}
}

// A run that was tried again counts each time, and every pass reports what waits for its
// owner.
func TestServeCountsAttempts(t *testing.T) {
	t.Parallel()
	for want, l := range map[string]schedule.Looked{
		"3 runs, 3 failed; 0 refused, 0 skipped":                    {Started: true, Runs: 3, Run: &schedule.Ended{Status: run.StatusFailed}},
		"3 runs, 2 failed; 0 refused, 0 skipped":                    {Started: true, Runs: 3, Run: &schedule.Ended{Status: run.StatusSucceeded}},
		"1 run, 1 failed; 1 refused, 0 skipped":                     {Started: true, Runs: 1, Err: abi.NewError(abi.CodeRootMissing, "gone", "")},
		"1 run, 1 failed; 0 refused, 1 skipped":                     {Runs: 1, Reason: schedule.ReasonRunning},
		"0 runs, 0 failed; 0 refused, 1 skipped, 1 waiting for you": {Waits: true, Reason: schedule.ReasonNotReady},
		"0 runs, 0 failed; 0 refused, 1 skipped":                    {Reason: schedule.ReasonPaused},
	} {
		var n onceCounts
		v := viewOnce(&l)
		n.add(&v)
		if got := n.text(); got != want || n.unwell() == (want == "0 runs, 0 failed; 0 refused, 1 skipped") {
			t.Errorf("%s, not %s; unwell: %v", got, want, n.unwell())
		}
	}
}

// Every reason and everything that an owner does has words.
func TestServeWords(t *testing.T) {
	t.Parallel()
	for _, r := range []schedule.Reason{
		schedule.ReasonPaused, schedule.ReasonUnsafe, schedule.ReasonManual, schedule.ReasonNotReady, schedule.ReasonAttention,
		schedule.ReasonCoolingDown, schedule.ReasonBackingOff, schedule.ReasonGivenUp, schedule.ReasonRunning, schedule.ReasonNotDue,
		schedule.ReasonUnresolvable, schedule.ReasonOnDevice,
	} {
		if show.Reason(r) == string(r) {
			t.Errorf("%s is shown as its code", r)
		}
	}
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for want, e := range map[string]schedule.Event{
		"its owner ended the pause; one run tries it":        {Healed: schedule.HealedPause},
		"its owner ended the pause; waits for you":           {Healed: schedule.HealedPause, Reason: schedule.ReasonAttention},
		"its credentials may be new; one run tries it":       {Healed: schedule.Healed(schedule.BadCredentials)},
		"its owner did something about it; one run tries it": {},
		"its owner ended the pause; cooling down, the service refused requests or was away, until 2026-01-02 03:04:05Z": {
			Healed: schedule.HealedPause, Reason: schedule.ReasonCoolingDown, Until: at,
		},
		"its owner ended the pause; one run tries it, not before 2026-01-02 03:04:05Z": {Healed: schedule.HealedPause, Until: at},
	} {
		if got := healedText(e); got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
}
