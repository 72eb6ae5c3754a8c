package verdict

import (
	"slices"
	"testing"

	"github.com/pdpp-host/pdpp-host/health"
)

// broken is an input whose verdict keeps every invariant until a test spoils it.
func broken() (Input, RenderedVerdict) {
	two, three := int64(2), int64(3)
	in := Input{
		Snapshot: health.Project(health.Evidence{
			Run: &health.Run{LatestStatus: health.RunSucceeded}, Coverage: &health.Coverage{Axis: health.CoverageTerminalGap},
			Freshness: &health.FreshnessResult{Axis: health.FreshnessStale}, DetailGaps: &health.DetailGaps{},
		}),
		Streams:   []StreamRollup{{StreamID: "retry", Coverage: health.CoverageTerminalGap, Priority: Required, Considered: &three, Collected: &two}},
		RuntimeOK: true,
	}
	return in, render(&in)
}

// Each invariant is seen to be broken, and by nothing else than what breaks it: a
// terminal flag of its own (HL-25.1), a not fresh connection without its annotation
// (HL-22.2), counts where nothing interrupts (HL-27.1) and the others.
func TestGate(t *testing.T) {
	t.Parallel()
	if in, v := broken(); check(&in, &v) != nil {
		t.Fatalf("an unspoilt verdict breaks %q, want check(&in, &v) == nil", check(&in, &v))
	}
	four := int64(4)
	for want, spoil := range map[Violation]func(in *Input, v *RenderedVerdict){
		MissingFreshness:    func(_ *Input, v *RenderedVerdict) { v.Annotations = nil },
		CollectedTooMuch:    func(_ *Input, v *RenderedVerdict) { v.Streams[0].Collected = &four },
		TerminalRecovers:    func(_ *Input, v *RenderedVerdict) { v.ForwardCode = forwardResumable.code() },
		TerminalDisagrees:   func(_ *Input, v *RenderedVerdict) { v.RequiredActions[0].Terminal = false },
		ToneTooGood:         func(_ *Input, v *RenderedVerdict) { v.Pill = Pill{Green, Green.Label()} },
		LabelWrong:          func(_ *Input, v *RenderedVerdict) { v.Pill.Label = "Needs you" },
		AttentionWithout:    func(_ *Input, v *RenderedVerdict) { v.Channel = Attention },
		AnnotationMisplaced: func(_ *Input, v *RenderedVerdict) { v.Annotations[0].Code = progressKept.code() },
		DetailIncomplete:    func(_ *Input, v *RenderedVerdict) { v.Detail.DetailGapBacklog = nil },
		RuntimeNotCalm:      func(in *Input, _ *RenderedVerdict) { in.RuntimeOK = false },
		StalledCalm: func(in *Input, v *RenderedVerdict) {
			in.Snapshot.Axes.Outbox, v.Channel = health.OutboxStalled, Calm
		},
		RedSilent: func(_ *Input, v *RenderedVerdict) { v.RequiredActions = nil },
	} {
		in, v := broken()
		spoil(&in, &v)
		if got := check(&in, &v); !slices.Equal(got, []Violation{want}) {
			t.Errorf("%s: check(&in, &v): got %q, want slices.Equal(got, []Violation{want})", want, got)
		}
	}
}

func TestGateOnRows(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(v *RenderedVerdict){
		"row":      func(v *RenderedVerdict) { v.Streams[0].Code = forwardResumable.code() },
		"progress": func(v *RenderedVerdict) { v.Progress.HeadlineCode = forwardComplete.code() },
	} {
		in, v := broken()
		spoil(&v)
		if got := check(&in, &v); !slices.Equal(got, []Violation{TerminalRecovers}) {
			t.Errorf("%s: check(&in, &v): got %q, want slices.Equal(got, []Violation{TerminalRecovers})", name, got)
		}
	}
	in, v := broken()
	v.Channel, v.Annotations = Calm, append(v.Annotations, v.Annotations[0])
	if got := check(&in, &v); !slices.Equal(got, []Violation{AnnotationMisplaced}) {
		t.Errorf("two annotations: %q, want slices.Equal(got, []Violation{AnnotationMisplaced})", got)
	}
}

// A withheld verdict accuses nobody and promises nothing, keeps the disposition
// and the freshness, and says why.
func TestWithheld(t *testing.T) {
	t.Parallel()
	in, v := broken()
	w := withheld(&in, &v, []Violation{ToneTooGood})
	if w.Pill != (Pill{Grey, "Checking"}) || w.Channel != Calm || len(w.RequiredActions) != 0 || len(w.Annotations) != 1 ||
		w.ForwardCode != forwardWithheld.code() || w.Detail.ForwardDisposition != health.DispositionTerminal || len(w.Detail.Violations) != 1 ||
		len(w.Streams) != 1 || w.Streams[0].ActionRef != nil {
		t.Errorf("withheld: got %+v, want a grey, calm verdict with its one stream, violation and annotation", w)
	}
}
