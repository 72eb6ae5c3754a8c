package plugin

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// deadline watches one guest call from outside the guest. When ctx ends or the limit
// passes it asks the guest to stop, and after the grace it kills it (RT-09.2).
// Invariant 6: a guest cannot outlive its deadline.
type deadline struct {
	finished chan struct{}
	wait     sync.WaitGroup
	stopped  error // why a stop was requested; read it after finish
}

// restLook is the shortest time between two looks at how long a call has rested.
const restLook = 100 * time.Millisecond

// watch starts watching. The limit is longer by the time that rested says; nil: none.
// Without a stop function, which may be nil, there is no grace. stop and kill must not
// block; kill receives the reason.
func watch(ctx context.Context, limit, grace time.Duration, rested func() time.Duration, stop func(), kill func(error)) *deadline {
	d := &deadline{finished: make(chan struct{})}
	d.wait.Go(func() {
		timer := time.NewTimer(limit)
		defer timer.Stop()
		for added := time.Duration(0); d.stopped == nil; {
			select {
			case <-d.finished:
				return
			case <-ctx.Done():
				d.stopped = interrupted(ctx)
			case <-timer.C:
				more := -added
				if rested != nil {
					more += rested()
				}
				if more <= 0 {
					d.stopped = overtime(limit)
					break
				}
				added += more
				timer.Reset(max(more, restLook))
			}
		}
		if stop != nil {
			stop()
			last := time.NewTimer(grace)
			defer last.Stop()
			select {
			case <-d.finished:
				return
			case <-last.C:
			}
		}
		kill(d.stopped)
	})
	return d
}

// finish ends the watch and returns why a stop was requested, or nil.
func (d *deadline) finish() error {
	close(d.finished)
	d.wait.Wait()
	return d.stopped
}

func overtime(limit time.Duration) error {
	return abi.NewError(abi.CodeLimitTime, "the connector took longer than allowed",
		"raise limits.run, or collect less at once").WithDetail(fmt.Sprintf("the limit is %s", limit))
}

// interrupted wraps the context's cause. It is an *abi.Error with the cause's own code
// if the cause has one.
func interrupted(ctx context.Context) error {
	cause := context.Cause(ctx)
	if abi.CodeOf(cause) != abi.CodeInternal {
		return fmt.Errorf("the connector was stopped: %w", cause)
	}
	return abi.NewError(abi.CodeInterrupted, "the connector was stopped before it had finished", "run it again").Wrap(cause)
}
