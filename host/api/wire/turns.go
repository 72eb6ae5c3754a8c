package wire

import (
	"crypto/sha256"
	"time"

	"github.com/pdpp-host/pdpp-host/host/fair"
)

// The limits of the owner's programs (RD-57).
const (
	OwnersRate   = 100 // requests of a token a second, and at once after a rest
	OwnersAtOnce = 16  // of a token that run
)

// TokenHash stands for a token.
type TokenHash [sha256.Size]byte

// HashOf returns what stands for a token.
func HashOf(token string) TokenHash { return sha256.Sum256([]byte(token)) }

// Turns bounds the requests of one token (RD-57). It is safe for concurrent use.
type Turns struct {
	Rate    fair.Limiter[TokenHash]
	Running Slots[TokenHash]
	AtOnce  int // of a token that run
}

// NewTurns lets rate requests of a token come each second, burst of them at once after a rest, and
// atOnce run at a time.
func NewTurns(rate, burst float64, atOnce int) *Turns {
	return &Turns{Rate: fair.Limiter[TokenHash]{Rate: rate, Burst: burst}, AtOnce: atOnce}
}

// Count counts a request, or refuses one that comes too soon.
func (t *Turns) Count(of TokenHash, now time.Time) error {
	if wait := t.Rate.Take(of, now); wait > 0 {
		return TooMany("too many requests came with this token", int(t.Rate.Burst), wait)
	}
	return nil
}

// Begin begins a request, unless as many run already as may. end ends it.
func (t *Turns) Begin(of TokenHash) (end func(), err error) {
	if !t.Running.Take(of, t.AtOnce) {
		return nil, TooMany("too many requests of this token run at once", t.AtOnce, 0)
	}
	return func() { t.Running.Give(of) }, nil
}
