package stored_test

import (
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/health/stored"
	"github.com/pdpp-host/pdpp-host/health/verdict"
)

// When a cause ended the last run, the verdict names that cause and the step that helps.
// It does not promise that another run fetches what is missing.
func TestCauseOfTheLastRun(t *testing.T) {
	t.Parallel()
	reported := abi.ReasonConnectorReportedFailed
	for name, c := range map[string]struct {
		reason    abi.Reason
		code      abi.Code
		said      abi.Cause
		place     string
		says, cta string
	}{
		"a name":          {reported, "send.attempts_exhausted", abi.CauseNameUnresolved, "api.example.com", "The name api.example.com did not resolve; once it does, a run collects again.", "cta_check_network"},
		"a name unknown":  {reported, "send.attempts_exhausted", abi.CauseNameUnresolved, "x\nevil", "The name of the service did not resolve; once it does, a run collects again.", "cta_check_network"},
		"a refusal":       {reported, "send.attempts_exhausted", abi.CauseConnectionRefused, "127.0.0.1:9", "127.0.0.1:9 refused the connection; once it takes one, a run collects again.", "cta_check_service"},
		"no way":          {reported, "x", abi.CauseHostUnreachable, "", "There was no way to the service; once there is one, a run collects again.", "cta_check_network"},
		"no TLS":          {reported, "x", abi.CauseTLSFailed, "a.b", "No secure connection to a.b came about; once one does, a run collects again.", "cta_check_tls"},
		"silence":         {reported, "x", abi.CauseNoAnswer, "", "The service did not answer; once it does, a run collects again.", "cta_check_network"},
		"errors alone":    {reported, "x", abi.CauseServiceFails, "a.b", "a.b answered with errors; once it is well, a run collects again.", "cta_check_service"},
		"a full disk":     {abi.ReasonRuntimeError, abi.CodeStoreFull, "", "", "The disk that holds the data was full; once it has room, a run collects again.", "cta_free_disk"},
		"a crash":         {abi.ReasonExitWithoutDone, abi.CodeGuestTrap, "", "", "The connector crashed; another run may get through, or crash again.", "cta_read_crash"},
		"a killed worker": {abi.ReasonExitWithoutDone, abi.CodeWorkerLost, "", "", "The process that ran the connector was killed; another run may get through, or meet the same end.", "cta_check_memory"},
		"a host's end":    {abi.ReasonHostRestarted, "", "", "", "The run was cut off when its host stopped; a run goes on from what it saved.", "cta_go_on"},
		"none":            {reported, "demo_failed", "", "", "Running it now fetches what is missing.", "cta_retry_gap"},
		"of another kind": {reported, "x", abi.CauseDiskFull, "", "Running it now fetches what is missing.", "cta_retry_gap"},
		"an invention":    {reported, "x", "solar_flare", "", "Running it now fetches what is missing.", "cta_retry_gap"},
		"a crash's word":  {abi.ReasonRunTimedOut, abi.CodeLimitTime, abi.CauseNoAnswer, "", "Running it now fetches what is missing.", "cta_retry_gap"},
	} {
		s := gapped()
		s.Schedule = nil
		s.Settled = &stored.Run{
			ID: "run_2", Status: "failed", Reason: stored.RunReason(c.reason, string(c.code), ""), StartedUS: s.Settled.EndedUS, EndedUS: s.Settled.EndedUS + 1,
			Cause: stored.RunCause(c.reason, c.code, c.said, c.place),
		}
		s.Latest, s.Failed = s.Settled, []string{s.Manifest.Streams[0].Name}
		v := verdict.OfStored(s, gappedNow, true)
		if v.ForwardStatement != c.says || len(v.RequiredActions) != 1 || string(v.RequiredActions[0].CTACode) != c.cta {
			t.Errorf("%s: %q %+v, want %q and %s", name, v.ForwardStatement, v.RequiredActions, c.says, c.cta)
		}
		for _, row := range v.Streams {
			if v.Cause != nil && strings.Contains(row.Statement, "fetches what is missing") {
				t.Errorf(`%s: got %s %q, want v.Cause == nil || !strings.Contains(row.Statement, "fetches what is missing")`, name, row.StreamID, row.Statement)
			}
		}
		if g := verdict.GrantScoped(v); g.Cause != nil {
			t.Errorf("%s: a client with a grant sees %+v, want g.Cause == nil", name, g.Cause)
		}
	}
}

// A run that was left behind on a disk that is full now could not say how it ended.
func TestCauseOfARunLeftBehind(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		diskFull, suspended bool
		device              string
		want                abi.Cause
	}{
		"its host stopped":    {want: abi.CauseHostStopped},
		"its disk is full":    {diskFull: true, want: abi.CauseDiskFull},
		"it was suspended":    {suspended: true},
		"it runs on a device": {device: "d1"},
	} {
		s := gapped()
		s.Latest = &stored.Run{ID: "run_3", Status: "running", StartedUS: s.Settled.EndedUS + 1, Device: c.device}
		m := gappedNow
		m.DiskFull, m.HolderAlive = c.diskFull, c.suspended
		got := s.Cause(m)
		if (got == nil) != (c.want == "") || got != nil && (got.Cause != c.want || got.RunID != "run_3") {
			t.Errorf("%s: %+v, want %q", name, got, c.want)
		}
		m.RunAlive = true
		if got := s.Cause(m); got != nil {
			t.Errorf("%s, while it runs: %+v, want got == nil", name, got)
		}
	}
}
