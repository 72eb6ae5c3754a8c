package send

import (
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// answering is a transport that is a function.
type answering func(*http.Request) *http.Response

func (f answering) RoundTrip(r *http.Request) (*http.Response, error) { return f(r), nil }

func answered(status int, header ...string) *http.Response {
	h := http.Header{}
	for i := 0; i < len(header); i += 2 {
		h.Set(header[i], header[i+1])
	}
	return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(strings.NewReader(""))}
}

// A place is passed over until its moment, and comes first from then on.
func TestPlaceOfARefusedRequest(t *testing.T) {
	t.Parallel()
	var l line
	var first, second place
	l.join(&first, time.Time{})
	l.join(&second, time.Time{})
	l.leave(&first)
	l.join(&first, epoch)
	for _, c := range []struct {
		at   time.Time
		head *place
	}{{epoch.Add(-1), &second}, {epoch, &first}} {
		if l.isHead(&first, c.at) != (c.head == &first) || l.isHead(&second, c.at) != (c.head == &second) {
			t.Errorf("at %s the first heads: %v, the second: %v, want l.heads(&first, c.at) == (c.head == &first) && l.heads(&second, c.at) == (c.head == &second)", c.at, l.isHead(&first, c.at), l.isHead(&second, c.at))
		}
	}
}

// A refused request keeps its place: those that asked after it go after it, also
// where they wait for the same moment.
func TestRefusedRequestKeepsItsPlace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var sent []string
		refused := false
		transport := answering(func(r *http.Request) *http.Response {
			mu.Lock()
			defer mu.Unlock()
			sent = append(sent, r.URL.Path)
			if !refused {
				refused = true
				return answered(429, "Retry-After", "10")
			}
			return answered(200)
		})
		g, err := New(named(), Deps{Transport: transport, Clock: SystemClock{}, Random: func() float64 { return 0.5 }})
		if err != nil {
			t.Fatal(err)
		}
		var jobs sync.WaitGroup
		for _, path := range []string{"/a", "/b", "/c", "/d"} {
			jobs.Go(func() {
				r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://api.example"+path, http.NoBody)
				if err != nil {
					t.Error(err)
					return
				}
				if _, err := g.Do(t.Context(), r); err != nil {
					t.Errorf("%s: got %v, want no error", path, err)
				}
			})
			synctest.Wait()
		}
		time.Sleep(5 * time.Second) // the others wait, and the refused one sleeps
		g.mu.Lock()
		if n := len(g.general.line.places); n != 4 || g.general.line.places[0].number != 1 {
			t.Errorf("%d places in line, the first of request %d; want 4, of request 1", n, g.general.line.places[0].number)
		}
		g.mu.Unlock()
		jobs.Wait()
		if want := []string{"/a", "/a", "/b", "/c", "/d"}; !slices.Equal(sent, want) {
			t.Errorf("sent %v, want %v", sent, want)
		}
	})
}

// A request that is cancelled in line, or while it is ahead of others, leaves no entry
// behind.
func TestCancelledPlaceIsLeft(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		refuses := true
		transport := answering(func(*http.Request) *http.Response {
			mu.Lock()
			defer mu.Unlock()
			if refuses {
				refuses = false
				return answered(429, "Retry-After", "10")
			}
			return answered(200)
		})
		g, err := New(named(), Deps{Transport: transport, Clock: SystemClock{}, Random: func() float64 { return 0.5 }})
		if err != nil {
			t.Fatal(err)
		}
		var jobs sync.WaitGroup
		ask := func(ctx context.Context, ok bool) {
			jobs.Go(func() {
				r, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://api.example/", http.NoBody)
				if err != nil {
					t.Error(err)
					return
				}
				if _, err := g.Do(ctx, r); (err == nil) != ok {
					t.Errorf("answered %v, want %v: %v", err == nil, ok, err)
				}
			})
			synctest.Wait()
		}
		early, cancelEarly := context.WithCancel(t.Context())
		ask(early, false) // refused, and keeps the first place
		time.Sleep(2 * time.Second)
		late, cancelLate := context.WithCancel(t.Context())
		ask(late, false)
		ask(t.Context(), true)
		ask(t.Context(), true)
		cancelEarly()
		time.Sleep(time.Second)
		cancelLate()
		jobs.Wait()
		if left := len(g.general.line.places); left > 0 {
			t.Errorf("%d places are left in line, want 0", left)
		}
	})
}

// One probe goes for all that wait for an open circuit, and they go when it came
// back well.
func TestRequestsWaitForTheProbe(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := named()
		p.DiscoveryMS, p.MaxAttempts = new(int64(0)), 1
		var mu sync.Mutex
		calls, flying, most := 0, 0, 0
		transport := answering(func(*http.Request) *http.Response {
			mu.Lock()
			calls++
			n := calls
			flying++
			if n == 6 {
				most = flying
			}
			mu.Unlock()
			if n >= 6 {
				time.Sleep(time.Second)
			}
			mu.Lock()
			defer mu.Unlock()
			if flying--; n <= 5 {
				return answered(500)
			}
			return answered(200)
		})
		g, err := New(p, Deps{Transport: transport, Clock: SystemClock{}, Random: func() float64 { return 0.5 }})
		if err != nil {
			t.Fatal(err)
		}
		do := func() error {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://api.example/", http.NoBody)
			if err == nil {
				_, err = g.Do(t.Context(), r)
			}
			return err
		}
		for range 5 {
			if do() == nil {
				t.Fatal("answered, want a failure")
			}
		}
		began := time.Now()
		var jobs sync.WaitGroup
		for range 4 {
			jobs.Go(func() {
				if err := do(); err != nil {
					t.Error(err)
				}
			})
		}
		jobs.Wait()
		if took := time.Since(began); took != 62*time.Second || most != 1 {
			t.Errorf("it took %s with %d beside the probe, want 1m2s and the probe alone", took, most)
		}
	})
}
