package stored

import (
	"slices"

	"github.com/pdpp-host/pdpp-host/health"
)

// leftToOwner is the reason of an attention that comes from a run's own gap. It
// replaces the connector's word for the gap, which appears with the run (HL-02.1).
const leftToOwner health.Word = "left_to_owner"

// attentionOfRun returns the attention for what the last run left to the owner: its failure, or a gap
// that no later run fills before the owner acts, also in a stream that the connection does not require, whose gap the
// verdict tells as well. It remains until a run that looks there ends without the gap. A gap that two runs
// in a row could not fill is one, too: nobody can promise that a third run fills it.
func (s *Facts) attentionOfRun(m Moment) *health.Attention {
	if last := s.decidingRun(); last != nil && last.OwnerActs {
		return &health.Attention{Lifecycle: health.AttentionOpen, ReasonCode: leftToOwner, ResponseContract: "none"}
	}
	run := s.runEvidence(m)
	if run == nil || s.readNothing() {
		return nil
	}
	reason := health.Word("")
	if !s.stopped() && (s.FailsAgain() || s.detailsStay()) {
		reason = CameBackUnchanged
	}
	for i := range run.KnownGaps {
		g := &run.KnownGaps[i]
		switch {
		case !g.Weighs() || !g.OwnerClears():
		case g.Kind == unexplainedInput:
			if reason == "" {
				reason = notUnderstood
			}
		case g.Kind == notWhole:
			if reason == "" {
				reason = notWhole
			}
		case g.Stays():
			if !s.stopped() && s.requires(g.Stream) {
				reason = CameBackUnchanged
			}
		default:
			return &health.Attention{Lifecycle: health.AttentionOpen, ReasonCode: leftToOwner, ResponseContract: "none"}
		}
	}
	if reason == "" {
		return nil
	}
	return &health.Attention{Lifecycle: health.AttentionOpen, ReasonCode: reason, ResponseContract: "none"}
}

// requires reports whether the connection is incomplete without a stream. An unknown
// name, or none, counts as required.
func (s *Facts) requires(stream string) bool {
	i := slices.IndexFunc(s.streams(), func(m health.ManifestStream) bool { return m.Name == stream })
	return i < 0 || s.Manifest.Streams[i].IsRequired()
}

// nothingFound is the reason of a gap of a run that found nothing to collect: neither
// a failure nor proof of a collection.
const nothingFound health.Word = "nothing_found"

// NeverRan reports whether no run has begun on this host, and no device delivers.
func (s *Facts) NeverRan() bool {
	return s.Latest == nil && s.Device == nil && len(s.Unreadable) == 0
}

// FoundNothing reports whether the last run found nothing to collect.
func (s *Facts) FoundNothing() bool {
	return s.readNothing() || s.saysNothing()
}

// ReadNothing reports whether the last run read no file, and its connector did not say that there
// is none.
func (s *Facts) ReadNothing() bool { return s.readNothing() && !s.saysNothing() }

func (s *Facts) saysNothing() bool {
	return s.decidingRun() != nil && slices.ContainsFunc(s.knownGaps(), func(g health.KnownGap) bool { return g.Reason == nothingFound })
}

// degrading reports whether a known gap has a weight.
func (s *Facts) degrading() bool {
	return slices.ContainsFunc(s.knownGaps(), func(g health.KnownGap) bool { return g.Weighs() })
}
