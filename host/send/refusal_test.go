package send

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
)

const secondary = `{"message":"You have exceeded a secondary rate limit."}`

// secondaryLimit is GitHub's profile as far as its secondary limit goes.
func secondaryLimit() Profile {
	p := named()
	p.Refusals = []abi.ProviderRefusal{{Status: 403, Contains: "Secondary Rate Limit", WaitMS: 60_000}}
	return p
}

// RT-23.1, RT-25.3: a refusal that only its text gives away slows down, is sent
// again after the documented pause, which doubles, and ends as source pressure.
func TestRefusalByItsText(t *testing.T) {
	t.Parallel()
	b := newBed(t, secondaryLimit(), nil)
	b.script(says{status: 403, body: secondary})
	before := b.interval()
	s := b.stopped()
	if s.Reason != abi.ReasonRateLimited || !s.ArmsCooldown() || s.Error() != "github_rate_limited" || s.Attempts != 4 {
		t.Errorf("got %s, %q after %d attempts, want rate_limited, github_rate_limited, 4", s.Reason, s, s.Attempts)
	}
	if now := b.interval(); now <= before {
		t.Errorf("interval %v after %v, want now > before", now, before)
	}
	if want := []float64{60_000, 120_000, 240_000}; !slices.Equal(b.sleeps, want) {
		t.Errorf("slept %v, want %v", b.sleeps, want)
	}
	if got, want := s.NextAttempt, b.clock.Now().Add(480*1e9); !got.Equal(want) {
		t.Errorf("the next attempt is at %v, want %v", got, want)
	}
	// An answer's own word is the better one, and a success is a success again.
	b.sleeps = nil
	b.g.breaker = newBreaker(b.g.profile.Breaker)
	b.clock.Advance(1e12)
	b.script(says{status: 403, body: secondary, headers: "Retry-After: 7"}, says{})
	b.ok(1)
	if want := []float64{7000}; !slices.Equal(b.sleeps, want) {
		t.Errorf("slept %v, want %v", b.sleeps, want)
	}
}

// Refusals have many forms; a plain 403 has none of them.
func TestClassify(t *testing.T) {
	t.Parallel()
	p := secondaryLimit()
	p.Refusals = append(p.Refusals, abi.ProviderRefusal{Status: 200, Contains: `"ratelimited"`})
	far := strings.Repeat(" ", refusalLooksAt)
	for name, test := range map[string]struct {
		status        int
		headers, body string
		refusal       bool
	}{
		"429":                    {429, "", "", true},
		"403":                    {403, "", `{"message":"Resource not accessible"}`, false},
		"403, Retry-After":       {403, "Retry-After: 5", "", true},
		"403, nothing remains":   {403, "X-RateLimit-Remaining: 0", "", true},
		"403, some remains":      {403, "X-RateLimit-Remaining: 1\nX-RateLimit-Reset: 5", "", false},
		"403, decimal":           {403, "X-RateLimit-Remaining: 0.0", "", true},
		"403, by the minute":     {403, "X-RateLimit-Remaining-Day: 7\nX-RateLimit-Remaining-Minute: 0", "", true},
		"403, X-Rate-Limit":      {403, "X-Rate-Limit-Remaining: 0", "", true},
		"403, structured":        {403, `RateLimit: "a";r=9;t=3, "b";r=0;t=3`, "", true},
		"403, draft 7":           {403, "RateLimit: limit=10, remaining=0, reset=3", "", true},
		"403, Strava":            {403, "X-RateLimit-Limit: 200,2000\nX-RateLimit-Usage: 200,500", "", true},
		"403, Fitbit":            {403, "Fitbit-Rate-Limit-Remaining: 0", "", true},
		"by text":                {403, "", secondary, true},
		"by text, any case":      {403, "", strings.ToUpper(secondary), true},
		"text of another":        {404, "", secondary, false},
		"text too far in":        {403, "", far + secondary, false},
		"in an answer that's ok": {200, "", `{"ok":false,"error":"ratelimited"}`, true},
		"200":                    {200, "X-RateLimit-Remaining: 0", "{}", false},
	} {
		v := classify(p.Refusals, test.status, headers(test.headers), []byte(test.body))
		if v.refusal != test.refusal || v.refusal != v.retry || v.refusal && v.outcome != outcomeThrottle {
			t.Errorf("%s: got %+v, want refusal %v", name, v, test.refusal)
		}
	}
	if v := classify(p.Refusals, http.StatusServiceUnavailable, nil, nil); v.refusal || !v.slow || !v.retry {
		t.Errorf("503: got %+v, want a throttle that is no refusal", v)
	}
}

// FuzzRefusal feeds what a hostile manifest and a hostile answer may hold.
func FuzzRefusal(f *testing.F) {
	f.Add(403, "secondary rate limit", int64(60_000), []byte(secondary), 3)
	f.Add(200, "\xff", int64(60*60*1000), []byte("\xff\x00"), 20)
	f.Fuzz(func(t *testing.T, status int, contains string, wait int64, body []byte, attempt int) {
		p := named()
		p.Refusals = []abi.ProviderRefusal{{Status: status, Contains: contains, WaitMS: wait}}
		if p.Check() != nil {
			return
		}
		v := classify(p.Refusals, status, nil, body)
		if d := v.pause(1 + max(0, attempt%20)); d < 0 || d > longest {
			t.Fatalf("a pause of %v, want d >= 0 && d <= longest", d)
		}
	})
}
