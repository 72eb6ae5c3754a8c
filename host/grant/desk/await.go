package desk

import (
	"context"
	"sync"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Attempt is a client that waits for its owner (RD-44).
type Attempt struct {
	ID      string
	URI     string // of the page where its owner decides
	Polling string // the code that it asks with
	Code    string // which it shows, so that its owner can compare it
	Expires time.Duration
}

// Waiting is a client that is to wait for its owner.
type Waiting struct {
	ClientID string // "": it is registered by its name
	Name     string
	URI      string // of what it pushed before, or "" if its owner chooses what it gets
	From     string // the address that it came from, as it is counted
}

// Connect has a client wait for its owner.
func (d *Desk) Connect(ctx context.Context, w Waiting) (*Attempt, error) {
	a := &Attempt{URI: w.URI}
	var err error
	if a.Polling, err = d.secret(); err != nil {
		return nil, err
	}
	if a.Code, err = d.code(); err != nil {
		return nil, err
	}
	if a.ID, err = d.id("att_"); err != nil {
		return nil, err
	}
	token, err := d.tokenOf(ctx, a.Polling)
	if err != nil {
		return nil, err
	}
	var expires time.Time
	if w.URI != "" {
		r, werr := d.Store.AwaitGrant(ctx, uriHash(w.URI), w.ClientID, hashOf(a.Polling), hashOf(token), a.Code)
		if werr != nil {
			return nil, werr
		}
		expires = r.Expires
	} else {
		c, cerr := d.connecting(ctx, w)
		if cerr != nil {
			return nil, cerr
		}
		n := storage.GrantRequest{Polling: hashOf(a.Polling), Token: hashOf(token), Code: a.Code, From: w.From}
		if a.URI, err = d.keep(ctx, c, &n); err != nil {
			return nil, err
		}
		expires = n.Expires
	}
	a.Expires = expires.Sub(d.Now())
	return a, nil
}

func (d *Desk) connecting(ctx context.Context, w Waiting) (*storage.Client, error) {
	if w.ClientID == "" {
		return d.Register(ctx, NewClient{Name: w.Name, From: w.From})
	}
	return d.client(ctx, w.ClientID)
}

// Interval is how long a client waits before it asks again.
const (
	Interval     = 2 * time.Second
	mostInterval = 10 * time.Second
	mostASecond  = 10
	takenAgain   = time.Minute // how long a token is given again: the first answer may be lost
)

// Answer is what a client that asks is told.
type Answer struct {
	Wait    time.Duration // it is not decided: ask again then; 0: it is
	Token   string
	GrantID string
	Expires time.Time // of the token
}

// Poll tells a client what became of its request: it waits, or has its token, or
// grants.denied, grants.request_expired, grants.polling_refused. grants.polling_too_quick asks
// it to slow down.
func (d *Desk) Poll(ctx context.Context, polling string) (*Answer, error) {
	hash := hashOf(polling)
	r, err := d.Store.GrantRequestOf(ctx, storage.RequestByPolling, hash)
	if err != nil {
		return nil, err
	}
	if r == nil || r.Flow != "" {
		return nil, refusedPoll()
	}
	now := d.Now()
	wait, _, quick := d.paces.take(hash, now, waiting)
	if quick {
		return nil, abi.NewError(CodePollingTooQuick, "the client asks more than ten times a second", "wait for the interval")
	}
	switch {
	case r.State == storage.RequestDenied:
		return nil, abi.NewError(CodeDenied, "the owner refused it", "")
	case r.State == storage.RequestPending && now.Before(r.Expires):
		return &Answer{Wait: wait}, nil
	case r.State == storage.RequestPending, !now.Before(r.Expires) && now.Sub(r.Decided) > takenAgain:
		return nil, abi.NewError(CodeRequestExpired, "the request's time is over", "ask again")
	}
	return d.hand(ctx, r, polling)
}

// hand gives a client its token: once, and again while the first answer may be lost.
func (d *Desk) hand(ctx context.Context, r *storage.GrantRequest, polling string) (*Answer, error) {
	secret, err := d.tokenOf(ctx, polling)
	if err != nil {
		return nil, err
	}
	token, g, err := d.Store.GrantByToken(ctx, hashOf(secret))
	if err != nil {
		return nil, err
	}
	if token == nil || !g.Revoked.IsZero() {
		return nil, refusedPoll()
	}
	first, err := d.Store.TakeGrant(ctx, r.ID)
	if err != nil {
		return nil, err
	}
	if d.Now().Sub(first) > takenAgain {
		return nil, refusedPoll()
	}
	return &Answer{Token: secret, GrantID: g.ID, Expires: token.Expires}, nil
}

func refusedPoll() error {
	return abi.NewError(CodePollingRefused, "the polling code is unknown, or was used up", "ask for another one")
}

// paces remembers how often clients ask. Its zero value is ready.
type paces struct {
	mu sync.Mutex
	of map[string]*pace // by the hash of a code that is known
}

// pacing is how long clients of a kind wait before they ask again.
type pacing struct {
	first  time.Duration
	slower func(time.Duration) time.Duration // for who asks too early
}

var waiting = pacing{Interval, func(d time.Duration) time.Duration { return min(2*d, mostInterval) }}

type pace struct {
	last     time.Time
	interval time.Duration
	second   time.Time // in which so many came
	came     int
}

// mostPaces is more than there are requests that wait.
const mostPaces = 2 * pendingInAll

// take returns how long a client has to wait now, whether it asks too early, and whether it
// asks far too often.
func (p *paces) take(hash string, now time.Time, how pacing) (wait time.Duration, early, quick bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	one := p.of[hash]
	if one == nil {
		if p.of == nil || len(p.of) >= mostPaces {
			p.of = map[string]*pace{}
		}
		one = &pace{interval: how.first, second: now}
		p.of[hash] = one
	} else if early = now.Sub(one.last) < one.interval; early {
		one.interval = how.slower(one.interval)
	}
	if now.Sub(one.second) >= time.Second {
		one.second, one.came = now, 0
	}
	one.last = now
	one.came++
	return one.interval, early, one.came > mostASecond
}
