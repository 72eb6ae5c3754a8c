package view_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/health/verdict"
	"github.com/pdpp-host/pdpp-host/health/view"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var now = health.At(time.Date(2026, 5, 20, 6, 0, 0, 0, time.UTC))

// outbox is a device's connection whose outbox is as given.
func outbox(state health.OutboxState, cause health.StalledCause, counts *health.OutboxCounts) verdict.RenderedVerdict {
	e := health.Evidence{
		ObservedAt: now, LocalDeviceBacked: true, Coverage: &health.Coverage{Axis: health.CoverageComplete},
		Freshness: &health.FreshnessResult{Axis: health.FreshnessFresh}, Outbox: &health.Outbox{Axis: state, Cause: cause, Counts: counts},
	}
	return render(e, verdict.ModeLocalDevice)
}

func render(e health.Evidence, mode verdict.Mode) verdict.RenderedVerdict {
	return verdict.Synthesize(verdict.Input{
		Snapshot: health.Project(e), RuntimeOK: true, Refresh: e.Refresh, Progress: &verdict.ProgressEvidence{Mode: mode, RetainedRecords: new(int64(12))},
	})
}

// pressed is a connection that ran, with a backlog.
func pressed(axis health.CoverageAxis, b *health.Backlog) verdict.RenderedVerdict {
	e := health.Evidence{
		ObservedAt: now, Run: &health.Run{LatestStatus: health.RunSucceeded, LastSuccessAt: now}, Coverage: &health.Coverage{Axis: axis},
		Freshness: &health.FreshnessResult{Axis: health.FreshnessFresh}, Schedule: &health.Schedule{Enabled: true},
		DetailGaps: &health.DetailGaps{Counted: b, Unreadable: b == nil},
	}
	return render(e, verdict.ModeScheduled)
}

// HL-08.1, HL-08.2, HL-12.1: a stalled outbox has words and a command in sight,
// and says how much is stuck where that was counted.
func TestRemediationPanel(t *testing.T) {
	t.Parallel()
	for _, cause := range []health.StalledCause{"", health.CauseDeadLetterBacklog, health.CauseStateReadFailed, health.CauseStalePending} {
		v := outbox(health.OutboxStalled, cause, nil)
		p := view.RemediationPanelOf(&v)
		if p == nil || p.Label == "" || p.Command == "" || p.Scale != "" {
			t.Fatalf(`%s: got %+v, want p != nil && p.Label != "" && p.Command != "" && p.Scale == ""`, cause, p)
		}
		for _, bad := range []string{"http", "/", "token", "Bearer", "connection"} {
			if strings.Contains(p.Command, bad) {
				t.Errorf("%q stands in the command %q, want !strings.Contains(p.Command, bad)", bad, p.Command)
			}
		}
		if text := strings.ToLower(p.Label + p.Message); strings.Contains(text, "server drains") || strings.Contains(text, "we ") || !strings.Contains(text, "host") {
			t.Errorf(`it claims to act from afar: %s, want !strings.Contains(text, "server drains") && !strings.Contains(text, "we ") && strings.Contains(text, "host")`, text)
		}
	}
	v := outbox(health.OutboxStalled, health.CauseDeadLetterBacklog, &health.OutboxCounts{Pending: new(int64(7)), DeadLetter: new(int64(2)), Succeeded: new(int64(100)), Total: new(int64(109))})
	if p := view.RemediationPanelOf(&v); p.Scale != "7 waiting, 2 given up" {
		t.Errorf(`scale %q, want "7 waiting, 2 given up"`, p.Scale)
	}
	// A condition alone asks for it too.
	v.Detail.Axes.Outbox = health.OutboxUnknown
	if view.RemediationPanelOf(&v) == nil {
		t.Error("a condition that asks to clear a backlog shows no panel")
	}
}

