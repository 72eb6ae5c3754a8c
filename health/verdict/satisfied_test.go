package verdict_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/health/stored"
	"github.com/pdpp-host/pdpp-host/health/verdict"
)

// HL-26, the part that is pure: one mechanism tells for every action whether the
// evidence shows that it was done, and never too early.
func TestSatisfied(t *testing.T) {
	t.Parallel()
	at := func(h int) health.Instant { return health.At(time.Date(2031, 3, 9, h, 0, 0, 0, time.UTC)) }
	action := func(c verdict.Contract, affects ...string) verdict.RequiredAction {
		return verdict.RequiredAction{Affects: affects, SatisfiedWhen: verdict.SatisfiedWhen{Kind: c}}
	}
	stalled := action(verdict.AttentionResolved)
	stalled.Remediation = &verdict.Remediation{}
	terminal := action(verdict.CredentialPresentAndUnrejected)
	terminal.Terminal = true
	condition := func(typ health.Type, s health.Status) []health.Condition {
		return []health.Condition{{Type: typ, Status: s, Severity: health.Blocked, Sensitivity: health.OwnerOnly, Current: true}}
	}
	credential := func(present, rejected bool, status health.Word) verdict.SatisfactionEvidence {
		return verdict.SatisfactionEvidence{Credential: &verdict.CredentialEvidence{Present: present, Rejected: rejected, Status: status}}
	}
	run := func(status health.RunStatus, since, started health.Instant) verdict.SatisfactionEvidence {
		return verdict.SatisfactionEvidence{Since: since, LastRun: &verdict.LastRun{Status: status, StartedAt: started}}
	}
	streams := func(axes ...health.CoverageAxis) verdict.SatisfactionEvidence {
		var e verdict.SatisfactionEvidence
		for i, a := range axes {
			e.Streams = append(e.Streams, verdict.StreamCoverage{StreamID: string(rune('a' + i)), Coverage: a})
		}
		return e
	}
	both := append(condition(health.CredentialsValid, health.False), condition(health.AttentionClear, health.True)...)
	coverage := func(s health.Status) []health.Condition { return condition(health.SourceCoverageComplete, s) }
	none := health.Instant{}
	for name, c := range map[string]struct {
		action   verdict.RequiredAction
		evidence verdict.SatisfactionEvidence
		want     bool
	}{
		"signed in":                         {action(verdict.CredentialPresentAndUnrejected), credential(true, false, ""), true},
		"signed in, active":                 {action(verdict.CredentialPresentAndUnrejected), credential(true, false, "active"), true},
		"signed in, terminal (watched too)": {terminal, credential(true, false, ""), true},
		"rejected again":                    {action(verdict.CredentialPresentAndUnrejected), credential(true, true, ""), false},
		"revoked":                           {action(verdict.CredentialPresentAndUnrejected), credential(true, false, "revoked"), false},
		"absent":                            {action(verdict.CredentialPresentAndUnrejected), credential(false, false, ""), false},
		"not looked at":                     {action(verdict.CredentialPresentAndUnrejected), verdict.SatisfactionEvidence{}, false},
		"a run after it":                    {action(verdict.ConfirmingRunSucceeded), run(health.RunSucceeded, at(9), at(10)), true},
		"a run before it":                   {action(verdict.ConfirmingRunSucceeded), run(health.RunSucceeded, at(9), at(8)), false},
		"a run that began with it":          {action(verdict.ConfirmingRunSucceeded), run(health.RunSucceeded, at(9), at(9)), false},
		"a run of no known start":           {action(verdict.ConfirmingRunSucceeded), run(health.RunSucceeded, at(9), none), false},
		"a run, no instant to bind to":      {action(verdict.ConfirmingRunSucceeded), run(health.RunSucceeded, none, none), true},
		"a failed run":                      {action(verdict.ConfirmingRunSucceeded), run(health.RunFailed, at(9), at(10)), false},
		"no run":                            {action(verdict.ConfirmingRunSucceeded), verdict.SatisfactionEvidence{}, false},
		"schedule on":                       {action(verdict.ScheduleAttachedAndEnabled), verdict.SatisfactionEvidence{Schedule: &health.Schedule{Enabled: true}}, true},
		"schedule off":                      {action(verdict.ScheduleAttachedAndEnabled), verdict.SatisfactionEvidence{Schedule: &health.Schedule{}}, false},
		"no schedule":                       {action(verdict.ScheduleAttachedAndEnabled), verdict.SatisfactionEvidence{}, false},
		"answered":                          {action(verdict.AttentionResolved), verdict.SatisfactionEvidence{Conditions: condition(health.AttentionClear, health.True)}, true},
		"answered, another thing open":      {action(verdict.AttentionResolved), verdict.SatisfactionEvidence{Conditions: both}, true},
		"still open":                        {action(verdict.AttentionResolved), verdict.SatisfactionEvidence{Conditions: condition(health.AttentionClear, health.False)}, false},
		"no conditions":                     {action(verdict.AttentionResolved), verdict.SatisfactionEvidence{}, false},
		"outbox moves":                      {stalled, verdict.SatisfactionEvidence{Outbox: health.OutboxActive}, true},
		"outbox still stalled":              {stalled, verdict.SatisfactionEvidence{Outbox: health.OutboxStalled, Conditions: both}, false},
		"outbox unknown":                    {stalled, verdict.SatisfactionEvidence{Outbox: health.OutboxUnknown}, false},
		"all streams":                       {action(verdict.GapRecovered, "a", "b"), streams("complete", "complete"), true},
		"one stream left":                   {action(verdict.GapRecovered, "a", "b"), streams("complete", "terminal_gap"), false},
		"a stream nobody looked at":         {action(verdict.GapRecovered, "a", "b"), streams("complete"), false},
		"backlog drained":                   {action(verdict.GapRecovered), verdict.SatisfactionEvidence{DetailGapBacklog: &health.Backlog{}}, true},
		"backlog left":                      {action(verdict.GapRecovered), verdict.SatisfactionEvidence{DetailGapBacklog: &health.Backlog{Pending: 1}}, false},
		"backlog not read to its end":       {action(verdict.GapRecovered), verdict.SatisfactionEvidence{DetailGapBacklog: &health.Backlog{PendingIsFloor: true}}, false},
		"others left":                       {action(verdict.GapRecovered), verdict.SatisfactionEvidence{DetailGapBacklog: &health.Backlog{PendingOther: 5}}, false},
		"others not read to their end":      {action(verdict.GapRecovered), verdict.SatisfactionEvidence{DetailGapBacklog: &health.Backlog{PendingOtherIsFloor: true}}, false},
		"drained, and gaps of no stream":    {action(verdict.GapRecovered), verdict.SatisfactionEvidence{DetailGapBacklog: &health.Backlog{}, Conditions: coverage(health.False)}, false},
		"drained, and nobody knows":         {action(verdict.GapRecovered), verdict.SatisfactionEvidence{DetailGapBacklog: &health.Backlog{}, Conditions: coverage(health.Unknown)}, false},
		"drained, and whole":                {action(verdict.GapRecovered), verdict.SatisfactionEvidence{DetailGapBacklog: &health.Backlog{}, Conditions: coverage(health.True)}, true},
		"drained, conditions of other sort": {action(verdict.GapRecovered), verdict.SatisfactionEvidence{DetailGapBacklog: &health.Backlog{}, Conditions: both}, false},
		"backlog unmeasured":                {action(verdict.GapRecovered), verdict.SatisfactionEvidence{}, false},
		"window covered":                    {action(verdict.BackfillWindowCovered), verdict.SatisfactionEvidence{BackfillWindowCovered: true}, true},
		"window by its streams":             {action(verdict.BackfillWindowCovered, "a"), streams("complete"), true},
		"window open":                       {action(verdict.BackfillWindowCovered), verdict.SatisfactionEvidence{}, false},
		"nothing to watch":                  {action(verdict.NoContract), credential(true, false, ""), false},
		"a contract nobody knows":           {action("odd"), credential(true, false, ""), false},
	} {
		if got := verdict.Satisfied(c.action, c.evidence); got != c.want {
			t.Errorf("%s: verdict.Satisfied(c.action, c.evidence): got %v, want %v", name, got, c.want)
		}
	}
}

