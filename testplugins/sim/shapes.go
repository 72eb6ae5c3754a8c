package sim

import (
	"net/http"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/send"
)

// shape is one provider: its way to count, its headers, its speed.
type shape struct {
	name      string
	perMinute float64 // the limit, requests a minute
	limit     func(perMinute float64) limiter
	latency   time.Duration
	ceilingMS int64                // the profile's min_interval_ms; 0: a bare name
	windows   []abi.ProviderWindow // the profile's documented windows
	lasts     time.Duration        // of the measurement; 0: an hour

	retryAfter, says503 bool
	tells               string  // whose dialect of quota headers
	secondary           bool    // it refuses as GitHub's secondary limit does, and the manifest declares that
	failures            float64 // share of 502s

	outageEvery, outage time.Duration // 503s without a header, at the end of each such span

	todo     int           // of a list: its length
	startsAt time.Duration // the age of the provider when the first run begins
	changeAt time.Duration // the limit changes so long after the start
	changeTo float64
}

func bucket(burst float64) func(float64) limiter {
	return func(perMinute float64) limiter {
		return &tokenBucket{every: time.Duration(float64(time.Minute) / perMinute), burst: burst}
	}
}

func fixed(per time.Duration) func(float64) limiter {
	return func(perMinute float64) limiter {
		return &fixedWindow{size: int(perMinute*per.Minutes() + 0.5), per: per}
	}
}

func sliding(per time.Duration) func(float64) limiter {
	return func(perMinute float64) limiter {
		return &slidingWindow{size: int(perMinute*per.Minutes() + 0.5), per: per}
	}
}

// begun is a fixed window that begins with a request.
func begun(per time.Duration) func(float64) limiter {
	return func(perMinute float64) limiter {
		return &fixedWindow{size: int(perMinute*per.Minutes() + 0.5), per: per, first: true}
	}
}

// strict is a sliding window that counts refused requests, too.
func strict(per time.Duration) func(float64) limiter {
	return func(perMinute float64) limiter {
		return &slidingWindow{size: int(perMinute*per.Minutes() + 0.5), per: per, strict: true}
	}
}

const secondaryText = `{"message":"You have exceeded a secondary rate limit."}`

const quick, usual, slow = 20 * time.Millisecond, 80 * time.Millisecond, 200 * time.Millisecond

// steady are the providers whose limit does not move.
var steady = []shape{
	{name: "bucket-30-bare", perMinute: 30, limit: bucket(5), latency: usual, retryAfter: true},
	{name: "bucket-60-bare", perMinute: 60, limit: bucket(10), latency: usual},
	{name: "bucket-120-retry-after", perMinute: 120, limit: bucket(10), latency: usual, retryAfter: true},
	{name: "bucket-120-silent", perMinute: 120, limit: bucket(10), latency: usual},
	{name: "bucket-200-burst-1", perMinute: 200, limit: bucket(2), latency: usual, retryAfter: true},
	{name: "bucket-180-large-burst", perMinute: 180, limit: bucket(100), latency: usual, retryAfter: true},
	{name: "bucket-600-fast", perMinute: 600, limit: bucket(20), latency: quick, ceilingMS: 20, retryAfter: true},
	{name: "bucket-1500-fast-silent", perMinute: 1500, limit: bucket(50), latency: quick, ceilingMS: 20},
	{name: "bucket-150-slow-answers", perMinute: 150, limit: bucket(10), latency: slow, retryAfter: true},
	{name: "bucket-150-says-503", perMinute: 150, limit: bucket(10), latency: usual, retryAfter: true, says503: true},
	{name: "bucket-150-2%-errors", perMinute: 150, limit: bucket(10), latency: usual, retryAfter: true, failures: 0.02},
	{name: "window-60/min-retry-after", perMinute: 60, limit: fixed(time.Minute), latency: usual, retryAfter: true},
	{name: "window-60/min-silent", perMinute: 60, limit: fixed(time.Minute), latency: usual},
	{name: "window-100/min-headers", perMinute: 100, limit: fixed(time.Minute), latency: usual, retryAfter: true, tells: "github"},
	{name: "window-120/min-silent", perMinute: 120, limit: fixed(time.Minute), latency: usual},
	{name: "window-3/s-retry-after", perMinute: 180, limit: fixed(time.Second), latency: usual, retryAfter: true},
	{name: "window-20/s-silent", perMinute: 1200, limit: fixed(time.Second), latency: quick, ceilingMS: 20},
	{name: "window-900/15min", perMinute: 60, limit: fixed(15 * time.Minute), latency: usual, retryAfter: true, lasts: 2 * time.Hour, windows: []abi.ProviderWindow{{Requests: 900, PerMS: 900_000}}},
	{name: "window-5000/h-headers", perMinute: 5000.0 / 60, limit: fixed(time.Hour), latency: usual, retryAfter: true, tells: "github", lasts: 4 * time.Hour},
	{name: "window-200/h-profile", perMinute: 200.0 / 60, limit: fixed(time.Hour), latency: usual, ceilingMS: 18_500, lasts: 4 * time.Hour},
	{name: "sliding-90/min-retry-after", perMinute: 90, limit: sliding(time.Minute), latency: usual, retryAfter: true},
	{name: "sliding-90/min-silent", perMinute: 90, limit: sliding(time.Minute), latency: usual},
	{name: "sliding-10/s-retry-after", perMinute: 600, limit: sliding(time.Second), latency: quick, ceilingMS: 50, retryAfter: true},
	{name: "notion-like-3/s", perMinute: 180, limit: bucket(3), latency: slow, ceilingMS: 333, retryAfter: true},
	{name: "faster-than-the-ceiling", perMinute: 6000, limit: bucket(100), latency: usual},
	{name: "window-100/min-silent", perMinute: 100, limit: fixed(time.Minute), latency: usual},
	{name: "window-20/min-silent", perMinute: 20, limit: fixed(time.Minute), latency: usual},
	{name: "window-60/min-from-its-first", perMinute: 60, limit: begun(time.Minute), latency: usual},
	{name: "sliding-60/min-counts-refused", perMinute: 60, limit: strict(time.Minute), latency: usual},
	{name: "bucket-120-10-s-outages", perMinute: 120, limit: bucket(10), latency: usual, outageEvery: 10 * time.Minute, outage: 10 * time.Second},
	{name: "sliding-80/min-secondary-limit", perMinute: 80, limit: sliding(time.Minute), latency: usual, secondary: true},
	{name: "window-1000/10min-reddit", perMinute: 100, limit: fixed(10 * time.Minute), latency: usual, tells: "reddit", lasts: 2 * time.Hour},
	{name: "window-5/5s-discord", perMinute: 60, limit: fixed(5 * time.Second), latency: usual, tells: "discord"},
	{name: "window-200/15min-strava", perMinute: 200.0 / 15, limit: fixed(15 * time.Minute), latency: usual, tells: "strava", lasts: 4 * time.Hour},
}

