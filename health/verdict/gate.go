package verdict

import (
	"slices"

	"github.com/pdpp-host/pdpp-host/health"
)

// Violation names an invariant that a verdict would have broken. A verdict that
// breaks one is withheld: grey, calm, without an action, with the snapshot's own
// disposition and how fresh the data is, and with the violations in its detail.
type Violation string

// The invariants, by what breaks them.
const (
	MissingFreshness    Violation = "missing_freshness"    // not fresh, and no annotation says so
	CollectedTooMuch    Violation = "collected_too_much"   // more collected than considered
	TerminalRecovers    Violation = "terminal_recovers"    // something terminal is said to recover
	TerminalDisagrees   Violation = "terminal_disagrees"   // an action's flag is not its scope's disposition
	ToneTooGood         Violation = "tone_too_good"        // better than the headline's own tone
	LabelWrong          Violation = "label_wrong"          // not the tone's label
	AttentionWithout    Violation = "attention_without"    // interrupts, and the owner can do nothing
	AnnotationMisplaced Violation = "annotation_misplaced" // a kind, a count or a number of them that has no place here
	DetailIncomplete    Violation = "detail_incomplete"    // something left out is not in the detail
	RuntimeNotCalm      Violation = "runtime_not_calm"     // interrupts for a fault of the runtime
	StalledCalm         Violation = "stalled_calm"         // a stalled outbox, and nothing said
	RedSilent           Violation = "red_silent"           // cannot collect, and nobody is to do anything
)

// check holds a verdict to its invariants; nil when it keeps them all. It reads
// codes and fields, never text.
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
	hold(v.Pill.Tone != Red || slices.ContainsFunc(v.RequiredActions, somebodys), RedSilent)
	hold(detailHolds(in, v.Detail), DetailIncomplete)
	if v.Detail != nil {
		checkTerminality(v, hold)
	}
	return broken
}

func satisfiable(a RequiredAction) bool { return a.OwnerSatisfiable() }
func somebodys(a RequiredAction) bool   { return a.Audience != AudienceNone }

// checkTerminality holds every part to the dispositions.
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

// annotationsBelong: what does not interrupt says how fresh, when and whether
// something runs, and counts nothing; what is calm says one such thing.
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

// detailHolds reports whether the detail holds what the snapshot does.
func detailHolds(in *Input, d *Detail) bool {
	s := &in.Snapshot
	return d != nil && d.State == s.State && d.ReasonCode == s.ReasonCode && d.DominantConditionID == s.DominantConditionID &&
		len(d.Conditions) == len(s.Conditions) && d.DetailGapBacklog == s.DetailGapBacklog && d.OutboxCounts == s.OutboxCounts &&
		d.NextAttemptAt == s.NextAttemptAt && string(d.CollectionRate) == string(s.CollectionRate)
}

// withheld is what is shown instead of a verdict that contradicts itself. It
// keeps the disposition: to call something terminal complete would be a lie.
func withheld(in *Input, v *RenderedVerdict, broken []Violation) RenderedVerdict {
	d := in.Snapshot.ForwardDisposition
	out := RenderedVerdict{
		Pill: Pill{Grey, Grey.Label()}, Channel: Calm, Annotations: annotations(in, d, Grey), RequiredActions: []RequiredAction{},
		ForwardStatement: forwardWithheld.text(), ForwardCode: forwardWithheld.code(),
		Streams: rows(in), Progress: v.Progress, Detail: detail(in, d, nil),
	}
	out.Progress.say(progressUnknown, "", "")
	out.Detail.Violations = broken
	return out
}
