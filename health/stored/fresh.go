package stored

import (
	"slices"

	"github.com/pdpp-host/pdpp-host/health"
)

// Fresh is how young the data of one stream is, as its readers are told (RD-30).
type Fresh struct {
	Status      string         // current, stale, unknown
	CapturedAt  health.Instant // when all of it was collected last; zero: never
	AttemptedAt health.Instant // when the last run of its connection began; zero: none did
}

// The states of a stream's data.
const (
	Current = "current"
	Stale   = "stale"
	Unknown = "unknown"
)

// FreshnessOf returns how young the data of a stream is: current after a run that collected all
// of it within the declared window, and stale where a run has failed to collect it since. Without
// such a run, or a window, it is unknown (RD-30.1).
func (s *Facts) FreshnessOf(stream string, m Moment) Fresh {
	in := s.freshness(m)
	in.LastSuccessAt, in.LocalDeviceBacked = instantOf(s.collectedUS(stream)), false // a device is heard that has sent nothing of it
	f := Fresh{Status: Unknown, CapturedAt: in.Captured()}
	if s.Latest != nil {
		f.AttemptedAt = instantOf(s.Latest.StartedUS)
	}
	switch axis := health.Freshness(in); {
	case axis == health.FreshnessStale, axis == health.FreshnessFresh && slices.Contains(s.Failed, stream):
		f.Status = Stale
	case axis == health.FreshnessFresh:
		f.Status = Current
	}
	return f
}