// hours are the providers whose window is longer than the waits of a run and is not
// reported: runs end there until they learned it.
var hours = []shape{
	{name: "window-200/h-silent", perMinute: 200.0 / 60, limit: fixed(time.Hour), latency: usual, lasts: 24 * time.Hour},
}

// lists are the providers of whom one run has to fetch a whole list, whatever
// they refuse meanwhile.
var lists = []shape{
	{name: "400-at-100/min-silent", todo: 400, perMinute: 100, limit: fixed(time.Minute), latency: usual},
	{name: "100-at-20/min-silent", todo: 100, perMinute: 20, limit: fixed(time.Minute), latency: usual},
	{name: "100-at-20/min-from-its-first", todo: 100, perMinute: 20, limit: begun(time.Minute), latency: usual},
	{name: "200-at-60/min-sliding-silent", todo: 200, perMinute: 60, limit: sliding(time.Minute), latency: usual},
	{name: "200-at-60/min-counts-refused", todo: 200, perMinute: 60, limit: strict(time.Minute), latency: usual},
	{name: "300-with-10-s-of-503", todo: 300, perMinute: 600, limit: bucket(100), latency: usual, outageEvery: time.Hour, outage: 10 * time.Second, startsAt: time.Hour - 30*time.Second},
	{name: "200-at-80/min-secondary-limit", todo: 200, perMinute: 80, limit: sliding(time.Minute), latency: usual, secondary: true},
}

// halved are the providers that halve their limit ten minutes in.
var halved = []shape{
	{name: "halves-200-retry-after", perMinute: 200, changeTo: 100, limit: bucket(10), latency: usual, retryAfter: true},
	{name: "halves-200-silent", perMinute: 200, changeTo: 100, limit: bucket(10), latency: usual},
	{name: "halves-120/min-window", perMinute: 120, changeTo: 60, limit: fixed(time.Minute), latency: usual, retryAfter: true},
	{name: "halves-1200-fast", perMinute: 1200, changeTo: 600, limit: bucket(30), latency: quick, ceilingMS: 20, retryAfter: true},
}

// warm are the providers for whom the second run has to be as quick as the
// first had become.
var warm = []shape{
	{name: "warm-bucket-120", perMinute: 120, limit: bucket(10), latency: usual, retryAfter: true},
	{name: "warm-bucket-200-silent", perMinute: 200, limit: bucket(5), latency: usual},
	{name: "warm-bucket-1200-fast", perMinute: 1200, limit: bucket(30), latency: quick, ceilingMS: 20, retryAfter: true},
	{name: "warm-window-100/min", perMinute: 100, limit: fixed(time.Minute), latency: usual, retryAfter: true},
	{name: "warm-ceiling", perMinute: 6000, limit: bucket(100), latency: usual},
}

// profile is the rate profile of the connector's manifest.
func (s *shape) profile() send.Profile {
	p := send.Profile{Name: "simulated", Provider: abi.Provider{MinIntervalMS: s.ceilingMS, Windows: s.windows}}
	if s.secondary {
		p.Refusals = []abi.ProviderRefusal{{Status: http.StatusForbidden, Contains: "secondary rate limit", WaitMS: 60_000}}
	}
	return p
}

// best is the rate, a minute, that an oracle reaches under a limit: no more than the
// profile's ceiling, and so many requests at a time.
func (s *shape) best(perMinute float64, inFlight int) float64 {
	ceiling := s.ceilingMS
	if ceiling == 0 {
		ceiling = 250
	}
	return min(perMinute, 60_000/float64(ceiling), float64(inFlight)*float64(time.Minute)/float64(s.latency))
}
