package health

import "slices"

// leftToOwner is the reason of an attention that comes from a run's own gap. It
// replaces the connector's word for the gap, which appears with the run (HL-02.1).
const leftToOwner Word = "left_to_owner"

// attentionOfRun returns the attention for a gap that the last run left to the owner: a gap
// in something that the connection requires and that no later run fills before the
// owner acts. It remains until a run that looks there ends without the gap.
func (s *Stored) attentionOfRun(m Moment) *Attention {
	run := s.runEvidence(m)
	if run == nil || !slices.ContainsFunc(run.KnownGaps, func(g KnownGap) bool {
		return g.weightOf() != weighsNothing && g.ownerClears() && s.requires(g.Stream)
	}) {
		return nil
	}
	return &Attention{Lifecycle: AttentionOpen, ReasonCode: leftToOwner, ResponseContract: "none"}
}

// requires reports whether the connection is incomplete without a stream. An unknown
// name, or none, counts as required.
func (s *Stored) requires(stream string) bool {
	i := slices.IndexFunc(s.streams(), func(m ManifestStream) bool { return m.Name == stream })
	return i < 0 || s.Manifest.Streams[i].required()
}

// nothingFound is the reason of a gap of a run that found nothing to collect: neither
// a failure nor proof of a collection.
const nothingFound Word = "nothing_found"

// FoundNothing reports whether the last run found nothing to collect.
func (s *Stored) FoundNothing() bool {
	return s.decidingRun() != nil && slices.ContainsFunc(s.knownGaps(), func(g KnownGap) bool { return g.Reason == nothingFound })
}

// degrading reports whether a known gap has a weight.
func (s *Stored) degrading() bool {
	return slices.ContainsFunc(s.knownGaps(), func(g KnownGap) bool { return g.weightOf() != weighsNothing })
}

// hasUnplacedGap reports whether the last run left a gap without a stream. No stream can
// then be called complete.
func (e *RunEvidence) hasUnplacedGap() bool {
	return e != nil && slices.ContainsFunc(e.KnownGaps, func(g KnownGap) bool { return g.Stream == "" && g.weightOf() != weighsNothing })
}
