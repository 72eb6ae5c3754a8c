package send

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// longest bounds every delay in these tests.
const longest = 31 * 24 * time.Hour

var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// says is one answer of a scripted provider.
type says struct {
	status  int
	headers string // "Name: value" lines
	body    string
	takes   time.Duration
	err     error
}

// bed is a governor with a scripted provider on a virtual clock.
type bed struct {
	t      *testing.T
	clock  *VirtualClock
	answer func(n int, req *http.Request) says // n counts from 1
	calls  int
	sent   []float64 // ms of each call since epoch
	waits  []float64 // ms of each pre-flight wait
	sleeps []float64 // ms of each sleep after a failure
	moved  []Transition
	g      *Governor
}

func newBed(t *testing.T, profile Profile, change func(*Deps)) *bed {
	t.Helper()
	b := &bed{t: t, clock: NewVirtualClock(epoch), answer: func(int, *http.Request) says { return says{} }}
	deps := Deps{Transport: b, Clock: b.clock, Random: func() float64 { return 0.5 }, Observe: b.observe}
	if change != nil {
		change(&deps)
	}
	g, err := New(profile, deps)
	if err != nil {
		t.Fatal(err)
	}
	b.g = g
	return b
}

// script answers with each of list in turn, and then with the last.
func (b *bed) script(list ...says) {
	b.calls = 0
	b.answer = func(n int, _ *http.Request) says { return list[min(n, len(list))-1] }
}

func (b *bed) RoundTrip(req *http.Request) (*http.Response, error) {
	b.calls++
	b.sent = append(b.sent, b.at())
	a := b.answer(b.calls, req)
	b.clock.Advance(a.takes)
	if a.err != nil {
		return nil, a.err
	}
	h := make(http.Header)
	for line := range strings.SplitSeq(a.headers, "\n") {
		if name, value, ok := strings.Cut(line, ": "); ok {
			h.Set(name, value)
		}
	}
	if a.status == 0 {
		a.status = http.StatusOK
	}
	return &http.Response{StatusCode: a.status, Header: h, Body: io.NopCloser(strings.NewReader(a.body))}, nil
}

func (b *bed) observe(e Event) {
	switch e.Kind {
	case EventWait:
		b.waits = append(b.waits, millis(e.Duration))
	case EventBackoff:
		b.sleeps = append(b.sleeps, millis(e.Duration))
	case EventCircuit:
		b.moved = append(b.moved, *e.Circuit)
	}
}

func (b *bed) at() float64 { return millis(b.clock.Now().Sub(epoch)) }

func millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// get sends one GET.
func (b *bed) get(path string) (*Response, error) {
	b.t.Helper()
	req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, "https://api.example"+path, http.NoBody)
	if err != nil {
		b.t.Fatal(err)
	}
	return b.g.Do(context.Background(), req)
}

// ok sends n requests that have to succeed.
func (b *bed) ok(n int) {
	b.t.Helper()
	for range n {
		if _, err := b.get("/"); err != nil {
			b.t.Fatal(err)
		}
	}
}

// stopped sends one request that has to end in a stop.
func (b *bed) stopped() *Stop {
	b.t.Helper()
	_, err := b.get("/")
	var s *Stop
	if !errors.As(err, &s) {
		b.t.Fatalf("want a stop, got %v", err)
	}
	return s
}

func (b *bed) interval() float64 {
	b.t.Helper()
	return b.g.Snapshot().IntervalMS
}

var (
	errReset  = errors.New("connection reset")
	throttled = says{status: http.StatusTooManyRequests}
	unwell    = says{status: http.StatusBadGateway}
)

func named() Profile { return Profile{Name: "github"} }

// calm is a profile without a breaker and without pacing.
func calm(attempts int) Profile {
	p := named()
	p.DiscoveryMS, p.MaxAttempts, p.Breaker.Disabled = new(int64(0)), attempts, true
	return p
}
