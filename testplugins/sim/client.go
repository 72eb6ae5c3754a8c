package main

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/pdpp-host/pdpp-host/host/send"
)

// client sends one request and then some, for ever.
type client interface {
	// step makes one request and takes the virtual time that it takes.
	step(ctx context.Context) error
}

func newRequest(ctx context.Context) (*http.Request, error) {
	return http.NewRequestWithContext(ctx, http.MethodGet, "https://provider.example/items", http.NoBody)
}

// governed is a connector behind the governor. A stop ends a run; the next one
// begins when the stop says so.
type governed struct {
	clock    *send.VirtualClock
	governor *send.Governor
}

func newGoverned(s *shape, p *provider, clock *send.VirtualClock, seed uint64, learned *send.Learned) (*governed, error) {
	random := rand.New(rand.NewPCG(seed, 11)) //nolint:gosec // a simulation must repeat itself
	g, err := send.New(s.profile(), send.Deps{Transport: p, Clock: clock, Random: random.Float64, Learned: learned})
	return &governed{clock, g}, err
}

func (c *governed) step(ctx context.Context) error {
	req, err := newRequest(ctx)
	if err != nil {
		return err
	}
	_, err = c.governor.Do(ctx, req)
	if stop := (*send.Stop)(nil); errors.As(err, &stop) {
		c.clock.Advance(stop.NextAttempt.Sub(c.clock.Now()))
		return nil
	}
	return err
}

// backingOff is a plain client: as fast as the answers come, and exponential
// back-off with full jitter after a failure, which honours Retry-After.
type backingOff struct {
	clock  *send.VirtualClock
	to     *provider
	random *rand.Rand
}

func newBackingOff(p *provider, clock *send.VirtualClock, seed uint64) *backingOff {
	return &backingOff{clock, p, rand.New(rand.NewPCG(seed, 13))} //nolint:gosec // a simulation must repeat itself
}

func (c *backingOff) step(ctx context.Context) error {
	req, err := newRequest(ctx)
	if err != nil {
		return err
	}
	for try := range 8 {
		resp, err := c.to.RoundTrip(req)
		if err != nil {
			return err
		}
		_ = resp.Body.Close() // it is empty
		if resp.StatusCode < 400 {
			return nil
		}
		wait := time.Duration(c.random.Float64() * float64(min(time.Minute, time.Second<<try)))
		if after, err := time.ParseDuration(resp.Header.Get("Retry-After") + "s"); err == nil {
			wait = after
		}
		c.clock.Advance(wait)
	}
	return nil
}
