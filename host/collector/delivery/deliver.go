package delivery

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/host/collector/client"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Deliverer sends what waits in an outbox, one row after another, in the order in
// which the outbox gives them out.
type Deliverer struct {
	Store  *storage.Outbox
	Lane   *client.Lane
	Policy Policy
	Now    func() time.Time
	Random func() float64
	Holder string
	// Manifest puts the manifest that the rows were made under; the host may have
	// lost it, and takes no records without.
	Manifest func(ctx context.Context) (put bool, err error)
	Note     func(step, text string)

	mu      sync.Mutex
	done    Delivered
	stopped *client.Failure // nothing else will be taken either
	last    *client.Failure // nil: none yet
	lastOf  string          // its row's kind
	pausing time.Time       // when the host may be asked again; zero: at once

	failures int // transient ones since the last acknowledgement
}

// Delivered counts what an execution did to the rows of the outbox.
type Delivered struct {
	Acknowledged int64 `json:"acknowledged"`
	Retried      int64 `json:"retried"`
	DeadLettered int64 `json:"dead_lettered"`
	LeasesLost   int64 `json:"leases_lost"`
	SetAside     int64 `json:"set_aside,omitempty"` // records, or streams of a batch, that a public host refused, and took the rest
}

// errPause ends a drain that the host, or the way to it, has interrupted.
var errPause = errors.New("delivery pauses")

