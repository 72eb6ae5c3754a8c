package records

import (
	"cmp"
	"crypto/sha256"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/api/wire"
	"github.com/pdpp-host/pdpp-host/host/read"
)

// The limits of readers (RD-57).
const (
	rateOfClient, burstOfClient, mostOfClient = 20, 60, 4 // a second, at once after a rest, and running
	rateOfOwner, burstOfOwner, mostOfOwner    = 100, 100, 16
	rateOfCostly, burstOfCostly               = 5, 15 // searches and aggregates of a grant
	rateOfNoted, burstOfNoted                 = 1, 60 // rows of what was refused for its number
	failedInAMinute                           = 30    // tokens that are none, of one address
	mostInAll                                 = 32
	waitInAll                                 = 2 * time.Second
)

// tokenHash stands for a token that was found good.
type tokenHash [sha256.Size]byte

// limits bounds what the readers ask.
type limits struct {
	clients, owners wire.Limiter[tokenHash]
	costly, noted   wire.Limiter[string] // by grant
	failed          wire.Guesses
	running         wire.Slots[tokenHash]
	bytes           wire.Budget[string] // by the grant
	all             chan struct{}
}

func newLimits() *limits {
	return &limits{
		clients: wire.Limiter[tokenHash]{Rate: rateOfClient, Burst: burstOfClient},
		owners:  wire.Limiter[tokenHash]{Rate: rateOfOwner, Burst: burstOfOwner},
		costly:  wire.Limiter[string]{Rate: rateOfCostly, Burst: burstOfCostly},
		noted:   wire.Limiter[string]{Rate: rateOfNoted, Burst: burstOfNoted},
		failed:  wire.Guesses{Rate: failedInAMinute / time.Minute.Seconds(), Burst: failedInAMinute},
		all:     make(chan struct{}, mostInAll),
	}
}

// enter counts a request of a caller who is known, and waits for its turn among all. leave
// ends it.
func (c *call) enter(token string) (leave func(), err error) {
	l, of := c.limits, tokenHash(sha256.Sum256([]byte(cmp.Or(c.caller.Grant, token)))) // a renewed token is no new reader
	rate, most := &l.clients, mostOfClient
	if c.caller.Scope.Owner {
		rate, most = &l.owners, mostOfOwner
	}
	if wait := rate.Take(of, c.Now()); wait > 0 {
		return nil, wire.TooMany("too many requests came with this token", int(rate.Burst), wait)
	}
	if err := c.mayRead(); err != nil {
		return nil, err
	}
	if !l.running.Take(of, most) {
		return nil, wire.TooMany("too many requests of this token run at once", most, 0)
	}
	limit := time.NewTimer(waitInAll)
	defer limit.Stop()
	select {
	case l.all <- struct{}{}:
		c.turn = sync.OnceFunc(func() { <-l.all })
		return func() { c.turn(); l.running.Give(of) }, nil
	case <-limit.C:
		err = wire.Busy()
	case <-c.r.Context().Done():
		err = c.r.Context().Err()
	}
	l.running.Give(of)
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
func (c *call) count(token string, from netip.Prefix, refused error) (wait time.Duration) {
	switch {
	case abi.CodeOf(refused) == read.CodeTokenUnknown && (c.Knows == nil || !c.Knows(c.r.Context(), token)):
		c.limits.failed.Wrong(from, token, c.Now())
	case abi.CodeOf(refused) == read.CodeTokenUnknown || refusalOf(refused).Status < http.StatusInternalServerError:
		return c.limits.clients.Take(sha256.Sum256([]byte(token)), c.Now())
	}
	return 0
}
