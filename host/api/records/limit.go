package records

import (
	"cmp"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/api/wire"
	"github.com/pdpp-host/pdpp-host/host/fair"
	"github.com/pdpp-host/pdpp-host/host/read"
)

// The limits of readers (RD-57).
const (
	rateOfClient, burstOfClient, mostOfClient = 20, 60, 4 // a second, at once after a rest, and running
	rateOfCostly, burstOfCostly               = 5, 15     // searches and aggregates of a grant
	rateOfNoted, burstOfNoted                 = 1, 60     // rows of what was refused for its number
	mostInAll                                 = 32
	waitInAll                                 = 2 * time.Second
)

// limits bounds what the readers ask.
type limits struct {
	clients, owners *wire.Turns
	costly, noted   fair.Limiter[string] // by grant
	failed          wire.Guesses
	bytes           wire.Budget[string] // by the grant
	all             chan struct{}
}

func newLimits() *limits {
	return &limits{
		clients: wire.NewTurns(rateOfClient, burstOfClient, mostOfClient),
		owners:  wire.NewTurns(wire.OwnersRate, wire.OwnersRate, wire.OwnersAtOnce),
		costly:  fair.Limiter[string]{Rate: rateOfCostly, Burst: burstOfCostly},
		noted:   fair.Limiter[string]{Rate: rateOfNoted, Burst: burstOfNoted},
		all:     make(chan struct{}, mostInAll),
	}
}

// enter counts a request of a caller who is known, and waits for its turn among all. leave
// ends it.
func (c *call) enter(token string) (leave func(), err error) {
	l, of := c.limits, wire.HashOf(cmp.Or(c.caller.Grant, token)) // a renewed token is no new reader
	turns := l.clients
	if c.caller.Scope.Owner {
		turns = l.owners
	}
	if err := turns.Count(of, c.Now()); err != nil {
		return nil, err
	}
	if err := c.mayRead(); err != nil {
		return nil, err
	}
	end, err := turns.Begin(of)
	if err != nil {
		return nil, err
	}
	limit := time.NewTimer(waitInAll)
	defer limit.Stop()
	select {
	case l.all <- struct{}{}:
		c.turn = sync.OnceFunc(func() { <-l.all })
		return func() { c.turn(); end() }, nil
	case <-limit.C:
		err = wire.Busy()
	case <-c.r.Context().Done():
		err = c.r.Context().Err()
	}
	end()
	return nil, err
}

// mayRead refuses a caller whose grant has been read by as much as may be in an hour.
func (c *call) mayRead() error {
	if bytes := c.caller.Bytes; bytes > 0 {
		now := c.Now()
		if since, due := c.limits.bytes.Due(c.caller.Grant, now); due && c.Spent != nil {
			had, err := c.Spent(c.r.Context(), c.caller.Grant, since)
			if err != nil {
				return err
			}
			c.limits.bytes.Learn(c.caller.Grant, float64(bytes), float64(had), since, now)
		}
		if wait := c.limits.bytes.Wait(c.caller.Grant, float64(bytes), c.Now()); wait > 0 {
			return wire.TooMany("as much was read by this grant as may be within an hour", int(bytes), wait)
		}
	}
	return nil
}

// count counts a refused token. One that is none counts against its address; one that was good
// against itself alone, else an app without a grant would shut out all others of its machine.
func (c *call) count(token string, from netip.Prefix, refused error) error {
	switch {
	case abi.CodeOf(refused) == read.CodeTokenUnknown && (c.Knows == nil || !c.Knows(c.r.Context(), token)):
		c.limits.failed.Wrong(from, token, c.Now())
	case abi.CodeOf(refused) == read.CodeTokenUnknown || refusalOf(refused).Status < http.StatusInternalServerError:
		return c.limits.clients.Count(wire.HashOf(token), c.Now())
	}
	return nil
}
