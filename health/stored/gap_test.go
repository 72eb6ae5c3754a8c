package stored_test

import (
	"slices"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/health/stored"
	"github.com/pdpp-host/pdpp-host/health/verdict"
)

// gapped is a connection of the streams a, b, which is required of nobody, and c,
// whose last run succeeded and left these gaps.
func gapped(gaps ...health.KnownGap) *stored.Facts {
	ended := time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC).UnixMicro()
	optional := false
	s := &stored.Facts{
		Manifest: &stored.Manifest{
			MaximumStalenessS: 86400,
			Streams:           []health.ManifestStream{{Name: "a"}, {Name: "b", Required: &optional}, {Name: "c"}},
		},
		Settled:     &stored.Run{ID: "r", Status: "succeeded", StartedUS: ended - 1, EndedUS: ended},
		CollectedUS: map[string]int64{"a": ended, "b": ended, "c": ended}, KnownGaps: stored.KeepGaps(gaps),
		Schedule: &health.Schedule{Enabled: true},
	}
	s.Latest, s.Succeeded = s.Settled, s.Settled
	return s
}

var gappedNow = stored.Moment{Now: health.At(time.Date(2026, 1, 2, 4, 0, 0, 0, time.UTC))}

func unreadable(stream string) health.KnownGap {
	return health.KnownGap{
		Kind: "skip_result", Stream: stream, Severity: "actionable", Reason: "file_unreadable", RecoveryAction: "manual_action_required",
	}
}

func conditionOf(v *verdict.RenderedVerdict, typ health.Type) health.Condition {
	return v.Detail.Conditions[slices.IndexFunc(v.Detail.Conditions, func(c health.Condition) bool { return c.Type == typ })]
}

// HL-23.1, HL-24: a gap that a run left to its owner does not resolve itself, and no
// sentence says so: the verdict asks once, in fixed words, for the whole connection.
func TestAGapOfTheOwnersAsks(t *testing.T) {
	t.Parallel()
	failed := func(s *stored.Facts, status, reason health.Word) *stored.Facts {
		s.Settled = &stored.Run{ID: "f", Status: status, Reason: reason, StartedUS: s.Settled.StartedUS, EndedUS: s.Settled.EndedUS}
		s.Latest = s.Settled
		return s
	}
	captcha := unreadable("a")
	captcha.RecoveryAction, captcha.Reason = "", "captcha_wanted"
	for name, s := range map[string]*stored.Facts{
		"of a required stream": gapped(unreadable("a")),
		"of no stream":         gapped(unreadable("")),
		"of two":               gapped(unreadable("a"), unreadable("c")),
		"a captcha":            gapped(captcha),
		"of a run that failed": failed(gapped(unreadable("a")), "failed", "connector_reported_failed"),
	} {
		v := verdict.OfStored(s, gappedNow, true)
		if v.Pill.Tone != verdict.Amber || v.Channel != verdict.Attention || v.Detail.State != health.StateNeedsAttention {
			t.Errorf("%s: got %s, %s, %s, want v.Pill.Tone == verdict.Amber && v.Channel == verdict.Attention && v.Detail.State == health.StateNeedsAttention", name, v.Pill.Tone, v.Channel, v.Detail.State)
		}
		if c := conditionOf(&v, health.AttentionClear); c.Status != health.False || c.Reason != "left_to_owner" {
			t.Errorf(`%s: conditionOf(&v, health.AttentionClear): got %+v, want c.Status == health.False && c.Reason == "left_to_owner"`, name, c)
		}
		if len(v.RequiredActions) != 1 {
			t.Errorf("%s: len(v.RequiredActions): got %+v, want 1", name, v.RequiredActions)
			continue
		}
		a := v.RequiredActions[0]
		if a.Kind != verdict.AddInfo || a.CTACode != "cta_put_right_gap" || a.SatisfiedWhen.Kind != verdict.AttentionResolved || a.Reason != "left_to_owner" {
			t.Errorf(`%s: got %+v, want a.Kind == verdict.AddInfo && a.CTACode == "cta_put_right_gap" && a.SatisfiedWhen.Kind == verdict.AttentionResolved && a.Reason == "left_to_owner"`, name, a)
		}
		if v.ForwardCode != "put_right_gap" || v.Streams[0].Coverage == health.CoverageComplete && s.KnownGaps[0].Stream != "" {
			t.Errorf(`%s: got %s %+v, want v.ForwardCode == "put_right_gap" && (v.Streams[0].Coverage != health.CoverageComplete || s.KnownGaps[0].Stream == "")`, name, v.ForwardCode, v.Streams)
		}
	}
}

