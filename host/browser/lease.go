package browser

import (
	"context"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/browser/profile"
)

// place takes what a browser needs before it starts: its profile, and one of the places that
// the machine has for browsers. It tells what it waits for.
func (b *Browser) place(ctx context.Context) (err error) {
	r := &b.request
	wait := func(code abi.Code, take func(time.Duration) error) error {
		err := take(0)
		if abi.CodeOf(err) != code || ctx.Err() != nil {
			return err
		}
		if r.Waits != nil {
			r.Waits(code)
		}
		return take(r.Wait)
	}
	err = wait(abi.CodeBrowserProfileBusy, func(d time.Duration) (err error) {
		b.held, err = profile.Hold(ctx, r.Profiles, r.Profile, d)
		return err
	})
	if err != nil || r.Slots == 0 {
		return err
	}
	return wait(abi.CodeBrowserSlots, func(d time.Duration) (err error) {
		b.slot, err = profile.Slot(ctx, r.Profiles, r.Slots, d)
		return err
	})
}

// Lease has told called when the run begins to wait for its browser, with the code of what it
// waits for, and with "" when it has it. It is called before Do.
func (b *Binding) Lease(told func(waits abi.Code, profile string)) {
	b.leased = func(waits abi.Code) { told(waits, b.request.Profile) }
	b.request.Waits = b.leased
}

// fails keeps what the browser itself failed at. The end of the run is none of it.
func (b *Binding) fails(err error, start bool) {
	code := abi.CodeOf(err)
	switch {
	case b.ctx.Err() != nil, code == abi.CodeBrowserClosed:
	case start, code == abi.CodeBrowserStart, code == abi.CodeBrowserUnstable, code == abi.CodeBrowserMemory, code == abi.CodeBrowserProfileLarge:
		b.fault.CompareAndSwap(nil, &err)
	}
}

// Fault is what the browser itself failed at in this run; nil: it did not.
func (b *Binding) Fault() error {
	if why := b.fault.Load(); why != nil {
		return *why
	}
	return nil
}

// Sent reports whether a secret of the owner's was sent to a site, whatever came of it.
func (b *Binding) Sent() bool {
	ops := b.started.Load()
	return ops != nil && ops.Sent()
}

// Submitted reports whether a secret of the owner's was sent to a site that has not let the run
// in since.
func (b *Binding) Submitted() bool {
	ops := b.started.Load()
	return ops != nil && ops.Submitted()
}
