package evidence_test

import (
	"testing"

	"github.com/pdpp-host/pdpp-host/health/stored"
	"github.com/pdpp-host/pdpp-host/storage/evidence"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
)

// ended is a run that ended so.
func ended(status, reason, failure, gaps string) *tables.RunRow {
	return &tables.RunRow{RunID: "r", Status: status, Reason: reason, Error: failure, KnownGaps: gaps, Streams: `["a"]`, FinishedUS: 1}
}

// AC-10: a gap that time is to mend, and that two runs in a row bring back unchanged, stays.
// One that changed, or goes on by itself, does not, and neither does one that a run ended.
func TestAGapThatComesBackStays(t *testing.T) {
	t.Parallel()
	const torn = `[{"kind":"skip","stream":"a","severity":"transient","reason":"torn","message":"one","recovery_hint":"retry_by_runtime","count":1,"diagnostics":{"files":["x"]}}]`
	const other = `[{"kind":"skip","stream":"a","severity":"transient","reason":"torn","message":"two","recovery_hint":"retry_by_runtime","count":2}]`
	const planned = `[{"kind":"skip","stream":"a","severity":"transient","reason":"policy_budget","message":"one","recovery_hint":"retry_by_runtime","count":1}]`
	for name, c := range map[string]struct {
		gaps  []string
		stays bool
	}{
		"once":               {[]string{torn}, false},
		"twice":              {[]string{torn, torn}, true},
		"three times":        {[]string{torn, torn, torn}, true},
		"another":            {[]string{torn, other}, false},
		"after another":      {[]string{torn, other, other}, true},
		"and again later":    {[]string{torn, "", torn}, false},
		"it goes on":         {[]string{planned, planned}, false},
		"a killed run":       {[]string{torn, "killed", torn}, true},
		"gone in the end":    {[]string{torn, torn, ""}, false},
		"changed in the end": {[]string{torn, torn, other}, false},
	} {
		f := &stored.Facts{}
		for _, gaps := range c.gaps {
			if gaps == "killed" {
				evidence.EndRun(f, ended(tables.StatusAbandoned, "host_restarted", "", ""))
				continue
			}
			evidence.EndRun(f, ended(tables.StatusSucceeded, "", "", gaps))
		}
		stays := false
		for i := range f.KnownGaps {
			stays = stays || f.KnownGaps[i].Stays()
		}
		if stays != c.stays {
			t.Errorf("%s: got %v of %+v, want %v", name, stays, f.KnownGaps, c.stays)
		}
	}
}

// AC-10: a refusal of the whole, or a limit, that two runs in a row meet is met again; one of
// another code, or of the network, is not, and a run that succeeds ends it.
func TestAFailureThatComesBack(t *testing.T) {
	t.Parallel()
	failed := func(reason, code, message string) *tables.RunRow {
		return ended(tables.StatusFailed, reason, `{"code":"`+code+`","message":"`+message+`"}`, "")
	}
	const reported = "connector_reported_failed"
	refused, later := failed(reported, "demo_http_403", "no, request 1"), failed(reported, "demo_http_403", "no, request 2")
	for name, c := range map[string]struct {
		runs  []*tables.RunRow
		again bool
	}{
		"once":              {[]*tables.RunRow{refused}, false},
		"twice":             {[]*tables.RunRow{refused, later}, true},
		"another code":      {[]*tables.RunRow{refused, failed(reported, "demo_http_404", "no")}, false},
		"a limit of memory": {[]*tables.RunRow{failed("resource_limit_exceeded", "limit.memory", "m"), failed("resource_limit_exceeded", "limit.memory", "m")}, true},
		"its time":          {[]*tables.RunRow{failed("run_timed_out", "limit.time", "t"), failed("run_timed_out", "limit.time", "t")}, false},
		"no code, one text": {[]*tables.RunRow{failed(reported, "connector_failed", "x"), failed(reported, "connector_failed", "x")}, true},
		"no code, two":      {[]*tables.RunRow{failed(reported, "connector_failed", "x"), failed(reported, "connector_failed", "y")}, false},
		"a success":         {[]*tables.RunRow{refused, later, ended(tables.StatusSucceeded, "", "", "")}, false},
		"a killed run":      {[]*tables.RunRow{refused, ended(tables.StatusAbandoned, "host_restarted", "", ""), later}, true},
		"a credential":      {[]*tables.RunRow{failed(reported, "demo_auth_failed", "x"), failed(reported, "demo_auth_failed", "x")}, false},
	} {
		f := &stored.Facts{}
		for _, r := range c.runs {
			evidence.EndRun(f, r)
		}
		if got := f.FailsAgain(); got != c.again {
			t.Errorf("%s: got %v of %+v, want %v", name, got, f.Repeat, c.again)
		}
	}
}
