package outcome

import (
	"bytes"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/host/run"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func succeeded() *run.Result {
	return &run.Result{
		RunID: "run_1", Connection: "claude_code", Connector: "claude_code", Status: run.StatusSucceeded, DurationMS: 8600,
		Streams: []string{"sessions", "messages", "coverage_diagnostics"},
		Records: map[string]run.RecordCounts{
			"sessions": {New: 42, Upserted: 45, Changed: 3}, "messages": {New: 18204, Upserted: 18204}, "coverage_diagnostics": {New: 99999, Upserted: 99999},
		},
		Checkpoints: run.Checkpoints{Committed: []string{"sessions"}},
	}
}

func TestWrite(t *testing.T) {
	t.Parallel()
	gaps := succeeded()
	gaps.Gaps = []run.Gap{{Stream: "messages", Reason: "rate_limited"}, {Stream: "messages", Reason: "rate_limited"}}
	gaps.KnownGaps = []run.KnownGap{{Stream: "sessions", Reason: "file_unreadable", Count: 3, Message: "some files\x1b[2J"}}
	gaps.Checkpoints = run.Checkpoints{Withheld: []run.Withheld{{Stream: "sessions", Reason: "detail_coverage_incomplete"}}}
	told := succeeded()
	told.Accounts = []abi.StreamAccount{{Stream: "messages", Met: 9, Cut: 1, Unknown: []abi.UnknownName{{Name: "mo\x1bod", Count: 2}}}}
	left := succeeded()
	left.KnownGaps = []run.KnownGap{{Kind: run.KindScope, Stream: "messages", Reason: run.ReasonOutOfScope, Count: 1204, Message: "1204 items are left out"}}
	both := succeeded()
	both.KnownGaps = append(left.KnownGaps, run.KnownGap{Stream: "sessions", Reason: "file_unreadable", Count: 3})
	many := succeeded()
	many.GapsFound = 20_000
	for range 1000 {
		many.Gaps = append(many.Gaps, run.Gap{Stream: "messages", Reason: "rate_limited"})
	}
	uncounted := *many // the store could not count them
	many.OpenGaps = []run.OpenGaps{{Stream: "messages", Reason: "rate_limited", Count: 20_000}}
	failed := &run.Result{RunID: "run_2", Connection: "work", Connector: "calendar_files", Status: run.StatusFailed, Reason: "connector_reported_failed"}
	cancelled := &run.Result{RunID: "run_3", Connection: "work", Status: run.StatusCancelled}
	for _, tc := range []struct {
		name string
		r    *run.Result
		want string
	}{
		{"succeeded", succeeded(), `● Succeeded  claude_code  18 246 new, 3 changed, 0 gaps in 8.6 s
  checkpoints: sessions
  next: pdpp-host records list claude_code messages --limit 5
`},
		{"what no gap tells", told, `● Succeeded  claude_code  18 246 new, 3 changed, 0 gaps in 8.6 s
  checkpoints: sessions
  next: pdpp-host records list claude_code messages --limit 5
  messages: 1 text is longer than a record has room for, and its beginning was collected
  messages: names that this version of the connector does not know: mood (2)
`},
		{"left out by date", left, `● Succeeded  claude_code  18 246 new, 3 changed, 1 204 left out by date in 8.6 s
  checkpoints: sessions
  next: pdpp-host records list claude_code messages --limit 5
  left out: messages: out_of_scope, 1204 items are left out
`},
		{"left out by date, with gaps", both, `◐ Succeeded with gaps  claude_code  18 246 new, 3 changed, 1 204 left out by date, 3 gaps in 8.6 s
  checkpoints: sessions
  next: pdpp-host records list claude_code messages --limit 5
  left out: messages: out_of_scope, 1204 items are left out
  gap: sessions: file_unreadable (3 times)
`},
		{"gaps", gaps, `◐ Succeeded with gaps  claude_code  18 246 new, 3 changed, 5 gaps in 8.6 s
  checkpoints: none moved
  next: pdpp-host records list claude_code messages --limit 5
  withheld: sessions (detail_coverage_incomplete)
  gap: sessions: file_unreadable (3 times), some files[2J
  gap: messages: 2 details still to fetch: the service asked for fewer requests
`},
		{"more gaps than are listed", many, `◐ Succeeded with gaps  claude_code  18 246 new, 3 changed, 20 000 gaps in 8.6 s
  checkpoints: sessions
  next: pdpp-host records list claude_code messages --limit 5
  gap: messages: 20 000 details still to fetch: the service asked for fewer requests
  gaps: the result lists 1 000 of 20 000 that this run found
`},
		{"more gaps than are listed, and not counted", &uncounted, `◐ Succeeded with gaps  claude_code  18 246 new, 3 changed, 20 000 gaps in 8.6 s
  checkpoints: sessions
  next: pdpp-host records list claude_code messages --limit 5
  gap: messages: 1 000 details still to fetch: the service asked for fewer requests
  gaps: the result lists 1 000 of 20 000 that this run found
`},
		{"failed", failed, `✗ Failed  work  nothing new, 0 gaps in 0.0 s
  checkpoints: none moved
  next: pdpp-host runs show run_2
`},
		{"cancelled", cancelled, `○ Cancelled  work  nothing new, 0 gaps in 0.0 s
  checkpoints: none moved
  next: pdpp-host runs show run_3
`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var b bytes.Buffer
			Write(&b, output.Style{Symbols: true}, tc.r, "", plain)
			if b.String() != tc.want {
				t.Errorf("got\n%swant\n%s", b.String(), tc.want)
			}
			// The words alone carry the meaning.
			b.Reset()
			Write(&b, output.Style{Colour: true}, tc.r, "", plain)
			if !strings.Contains(b.String(), word(tc.r)) {
				t.Errorf("without symbols: %s", b.String())
			}
		})
	}
}

