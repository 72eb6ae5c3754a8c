package api

import (
	"context"
	"net/netip"
	"time"

	"github.com/pdpp-host/pdpp-host/host/fair"
)

// How many codes may be tried in vain. A code has 256 bits, so that this bounds what trying costs the host and not the
// luck of who tries. Each address has a share of its own, and the store is asked by turns: no number of
// strangers keeps a device with a good code waiting.
const (
	attemptsEvery     = time.Minute
	attemptsOfAddress = 10
	attemptsAtOnce    = 2
	attemptsWait      = 5 * time.Second
)

// attempts bounds enrollments that fail. It is safe for concurrent use.
type attempts struct {
	now       func() time.Time
	addresses fair.Limiter[netip.Prefix]
	turns     fair.Line[netip.Prefix]
}

func newAttempts(now func() time.Time) *attempts {
	return &attempts{
		now:       now,
		addresses: fair.Limiter[netip.Prefix]{Rate: attemptsOfAddress / attemptsEvery.Seconds(), Burst: attemptsOfAddress},
		turns:     fair.Line[netip.Prefix]{AtOnce: attemptsAtOnce, Patience: attemptsWait, Memory: attemptsEvery},
	}
}

// take counts an attempt before it is made, so that many at once are bounded too, and waits for its turn. Where wait is 0,
// leave is called once when the attempt is over, with whether it was in vain; else wait is how long to leave it.
func (t *attempts) take(ctx context.Context, from netip.Prefix) (leave func(vain bool), wait time.Duration, err error) {
	if wait := t.addresses.Take(from, t.now()); wait > 0 {
		return nil, wait, nil
	}
	end, wait, err := t.turns.Enter(ctx, from, t.now)
	if wait > 0 || err != nil {
		t.addresses.Give(from)
		return nil, wait, err
	}
	return func(vain bool) {
		if !vain {
			t.addresses.Give(from)
		}
		end()
	}, 0, nil
}
