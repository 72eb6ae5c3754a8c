package send

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// A simulation on this machine is asked as fast as it answers, and its pauses are
// kept; every other host is paced as ever.
func TestUnpacedLoopback(t *testing.T) {
	t.Parallel()
	const paced = 3 * time.Second
	for _, c := range []struct {
		address string
		unpaced bool
		answers []says
		want    time.Duration
	}{
		{"http://127.0.0.1:8080/a", true, []says{{headers: "RateLimit-Limit: 100\nRateLimit-Remaining: 50\nRateLimit-Reset: 60"}}, 0},
		{"http://[::1]/a", true, []says{{}}, 0},
		{"http://localhost:1/a", true, []says{{}}, 0},
		{"http://127.0.0.1/a", true, []says{{status: http.StatusTooManyRequests, headers: "Retry-After: 7"}, {}}, 7 * time.Second},
		{"http://127.0.0.1/a", false, []says{{}}, paced},
		{"https://127.0.0.1.example/a", true, []says{{}}, paced},
		{"https://10.0.0.1/a", true, []says{{}}, paced},
	} {
		b := newBed(t, Profile{Name: "p", Provider: abi.Provider{ToleranceMS: new(int64(0)), MinIntervalMS: 1000}}, func(d *Deps) { d.UnpacedLoopback = c.unpaced })
		b.script(c.answers...)
		for range 4 {
			req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, c.address, http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := b.g.Do(context.Background(), req); err != nil {
				t.Fatal(err)
			}
		}
		if got := b.clock.Now().Sub(epoch); got != c.want && (got < c.want || c.want != paced) {
			t.Errorf("%s, unpaced %v: 4 requests took %s, want %s (paced ones at least that)", c.address, c.unpaced, got, c.want)
		}
	}
}
