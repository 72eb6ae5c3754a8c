package send

import (
	"context"
	"sync"
	"time"
)

// Clock is a governor's source of time.
type Clock interface {
	// Now returns the current time; it never goes backwards.
	Now() time.Time
	// Sleep waits for d, or until ctx ends; it then returns the cause.
	Sleep(ctx context.Context, d time.Duration) error
}

// SystemClock is the machine's own clock. Its zero value is ready and safe for
// concurrent use.
type SystemClock struct{}

// Now returns the current time.
func (SystemClock) Now() time.Time { return time.Now() }

// Sleep waits for d or until ctx ends.
func (SystemClock) Sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return context.Cause(ctx)
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// VirtualClock is a clock that advances only by Sleep and Advance, for replays and
// simulations of one request at a time. It is safe for concurrent use, but the times
// of two sleepers add up.
type VirtualClock struct {
	mu  sync.Mutex
	now time.Time
}

// NewVirtualClock returns a clock set to start.
func NewVirtualClock(start time.Time) *VirtualClock { return &VirtualClock{now: start} }

// Now returns the clock's time.
func (c *VirtualClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Sleep advances the clock by d and returns at once.
func (c *VirtualClock) Sleep(ctx context.Context, d time.Duration) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	c.Advance(d)
	return nil
}

// Advance advances the clock by d; a negative d changes nothing.
func (c *VirtualClock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(max(d, 0))
}
