package stored_test

import (
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/health/stored"
	"github.com/pdpp-host/pdpp-host/health/verdict"
)

type endedRun struct {
	status health.Word
	reason abi.Reason
	code   abi.Code
	module string
}

var (
	crashed   = endedRun{"failed", abi.ReasonExitWithoutDone, abi.CodeGuestTrap, "m1"}
	ranToEnd  = endedRun{"succeeded", "", "", "m1"}
	saidSo    = endedRun{"failed", abi.ReasonConnectorReportedFailed, "demo_http_500", "m1"}
	tooSlow   = endedRun{"failed", abi.ReasonRunTimedOut, abi.CodeLimitTime, "m1"}
	wasKilled = endedRun{"abandoned", abi.ReasonHostRestarted, "", "m1"}
)

func (r endedRun) by(module string) endedRun { r.module = module; return r }

// HL-23.3: a connector that ends twice in a row over its own fault needs a fix, and no
// sentence promises data from another run; a single end may be the data's fault.
// Another module, or a success, ends it.
func TestAConnectorsOwnFault(t *testing.T) {
	t.Parallel()
	broke := endedRun{"failed", abi.ReasonProtocolViolation, abi.CodeSyntax, "m1"}
	grew := endedRun{"failed", abi.ReasonLimitExceeded, abi.CodeLimitMemory, "m1"}
	for name, c := range map[string]struct {
		runs     []endedRun
		accepted string
		red      bool
	}{
		"once":                              {[]endedRun{crashed}, "m1", false},
		"twice":                             {[]endedRun{crashed, crashed}, "m1", true},
		"one after the other":               {[]endedRun{broke, crashed}, "m1", true},
		"over the host's limits":            {[]endedRun{grew, grew, grew}, "m1", false},
		"by two modules":                    {[]endedRun{crashed, crashed.by("m2")}, "m2", false},
		"twice, and another is accepted":    {[]endedRun{crashed, crashed}, "m2", false},
		"twice by a module nobody knows of": {[]endedRun{crashed, crashed}, "", true},
		"then a success":                    {[]endedRun{crashed, crashed, ranToEnd}, "m1", false},
		"a success between":                 {[]endedRun{crashed, ranToEnd, crashed}, "m1", false},
		"its own word between":              {[]endedRun{crashed, saidSo, crashed}, "m1", false},
		"a kill between":                    {[]endedRun{crashed, wasKilled, crashed}, "m1", true},
		"killed since":                      {[]endedRun{crashed, crashed, wasKilled}, "m1", true},
		"too slow":                          {[]endedRun{tooSlow, tooSlow, tooSlow}, "m1", false},
		"it says so":                        {[]endedRun{saidSo, saidSo, saidSo}, "m1", false},
		"its worker is lost":                {[]endedRun{{"failed", abi.ReasonExitWithoutDone, abi.CodeWorkerLost, "m1"}, {"failed", abi.ReasonExitWithoutDone, abi.CodeWorkerLost, "m1"}}, "m1", false},
		"the store's fault":                 {[]endedRun{{"failed", abi.ReasonRuntimeError, abi.CodeStoreFull, "m1"}, {"failed", abi.ReasonRuntimeError, abi.CodeStoreFull, "m1"}}, "m1", false},
	} {
		s := gapped()
		s.Manifest.Module, s.Schedule = c.accepted, nil
		for _, r := range c.runs {
			s.Fault = s.Fault.After(r.status, r.reason, string(r.code), r.module)
			s.Settled = &stored.Run{ID: "n", Status: r.status, Reason: health.Word(r.reason), StartedUS: s.Settled.EndedUS, EndedUS: s.Settled.EndedUS + 1}
			if s.Latest = s.Settled; r.status == "succeeded" {
				s.Succeeded = s.Settled
			}
		}
		v := verdict.OfStored(s, gappedNow, true)
		red := v.Pill.Tone == verdict.Red && v.ForwardCode == "code_fix" && v.Detail.ForwardDisposition == health.DispositionTerminal
		if red != c.red || (v.Pill.Tone == verdict.Red) != c.red {
			t.Errorf("%s: got %s, %s, %s, want red == c.red && (v.Pill.Tone == verdict.Red) == c.red", name, v.Pill.Tone, v.ForwardCode, v.Detail.ForwardDisposition)
		}
		if c.red && (len(v.RequiredActions) != 1 || v.RequiredActions[0].Kind != verdict.CodeFix || v.RequiredActions[0].Audience != verdict.AudienceMaintainer) {
			t.Errorf("%s: got %+v, want !c.red || len(v.RequiredActions) == 1 && v.RequiredActions[0].Kind == verdict.CodeFix && v.RequiredActions[0].Audience == verdict.AudienceMaintainer", name, v.RequiredActions)
		}
	}
}

// HL-05.1: a run that found nothing to collect is no failure, and no proof that
// anything was collected.
func TestNothingFound(t *testing.T) {
	t.Parallel()
	nothing := health.KnownGap{Kind: "skip_result", Severity: "informational", Reason: "nothing_found", RecoveryAction: "not_retriable"}
	v := verdict.OfStored(gapped(nothing), gappedNow, true)
	if v.Pill.Tone != verdict.Grey || v.Channel != verdict.Calm || v.ForwardCode != "nothing_found" || len(v.RequiredActions) > 0 {
		t.Errorf(`got %s %s %s %+v, want v.Pill.Tone == verdict.Grey && v.Channel == verdict.Calm && v.ForwardCode == "nothing_found" && len(v.RequiredActions) <= 0`, v.Pill.Tone, v.Channel, v.ForwardCode, v.RequiredActions)
	}
	for _, row := range v.Streams {
		if row.Coverage != health.CoverageUnknown || row.Code != "nothing_found" {
			t.Errorf(`got %+v, want row.Coverage == health.CoverageUnknown && row.Code == "nothing_found"`, row)
		}
	}
	other := nothing
	other.Reason = "link_not_followed"
	if v := verdict.OfStored(gapped(other), gappedNow, true); v.Pill.Tone != verdict.Green || v.ForwardCode != "complete" {
		t.Errorf(`verdict.OfStored(gapped(other), gappedNow, true): got %s %s, want v.Pill.Tone == verdict.Green && v.ForwardCode == "complete"`, v.Pill.Tone, v.ForwardCode)
	}
	// A gap with a problem comes first.
	if v := verdict.OfStored(gapped(nothing, unreadable("a")), gappedNow, true); v.Pill.Tone != verdict.Amber || v.ForwardCode != "put_right_gap" {
		t.Errorf(`verdict.OfStored(gapped(nothing, unreadable("a")), gappedNow, true): got %s %s, want v.Pill.Tone == verdict.Amber && v.ForwardCode == "put_right_gap"`, v.Pill.Tone, v.ForwardCode)
	}
}

// A fault that lasts is the same fault: what a lane keeps of its own runs is found by
// leaving runs out, so their number must not show.
func TestAFaultDoesNotGrow(t *testing.T) {
	t.Parallel()
	var f *stored.Fault
	after := map[int]stored.Fault{}
	for n := 1; n <= 5; n++ {
		f = f.After(crashed.status, crashed.reason, string(crashed.code), crashed.module)
		after[n] = *f
	}
	if after[1] == after[2] || after[2] != after[3] || after[2] != after[5] {
		t.Errorf("got %+v, want after[1] != after[2] && after[2] == after[3] && after[2] == after[5]", after)
	}
}
