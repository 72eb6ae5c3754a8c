package sim

import (
	"context"
	"math/rand/v2"
	"net/http"
	"time"
)

// plain sends requests as fast as the answers come, with exponential back-off
// and full jitter after a failure, honouring Retry-After, until the time is over.
func plain(ctx context.Context, to *provider, seed uint64, until time.Time) error {
	random := rand.New(rand.NewPCG(seed, 13)) //nolint:gosec // a simulation must repeat itself
	for failures := 0; time.Now().Before(until); {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://provider.example/items", http.NoBody)
		if err != nil {
			return err
		}
		resp, err := to.RoundTrip(req)
		if err != nil {
			return err
		}
		_ = resp.Body.Close() // it is in memory
		if resp.StatusCode < 400 {
			failures = 0
			continue
		}
		wait := time.Duration(random.Float64() * float64(min(time.Minute, time.Second<<min(failures, 6))))
		if after, err := time.ParseDuration(resp.Header.Get("Retry-After") + "s"); err == nil {
			wait = after
		}
		failures++
		time.Sleep(wait)
	}
	return nil
}
