package collector

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/storage"
)

// deliverer sends what waits in an outbox, one row after another, in the order in
// which the outbox gives them out.
type deliverer struct {
	store  *storage.Outbox
	lane   *lane
	policy Policy
	now    func() time.Time
	random func() float64
	holder string
	// manifest puts the manifest that the rows were made under; the host may have
	// lost it, and takes no records without.
	manifest func(ctx context.Context) (put bool, err error)
	note     func(step, text string)

	mu      sync.Mutex
	done    Delivered
	stopped *Failure  // nothing else will be taken either
	last    *Failure  // nil: none yet
	lastOf  string    // its row's kind
	pausing time.Time // when the host may be asked again; zero: at once

	failures int // transient ones since the last acknowledgement
}

// errPause ends a drain that the host, or the way to it, has interrupted.
var errPause = errors.New("delivery pauses")

// drain delivers until nothing is claimable, a bound is reached, delivery pauses
// or stops. The error is the store's, or of ctx.
func (d *deliverer) drain(ctx context.Context) error {
	begin := d.now()
	if d.over() || d.paused(begin) && !d.asked(ctx, begin) {
		return nil
	}
	for i := 0; i < d.policy.MaxIterations && d.now().Sub(begin) < d.policy.MaxDrain; i++ {
		more, err := d.once(ctx)
		switch {
		case errors.Is(err, errPause):
			more = d.asked(ctx, begin)
		case err != nil:
			return err
		case !more:
			if more, err = d.due(ctx, begin); err != nil {
				return err
			}
		}
		if !more {
			return nil
		}
	}
	return nil
}

// due waits for what an earlier execution could not deliver, when it may be tried again
// within the drain's time: an owner who runs the collector again means it. It does not wait
// for items that this execution could not deliver.
func (d *deliverer) due(ctx context.Context, begin time.Time) (bool, error) {
	counts, err := d.store.OutboxCounts(ctx)
	if done, _, _ := d.report(); err != nil || done.Retried > 0 || counts.Retrying == 0 {
		return false, err
	}
	now := d.now()
	if counts.NextAttemptAt.Sub(begin) >= d.policy.MaxDrain || !counts.NextAttemptAt.After(now) {
		return false, nil
	}
	d.waits("what could not be delivered before is tried again", counts.NextAttemptAt)
	return sleep(ctx, counts.NextAttemptAt.Sub(now)), nil
}

// waits says that nothing goes on until a moment, and why.
func (d *deliverer) waits(why string, until time.Time) {
	if d.note != nil {
		d.note("wait", "waiting until "+until.UTC().Format("15:04:05")+" UTC: "+why)
	}
}

func (d *deliverer) paused(now time.Time) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.pausing.After(now)
}

// asked waits for the moment that the host named, when it named one within the
// drain's time.
func (d *deliverer) asked(ctx context.Context, begin time.Time) bool {
	d.mu.Lock()
	at, named := d.pausing, d.stopped == nil && d.last != nil && !d.last.RetryAt.IsZero()
	d.mu.Unlock()
	if !named || at.Sub(begin) >= d.policy.MaxDrain {
		return false
	}
	d.waits("the host asked for a pause", at)
	return sleep(ctx, at.Sub(d.now()))
}

func sleep(ctx context.Context, wait time.Duration) bool {
	t := time.NewTimer(wait)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}

// once claims a few rows and sends them. It gives back the items that it did not send.
func (d *deliverer) once(ctx context.Context) (more bool, err error) {
	if err := ctx.Err(); err != nil {
		return false, context.Cause(ctx)
	}
	items, err := d.store.Claim(ctx, storage.ClaimRequest{Holder: d.holder, Lease: d.policy.Lease, Limit: d.policy.ClaimLimit})
	if err != nil || len(items) == 0 {
		return false, err
	}
	for i := range items {
		d.hold(ctx, items[i+1:])
		if err := d.deliver(ctx, &items[i]); err != nil {
			for j := range items[i+1:] {
				// A row that is not given back is when its lease has run out.
				_ = d.store.Release(context.WithoutCancel(ctx), &items[i+1+j])
			}
			return false, err
		}
	}
	return true, nil
}

// hold renews rows whose turn comes later than their lease would last. One that
// is lost is found out when its turn comes.
func (d *deliverer) hold(ctx context.Context, later []storage.OutboxItem) {
	for i := range later {
		if later[i].LeaseUntil.Sub(d.now()) < d.policy.Lease/2 {
			_ = d.store.Renew(context.WithoutCancel(ctx), &later[i], d.policy.Lease)
		}
	}
}

// deliver sends one row and writes down what came of it. That is written even
// when ctx ends: what the host took is not sent again.
func (d *deliverer) deliver(ctx context.Context, i *storage.OutboxItem) error {
	kept := context.WithoutCancel(ctx)
	if err := d.store.Renew(kept, i, d.policy.Lease); err != nil {
		return d.settled(err)
	}
	err := d.lane.send(ctx, i)
	if f, ok := failureOf(err); ok && f.Code == device.CodeManifestMissing {
		var put bool
		if put, err = d.manifest(ctx); put {
			if err := d.store.Renew(kept, i, d.policy.Lease); err != nil {
				return d.settled(err)
			}
			err = d.lane.send(ctx, i)
		} else if err == nil {
			err = f
		}
	}
	switch {
	case err == nil:
		return d.acknowledged(kept, i)
	case errors.Is(err, errUnsaid):
		return d.settled(d.store.Discard(kept, i))
	}
	f, ok := failureOf(err)
	if !ok {
		return errors.Join(err, d.settled(d.store.Release(kept, i)))
	}
	return d.failed(kept, i, f)
}

func (d *deliverer) acknowledged(ctx context.Context, i *storage.OutboxItem) error {
	if err := d.store.Acknowledge(ctx, i); err != nil {
		return d.settled(err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.done.Acknowledged++
	d.pausing, d.failures = time.Time{}, 0
	return nil
}

// settled takes a row that another holder has, which is no trouble of this one
// (LC-06.2).
func (d *deliverer) settled(err error) error {
	if err == nil || abi.CodeOf(err) != storage.CodeLeaseNotCurrent {
		return err
	}
	d.mu.Lock()
	d.done.LeasesLost++
	d.mu.Unlock()
	return nil
}

// alongside delivers until over is closed, which is when the scan has ended, or
// ctx ends. A request that is under way is answered first. The error is the
// store's.
func (d *deliverer) alongside(ctx context.Context, over <-chan struct{}) error {
	for {
		select {
		case <-over:
			return nil
		case <-ctx.Done():
			return nil
		default:
		}
		more, err := d.once(ctx)
		if err != nil && !errors.Is(err, errPause) && ctx.Err() == nil {
			return err
		}
		if !more && !d.pauses(ctx, over) {
			return nil
		}
	}
}

// pauses waits until the host may be asked again, or something new may wait.
func (d *deliverer) pauses(ctx context.Context, over <-chan struct{}) bool {
	const look = time.Second
	d.mu.Lock()
	stopped, wait := d.stopped != nil, d.pausing.Sub(d.now())
	d.mu.Unlock()
	if stopped {
		return false
	}
	t := time.NewTimer(max(wait, look))
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-over:
		return false
	case <-t.C:
		return true
	}
}

// over reports whether nothing is taken from this device.
func (d *deliverer) over() bool { return d.refused() != nil }

// refused returns why nothing is taken from this device, nil when something may be.
func (d *deliverer) refused() *Failure {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.stopped
}

// report returns what was done, and the last failure with the kind of its row.
func (d *deliverer) report() (done Delivered, why *Failure, kind string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.done, d.last, d.lastOf
}
