package handoff

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"slices"
	"sync"
	"time"
)

// mostKept is how many hand-offs that have ended a Registry can still say something of.
const mostKept = 64

const (
	tokenBytes = 32
	tokenLife  = time.Minute      // until it is used
	seatKept   = 15 * time.Second // for the session whose view has ended
	aloneLimit = 10 * time.Minute // without a view, from the beginning and from the last one
)

// Registry has the hand-offs of one process. It is safe for concurrent use.
type Registry struct {
	now    func() time.Time
	random io.Reader

	lock sync.Mutex
	all  map[string]*Handoff
	past []string // those that have ended, the oldest first
}

// New returns a Registry that has none.
func New(now func() time.Time, random io.Reader) *Registry {
	return &Registry{now: now, random: random, all: map[string]*Handoff{}}
}

// Open begins a hand-off. End it.
func (r *Registry) Open(o Opening, s Surface) *Handoff {
	h := &Handoff{registry: r, opening: o, surface: s, acting: make(chan struct{}, 1)}
	h.ctx, h.cancel = context.WithCancel(context.Background())
	r.lock.Lock()
	r.all[o.ID] = h
	r.lock.Unlock()
	h.lock.Lock()
	h.await()
	h.lock.Unlock()
	h.working.Go(func() {
		select {
		case <-s.Ended():
			h.finish(s.Outcome())
		case <-h.Ended():
		}
	})
	return h
}

func (r *Registry) find(id string) (*Handoff, error) {
	r.lock.Lock()
	defer r.lock.Unlock()
	if h := r.all[id]; h != nil {
		return h, nil
	}
	return nil, unknown()
}

// Show returns one that is open, or was lately.
func (r *Registry) Show(id string) (Shown, error) {
	h, err := r.find(id)
	if err != nil {
		return Shown{}, err
	}
	return h.shown(), nil
}

// List returns those that are open, the first one first.
func (r *Registry) List() []Shown {
	r.lock.Lock()
	all := make([]*Handoff, 0, len(r.all))
	for _, h := range r.all {
		all = append(all, h)
	}
	r.lock.Unlock()
	out := make([]Shown, 0, len(all))
	for _, h := range all {
		if s := h.shown(); s.Outcome == "" {
			out = append(out, s)
		}
	}
	slices.SortFunc(out, func(a, b Shown) int { return cmp.Compare(a.ID, b.ID) })
	return out
}

// Attach gives a session of the owner's the right to look on and act, and returns the token for
// it: good for a minute, once, for that session. The session's view so far ends.
func (r *Registry) Attach(id, session string) (token string, err error) {
	h, err := r.find(id)
	if err != nil {
		return "", err
	}
	secret := make([]byte, tokenBytes)
	defer clear(secret)
	if _, err := io.ReadFull(r.random, secret); err != nil {
		return "", err
	}
	token = hex.EncodeToString(secret)
	now := r.now()
	h.lock.Lock()
	defer h.lock.Unlock()
	if h.outcome != "" {
		return "", over(h.outcome)
	}
	mine := sha256.Sum256([]byte(session))
	if v := h.seat; v != nil {
		if v.session != mine && v.holds(now) {
			return "", taken()
		}
		v.end()
	}
	h.seat = newView(mine, sha256.Sum256([]byte(token)), now)
	h.await()
	return token, nil
}

// forget keeps what may be asked of one that has ended, and nothing of its run, and drops the oldest.
func (r *Registry) forget(h *Handoff) {
	h.lock.Lock()
	slim := &Handoff{registry: r, opening: h.opening, outcome: h.outcome, last: h.last, ctx: h.ctx, cancel: h.cancel}
	h.lock.Unlock()
	slim.last.Pages = slices.Clone(slim.last.Pages)
	for i := range slim.last.Pages {
		slim.last.Pages[i].Title = ""
	}
	r.lock.Lock()
	defer r.lock.Unlock()
	r.all[h.opening.ID] = slim
	r.past = append(r.past, h.opening.ID)
	for len(r.past) > mostKept {
		delete(r.all, r.past[0])
		r.past = r.past[1:]
	}
}