// It is the owner's only where nothing else speaks for it, and until a run has
// ended without it.
func TestAGapOfTheOwnersAsksOnceAndNotForEver(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		s    *stored.Facts
		m    stored.Moment
		want health.Word // "": AttentionClear holds
	}{
		"it is gone":           {gapped(), gappedNow, ""},
		"of an optional":       {gapped(unreadable("b")), gappedNow, "left_to_owner"},
		"of no stream of it":   {gapped(unreadable("z")), gappedNow, ""},
		"of the runtime":       {gapped(health.KnownGap{Kind: "skip_result", Stream: "a", RecoveryAction: "retry_by_runtime"}), gappedNow, ""},
		"of the maintainer":    {gapped(health.KnownGap{Kind: "skip_result", Stream: "a", Severity: "actionable"}), gappedNow, ""},
		"for information":      {gapped(health.KnownGap{Stream: "a", Severity: "informational", RecoveryAction: "manual_action_required"}), gappedNow, ""},
		"while a run goes on":  {running(gapped(unreadable("a")), ""), alive(), "left_to_owner"},
		"while a run asks":     {running(gapped(unreadable("a")), "otp"), alive(), "otp_required"},
		"a run was killed":     {running(gapped(unreadable("a")), "otp"), gappedNow, "left_to_owner"},
		"the scheduler waits":  {held(gapped(unreadable("a")), "files.root_missing"), gappedNow, "folder_not_usable"},
		"a rejection says it":  {rejected(gapped(unreadable("a"))), gappedNow, ""},
		"of another device's":  {takenOver(gapped(unreadable("a"))), gappedNow, ""},
		"of a device's own":    {onDevice(gapped(unreadable("a"))), gappedNow, "left_to_owner"},
		"no device is left":    {deserted(gapped(unreadable("a"))), gappedNow, "no_device_enrolled"},
		"a pause hides it not": {paused(gapped(unreadable("a"))), gappedNow, "left_to_owner"},
	} {
		v := verdict.OfStored(c.s, c.m, true)
		got := conditionOf(&v, health.AttentionClear)
		if asks := got.Status == health.False; asks != (c.want != "") || asks && got.Reason != c.want {
			t.Errorf(`%s: got.Status == health.False: got %s (%s), want asks == (c.want != "") && (!asks || got.Reason == c.want)`, name, got.Status, got.Reason)
		}
		n := 0
		for _, a := range v.RequiredActions {
			if a.Kind == verdict.AddInfo {
				n++
			}
		}
		if n > 1 || c.want == "" && n > 0 {
			t.Errorf(`%s: got %+v, want n <= 1 && (c.want != "" || n <= 0)`, name, v.RequiredActions)
		}
		if done := verdict.Satisfied(gapAction(), verdict.SatisfactionEvidence{Conditions: v.Detail.Conditions}); done != (c.want == "") {
			t.Errorf("%s: satisfied is %v, want %v", name, done, (c.want == ""))
		}
	}
}

// An owner who is at what a run asks for is told of as that, and is asked for still (BR-15).
func TestAttended(t *testing.T) {
	t.Parallel()
	for attended, want := range map[bool]health.AttentionAxis{false: health.AttentionOpen, true: health.AttentionInProgress} {
		m := alive()
		m.Attended = attended
		s := running(gapped(), "otp")
		v := verdict.OfStored(s, m, true)
		if got := v.Detail.Axes.Attention; got != want {
			t.Errorf("attended %v: got %s, want %s", attended, got, want)
		}
		if got := conditionOf(&v, health.AttentionClear); got.Status != health.False {
			t.Errorf("attended %v: got %s, want the owner asked for", attended, got.Status)
		}
	}
}

func gapAction() verdict.RequiredAction {
	s := gapped(unreadable("a"))
	v := verdict.OfStored(s, gappedNow, true)
	if len(v.RequiredActions) == 0 {
		return verdict.RequiredAction{}
	}
	return v.RequiredActions[0]
}

func alive() stored.Moment { return stored.Moment{Now: gappedNow.Now, RunAlive: true} }

func running(s *stored.Facts, asking health.Word) *stored.Facts {
	s.Latest, s.Asking = &stored.Run{ID: "n", Status: "running", StartedUS: s.Settled.EndedUS + 1}, asking
	return s
}

func held(s *stored.Facts, reason health.Word) *stored.Facts {
	s.Hold = &stored.Hold{Kind: stored.HeldForOwner, Reason: reason, AtUS: s.Settled.EndedUS + 1}
	return s
}

func rejected(s *stored.Facts) *stored.Facts {
	s.Settled = &stored.Run{ID: "f", Status: "failed", Reason: "credential_rejected", EndedUS: s.Settled.EndedUS}
	s.Latest, s.Rejected = s.Settled, s.Settled.Rejection()
	return s
}

func takenOver(s *stored.Facts) *stored.Facts {
	s.Settled.Device = "old"
	return onDevice(s)
}

func onDevice(s *stored.Facts) *stored.Facts {
	if s.Settled.Device == "" {
		s.Settled.Device = "new"
	}
	s.Device = &stored.Device{Sources: []stored.Source{{ID: "s", Device: "new"}}}
	return s
}

func deserted(s *stored.Facts) *stored.Facts {
	s.Device = &stored.Device{}
	return s
}

func paused(s *stored.Facts) *stored.Facts {
	s.Schedule = &health.Schedule{}
	return s
}

// Nothing that the connector says of the gap is in the verdict (HL-02.1).
func TestAGapOfTheOwnersIsSaidInFixedWords(t *testing.T) {
	t.Parallel()
	plain := verdict.OfStored(gapped(unreadable("a")), gappedNow, true)
	g := unreadable("a")
	g.Reason = "otp_for_someone_at_example_org"
	named := verdict.OfStored(gapped(g), gappedNow, true)
	if plain.ForwardStatement != named.ForwardStatement || plain.RequiredActions[0].CTA != named.RequiredActions[0].CTA ||
		conditionOf(&plain, health.AttentionClear).Message != conditionOf(&named, health.AttentionClear).Message {
		t.Errorf("with a reason of the connector's own: got %+v, want the words of %+v", named, plain)
	}
}
