package send

import (
	"slices"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/provider"
)

// guesses are the windows that a provider is taken to count in when it refuses
// without a word: the usual ones, the shortest first.
var guesses = []time.Duration{time.Minute, 15 * time.Minute, time.Hour}

// silence finds the windows of a provider that refuses without saying until when: so
// many requests in so long. Several refusals in a row, each after a longer wait, say
// that a window is full. It is taken to end when the shortest usual window has passed
// since the first of them; when requests are refused after that too, when the next
// longer one has. Not safe for concurrent use.
type silence struct {
	row    int       // refusals since the last success; those under way together are one
	first  time.Time // of the row
	last   time.Time
	full   bool // the row is a window
	passed meter
}

func newSilence() silence { return silence{passed: meter{slot: time.Minute}} }

// burst reports whether a request that was sent at a moment was under way when
// another was refused: then its refusal says nothing new.
func (s *silence) burst(sent time.Time) bool { return s.row > 0 && sent.Before(s.last) }

// refused takes one refusal, and returns until when the window that it hit is
// full; the zero time when it hit none.
func (s *silence) refused(now time.Time) (until time.Time) {
	if s.row++; s.row == 1 {
		s.first = now
	}
	s.last = now
	s.full = s.row >= windowRow
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

func (s *silence) success(now time.Time) {
	s.row, s.full = 0, false
	s.passed.add(now)
}

// found returns the window that a full one must be, when it is longer than what
// the pace can learn: known is what was known of it before. Zero: none was found.
func (s *silence) found(now time.Time, known []loggedWindow) abi.ProviderWindow {
	if !s.full || now.Sub(s.first) < guesses[0] {
		return abi.ProviderWindow{}
	}
	for _, per := range guesses[1:] {
		passed := s.passed.within(now, per)
		// One that let more through once is not what is full now.
		small := slices.ContainsFunc(known, func(w loggedWindow) bool { return w.per == per && passed < w.limit })
		if passed > 0 && !small {
			return abi.ProviderWindow{Requests: int64(min(passed, provider.MostRequests)), PerMS: per.Milliseconds()}
		}
	}
	return abi.ProviderWindow{}
}