// Drain delivers until nothing is claimable, a bound is reached, delivery pauses
// or stops. The error is the store's, or of ctx.
func (d *Deliverer) Drain(ctx context.Context) error {
	begin := d.Now()
	if d.Over() || d.paused(begin) && !d.asked(ctx, begin) {
		return nil
	}
	for i := 0; i < d.Policy.MaxIterations && d.Now().Sub(begin) < d.Policy.MaxDrain; i++ {
		more, err := d.Once(ctx)
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
func (d *Deliverer) due(ctx context.Context, begin time.Time) (bool, error) {
	counts, err := d.Store.OutboxCounts(ctx)
	if done, _, _ := d.Report(); err != nil || done.Retried > 0 || counts.Retrying == 0 {
		return false, err
	}
	now := d.Now()
	if counts.NextAttemptAt.Sub(begin) >= d.Policy.MaxDrain || !counts.NextAttemptAt.After(now) {
		return false, nil
	}
	d.waits("what could not be delivered before is tried again", counts.NextAttemptAt)
	return client.Sleep(ctx, counts.NextAttemptAt.Sub(now)), nil
}

// waits says that nothing goes on until a moment, and why.
func (d *Deliverer) waits(why string, until time.Time) {
	if d.Note != nil {
		d.Note("wait", "waiting until "+until.UTC().Format("15:04:05")+" UTC: "+why)
	}
}

func (d *Deliverer) paused(now time.Time) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.pausing.After(now)
}

// asked waits for the moment that the host named, when it named one within the
// drain's time.
func (d *Deliverer) asked(ctx context.Context, begin time.Time) bool {
	d.mu.Lock()
	at, named := d.pausing, d.stopped == nil && d.last != nil && !d.last.RetryAt.IsZero()
	d.mu.Unlock()
	if !named || at.Sub(begin) >= d.Policy.MaxDrain {
		return false
	}
	d.waits("the host asked for a pause", at)
	return client.Sleep(ctx, at.Sub(d.Now()))
}

// Once claims a few rows and sends them. It gives back the items that it did not send.
func (d *Deliverer) Once(ctx context.Context) (more bool, err error) {
	if err := ctx.Err(); err != nil {
		return false, context.Cause(ctx)
	}
	items, err := d.Store.Claim(ctx, storage.ClaimRequest{Holder: d.Holder, Lease: d.Policy.Lease, Limit: d.Policy.ClaimLimit})
	if err != nil || len(items) == 0 {
		return false, err
	}
	for i := range items {
		d.hold(ctx, items[i+1:])
		if err := d.Deliver(ctx, &items[i]); err != nil {
			for j := range items[i+1:] {
				// A row that is not given back is when its lease has run out.
				_ = d.Store.Release(context.WithoutCancel(ctx), &items[i+1+j])
			}
			return false, err
		}
	}
	return true, nil
}

// hold renews rows whose turn comes later than their lease would last. One that
// is lost is found out when its turn comes.
func (d *Deliverer) hold(ctx context.Context, later []storage.OutboxItem) {
	for i := range later {
		if later[i].LeaseUntil.Sub(d.Now()) < d.Policy.Lease/2 {
			_ = d.Store.Renew(context.WithoutCancel(ctx), &later[i], d.Policy.Lease)
		}
	}
}

// Deliver sends one row and writes down what came of it. That is written even
// when ctx ends: what the host took is not sent again.
func (d *Deliverer) Deliver(ctx context.Context, i *storage.OutboxItem) error {
	kept := context.WithoutCancel(ctx)
	if err := d.Store.Renew(kept, i, d.Policy.Lease); err != nil {
		return d.ignoreLostLease(err)
	}
	err := d.commits(kept, i)
	if err != nil {
		return err
	}
	err = d.Lane.Send(ctx, i)
	if f, ok := client.FailureOf(err); ok && f.Code == device.CodeManifestMissing {
		var put bool
		if put, err = d.Manifest(ctx); put {
			if err := d.Store.Renew(kept, i, d.Policy.Lease); err != nil {
				return d.ignoreLostLease(err)
			}
			err = d.Lane.Send(ctx, i)
		} else if err == nil {
			err = f
		}
	}
	if p, ok := errors.AsType[*client.Partly](err); ok {
		return d.acknowledged(kept, i, p.Aside)
	}
	switch {
	case err == nil:
		return d.acknowledged(kept, i, nil)
	case errors.Is(err, client.ErrUnsaid):
		return d.ignoreLostLease(d.Store.Discard(kept, i))
	}
	f, ok := client.FailureOf(err)
	if !ok {
		return errors.Join(err, d.ignoreLostLease(d.Store.Release(kept, i)))
	}
	return d.failed(kept, i, f)
}

// commits tells the lane which streams a public host refuses, before it is sent a run's cursors.
func (d *Deliverer) commits(ctx context.Context, i *storage.OutboxItem) (err error) {
	if i.Kind != storage.KindCheckpoint && i.Kind != storage.KindRunCommit || !d.Lane.PublicOnly {
		return nil
	}
	d.Lane.Withhold, err = d.Store.RefusedStreams(ctx, i.RunID)
	return err
}

// acknowledged keeps that a row was taken, a batch but for what was set aside.
func (d *Deliverer) acknowledged(ctx context.Context, i *storage.OutboxItem, aside []storage.SetAside) error {
	if err := d.Store.AcknowledgeBut(ctx, i, aside); err != nil {
		return d.ignoreLostLease(err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.done.Acknowledged++
	d.done.SetAside += int64(len(aside))
	d.pausing, d.failures = time.Time{}, 0
	return nil
}

// ignoreLostLease takes a row that another holder has, which is no trouble of this one
// (LC-06.2).
func (d *Deliverer) ignoreLostLease(err error) error {
	if err == nil || abi.CodeOf(err) != storage.CodeLeaseNotCurrent {
		return err
	}
	d.mu.Lock()
	d.done.LeasesLost++
	d.mu.Unlock()
	return nil
}

// Alongside delivers until over is closed, which is when the scan has ended, or
// ctx ends. A request that is under way is answered first. The error is the
// store's.
func (d *Deliverer) Alongside(ctx context.Context, over <-chan struct{}) error {
	for {
		select {
		case <-over:
			return nil
		case <-ctx.Done():
			return nil
		default:
		}
		more, err := d.Once(ctx)
		if err != nil && !errors.Is(err, errPause) && ctx.Err() == nil {
			return err
		}
		if !more && !d.pauses(ctx, over) {
			return nil
		}
	}
}

// pauses waits until the host may be asked again, or something new may wait.
func (d *Deliverer) pauses(ctx context.Context, over <-chan struct{}) bool {
	const look = time.Second
	d.mu.Lock()
	stopped, wait := d.stopped != nil, d.pausing.Sub(d.Now())
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

// Over reports whether nothing is taken from this device.
func (d *Deliverer) Over() bool { return d.Refused() != nil }

// Refused returns why nothing is taken from this device, nil when something may be.
func (d *Deliverer) Refused() *client.Failure {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.stopped
}

// Report returns what was done, and the last failure with the kind of its row.
func (d *Deliverer) Report() (done Delivered, why *client.Failure, kind string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.done, d.last, d.lastOf
}
