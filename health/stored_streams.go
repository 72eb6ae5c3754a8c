package health

import (
	"math"
	"slices"

	"github.com/pdpp-host/pdpp-host/abi"
)

// RefreshedAt is since when all of the connection's data is as fresh as it is:
// the oldest of the moments at which its required streams were collected; where it
// requires none, those that were. A run that succeeds without collecting a stream
// does not refresh it, however often it succeeds. The zero Instant: some of it was
// never collected.
func (s *Stored) RefreshedAt() Instant {
	required, optional := int64(math.MaxInt64), int64(math.MaxInt64)
	requires, collects := false, false
	for _, m := range s.streams() {
		if m.CoveragePolicy.Accepted() {
			continue
		}
		at := s.CollectedUS[m.Name]
		if collects = true; m.required() {
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
		return Instant{}
	}
	return s.Succeeded.ended()
}

func (s *Stored) streams() []ManifestStream {
	if s.Manifest == nil {
		return nil
	}
	return s.Manifest.Streams
}

// collected reports whether the manifest means to collect the stream, and
// requires it.
func (m *ManifestStream) collected() bool { return m.required() && !m.CoveragePolicy.Accepted() }

// coverage rolls up the connection's coverage. That a run succeeded proves
// nothing of a required stream that no run has collected yet (Invariant 8).
func (s *Stored) coverage(m Moment) Coverage {
	c := RunCoverage(s.runEvidence(m), s.openGaps(), s.streams())
	if c.Axis != CoverageComplete && (!c.Axis.Accepted() || c.RequiredButAccepted) {
		return c
	}
	if failed := s.failed(); failed != nil {
		return Coverage{Axis: CoveragePartial, Streams: failed}
	}
	for _, st := range s.streams() {
		if st.collected() && s.CollectedUS[st.Name] == 0 {
			return Coverage{Axis: CoverageUnknown}
		}
	}
	if s.FoundNothing() {
		return Coverage{Axis: CoverageUnknown}
	}
	return c
}

// covered is the coverage, from the device's own records where no run says
// anything of it (HL-17).
func (s *Stored) covered(m Moment) Coverage {
	c := s.coverage(m)
	if s.run(m) != nil {
		return c
	}
	return SelectCoverage(c, s.localCoverage())
}

// failed returns the required streams that the last whole run of them failed to
// collect. A run of other streams that succeeds changes nothing about them.
func (s *Stored) failed() (names []string) {
	for _, st := range s.streams() {
		if st.collected() && slices.Contains(s.Failed, st.Name) {
			names = append(names, st.Name)
		}
	}
	return names
}

// Collectable reports whether there is still something to collect of a stream:
// nobody ever fetches what the accepted manifest does not have. Evidence of no
// stream is of the connection.
func (s *Stored) Collectable(stream string) bool {
	return stream == "" || s.Manifest == nil || slices.ContainsFunc(s.Manifest.Streams, func(m ManifestStream) bool { return m.Name == stream })
}

// openGaps returns one gap for each stream and class of reason: coverage asks
// which there are, never how many.
func (s *Stored) openGaps() []PendingGap {
	var open []PendingGap
	for i := range s.Gaps.Streams {
		g := &s.Gaps.Streams[i]
		if !s.Collectable(g.Stream) {
			continue
		}
		if g.Pressure > 0 {
			open = append(open, PendingGap{Stream: g.Stream, Reason: abi.ReasonUpstreamPressure})
		}
		if g.Other > 0 {
			open = append(open, PendingGap{Stream: g.Stream})
		}
	}
	return open
}

// StreamState is what the facts say of one of the manifest's streams.
type StreamState struct {
	ManifestStream
	Coverage              CoverageAxis
	GapsOpen              bool
	Considered, Collected *int64
}

// Absent reports whether the manifest declares that a stream which nobody
// requires is not collected.
func (s *StreamState) Absent() bool { return !s.required() && s.CoveragePolicy.Accepted() }

// IsRequired reports whether the manifest requires the stream.
func (s *StreamState) IsRequired() bool { return s.required() }

// StreamStates returns what the facts say at a moment of each stream, in the
// manifest's order. nil: no manifest is known.
func (s *Stored) StreamStates(m Moment) []StreamState {
	streams := s.streams()
	run, open := s.runEvidence(m), s.openGaps()
	// A device whose every store is accounted for has accounted for the streams.
	byDevice := run == nil && s.covered(m).Axis == CoverageComplete
	out := make([]StreamState, len(streams))
	for i, st := range streams {
		state := StreamState{ManifestStream: st}
		state.GapsOpen = slices.ContainsFunc(open, func(g PendingGap) bool { return g.Stream == st.Name })
		state.Coverage = s.streamCoverage(st, run, open)
		if byDevice && state.Coverage == CoverageUnknown {
			state.Coverage = CoverageComplete
		}
		if state.Coverage == CoverageComplete && (run.unplaced() || s.FoundNothing()) {
			state.Coverage = CoverageUnknown
		}
		if a := s.Accounts[st.Name]; a != nil {
			state.Considered, state.Collected = a.Considered, a.Collected
		}
		out[i] = state
	}
	return out
}

// streamCoverage asks of one stream what RunCoverage asks of a connection. An
// optional stream's own row is as honest as a required one's.
func (s *Stored) streamCoverage(st ManifestStream, run *RunEvidence, open []PendingGap) CoverageAxis {
	if st.CoveragePolicy.Accepted() {
		return st.CoveragePolicy
	}
	asked := []ManifestStream{{Name: st.Name}}
	of := func(name string) bool { return name == st.Name }
	var own *RunEvidence
	if run != nil {
		own = &RunEvidence{Status: run.Status}
		if run.Missed != nil && !slices.Contains(run.Missed, st.Name) {
			own.Status = Word(RunSucceeded) // as far as this stream goes, which is judged below
		}
		for _, g := range run.KnownGaps {
			if of(g.Stream) {
				own.KnownGaps = append(own.KnownGaps, g)
			}
		}
	}
	var pending []PendingGap
	for _, g := range open {
		if of(g.Stream) {
			pending = append(pending, g)
		}
	}
	switch axis := RunCoverage(own, pending, asked).Axis; {
	case axis != CoverageComplete:
		return axis
	case slices.Contains(s.Failed, st.Name):
		return CoveragePartial
	case s.CollectedUS[st.Name] == 0:
		return CoverageUnknown
	}
	return CoverageComplete
}
