package wire

import (
	"net/netip"
	"sync"
	"time"

	"github.com/pdpp-host/pdpp-host/host/fair"
)

// Guesses bounds how many secrets that are none come from one address (RD-57). A secret that
// was good is not shut out by others that guess from its address: many apps share the address
// of a machine or of a proxy. It is safe for concurrent use.
type Guesses struct {
	failed fair.Limiter[netip.Prefix]
	mu     sync.Mutex
	good   map[TokenHash]struct{}
}

// MostGuesses is how many of them one address may send within a minute.
const MostGuesses = 30

// Check refuses a secret unseen whose address sent too many that were none. kind is what secrets
// are called here.
func (g *Guesses) Check(from netip.Prefix, kind, secret string, now time.Time) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, was := g.good[HashOf(secret)]; was {
		return nil
	}
	if wait := g.limiter().Wait(from, now); wait > 0 {
		return TooMany("too many "+kind+" that are none came from this address", MostGuesses, wait)
	}
	return nil
}

// Wrong counts a secret that is none.
func (g *Guesses) Wrong(from netip.Prefix, secret string, now time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.good, HashOf(secret))
	g.limiter().Take(from, now)
}

// Right remembers that a secret is good.
func (g *Guesses) Right(secret string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.good == nil || len(g.good) >= mostRemembered {
		g.good = map[TokenHash]struct{}{}
	}
	g.good[HashOf(secret)] = struct{}{}
}

func (g *Guesses) limiter() *fair.Limiter[netip.Prefix] {
	g.failed.Rate, g.failed.Burst = MostGuesses/time.Minute.Seconds(), MostGuesses
	return &g.failed
}
