package health

import "slices"

// leftToOwner is the reason of an attention that a run's own gap makes. Whatever the
// connector calls the gap: the run has its words (HL-02.1).
const leftToOwner Word = "left_to_owner"

// leftByRun is what the last run left to the owner: a gap of something that the
// connection requires, which no later run fills as long as nothing is done about it.
// It stands until a run that looks there has ended without it, whatever goes on
// meanwhile.
func (s *Stored) leftByRun(m Moment) *Attention {
	run := s.runEvidence(m)
	if run == nil || !slices.ContainsFunc(run.KnownGaps, func(g KnownGap) bool {
		return g.weigh() != weighsNothing && g.ownerClears() && s.requires(g.Stream)
	}) {
		return nil
	}
	return &Attention{Lifecycle: AttentionOpen, ReasonCode: leftToOwner, ResponseContract: "none"}
}

// requires reports whether the connection is not whole without a stream; what names
// none is of the connection.
func (s *Stored) requires(stream string) bool {
	i := slices.IndexFunc(s.streams(), func(m ManifestStream) bool { return m.Name == stream })
	return i < 0 || s.Manifest.Streams[i].required()
}

// nothingFound is the reason of a gap that says that a run found nothing of what it
// is to collect: no failure, and no proof that anything was collected.
const nothingFound Word = "nothing_found"

// FoundNothing reports whether the last run said so.
func (s *Stored) FoundNothing() bool {
	return s.settled() != nil && slices.ContainsFunc(s.knownGaps(), func(g KnownGap) bool { return g.Reason == nothingFound })
}

// degrading reports whether a gap is known that weighs something.
func (s *Stored) degrading() bool {
	return slices.ContainsFunc(s.knownGaps(), func(g KnownGap) bool { return g.weigh() != weighsNothing })
}

// unplaced reports whether the last run left a gap of which nobody knows which
// streams it is of: of none is it known then that it is whole.
func (e *RunEvidence) unplaced() bool {
	return e != nil && slices.ContainsFunc(e.KnownGaps, func(g KnownGap) bool { return g.Stream == "" && g.weigh() != weighsNothing })
}
