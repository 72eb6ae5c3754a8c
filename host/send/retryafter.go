package send

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// longestBelieved is the longest pause that a provider is believed to mean: no
// quota that anybody documents is counted over more than a day. What is longer is
// a mistake of the provider's, such as milliseconds in the place of seconds.
const longestBelieved = 24 * time.Hour

// retryAfter reads a Retry-After header (RFC 9110, 10.2.3): seconds, also
// decimal ones, or a date. A span below zero is zero; what cannot be read is no
// header, and neither is a span that nobody believes. A date is measured against
// the answer's own Date when it has one.
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
		return ceilMS(seconds2span(s)), true, true
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

// pauseTold returns the moment that a refusal or a failure names for the next
// request; zero: none that is believed.
func (g *Governor) pauseTold(now time.Time, s *sends, v verdict, h http.Header) (until time.Time) {
	d, told, believed := retryAfter(now, h)
	if !believed {
		g.observe(Event{Kind: EventDisbelieved, At: now, Lane: s.own().name, Attempt: s.attempt})
	}
	if !told {
		d = v.pause(s.attempt)
	}
	if told || d > 0 {
		until = now.Add(d)
	}
	return until
}

// ceilMS rounds up to a whole millisecond: never earlier than told.
func ceilMS(d time.Duration) time.Duration {
	return (d + time.Millisecond - 1).Truncate(time.Millisecond)
}

// jitter is full jitter (PB-D5): a span drawn from zero to base doubled with
// each retry, cut at limit. retry counts from 0; random is from 0 up to 1.
func jitter(base, limit time.Duration, retry int, random float64) time.Duration {
	most := limit
	if retry < 32 && base < limit>>retry {
		most = base << retry
	}
	return time.Duration(random * float64(most))
}
