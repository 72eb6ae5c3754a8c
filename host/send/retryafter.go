package send

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/host/send/internal/ratelimit"
)

// longestBelieved is the longest credible pause: no documented quota is counted over
// more than a day. A longer one is a provider's mistake, such as milliseconds in place
// of seconds.
const longestBelieved = 24 * time.Hour

// retryAfter reads a Retry-After header (RFC 9110, 10.2.3): seconds, also decimal
// ones, or a date. A negative span is zero; an unreadable header, or an incredible
// span, counts as absent. A date is compared with the answer's own Date, if any.
func retryAfter(now time.Time, h http.Header) (wait time.Duration, told, believed bool) {
	text := strings.TrimSpace(h.Get("Retry-After"))
	if text == "" {
		return 0, false, true
	}
	if s, err := strconv.ParseFloat(text, 64); err == nil || math.IsInf(s, 0) {
		switch {
		case math.IsNaN(s):
			return 0, false, true
		case s > longestBelieved.Seconds():
			return 0, false, false
		}
		return ceilMS(ratelimit.Seconds(s)), true, true
	}
	at, err := http.ParseTime(text)
	if err != nil {
		return 0, false, true
	}
	theirs := now
	if date, err := http.ParseTime(h.Get("Date")); err == nil {
		theirs = date
	}
	wait = max(at.Sub(theirs), 0)
	if wait > longestBelieved {
		return 0, false, false
	}
	return ceilMS(wait), true, true
}

// pauseTold returns the time that a refusal or a failure gives for the next request;
// zero if there is no credible one.
func (g *Governor) pauseTold(now time.Time, s *sends, a answer) (until time.Time) {
	d, told, believed := retryAfter(now, a.header)
	if !believed {
		g.observe(Event{Kind: EventDisbelieved, At: now, Lane: s.lane().name, Attempt: s.attempt})
	}
	if !told {
		d = a.pause(s.attempt)
	}
	if told || d > 0 {
		until = now.Add(d)
	}
	return until
}

// ceilMS rounds up to a whole millisecond, so never earlier than the provider asked.
func ceilMS(d time.Duration) time.Duration {
	return (d + time.Millisecond - 1).Truncate(time.Millisecond)
}

// jitter is full jitter (PB-D5): a span drawn from zero to base doubled with each
// retry, limited to limit. retry counts from 0; random is from 0 up to 1.
func jitter(base, limit time.Duration, retry int, random float64) time.Duration {
	most := limit
	if retry < 32 && base < limit>>retry {
		most = base << retry
	}
	return time.Duration(random * float64(most))
}
