package stored

import (
	"slices"

	"github.com/pdpp-host/pdpp-host/health"
)

// besideRecords are the kinds of gaps that a run finds in what it collects, and not in what it
// cannot reach: the stream's other records come in.
var besideRecords = [...]health.Word{"merged_items", "accounts_differ", "field_disappeared", "kept_back", "rejected_record", "rejected_earlier"}

// beside marks the gaps beside which the records of their streams come in. A stream that no run
// has collected, or a store without a record, shows that they do not.
func (s *Facts) beside(gaps []health.KnownGap) {
	for i := range gaps {
		g := &gaps[i]
		g.Beside = slices.Contains(besideRecords[:], g.Kind) && s.comesIn(g.Stream)
	}
}

func (s *Facts) comesIn(stream string) bool {
	if s.Retained != nil && *s.Retained == 0 {
		return false
	}
	return s.collectedUS(stream) != 0 || stream == "" && len(s.CollectedUS) > 0
}

// Flawed reports whether the weightiest that is missing of a stream, or of the connection for
// "", is missing through the connector's code although records come in.
func (s *Facts) Flawed(m Moment, stream string) bool {
	run, found := s.runEvidence(m), false
	if run == nil || run.Status != health.Word(health.RunSucceeded) || stream == "" && s.failedStreams() != nil {
		return false // another run may bring more
	}
	for i := range run.KnownGaps {
		g := &run.KnownGaps[i]
		if !g.Weighs() || stream != "" && g.Stream != stream {
			continue
		}
		if !g.Fault() {
			return false
		}
		found = true
	}
	return found && !slices.ContainsFunc(s.openGaps(), func(p health.PendingGap) bool { return stream == "" || p.Stream == stream })
}
