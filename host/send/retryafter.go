package send

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// retryAfter reads a Retry-After header (RFC 9110, 10.2.3): seconds, also
// decimal ones, or a date. A span below zero is zero; what cannot be read is no
// header. A date is measured against the answer's own Date when it has one.
func retryAfter(now time.Time, h http.Header) (time.Duration, bool) {
	text := strings.TrimSpace(h.Get("Retry-After"))
	if text == "" {
		return 0, false
	}
	if s, err := strconv.ParseFloat(text, 64); err == nil {
		if math.IsNaN(s) {
			return 0, false
		}
		return ceilMS(seconds2span(s)), true
	}
	at, err := http.ParseTime(text)
	if err != nil {
		return 0, false
	}
	theirs := now
	if date, err := http.ParseTime(h.Get("Date")); err == nil {
		theirs = date
	}
	return ceilMS(min(max(at.Sub(theirs), 0), 2*longest)), true
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
