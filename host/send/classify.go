package send

import (
	"net/http"
	"strconv"
)

// verdict is what the governor makes of one answer.
type verdict struct {
	outcome outcome
	retry   bool // 429, 408, 5xx and transport errors, and nothing else (PB-D5)
	refusal bool // the provider counts requests and this was one too many
	slow    bool // a throttle signal for the pacing (PB-D2)
}

// classify judges an answer by its status. A 403 that says that nothing remains,
// or when to come back, is a 429 by another name.
func classify(status int, h http.Header) verdict {
	switch {
	case status == http.StatusTooManyRequests, status == http.StatusForbidden && (nothingRemains(h) || h.Get("Retry-After") != ""):
		return verdict{outcomeThrottle, true, true, true}
	case status == http.StatusServiceUnavailable:
		return verdict{outcomeThrottle, true, false, true}
	case status == http.StatusRequestTimeout, status >= 500:
		return verdict{outcomeFailure, true, false, false}
	case status >= 400:
		return verdict{outcomeNeutral, false, false, false}
	default:
		return verdict{outcomeSuccess, false, false, false}
	}
}

// Throttled reports whether an answer is a throttle signal for the pacing.
func Throttled(status int, h http.Header) bool { return classify(status, h).slow }

func nothingRemains(h http.Header) bool {
	for _, name := range []string{"X-Ratelimit-Remaining", "Ratelimit-Remaining"} {
		if n, err := strconv.ParseInt(h.Get(name), 10, 64); err == nil && n == 0 {
			return true
		}
	}
	return false
}
