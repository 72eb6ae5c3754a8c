package delivery

import (
	"context"
	"time"

	"github.com/pdpp-host/pdpp-host/host/collector/client"
	"github.com/pdpp-host/pdpp-host/storage"
)

// shortest is the shortest pause of a host that names one.
const shortest = time.Second

// failed decides what a failure does to its row: nothing else is taken either, the row waits,
// or it is given up. It never gives up a row over a transient failure.
func (d *Deliverer) failed(ctx context.Context, i *storage.OutboxItem, f *client.Failure) error {
	at := d.Now().Add(d.backoff(i.Attempts))
	if !f.RetryAt.IsZero() { // a host that asks for no pause, or for one that is over, gets a short one
		at = f.RetryAt
		if soon := d.Now().Add(shortest); at.Before(soon) {
			at = soon
		}
	}
	d.mu.Lock()
	d.last, d.lastOf = f, i.Kind
	if f.Class.Stops() {
		d.stopped = f
	}
	paused := d.pauseFor(f)
	if paused {
		d.pausing = at
	}
	d.mu.Unlock()
	switch {
	case f.Class.Stops():
		return pause(d.ignoreLostLease(d.Store.Release(ctx, i)))
	case paused:
		return pause(d.counted(&d.done.Retried, d.Store.Retry(ctx, i, at, f.OutboxClass(), f.Err.Detail)))
	case f.Class == client.ClassTransient:
		return d.counted(&d.done.Retried, d.Store.Retry(ctx, i, at, f.OutboxClass(), f.Err.Detail))
	case i.Refused: // it is no data: that a run was refused holds nothing up
		return d.ignoreLostLease(d.Store.Discard(ctx, i))
	case f.Word == client.WordShape, i.Kind == storage.KindRunCommit, i.Attempts+1 >= d.Policy.MaxAttempts:
		return d.counted(&d.done.DeadLettered, d.Store.DeadLetter(ctx, i, f.OutboxClass(), f.Err.Detail))
	default:
		return d.counted(&d.done.Retried, d.Store.Retry(ctx, i, at, f.OutboxClass(), f.Err.Detail))
	}
}

// pauseFor reports whether other rows would fare no better: the host cannot be
// reached, says when it wants to be asked again, or has failed several in a row.
// One that answers for itself alone keeps the others from nothing.
func (d *Deliverer) pauseFor(f *client.Failure) bool {
	const inARow = 3
	if f.Class != client.ClassTransient {
		return false
	}
	d.failures++
	return !f.Answered || !f.RetryAt.IsZero() || d.failures >= inARow
}

func pause(err error) error {
	if err != nil {
		return err
	}
	return errPause
}

// backoff grows with each attempt and is spread, so that many devices do not ask
// at once.
func (d *Deliverer) backoff(attempts int64) time.Duration {
	n := min(max(attempts, 0), 1<<20) + 1
	wait := time.Duration(min(int64(d.Policy.Backoff)*n, int64(d.Policy.MaxBackoff)))
	return wait + time.Duration(float64(wait)*d.Random()/10)
}

func (d *Deliverer) counted(count *int64, err error) error {
	if err != nil {
		return d.ignoreLostLease(err)
	}
	d.mu.Lock()
	*count++
	d.mu.Unlock()
	return nil
}