// HL-08.3, HL-12.2, HL-13.2: what is not stalled shows no panel, no cue and no
// number.
func TestQuietOutbox(t *testing.T) {
	t.Parallel()
	for _, state := range []health.OutboxState{health.OutboxIdle, health.OutboxActive, health.OutboxUnknown} {
		v := outbox(state, "", &health.OutboxCounts{Pending: new(int64(7))})
		if p, c := view.RemediationPanelOf(&v), view.OutboxCueOf("c", &v); p != nil || c != nil {
			t.Errorf("%s: got %+v %+v, want p == nil && c == nil", state, p, c)
		}
	}
	none := outbox(health.OutboxStalled, health.CauseStalePending, &health.OutboxCounts{Pending: new(int64(0)), DeadLetter: new(int64(0)), Succeeded: new(int64(9)), Total: new(int64(9))})
	managed := outbox(health.OutboxStalled, health.CauseStalePending, &health.OutboxCounts{Pending: new(int64(3))})
	managed.Progress.Mode = verdict.ModeScheduled
	for _, v := range []verdict.RenderedVerdict{none, managed} {
		if c := view.OutboxCueOf("c", &v); c != nil {
			t.Errorf("a cue of %+v, want c == nil", c)
		}
	}
}

// HL-13.1, HL-13.3: a row's cue holds positive counts of stuck work alone, and
// leads to the connection's own page.
func TestOutboxCue(t *testing.T) {
	t.Parallel()
	v := outbox(health.OutboxStalled, health.CauseDeadLetterBacklog, &health.OutboxCounts{
		Pending: new(int64(1)), Retrying: new(int64(2)), StaleLeases: new(int64(0)), DeadLetter: new(int64(4)), BacklogOpen: new(int64(5)), Leased: new(int64(6)), Succeeded: new(int64(7)), Total: new(int64(28)),
	})
	c := view.OutboxCueOf("desk", &v)
	var got []string
	for _, x := range c.Counts {
		got = append(got, x.Category)
	}
	if strings.Join(got, " ") != "pending retrying dead_letter backlog_open" || c.Detail != "desk" || strings.ContainsAny(c.Text, "67") {
		t.Errorf(`got %+v, want strings.Join(got, " ") == "pending retrying dead_letter backlog_open" && c.Detail == "desk" && !strings.ContainsAny(c.Text, "67")`, c)
	}
}

// HL-20.1, HL-20.4: the cue says how much is left, in the backlog's own numbers
// and in no code's words.
func TestBacklogCue(t *testing.T) {
	t.Parallel()
	v := pressed(health.CoverageRetryableGap, &health.Backlog{Pending: 12, Recovered: new(int64(3))})
	c := view.BacklogCueOf(&v)
	if c == nil || c.Pending != 12 || *c.Recovered != 3 || c.Text != "12 details still to fetch, 3 fetched since" {
		t.Fatalf(`got %+v, want c != nil && c.Pending == 12 && *c.Recovered == 3 && c.Text == "12 details still to fetch, 3 fetched since"`, c)
	}
	v = pressed(health.CoverageRetryableGap, &health.Backlog{Pending: 1})
	if c := view.BacklogCueOf(&v); c == nil || c.Text != "1 detail still to fetch" {
		t.Errorf(`view.BacklogCueOf(&v): got %+v, want c != nil && c.Text == "1 detail still to fetch"`, c)
	}
}

// HL-20.2: what was not counted, what is drained and what is well has no cue.
func TestNoBacklogCue(t *testing.T) {
	t.Parallel()
	for name, v := range map[string]verdict.RenderedVerdict{
		"not counted": pressed(health.CoverageRetryableGap, nil),
		"drained":     pressed(health.CoverageRetryableGap, &health.Backlog{Recovered: new(int64(3))}),
		"healthy":     pressed(health.CoverageComplete, &health.Backlog{Pending: 4}),
	} {
		if c := view.BacklogCueOf(&v); c != nil {
			t.Errorf("%s: view.BacklogCueOf(&v): got %+v, want c == nil", name, c)
		}
	}
}

