package run

import (
	"context"
	"sync"
	"time"
)

// rest is the time of a run that its limits do not count: while its owner is asked
// (OC-18.3). Safe for concurrent use.
type rest struct {
	now func() time.Time

	mu    sync.Mutex
	total time.Duration // of the rests that are over
	since time.Time     // when the rest began that goes on; zero: none does
}

func (r *rest) begin() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.since = r.now()
}

func (r *rest) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.total, r.since = r.soFar(), time.Time{}
}

// rested returns how long the run has rested so far.
func (r *rest) rested() time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.soFar()
}

func (r *rest) soFar() time.Duration {
	if r.since.IsZero() {
		return r.total
	}
	return r.total + max(0, r.now().Sub(r.since)) // a clock may be set back
}

// restLook is the shortest time between two looks at how long a run has rested.
const restLook = 100 * time.Millisecond

// within returns a context that ends with cause once limit has passed, rests not counted.
func (r *rest) within(ctx context.Context, limit time.Duration, cause error) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	var waiting sync.WaitGroup
	waiting.Go(func() {
		t := time.NewTimer(limit)
		defer t.Stop()
		for added := time.Duration(0); ; {
			select {
			case <-ctx.Done():
				return
			case <-t.C:
			}
			more := r.rested() - added
			if more <= 0 {
				cancel(cause)
				return
			}
			added += more
			t.Reset(max(more, restLook))
		}
	})
	return ctx, func() { cancel(nil); waiting.Wait() }
}
