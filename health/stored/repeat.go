package stored

import (
	"slices"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/health"
)

// Repeat records that consecutive runs failed in the same way.
type Repeat struct {
	Mark  string `json:"mark"` // of what the last one said
	Times int    `json:"times"`
}

// After returns the repeat after another run has ended. The mark is a digest of
// what that run said of its failure. A run that completed ends it. One that was stopped from outside, or by a
// bound from which the next run goes on, says nothing of it.
func (r *Repeat) After(status health.Word, reason abi.Reason, mark string) *Repeat {
	switch {
	case status == health.Word(health.RunSucceeded):
		return nil
	case status != health.Word(health.RunFailed) || !repeats(reason):
		return r
	case r == nil || r.Mark != mark:
		return &Repeat{Mark: mark, Times: 1}
	}
	return &Repeat{Mark: mark, Times: min(r.Times+1, health.CameBack)} // higher counts have no meaning
}

// repeats reports whether a failure with that reason, met again, shows that no run gets
// through by itself. A run that its time ended may have gone further than the one before.
func repeats(reason abi.Reason) bool {
	switch reason {
	case abi.ReasonConnectorReportedFailed, abi.ReasonLimitExceeded, abi.ReasonPermissionError:
		return true
	}
	return false
}

// CameBackUnchanged is the reason of an attention over what two runs in a row met unchanged.
const CameBackUnchanged health.Word = "came_back_unchanged"

// FailsAgain reports whether the last runs failed in the same way, over something that
// nothing else says yet: neither a rejected credential, nor a service that asked for fewer
// requests, nor the connector's own fault.
func (s *Facts) FailsAgain() bool {
	run := s.decidingRun()
	return s.Repeat != nil && s.Repeat.Times >= health.CameBack && run != nil && run.Status == health.Word(health.RunFailed) &&
		!health.CredentialShaped(health.Normalise(run.Reason)) && s.Pressure == nil && len(s.faultGaps()) == 0
}

// stopped reports whether the last run was stopped on its way to the service, or by this
// machine: its cause has its own words, and ends by itself or by them.
func (s *Facts) stopped() bool {
	run := s.decidingRun()
	return run != nil && run.Cause != nil
}

// detailsOnlyStay reports whether all that a stream lacks are details for which two runs or more
// asked in vain.
func (s *Facts) detailsOnlyStay(stream string, run *health.RunEvidence) bool {
	g := s.gapsOf(stream)
	if g == nil {
		return false
	}
	lacksMore := slices.Contains(s.Failed, stream) || run != nil && slices.ContainsFunc(run.KnownGaps, func(k health.KnownGap) bool { return k.Stream == stream && k.Weighs() })
	return g.Failing > 0 && g.Failing == g.Pressure+g.Other && !lacksMore
}

// detailsStay reports whether a stream that the connection requires lacks details for which
// two runs or more asked in vain.
func (s *Facts) detailsStay() bool {
	for i := range s.Gaps.Streams {
		g := &s.Gaps.Streams[i]
		if g.Failing > 0 && s.Collectable(g.Stream) && s.requires(g.Stream) {
			return true
		}
	}
	return false
}
