package collector

import (
	"context"
	"time"

	"github.com/pdpp-host/pdpp-host/storage"
)

// shortest is the shortest pause of a host that names one.
const shortest = time.Second

// failed decides what a failure does to its row: nothing else is taken either, the row waits,
// or it is given up. It never gives up a row over a transient failure.
func (d *deliverer) failed(ctx context.Context, i *storage.OutboxItem, f *Failure) error {
	at := d.now().Add(d.backoff(i.Attempts))
	if !f.RetryAt.IsZero() { // a host that asks for no pause, or for one that is over, gets a short one
		at = f.RetryAt
		if soon := d.now().Add(shortest); at.Before(soon) {
			at = soon
		}
	}
	d.mu.Lock()
	d.last, d.lastOf = f, i.Kind
	if f.Class.stops() {
		d.stopped = f
	}
	paused := d.pauseFor(f)
	if paused {
		d.pausing = at
	}
	d.mu.Unlock()
	switch {
	case f.Class.stops():
		return pause(d.settled(d.store.Release(ctx, i)))
	case paused:
		return pause(d.counted(&d.done.Retried, d.store.Retry(ctx, i, at, f.class(), f.err.Detail)))
	case f.Class == ClassTransient:
		return d.counted(&d.done.Retried, d.store.Retry(ctx, i, at, f.class(), f.err.Detail))
	case i.Refused: // it is no data: that a run was refused holds nothing up
		return d.settled(d.store.Discard(ctx, i))
	case f.Word == wordShape, i.Kind == storage.KindRunCommit, i.Attempts+1 >= d.policy.MaxAttempts:
		return d.counted(&d.done.DeadLettered, d.store.DeadLetter(ctx, i, f.class(), f.err.Detail))
	default:
		return d.counted(&d.done.Retried, d.store.Retry(ctx, i, at, f.class(), f.err.Detail))
	}
}

// pauseFor reports whether other rows would fare no better: the host cannot be
// reached, says when it wants to be asked again, or has failed several in a row.
// One that answers for itself alone keeps the others from nothing.
func (d *deliverer) pauseFor(f *Failure) bool {
	const inARow = 3
	if f.Class != ClassTransient {
		return false
	}
	d.failures++
	return !f.answered || !f.RetryAt.IsZero() || d.failures >= inARow
}

func pause(err error) error {
	if err != nil {
		return err
	}
	return errPause
}

// backoff grows with each attempt and is spread, so that many devices do not ask
// at once.
func (d *deliverer) backoff(attempts int64) time.Duration {
	n := min(max(attempts, 0), 1<<20) + 1
	wait := time.Duration(min(int64(d.policy.Backoff)*n, int64(d.policy.MaxBackoff)))
	return wait + time.Duration(float64(wait)*d.random()/10)
}

func (d *deliverer) counted(count *int64, err error) error {
	if err != nil {
		return d.settled(err)
	}
	d.mu.Lock()
	*count++
	d.mu.Unlock()
	return nil
}
