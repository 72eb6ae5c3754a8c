package sim

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

// workers is how many requests the adaptive client would keep in flight at most:
// its limiter adapts their number.
const workers = 16

// compared is how long it is measured: it asks as fast as it can, and learns
// nothing that a longer time would show.
const compared = 10 * time.Minute

// failsafe measures failsafe-go's HTTP client, with its adaptive limiter and its
// retry policy as they come, on one provider.
func failsafe(ctx context.Context, s *shape, seed uint64) figure {
	p := newProvider(s, seed)
	p.lenient = true
	limiter := adaptivelimiter.NewWithDefaults[*http.Response]()                                //nolint:bodyclose // no response is here
	retry := failsafehttp.NewRetryPolicyBuilder().WithBackoff(time.Second, time.Minute).Build() //nolint:bodyclose // nor here
	client := failsafehttp.NewRoundTripper(p, retry, limiter)
	began := time.Now()
	end := began.Add(compared)
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for time.Now().Before(end) {
				req, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://provider.example/items", http.NoBody)
				if err != nil {
					return
				}
				resp, err := client.RoundTrip(req)
				if err != nil { // no room in the limiter, or no retries left
					time.Sleep(10 * time.Millisecond)
					continue
				}
				_ = resp.Body.Close() // it is in memory
			}
		})
	}
	all.Wait()
	return p.figure(began, s.best(s.perMinute, workers))
}

// TestCompare measures another library's adaptive client at the providers of the main
// table. It fails nothing: its purpose is the table.
func TestCompare(t *testing.T) { //nolint:paralleltest // its table is written in order
	if !*compare {
		t.Skip("a table for people: -compare writes it")
	}
	w := tabwriter.NewWriter(os.Stdout, 2, 0, 2, ' ', 0)
	defer w.Flush() //nolint:errcheck // standard output
	fmt.Fprintf(w, "failsafe-go, adaptive limiter and retry\n  provider\tof the oracle\trefused\tbans\t\n")
	for i := range steady {
		synctest.Test(t, func(t *testing.T) {
			f := failsafe(t.Context(), &steady[i], 1)
			fmt.Fprintf(w, "  %s\t%.3f\t%.1f %%\t%d\t\n", steady[i].name, f.share, 100*f.refused, f.bans)
		})
	}
}
