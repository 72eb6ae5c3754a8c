package verdict

import (
	"slices"

	"github.com/pdpp-host/pdpp-host/health"
)

// Violation names an invariant that a verdict would have broken. Such a verdict is
// withheld and replaced by one that is grey, calm and without an action. The
// replacement keeps the snapshot's own disposition and the freshness, and lists the
// violations in its detail.
type Violation string

// The invariants, named after their violations.
const (
	MissingFreshness    Violation = "missing_freshness"    // not fresh, and no annotation says so
	CollectedTooMuch    Violation = "collected_too_much"   // more collected than considered
	TerminalRecovers    Violation = "terminal_recovers"    // a terminal item is said to recover
	TerminalDisagrees   Violation = "terminal_disagrees"   // an action's flag differs from its scope's disposition
	ToneTooGood         Violation = "tone_too_good"        // better than the headline's own tone
	LabelWrong          Violation = "label_wrong"          // a label of another tone
	AttentionWithout    Violation = "attention_without"    // interrupts although the owner can do nothing
	AnnotationMisplaced Violation = "annotation_misplaced" // a kind, count or number of annotations that does not belong here
	DetailIncomplete    Violation = "detail_incomplete"    // something left out is missing in the detail too
	RuntimeNotCalm      Violation = "runtime_not_calm"     // interrupts for a fault of the runtime
	StalledCalm         Violation = "stalled_calm"         // a stalled outbox without a message
	RedSilent           Violation = "red_silent"           // cannot collect, and no action is anybody's
)

// check returns the invariants that a verdict breaks; nil for none. It reads codes and
// fields, never text.
func check(in *Input, v *RenderedVerdict) []Violation {
	var broken []Violation
	hold := func(ok bool, otherwise Violation) {
		if !ok && !slices.Contains(broken, otherwise) {
			broken = append(broken, otherwise)
		}
	}
	fresh := in.Snapshot.Axes.Freshness == health.FreshnessFresh
	hold(fresh || slices.ContainsFunc(v.Annotations, func(a Annotation) bool { return a.Kind == kindFreshness }), MissingFreshness)
	hold(v.Pill.Label == v.Pill.Tone.Label(), LabelWrong)
	hold(v.Pill.Tone.rank() >= stateTone(in.Snapshot.State).rank(), ToneTooGood)
	hold(annotationsBelong(v), AnnotationMisplaced)
	hold(v.Channel != Attention || slices.ContainsFunc(v.RequiredActions, satisfiable), AttentionWithout)
	hold(in.RuntimeOK || v.Channel == Calm, RuntimeNotCalm)
	hold(!in.stalled() || !in.RuntimeOK || v.Channel != Calm, StalledCalm)
	hold(v.Pill.Tone != Red || slices.ContainsFunc(v.RequiredActions, hasAudience), RedSilent)
	hold(detailHolds(in, v.Detail), DetailIncomplete)
	if v.Detail != nil {
		checkTerminality(v, hold)
	}
	return broken
}

func satisfiable(a RequiredAction) bool { return a.OwnerSatisfiable() }
func hasAudience(a RequiredAction) bool { return a.Audience != AudienceNone }

// checkTerminality checks every part against the dispositions.
func checkTerminality(v *RenderedVerdict, hold func(bool, Violation)) {
	terminal := v.Detail.ForwardDisposition == health.DispositionTerminal
	recovers := func(c Code) bool { return lines[c].claims(claimsRecovery | claimsCurrent) }
	hold(!terminal || !recovers(v.ForwardCode) && !recovers(v.Progress.HeadlineCode), TerminalRecovers)
	for i := range v.Streams {
		row := &v.Streams[i]
		hold(row.Collected == nil || row.Considered == nil || *row.Collected <= *row.Considered, CollectedTooMuch)
		settled := row.Disposition != health.DispositionTerminal && row.Disposition != health.DispositionChecking
		hold(settled || !recovers(row.Code), TerminalRecovers)
		for j := range v.RequiredActions {
			if a := &v.RequiredActions[j]; slices.Contains(a.Affects, row.StreamID) {
				hold(a.Terminal == (row.Disposition == health.DispositionTerminal), TerminalDisagrees)
			}
		}
	}
	for i := range v.RequiredActions {
		a := &v.RequiredActions[i]
		hold(len(a.Affects) > 0 || a.Terminal == terminal, TerminalDisagrees)
	}
}

// annotationsBelong reports whether the annotations fit the channel: below attention
// they give freshness, schedule or activity and no count, and a calm verdict has at
// most one.
func annotationsBelong(v *RenderedVerdict) bool {
	if v.Channel == Attention {
		return true
	}
	for i := range v.Annotations {
		a := &v.Annotations[i]
		if a.Kind != kindFreshness && a.Kind != "schedule" && a.Kind != "activity" || lines[a.Code].claims(countsThings) {
			return false
		}
	}
	return v.Channel != Calm || len(v.Annotations) <= 1
}

// detailHolds reports whether the detail holds everything that the snapshot holds.
func detailHolds(in *Input, d *Detail) bool {
	s := &in.Snapshot
	return d != nil && d.State == s.State && d.ReasonCode == s.ReasonCode && d.DominantConditionID == s.DominantConditionID &&
		len(d.Conditions) == len(s.Conditions) && d.DetailGapBacklog == s.DetailGapBacklog && d.OutboxCounts == s.OutboxCounts &&
		d.NextAttemptAt == s.NextAttemptAt && string(d.CollectionRate) == string(s.CollectionRate)
}

// withheld returns the replacement for a verdict that contradicts itself. It keeps the
// disposition: a terminal item must not appear complete.
func withheld(in *Input, v *RenderedVerdict, broken []Violation) RenderedVerdict {
	d := in.Snapshot.ForwardDisposition
	out := RenderedVerdict{
		Pill: Pill{Grey, Grey.Label()}, Channel: Calm, Annotations: annotations(in, d, Grey), RequiredActions: []RequiredAction{},
		ForwardStatement: forwardWithheld.text(), ForwardCode: forwardWithheld.code(),
		Streams: rows(in), Progress: v.Progress, Detail: detail(in, d, nil),
	}
	out.Progress.setHeadline(progressUnknown, "", "")
	out.Detail.Violations = broken
	return out
}
