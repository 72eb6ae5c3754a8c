package ownerapi

import (
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/api/wire"
	"github.com/pdpp-host/pdpp-host/host/fair"
	"github.com/pdpp-host/pdpp-host/host/owner/access"
)

// limits bounds what is asked.
type limits struct {
	turns     *wire.Turns
	failed    wire.Guesses
	strangers fair.Limiter[netip.Prefix] // what takes no token, by address
}

// How often an address may ask for what takes no token: a description has some 700 kB.
const (
	strangersRate  = 1 // a second
	strangersBurst = 20
)

// countStranger counts a request that takes no token.
func (c *call) countStranger() error {
	if wait := c.limits.strangers.Take(c.Guard.From(c.r), c.now()); wait > 0 {
		return wire.TooMany("too many requests came from this address", strangersBurst, wait)
	}
	return nil
}

func tokenIn(r *http.Request) string {
	_, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	return token
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
	var err error
	c.leave, err = c.limits.turns.Begin(wire.HashOf(tokenIn(c.r)))
	return err
}

func (c *call) count() error { return c.limits.turns.Count(wire.HashOf(tokenIn(c.r)), c.now()) }

func (c *call) now() time.Time { return c.Guard.Owner(c.r).Now() }