// HL-20.3: details that are missing for other reasons are named, and nothing is
// caught up meanwhile.
func TestBacklogScale(t *testing.T) {
	t.Parallel()
	for want, b := range map[string]*health.Backlog{
		"missing, and not held up by the source: 5 details":                           {Recovered: new(int64(3)), PendingOther: 5},
		"waiting for the source: at least 1000 details; missing for other reasons: 2": {Pending: 1000, PendingIsFloor: true, PendingOther: 2},
		"not all details were counted":                                                {PendingIsFloor: true},
		"all caught up":                                                               {Recovered: new(int64(3))},
		"":                                                                            nil,
	} {
		v := pressed(health.CoverageRetryableGap, b)
		if got := view.BacklogScale(&v); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// HL-23.9: the panel names the host, or says which it is, and gives each command
// with what it is for.
func TestRecoveryPanel(t *testing.T) {
	t.Parallel()
	v := outbox(health.OutboxStalled, health.CauseDeadLetterBacklog, nil)
	p := view.RecoveryPanelOf(&v, []view.Binding{{SourceInstanceID: "src_1", Host: "desk-1"}})
	if p.Host != "desk-1" || p.Cause != "dead_letter_backlog" || len(p.Commands) != 2 || p.Unavailable {
		t.Fatalf(`got %+v, want p.Host == "desk-1" && p.Cause == "dead_letter_backlog" && len(p.Commands) == 2 && !p.Unavailable`, p)
	}
	for _, c := range p.Commands {
		if c.Purpose == "" || !strings.Contains(c.Command, " src_1") || strings.Contains(c.Command, "{") {
			t.Errorf(`got %+v, want c.Purpose != "" && strings.Contains(c.Command, " src_1") && !strings.Contains(c.Command, "{")`, c)
		}
	}
	if p := view.RecoveryPanelOf(&v, []view.Binding{{SourceInstanceID: "src_1"}}); p.Host != "the host that holds the data" {
		t.Errorf(`p.Host: got %+v, want "the host that holds the data"`, p)
	}
}

// HL-23.10: the commands name the source instance. Where there is not exactly
// one, or its name could be taken for something else, there is none to copy.
func TestRecoveryPanelUnavailable(t *testing.T) {
	t.Parallel()
	v := outbox(health.OutboxStalled, health.CauseStalePending, nil)
	for name, bindings := range map[string][]view.Binding{
		"none": nil, "two": {{SourceInstanceID: "src_1"}, {SourceInstanceID: "src_2"}}, "no name": {{Host: "desk-1"}},
		"a shell's": {{SourceInstanceID: "x; rm -rf ~"}}, "a flag": {{SourceInstanceID: "--apply"}},
	} {
		if p := view.RecoveryPanelOf(&v, bindings); p == nil || !p.Unavailable || len(p.Commands) != 0 {
			t.Errorf("%s: view.RecoveryPanelOf(&v, bindings): got %+v, want p != nil && p.Unavailable && len(p.Commands) == 0", name, p)
		}
	}
	v = outbox(health.OutboxIdle, "", nil)
	if p := view.RecoveryPanelOf(&v, []view.Binding{{SourceInstanceID: "src_1"}}); p != nil {
		t.Errorf("an idle outbox recovers: %+v, want p == nil", p)
	}
}

// HL-31.1: uploads that need no action are reported calmly, with the amount, the host
// and the time, and without a command. HL-31.2: a recovery takes precedence.
func TestBackgroundDrain(t *testing.T) {
	t.Parallel()
	p := &view.DeviceProgress{RecordsPending: 40, Host: "desk-1", LastProgressAt: now}
	v := outbox(health.OutboxActive, "", nil)
	d := view.BackgroundDrainOf(&v, p)
	if d == nil || d.Pending != 40 || d.Text != "Saved work is uploading from desk-1: 40 to go. Last progress 2026-05-20T06:00:00Z." {
		t.Fatalf(`got %+v, want d != nil && d.Pending == 40 && d.Text == "Saved work is uploading from desk-1: 40 to go. Last progress 2026-05-20T06:00:00Z."`, d)
	}
	if strings.Contains(d.Text, "pdpp-local-collector") {
		t.Error("it tells to run a command")
	}
	v = outbox(health.OutboxStalled, health.CauseDeadLetterBacklog, nil)
	if view.BackgroundDrainOf(&v, p) != nil || view.RecoveryPanelOf(&v, []view.Binding{{SourceInstanceID: "src_1"}}) == nil {
		t.Error("a drain stands in a recovery's place")
	}
	v = outbox(health.OutboxIdle, "", nil)
	if view.BackgroundDrainOf(&v, &view.DeviceProgress{}) != nil || view.BackgroundDrainOf(&v, nil) != nil {
		t.Error("nothing drains")
	}
}

// HL-21.1: a list shows the verdict's own fields, and stays small however large the
// verdict is; only the single read holds the conditions.
func TestBrief(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ü", 60)
	var streams []verdict.StreamRollup
	for range 40 {
		streams = append(streams, verdict.StreamRollup{StreamID: long, Coverage: health.CoverageTerminalGap})
	}
	manual := &health.Refresh{RecommendedMode: "manual"}
	e := health.Evidence{
		ObservedAt: now, Run: &health.Run{LatestStatus: health.RunFailed, ReasonCode: "x"}, LocalDeviceBacked: true, Refresh: manual,
		Coverage: &health.Coverage{Axis: health.CoverageTerminalGap}, Freshness: &health.FreshnessResult{Axis: health.FreshnessStale},
		Outbox:    &health.Outbox{Axis: health.OutboxStalled, Cause: health.CauseDeadLetterBacklog},
		Attention: &health.Attention{ID: "a", Lifecycle: health.AttentionOpen, RunID: "run_1"},
	}
	v := verdict.Synthesize(verdict.Input{
		Snapshot: health.Project(e), Streams: streams, Refresh: manual, RuntimeOK: true,
		Progress: &verdict.ProgressEvidence{Mode: verdict.ModeManual, RetainedRecords: new(int64(1 << 60)), LastRefreshedAt: health.At(now.Add(-1e18)), ObservedAt: now},
	})
	b := view.BriefOf(&v)
	if b.Pill != v.Pill || b.Channel != v.Channel || b.ForwardStatement != v.ForwardStatement || b.RequiredActions[0].Kind != v.RequiredActions[0].Kind ||
		b.MoreActions != len(v.RequiredActions)-1 || b.MoreActions < 2 || len(b.Annotations) != len(v.Annotations) {
		t.Errorf("the brief: got %+v, want the pill, channel, sentence and actions of %+v", b, v)
	}
	text, err := json.Marshal(view.Item{Name: "connection-00001", Connector: "demo", Verdict: b})
	if err != nil || len(text) > 2000 {
		t.Errorf("%d bytes, %v: %s, want no error && len(text) <= 2000", len(text), err, text)
	}
	// Its longest: an action of the most streams that a list names.
	b.RequiredActions[0].Affects = nil
	for i := range v.RequiredActions {
		if a := &v.RequiredActions[i]; len(a.Affects) > 0 {
			only := verdict.RenderedVerdict{RequiredActions: v.RequiredActions[i : i+1], Annotations: v.Annotations, ForwardStatement: v.ForwardStatement}
			short := view.BriefOf(&only)
			if got := short.RequiredActions[0]; len(got.Affects) != 3 || got.MoreAffects != 37 || len(got.Affects[0]) > 64 {
				t.Errorf("short.RequiredActions[0]: got %+v, want len(got.Affects) == 3 && got.MoreAffects == 37 && len(got.Affects[0]) <= 64", got)
			}
			text, err := json.Marshal(short)
			if err != nil || len(text) > 2000 {
				t.Errorf("%d bytes, %v, want no error && len(text) <= 2000", len(text), err)
			}
		}
	}
	if strings.Contains(string(text), "conditions") {
		t.Error("the list repeats the conditions")
	}
	// The single read says each condition once, and everything else there is.
	lines := view.Details(&v)
	seen := map[string]int{}
	for _, l := range lines {
		seen[strings.TrimSuffix(l.Name, " *")]++
	}
	for _, typ := range health.Types {
		if seen[string(typ)] != 1 {
			t.Errorf("%s stands %d times, want 1", typ, seen[string(typ)])
		}
	}
	v.Detail = nil
	if view.Details(&v) != nil {
		t.Error("details of nothing")
	}
}
