package stored

import (
	"math"
	"slices"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/health"
)

// RefreshedAt returns the time since which all of the connection's data is fresh: the
// oldest collection of its required streams or, if it requires none, of the streams
// that were collected. A run that succeeds without collecting a stream does not
// refresh that stream. The zero Instant: a stream was never collected.
func (s *Facts) RefreshedAt() health.Instant {
	required, optional := int64(math.MaxInt64), int64(math.MaxInt64)
	requires, collects := false, false
	for _, m := range s.streams() {
		if m.CoveragePolicy.Accepted() {
			continue
		}
		at := s.collectedUS(m.Name)
		if collects = true; m.IsRequired() {
			requires, required = true, min(required, at)
		} else if at != 0 {
			optional = min(optional, at)
		}
	}
	switch {
	case requires:
		return instantOf(required)
	case optional < math.MaxInt64:
		return instantOf(optional)
	case collects:
		return health.Instant{}
	}
	return s.Succeeded.ended()
}

func (s *Facts) streams() []health.ManifestStream {
	if s.Manifest == nil {
		return nil
	}
	return s.Manifest.Streams
}

// coverage returns the connection's rolled-up coverage. A successful run proves
// nothing about a required stream that no run has collected yet (Invariant 8).
func (s *Facts) coverage(m Moment) health.Coverage {
	if s.readNothing() {
		return health.Coverage{Axis: health.CoverageUnknown}
	}
	c := health.RunCoverage(s.runEvidence(m), s.openGaps(), s.streams())
	if c.Axis != health.CoverageComplete && (!c.Axis.Accepted() || c.RequiredButAccepted) {
		return c
	}
	if failed := s.failedStreams(); failed != nil {
		return health.Coverage{Axis: health.CoveragePartial, Streams: failed}
	}
	for _, st := range s.streams() {
		if st.Collected() && s.collectedUS(st.Name) == 0 {
			return health.Coverage{Axis: health.CoverageUnknown}
		}
	}
	if s.FoundNothing() {
		return health.Coverage{Axis: health.CoverageUnknown}
	}
	return c
}

// coverageWithDevice returns the coverage, taken from the device's own records if no run gives
// evidence (HL-17).
func (s *Facts) coverageWithDevice(m Moment) health.Coverage {
	c := s.coverage(m)
	if s.run(m) != nil {
		return c
	}
	return health.SelectCoverage(c, s.localCoverage())
}

// failedStreams returns the required streams that the last complete run of them failed to
// collect. A successful run of other streams does not change them.
func (s *Facts) failedStreams() (names []string) {
	for _, st := range s.streams() {
		if st.Collected() && slices.Contains(s.Failed, st.Name) {
			names = append(names, st.Name)
		}
	}
	return names
}

// Collectable reports whether a stream can still be collected: no run fetches a stream
// that the accepted manifest does not declare. Evidence without a stream belongs to
// the connection.
func (s *Facts) Collectable(stream string) bool {
	return stream == "" || s.Manifest == nil || slices.ContainsFunc(s.Manifest.Streams, func(m health.ManifestStream) bool { return m.Name == stream })
}

// openGaps returns one gap for each stream and class of reason: coverage depends on
// which exist, not on their number.
func (s *Facts) openGaps() []health.PendingGap {
	var open []health.PendingGap
	for i := range s.Gaps.Streams {
		g := &s.Gaps.Streams[i]
		if !s.Collectable(g.Stream) {
			continue
		}
		if g.Pressure > 0 {
			open = append(open, health.PendingGap{Stream: g.Stream, Reason: abi.ReasonUpstreamPressure})
		}
		if g.Other > 0 {
			open = append(open, health.PendingGap{Stream: g.Stream})
		}
	}
	return open
}

// goneItems counts a stream's items that are gone or forbidden at the provider.
func (s *Facts) goneItems(stream string) int64 {
	if g := s.gapsOf(stream); g != nil {
		return g.Gone
	}
	return 0
}

// gapsOf returns the open gaps of a stream; nil if it has none.
func (s *Facts) gapsOf(stream string) *StreamGaps {
	i := slices.IndexFunc(s.Gaps.Streams, func(g StreamGaps) bool { return g.Stream == stream })
	if i < 0 {
		return nil
	}
	return &s.Gaps.Streams[i]
}

// StreamState is the state of one of the manifest's streams.
type StreamState struct {
	health.ManifestStream
	Coverage              health.CoverageAxis
	GapsOpen              bool
	Stays                 bool  // two runs or more asked in vain for each detail that is missing, and nothing else is
	Gone                  int64 // items that are gone or forbidden at the provider
	Considered, Collected *int64
}

// Absent reports whether the stream is not required and the manifest declares that it
// is not collected.
func (s *StreamState) Absent() bool { return !s.IsRequired() && s.CoveragePolicy.Accepted() }

// StreamStates returns the state of each stream at a moment, in the manifest's order.
// nil: no manifest is known.
func (s *Facts) StreamStates(m Moment) []StreamState {
	streams := s.streams()
	run, open := s.runEvidence(m), s.openGaps()
	// If a device has accounted for its every store, it has accounted for the streams.
	byDevice := run == nil && s.coverageWithDevice(m).Axis == health.CoverageComplete
	out := make([]StreamState, len(streams))
	for i, st := range streams {
		state := StreamState{ManifestStream: st}
		state.GapsOpen = slices.ContainsFunc(open, func(g health.PendingGap) bool { return g.Stream == st.Name })
		state.Gone = s.goneItems(st.Name)
		state.Stays = s.detailsOnlyStay(st.Name, run)
		state.Coverage = s.streamCoverage(st, run, open)
		if byDevice && state.Coverage == health.CoverageUnknown {
			state.Coverage = health.CoverageComplete
		}
		if s.readNothing() || state.Coverage == health.CoverageComplete && (run.HasUnplacedGap() || s.FoundNothing()) {
			state.Coverage = health.CoverageUnknown
		}
		if a := s.Accounts[st.Name]; a != nil {
			state.Considered, state.Collected = a.Considered, a.Collected
		}
		out[i] = state
	}
	return out
}

// streamCoverage is RunCoverage for a single stream. An optional stream is judged as
// strictly as a required one.
func (s *Facts) streamCoverage(st health.ManifestStream, run *health.RunEvidence, open []health.PendingGap) health.CoverageAxis {
	if st.CoveragePolicy.Accepted() {
		return st.CoveragePolicy
	}
	asked := []health.ManifestStream{{Name: st.Name}}
	of := func(name string) bool { return name == st.Name }
	var own *health.RunEvidence
	if run != nil {
		own = &health.RunEvidence{Status: run.Status}
		if run.Missed != nil && !slices.Contains(run.Missed, st.Name) {
			own.Status = health.Word(health.RunSucceeded) // for this stream only, which is judged below
		}
		for _, g := range run.KnownGaps {
			if of(g.Stream) {
				own.KnownGaps = append(own.KnownGaps, g)
			}
		}
	}
	var pending []health.PendingGap
	for _, g := range open {
		if of(g.Stream) {
			pending = append(pending, g)
		}
	}
	switch axis := health.RunCoverage(own, pending, asked).Axis; {
	case axis != health.CoverageComplete:
		return axis
	case slices.Contains(s.Failed, st.Name):
		return health.CoveragePartial
	case s.collectedUS(st.Name) == 0:
		return health.CoverageUnknown
	}
	return health.CoverageComplete
}