// HL-25.2: what is most urgent is the primary action, in whichever order the rules
// found them; what is equally urgent keeps its order.
func TestSortActions(t *testing.T) {
	t.Parallel()
	var actions []verdict.RequiredAction
	for _, u := range []verdict.Urgency{"odd", verdict.Verifying, verdict.Soon, verdict.Now, verdict.Overdue, verdict.Soon} {
		actions = append(actions, verdict.RequiredAction{Urgency: u, CTA: string(rune('a' + len(actions)))})
	}
	verdict.SortActions(actions)
	var order []string
	for _, a := range actions {
		order = append(order, a.CTA)
	}
	if !slices.Equal(order, []string{"d", "e", "c", "f", "b", "a"}) {
		t.Errorf(`got %q, want slices.Equal(order, []string{"d", "e", "c", "f", "b", "a"})`, order)
	}
}

func TestProgressMode(t *testing.T) {
	t.Parallel()
	on, off, manual := &health.Schedule{Enabled: true}, &health.Schedule{}, &health.Refresh{RecommendedMode: "manual"}
	for _, c := range []struct {
		in   verdict.ModeInput
		want verdict.Mode
	}{
		{verdict.ModeInput{LocalDeviceBacked: true, Schedule: on, HasRecoveredDetailGaps: true}, verdict.ModeLocalDevice},
		{verdict.ModeInput{Schedule: on, HasRecoveredDetailGaps: true, Refresh: manual}, verdict.ModeDeferred},
		{verdict.ModeInput{Schedule: off, HasRecoveredDetailGaps: true}, verdict.ModeManual},
		{verdict.ModeInput{}, verdict.ModeManual},
		{verdict.ModeInput{Schedule: on, Refresh: manual}, verdict.ModeManual},
		{verdict.ModeInput{Schedule: on}, verdict.ModeScheduled},
	} {
		if got := verdict.ProgressMode(c.in); got != c.want {
			t.Errorf("verdict.ProgressMode(c.in): got %+v: %s, want %v", c.in, got, c.want)
		}
	}
}

