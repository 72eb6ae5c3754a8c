package access

import (
	"context"
	"fmt"
	"net/netip"
	"sync"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/fair"
)

// How many wrong passwords and passkeys slow the next one down (OC-04.2).
const (
	attemptsAtOnce = 10 // of one address, or of one browser that signed in before
	attemptsPause  = 30 * time.Second

	strangersAtOnce  = 4000 // passwords of all browsers that never signed in here, after a quiet time
	strangersHashed  = 1    // at a time, so that a machine of two processors has another one for what else is asked
	strangersWait    = 5 * time.Second
	strangersFade    = 24 * time.Hour // what an address had
	refusedKeysKnown = 50             // wrong passkeys of all that are noted, after a quiet time
)

// Attempts bounds wrong passwords and passkeys. Its zero value is ready; it is safe for concurrent use.
//
// Strangers fill nothing that an owner needs: a password waits by fair turns of the addresses, a browser that
// signed in before has a share of its own, and a passkey that is right is not counted at all. Sessions that are
// open are none of its business.
type Attempts struct {
	once      sync.Once
	addresses fair.Limiter[netip.Prefix]
	known     fair.Limiter[string] // by the browser's mark
	strangers fair.Line[netip.Prefix]
	keys      fair.Limiter[struct{}] // wrong passkeys of all
}

func (a *Attempts) ready() {
	a.once.Do(func() {
		rate := 1 / attemptsPause.Seconds()
		a.addresses.Rate, a.addresses.Burst = rate, attemptsAtOnce
		a.known.Rate, a.known.Burst = rate, attemptsAtOnce
		a.keys.Rate, a.keys.Burst = rate, refusedKeysKnown
		a.strangers.Rate, a.strangers.Burst, a.strangers.AtOnce = rate, strangersAtOnce, strangersHashed
		a.strangers.Patience, a.strangers.Memory = strangersWait, strangersFade
	})
}

// enter counts a password before it is looked at, so that many at once are bounded too. If mark is "", the browser is a
// stranger's and waits for its address's turn. The caller calls leave once, with whether the password was right.
func (a *Attempts) enter(ctx context.Context, from netip.Prefix, mark string, now func() time.Time) (leave func(right bool), err error) {
	a.ready()
	if mark != "" && a.known.Take(mark, now()) == 0 {
		return func(right bool) {
			if right {
				a.known.Give(mark)
			}
		}, nil
	}
	if wait := a.addresses.Take(from, now()); wait > 0 {
		return nil, tooMany(wait)
	}
	end, wait, err := a.strangers.Enter(ctx, from, now)
	if err == nil && wait > 0 {
		err = tooMany(wait)
	}
	if err != nil {
		a.addresses.Give(from)
		return nil, err
	}
	return func(right bool) {
		if right {
			a.addresses.Give(from)
			a.strangers.Forgive(from)
		}
		end()
	}, nil
}

// wrongKey counts a passkey that was wrong. It returns owner.too_many_attempts where so many were that no more is
// noted of them.
func (a *Attempts) wrongKey(from netip.Prefix, now time.Time) error {
	a.ready()
	wait := a.addresses.Take(from, now)
	if wait == 0 {
		if wait = a.keys.Take(struct{}{}, now); wait > 0 {
			a.addresses.Give(from)
		}
	}
	if wait > 0 {
		return tooMany(wait)
	}
	return nil
}

func tooMany(wait time.Duration) error {
	seconds := int((wait + time.Second - 1) / time.Second)
	return abi.NewError(CodeTooManyAttempts, "too many attempts to sign in have failed", fmt.Sprintf("wait %d seconds, then try again", seconds))
}