func TestTheVerdictsCommandIsTheNextStep(t *testing.T) {
	t.Parallel()
	r := &run.Result{RunID: "run_2", Connection: "work", Status: run.StatusFailed}
	for step, want := range map[string]bool{"": true, "pdpp-host run ical": false} {
		var b bytes.Buffer
		if Write(&b, output.Style{}, r, step, plain); strings.Contains(b.String(), "next: pdpp-host runs show run_2") != want {
			t.Errorf("%q: %s", step, b.String())
		}
	}
}

func TestManyCheckpointsAreCounted(t *testing.T) {
	t.Parallel()
	r := succeeded()
	r.Checkpoints.Committed = strings.Split("a b c d e f g h", " ")
	var b bytes.Buffer
	if Write(&b, output.Style{}, r, "", plain); !strings.Contains(b.String(), "  checkpoints: a, b, c, d, e, f and 2 more\n") {
		t.Error(b.String())
	}
}

func TestManyGapsAreCounted(t *testing.T) {
	t.Parallel()
	r := succeeded()
	for i := range 30 {
		r.KnownGaps = append(r.KnownGaps, run.KnownGap{Reason: strings.Repeat("x", i+1)})
	}
	var b bytes.Buffer
	Write(&b, output.Style{}, r, "", plain)
	if strings.Count(b.String(), "gap:") != mostGapLines || !strings.Contains(b.String(), "and 22 more: pdpp-host runs show run_1") {
		t.Errorf("got %s", b.String())
	}
}

func TestError(t *testing.T) {
	t.Parallel()
	r := &run.Result{RunID: "run_2", Connector: "calendar_files", Status: run.StatusFailed, Reason: "connector_reported_failed",
		Error: &run.Failure{Code: "ical_closed", Message: "closed", RecoveryHint: "refresh_credentials"}}
	e := Error(r, "")
	if e.Code != "ical_closed" || e.Detail != "run_2 of calendar_files, reason connector_reported_failed" || !strings.Contains(e.Hint, "credentials") {
		t.Errorf("got %+v", e)
	}
	// The verdict's command wins: what repeats it, or says otherwise, is left out.
	if e := Error(r, "pdpp-host run ical"); e.Hint != "" {
		t.Errorf("got %+v", e)
	}
	r.Error.Hint = "open the source"
	if e := Error(r, "pdpp-host run ical"); e.Hint != "open the source" {
		t.Errorf("got %+v", e)
	}
	r.Error = nil
	if e := Error(r, ""); e.Message == "" || e.Hint == "" {
		t.Errorf("got %+v", e)
	}
}

// A connector's records about its own collecting are not counted as collected.
func TestTallyLeavesDiagnosticsOut(t *testing.T) {
	t.Parallel()
	r := &run.Result{Records: map[string]run.RecordCounts{Diagnostics: {New: 25, Changed: 1, Deleted: 2, Unchanged: 3, Rejected: 4}}}
	if got := Tally(r); got != "nothing new, 4 rejected, 0 gaps in 0.0 s" {
		t.Error(got)
	}
	r.Records["notes"] = run.RecordCounts{New: 2}
	if got := Tally(r); got != "2 new, 4 rejected, 0 gaps in 0.0 s" {
		t.Error(got)
	}
}