// An action that a watcher has stored is the same when it is read again.
func TestActionRoundTrip(t *testing.T) {
	t.Parallel()
	v := verdict.Synthesize(verdict.Input{
		Snapshot: health.Project(health.Evidence{Outbox: &health.Outbox{Axis: health.OutboxStalled}}), RuntimeOK: true,
	})
	b, err := json.Marshal(v.RequiredActions)
	if err != nil {
		t.Fatal(err)
	}
	var back []verdict.RequiredAction
	if err := json.Unmarshal(b, &back); err != nil {
		t.Fatal(err)
	}
	if again, err := json.Marshal(back); err != nil || string(again) != string(b) || back[0].Remediation == nil {
		t.Errorf("got %s\n%s\n%v, want no error && string(again) == string(b) && back[0].Remediation != nil", b, again, err)
	}
}

// HL-26.2: the evidence that an action was made of never shows that it was done.
func TestNotSatisfiedByItsOwnEvidence(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*stored.Facts){
		"a gap of no stream":        func(s *stored.Facts) { s.KnownGaps = []health.KnownGap{{Kind: "skip_result", Severity: "transient"}} },
		"details for other reasons": func(s *stored.Facts) { s.Gaps.Streams = []stored.StreamGaps{{Other: 3}} },
		"details under pressure":    func(s *stored.Facts) { s.Gaps.Streams = []stored.StreamGaps{{Pressure: 3}} },
		"an optional stream":        func(s *stored.Facts) { s.Gaps.Streams = []stored.StreamGaps{{Stream: "b", Other: 3}} },
		"a required stream":         func(s *stored.Facts) { s.Gaps.Streams = []stored.StreamGaps{{Stream: "a", Other: 3}} },
	} {
		s := keptWell()
		byHand(s)
		change(s)
		v := verdict.OfStored(s, stored.Moment{Now: health.At(noon)}, true)
		if len(v.RequiredActions) != 1 || v.RequiredActions[0].Kind != verdict.RetryGap {
			t.Errorf("%s: got %+v, want len(v.RequiredActions) == 1 && v.RequiredActions[0].Kind == verdict.RetryGap", name, v.RequiredActions)
			continue
		}
		e := verdict.SatisfactionEvidence{DetailGapBacklog: v.Detail.DetailGapBacklog, Conditions: v.Detail.Conditions}
		for _, r := range v.Streams {
			e.Streams = append(e.Streams, verdict.StreamCoverage{StreamID: r.StreamID, Coverage: r.Coverage})
		}
		if verdict.Satisfied(v.RequiredActions[0], e) {
			t.Errorf("%s: nothing was done, and it is satisfied, want !verdict.Satisfied(v.RequiredActions[0], e)", name)
		}
	}
}
