package oauth

import (
	"net/netip"
	"sync"

	"github.com/pdpp-host/pdpp-host/host/api/wire"
	"github.com/pdpp-host/pdpp-host/host/fair"
	"github.com/pdpp-host/pdpp-host/host/grant/desk"
)

// looks bounds how often the store is asked whether a code or token was given out here, which wrong ones make it do, too. An
// address that showed a right one has a share of its own, and all others take turns: a flood of wrong ones
// has no right one wait.
type looks struct {
	strangers fair.Line[netip.Prefix]
	known     fair.Limiter[netip.Prefix]

	mu    sync.Mutex
	right map[netip.Prefix]struct{} // the addresses that showed a right one
}

const (
	looksAtOnce               = 2 // of strangers
	rateOfKnown, burstOfKnown = 50, 500
	mostKnown                 = 16 << 10
)

func newLooks() looks {
	return looks{
		strangers: fair.Line[netip.Prefix]{AtOnce: looksAtOnce, Patience: waitInAll, Memory: fades},
		known:     fair.Limiter[netip.Prefix]{Rate: rateOfKnown, Burst: burstOfKnown},
	}
}

// showed remembers an address that showed a right one.
func (l *looks) showed(from netip.Prefix) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.right == nil || len(l.right) >= mostKnown {
		l.right = map[netip.Prefix]struct{}{}
	}
	l.right[from] = struct{}{}
}

func (l *looks) knows(from netip.Prefix) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, is := l.right[from]
	return is
}

// gave reports whether a secret was given out here.
func (c *call) gave(kind desk.Proof, secret string) (bool, error) {
	l, from := &c.shares.looks, c.Guard.From(c.r)
	if !l.knows(from) || l.known.Take(from, c.Now()) > 0 {
		leave, wait, err := l.strangers.Enter(c.r.Context(), from, c.Now)
		if err == nil && wait > 0 {
			err = wire.TooMany("too many codes and tokens that are none come at this time", looksAtOnce, wait)
		}
		if err != nil {
			return false, err
		}
		defer leave()
	}
	gave := c.Desk.Gave(c.r.Context(), kind, secret)
	if gave && (kind == desk.ProofCode || kind == desk.ProofRefresh || kind == desk.ProofToken) { // anybody gets the others
		l.showed(from)
	}
	return gave, nil
}
