package oauth

import (
	"net/netip"
	"time"

	"github.com/pdpp-host/pdpp-host/host/api/wire"
	"github.com/pdpp-host/pdpp-host/host/fair"
	"github.com/pdpp-host/pdpp-host/host/grant/desk"
)

// The rates of strangers (RD-57, RD-39.2). They share rateInAll: see fair.Line for how. burstInAll is what a quiet time
// leaves them: four requests of each of a thousand addresses.
const (
	rateOfOne, burstOfOne     = 5, 20 // of one address
	rateInAll, burstInAll     = 50, 4000
	runInAll                  = 16
	waitInAll                 = 2 * time.Second
	rateOfProof, burstOfProof = 1, 20 // with one code or token
	registrations             = 20    // an hour of one address
	secondsOfHour             = 3600
	fades                     = 10 * time.Minute // what strangers had
)

// shares bounds what is asked.
type shares struct {
	ones      fair.Limiter[netip.Prefix] // the requests of each address
	strangers fair.Line[netip.Prefix]    // the requests of all that show nothing
	looks     looks
	proofs    fair.Limiter[wire.TokenHash]
	clients   fair.Limiter[netip.Prefix] // registrations
	guesses   wire.Guesses               // of the secrets of resource servers, and of the tokens that end a grant
}

func newShares() *shares {
	return &shares{
		ones:      fair.Limiter[netip.Prefix]{Rate: rateOfOne, Burst: burstOfOne},
		strangers: fair.Line[netip.Prefix]{Rate: rateInAll, Burst: burstInAll, AtOnce: runInAll, Patience: waitInAll, Memory: fades},
		looks:     newLooks(),
		proofs:    fair.Limiter[wire.TokenHash]{Rate: rateOfProof, Burst: burstOfProof},
		clients:   fair.Limiter[netip.Prefix]{Rate: registrations / float64(secondsOfHour), Burst: registrations},
	}
}

// stands has a request that shows nothing stand in line with all others that do not.
func (c *call) stands() error {
	if err := c.limit(&c.shares.ones); err != nil {
		return err
	}
	leave, wait, err := c.shares.strangers.Enter(c.r.Context(), c.Guard.From(c.r), c.Now)
	if err == nil && wait > 0 {
		err = wire.TooMany("too many strangers ask at this time; who shows a code or a token does not wait for them", rateInAll, wait)
	}
	c.leave = leave
	return err
}

// counts bounds a request by what it shows. A secret that was given out here passes strangers (RD-57).
func (c *call) counts(kind desk.Proof, secret string) error {
	if secret == "" {
		return c.stands()
	}
	gave, err := c.gave(kind, secret)
	if err != nil {
		return err
	}
	if !gave {
		return c.stands()
	}
	if wait := c.shares.proofs.Take(wire.HashOf(secret), c.Now()); wait > 0 {
		return wire.TooMany("too many requests came with this code or token", burstOfProof, wait)
	}
	return nil
}

// from is the address of a request, as the store counts it: never "".
func (c *call) from() string { return c.Guard.From(c.r).String() }

// limit counts a request of an address.
func (c *call) limit(l *fair.Limiter[netip.Prefix]) error {
	if wait := l.Take(c.Guard.From(c.r), c.Now()); wait > 0 {
		return wire.TooMany("too many requests came from this address", int(l.Burst), wait)
	}
	return nil
}

// form reads a form, and nothing else.
func (c *call) form() (*wire.Query, error) {
	body, _, err := wire.ReadBodyOf(c.w, c.r, wire.MaxBody, wire.MediaForm)
	if err != nil {
		return nil, err
	}
	return wire.ReadForm(string(body)), nil
}

// showing reads a form, and counts the request by what the form shows.
func (c *call) showing(what func(*wire.Query) (desk.Proof, string)) (*wire.Query, error) {
	q, err := c.form()
	if err != nil {
		return nil, c.unread(err)
	}
	return q, c.counts(what(q))
}

// unread counts a request whose body shows nothing, and returns why.
func (c *call) unread(why error) error {
	if err := c.stands(); err != nil {
		return err
	}
	return why
}

// proofOf is what a client shows for its tokens.
func proofOf(q *wire.Query) (kind desk.Proof, secret string) {
	switch q.Value("grant_type") {
	case typeCode:
		return desk.ProofCode, q.Value("code")
	case typeRefresh:
		return desk.ProofRefresh, q.Value("refresh_token")
	case typeDevice:
		return desk.ProofPolling, q.Value("device_code")
	}
	return "", ""
}
