package send

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/send/internal/ratelimit"
)

// headers makes a header of "Name: value" lines.
func headers(text string) http.Header {
	h := make(http.Header)
	for line := range strings.SplitSeq(text, "\n") {
		if name, value, ok := strings.Cut(line, ": "); ok {
			h.Add(name, value)
		}
	}
	return h
}

// A window with an incredible end delays nothing, and is reported once: a week is
// milliseconds mistaken for seconds. If the manifest documents a window of that
// length, the end is credible.
func TestDisbelievedQuota(t *testing.T) {
	t.Parallel()
	const week = 7 * 24 * time.Hour
	for _, documented := range []bool{false, true} {
		p, disbelieved := named(), 0
		if documented {
			p.Windows = []abi.ProviderWindow{{Requests: 1000, PerMS: week.Milliseconds()}}
		}
		b := newBed(t, p, func(d *Deps) {
			d.Observe = func(e Event) {
				if e.Kind == EventDisbelieved {
					disbelieved++
				}
			}
		})
		b.script(says{headers: "X-RateLimit-Remaining: 0\nX-RateLimit-Reset: 600000"})
		b.ok(1)
		if documented {
			if s := b.stopped(); s.Reason != abi.ReasonRateLimited || s.NextAttempt.Sub(epoch) < 600000*time.Second || disbelieved > 0 {
				t.Errorf("documented: %+v, disbelieved %d times; want it put off by 600,000 s", s, disbelieved)
			}
			continue
		}
		b.ok(3)
		if disbelieved != 1 || b.clock.Now().Sub(epoch) > time.Hour {
			t.Errorf("disbelieved %d times, four requests took %v; want once, and no pause", disbelieved, b.clock.Now().Sub(epoch))
		}
	}
}

// FuzzQuotaHeaders feeds what a hostile provider may say.
func FuzzQuotaHeaders(f *testing.F) {
	f.Add("100", "3", "60", `"a";r=1;t=2`, `"a";q=5;w=60`, "7", "Thu, 01 Jan 2026 00:00:00 GMT", "1,2")
	f.Add("-1", "9223372036854775807", "1e308", `;;;=,=;r=;t=`, `"`, "1e400", "x", ",")
	f.Add("10, 10;w=1", "598.0", "2026-01-01T00:00:09.5Z", "limit=100, remaining=50, reset=30", "100;w=60", "-0", "", "600,30000")
	f.Add("1e18;w=1e18", "0.9", "-9223372036854775808ns", `"\";,";r=0`, "NaN;w=NaN", "Inf", "Mon, 01 Jan 0001 00:00:00 GMT", "NaN,NaN")
	f.Fuzz(func(t *testing.T, limit, remaining, reset, structured, policy, after, date, pair string) {
		h := http.Header{
			"X-Ratelimit-Limit": {limit}, "X-Ratelimit-Remaining": {remaining}, "X-Ratelimit-Reset": {reset}, "X-Ratelimit-Usage": {pair},
			"Ratelimit": {structured}, "Ratelimit-Policy": {policy}, "Retry-After": {after}, "Date": {date},
			"X-Ratelimit-Remaining-Day": {remaining}, "X-Ratelimit-Limit-Day": {limit}, "X-Ratelimit-Reset-After": {after},
			"X-Readratelimit-Limit": {pair}, "X-Readratelimit-Usage": {remaining + "," + limit}, "X-Daylimit-Remaining": {remaining},
		}
		_ = ratelimit.Exhausted(h)
		q := newQuota([]abi.ProviderWindow{{Requests: 3, PerMS: 1000}})
		now := epoch
		for range 5 {
			q.readHeaders(now, h, time.Time{})
			if d := q.delay(now); d < 0 || d > longestBelieved+rounded {
				t.Fatalf("a delay of %v, want d >= 0 && d <= longestBelieved + rounded", d)
			}
			q.admit(now)
			now = now.Add(time.Second)
		}
		if len(q.reported) > ratelimit.MaxWindows {
			t.Fatalf("%d windows, want len(q.told) <= ratelimit.MaxWindows", len(q.reported))
		}
		if d, ok, _ := retryAfter(now, h); ok && (d < 0 || d > longestBelieved) {
			t.Fatalf("Retry-After %v, want !ok || d >= 0 && d <= longestBelieved", d)
		}
	})
}
