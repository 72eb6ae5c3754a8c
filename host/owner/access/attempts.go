package access

import (
	"fmt"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// How many wrong passwords and passkeys slow signing in down, within attemptsWindow, and how long the
// next one waits then (OC-04.2).
const (
	attemptsWindow = 10 * time.Minute
	attemptsBy     = 10 // of one address
	attemptsInAll  = 50
	attemptsPause  = 30 * time.Second
)

// Attempts remembers wrong passwords and passkeys. Its zero value is ready; it is safe for
// concurrent use. Sessions that are open are none of its business.
type Attempts struct {
	mu    sync.Mutex
	wrong []attempt // the oldest first; bounded, since each that is let through is slowed down
}

type attempt struct {
	from netip.Prefix
	at   time.Time
}

// take counts an attempt before it is made, so that many at once are bounded too.
func (a *Attempts) take(from netip.Prefix, now time.Time) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	for len(a.wrong) > 0 && now.Sub(a.wrong[0].at) >= attemptsWindow {
		a.wrong = a.wrong[1:]
	}
	var by int
	var last, lastBy time.Time
	for _, w := range a.wrong {
		last = w.at
		if w.from == from {
			by++
			lastBy = w.at
		}
	}
	var wait time.Duration
	if len(a.wrong) >= attemptsInAll {
		wait = last.Add(attemptsPause).Sub(now)
	}
	if by >= attemptsBy {
		wait = max(wait, lastBy.Add(attemptsPause).Sub(now))
	}
	if wait > 0 {
		seconds := int((wait + time.Second - 1) / time.Second)
		return abi.NewError(CodeTooManyAttempts, "too many attempts to sign in have failed", fmt.Sprintf("wait %d seconds, then try again", seconds))
	}
	a.wrong = append(a.wrong, attempt{from, now})
	return nil
}

// forgive takes the last attempt of an address back: it was right.
func (a *Attempts) forgive(from netip.Prefix) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for i, w := range slices.Backward(a.wrong) {
		if w.from == from {
			a.wrong = append(a.wrong[:i], a.wrong[i+1:]...)
			return
		}
	}
}
