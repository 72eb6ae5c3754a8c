package wire

import (
	"crypto/sha256"
	"net/netip"
	"sync"
	"time"
)

// Guesses bounds how many secrets that are none come from one address (RD-57). A secret that
// was good is not shut out by others that guess from its address: many apps share the address
// of a machine or of a proxy. It is safe for concurrent use.
type Guesses struct {
	Rate, Burst float64

	failed Limiter[netip.Prefix]
	mu     sync.Mutex
	good   map[[sha256.Size]byte]struct{}
}

// Wait is how long a secret has to wait until it is looked at; 0: not at all.
func (g *Guesses) Wait(from netip.Prefix, secret string, now time.Time) time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, was := g.good[sha256.Sum256([]byte(secret))]; was {
		return 0
	}
	return g.limiter().Wait(from, now)
}

// Wrong counts a secret that is none.
func (g *Guesses) Wrong(from netip.Prefix, secret string, now time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.good, sha256.Sum256([]byte(secret)))
	g.limiter().Take(from, now)
}

// Right remembers that a secret is good.
func (g *Guesses) Right(secret string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.good == nil || len(g.good) >= mostRemembered {
		g.good = map[[sha256.Size]byte]struct{}{}
	}
	g.good[sha256.Sum256([]byte(secret))] = struct{}{}
}

func (g *Guesses) limiter() *Limiter[netip.Prefix] {
	g.failed.Rate, g.failed.Burst = g.Rate, g.Burst
	return &g.failed
}
