package main

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"text/tabwriter"
	"time"

	"github.com/failsafe-go/failsafe-go/adaptivelimiter"
	"github.com/failsafe-go/failsafe-go/failsafehttp"
)

var compare = flag.Bool("compare", false, "write the table of other clients on the same providers")

// bubbleClock is the time of a synctest bubble.
type bubbleClock struct{}

func (bubbleClock) Now() time.Time          { return time.Now() }
func (bubbleClock) Advance(d time.Duration) { time.Sleep(d) }

// workers is how many requests the adaptive client would keep in flight at most:
// its limiter adapts their number.
const workers = 16

// failsafeClient measures failsafe-go's HTTP client, with its adaptive limiter
// and its retry policy as they come, on one provider.
func failsafeClient(ctx context.Context, s *shape, seed uint64) figurePlain {
	p := newProvider(s, bubbleClock{}, seed)
	p.lenient = true
	limiter := adaptivelimiter.NewWithDefaults[*http.Response]()                                //nolint:bodyclose // no response is here
	retry := failsafehttp.NewRetryPolicyBuilder().WithBackoff(time.Second, time.Minute).Build() //nolint:bodyclose // nor here
	client := failsafehttp.NewRoundTripper(p, retry, limiter)
	end := time.Now().Add(warmUp)
	var early int
	phase := func() {
		var all sync.WaitGroup
		for range workers {
			all.Go(func() {
				for time.Now().Before(end) {
					req, err := newRequest(ctx)
					if err != nil {
						return
					}
					resp, err := client.RoundTrip(req)
					if err != nil { // no room in the limiter, or no retries left
						time.Sleep(10 * time.Millisecond)
						continue
					}
					_ = resp.Body.Close() // it is empty
				}
			})
		}
		all.Wait()
	}
	phase()
	early, p.tally = p.tally.bans, tally{}
	span := s.lasts
	if span == 0 {
		span = measured
	}
	began := time.Now()
	end = began.Add(span)
	phase()
	t := p.tally
	return figurePlain{
		share:   float64(t.served) / (s.best(s.perMinute) * time.Since(began).Minutes()),
		refused: float64(t.refused) / float64(max(1, t.served+t.refused)),
		bans:    t.bans + early,
	}
}

// TestCompare writes how another library's adaptive client fares where the
// governor and the plain client of the main table were measured. It fails
// nothing: the table is what it is for.
func TestCompare(t *testing.T) { //nolint:paralleltest // its table is written in order
	if !*compare {
		t.Skip("a table for people: -compare writes it")
	}
	w := tabwriter.NewWriter(os.Stdout, 2, 0, 2, ' ', 0)
	defer w.Flush() //nolint:errcheck // standard output
	fmt.Fprintf(w, "failsafe-go, adaptive limiter and retry\n  provider\tof the oracle\trefused\tbans\t\n")
	for i := range steady {
		synctest.Test(t, func(t *testing.T) {
			f := failsafeClient(t.Context(), &steady[i], 1)
			fmt.Fprintf(w, "  %s\t%.3f\t%.1f %%\t%d\t\n", steady[i].name, f.share, 100*f.refused, f.bans)
		})
	}
}
