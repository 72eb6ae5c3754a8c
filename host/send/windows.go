package send

import (
	"slices"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/provider"
	"github.com/pdpp-host/pdpp-host/host/send/internal/pacing"
)

// guesses are the usual lengths of a window, the shortest first. They are tried for a
// provider that refuses without giving the end of its window.
var guesses = []time.Duration{time.Minute, 15 * time.Minute, time.Hour}

// windowFinder finds the windows of a provider that refuses without giving an end: how many
// requests in what time. Several consecutive refusals, each after a longer wait, show
// that a window is full. The window is assumed to end when the shortest usual length
// has passed since the first refusal; if requests are refused after that, the next
// longer one is assumed. Not safe for concurrent use.
type windowFinder struct {
	streak int       // refusals since the last success; simultaneous ones count as one
	first  time.Time // the first of these refusals
	last   time.Time
	full   bool // the refusals show a full window
	passed pacing.Meter
}

func newWindowFinder() windowFinder { return windowFinder{passed: pacing.Meter{Slot: time.Minute}} }

// simultaneous reports whether a request sent at sent was in progress when another was
// refused. Its refusal then gives no new information.
func (s *windowFinder) simultaneous(sent time.Time) bool { return s.streak > 0 && sent.Before(s.last) }

// refused records one refusal, and returns the end of the full window that caused it;
// the zero time if there is none.
func (s *windowFinder) refused(now time.Time) (until time.Time) {
	if s.streak++; s.streak == 1 {
		s.first = now
	}
	s.last = now
	s.full = s.streak >= windowRow
	if !s.full {
		return time.Time{}
	}
	for _, per := range guesses {
		if end := s.first.Add(per); end.After(now) {
			return end
		}
	}
	return time.Time{}
}

func (s *windowFinder) success(now time.Time) {
	s.streak, s.full = 0, false
	s.passed.Add(now)
}

// window returns the full window if it is longer than the pace can learn. known are the
// windows known so far. Zero: none was found.
func (s *windowFinder) window(now time.Time, known []loggedWindow) abi.ProviderWindow {
	if !s.full || now.Sub(s.first) < guesses[0] {
		return abi.ProviderWindow{}
	}
	for _, per := range guesses[1:] {
		passed := s.passed.Within(now, per)
		// A window that accepted more in the past is not the one that is full now.
		small := slices.ContainsFunc(known, func(w loggedWindow) bool { return w.per == per && passed < w.limit })
		if passed > 0 && !small {
			return abi.ProviderWindow{Requests: int64(min(passed, provider.MostRequests)), PerMS: per.Milliseconds()}
		}
	}
	return abi.ProviderWindow{}
}
