package send

import (
	"bytes"
	"net/http"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/send/internal/ratelimit"
)

// verdict is the governor's judgement of one answer.
type verdict struct {
	outcome outcome
	retry   bool          // only for 429, 408, 5xx and transport errors (PB-D5)
	refusal bool          // the provider counts requests, and this one exceeded its limit
	slow    bool          // a throttle signal for the pacing (PB-D2)
	wait    time.Duration // the documented pause of a refusal that gives none
}

const (
	refusalLooksAt    = 16 << 10 // of a body
	refusalDoublesFor = 5        // attempts
)

func refuses(r *abi.ProviderRefusal, status int, body []byte) bool {
	if status != r.Status {
		return false
	}
	body = body[:min(len(body), refusalLooksAt)]
	return bytes.Contains(bytes.ToLower(body), bytes.ToLower([]byte(r.Contains)))
}

// pause returns the pause after a refusal at an attempt, counted from 1.
func (v *verdict) pause(attempt int) time.Duration {
	return v.wait << min(attempt-1, refusalDoublesFor)
}

// classify judges an answer by its status, its headers, and the profile's list of
// refusals. A 403 that reports an exhausted quota, or a time for the next request, is
// treated as a 429.
func classify(declared []abi.ProviderRefusal, status int, h http.Header, body []byte) verdict {
	refused := status == http.StatusTooManyRequests ||
		status == http.StatusForbidden && (ratelimit.Exhausted(h) || h.Get("Retry-After") != "")
	for i := range declared {
		if r := &declared[i]; refuses(r, status, body) {
			return verdict{outcomeThrottle, true, true, true, ms(r.WaitMS)}
		}
	}
	switch {
	case refused:
		return verdict{outcome: outcomeThrottle, retry: true, refusal: true, slow: true}
	case status == http.StatusServiceUnavailable:
		return verdict{outcome: outcomeThrottle, retry: true, slow: true}
	case status == http.StatusRequestTimeout, status >= 500:
		return verdict{outcome: outcomeFailure, retry: true}
	case status >= 400:
		return verdict{outcome: outcomeNeutral}
	default:
		return verdict{outcome: outcomeSuccess}
	}
}
