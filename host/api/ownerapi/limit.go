package ownerapi

import (
	"crypto/sha256"
	"net/http"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/api/wire"
	"github.com/pdpp-host/pdpp-host/host/owner/access"
)

// The limits of the owner's programs (RD-57).
const (
	ratePerToken    = 100 // a second, and at once after a rest
	mostAtOnce      = 16
	failedInAMinute = 30 // tokens that are none, of one address
)

// tokenHash stands for a token.
type tokenHash [sha256.Size]byte

// limits bounds what is asked.
type limits struct {
	rate    wire.Limiter[tokenHash]
	running wire.Slots[tokenHash]
	failed  wire.Guesses
}

func newLimits() *limits {
	return &limits{
		rate:   wire.Limiter[tokenHash]{Rate: ratePerToken, Burst: ratePerToken},
		failed: wire.Guesses{Rate: failedInAMinute / time.Minute.Seconds(), Burst: failedInAMinute},
	}
}

func tokenIn(r *http.Request) string {
	_, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	return token
}

// mayGuess refuses a token unseen whose address sent too many that were none.
func (c *call) mayGuess() error {
	if wait := c.limits.failed.Wait(c.Guard.From(c.r), tokenIn(c.r), c.now()); wait > 0 {
		return wire.TooMany("too many tokens that are none came from this address", failedInAMinute, wait)
	}
	return nil
}

// refused counts a token that was refused, and says so of an app's: that one counts against
// itself alone, else an app would shut out its whole machine.
func (c *call) refused(err error) error {
	if abi.CodeOf(err) != access.CodeTokenRefused {
		return err
	}
	token := tokenIn(c.r)
	if c.Client == nil || !c.Client(c.r.Context(), token) {
		c.limits.failed.Wrong(c.Guard.From(c.r), token, c.now())
		return err
	}
	if err := c.count(); err != nil {
		return err
	}
	return &wire.Failure{Status: http.StatusForbidden, Code: "permission_error", Message: "the token is an app's, and does not speak for the owner"} // RD-02.4
}

// enter counts a request of the owner's. A stream is bounded by how many there may be.
func (c *call) enter() error {
	c.limits.failed.Right(tokenIn(c.r))
	if c.route.stream != nil && c.route.out == nil {
		return nil
	}
	if err := c.count(); err != nil {
		return err
	}
	of := hashOf(c.r)
	if !c.limits.running.Take(of, mostAtOnce) {
		return wire.TooMany("too many requests of this token run at once", mostAtOnce, 0)
	}
	c.leave = func() { c.limits.running.Give(of) }
	return nil
}

func (c *call) count() error {
	if wait := c.limits.rate.Take(hashOf(c.r), c.now()); wait > 0 {
		return wire.TooMany("too many requests came with this token", ratePerToken, wait)
	}
	return nil
}

func hashOf(r *http.Request) tokenHash { return sha256.Sum256([]byte(tokenIn(r))) }

func (c *call) now() time.Time { return c.Guard.Owner(c.r).Now() }
