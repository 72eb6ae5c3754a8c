package handoff

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"slices"
	"sync"
	"time"
)

// mostWaiting is how many batches may wait for the one that is carried out.
const mostWaiting = 8

// Handoff is one hand-off.
type Handoff struct {
	registry *Registry
	opening  Opening
	surface  Surface
	working  sync.WaitGroup

	ctx    context.Context // ends with it
	cancel context.CancelFunc
	acting chan struct{} // holds one while a batch is carried out

	casting sync.Mutex // held while a view begins to get pictures

	lock    sync.Mutex
	outcome string // "": it is open
	last    State  // of the surface, once it has ended
	seat    *view  // nil: nobody has attached so far
	alone   *time.Timer
	until   time.Time // when alone ends it
	waiting int
}

// Ended is closed when it is over, and Outcome says how.
func (h *Handoff) Ended() <-chan struct{} { return h.ctx.Done() }

// Outcome says how it ended; "": it has not.
func (h *Handoff) Outcome() string {
	h.lock.Lock()
	defer h.lock.Unlock()
	return h.outcome
}

// End ends it: nobody looks on and nothing is carried out any more. The first outcome counts.
func (h *Handoff) End(outcome string) {
	h.finish(outcome)
	h.acting <- struct{}{} // what was being carried out has stopped
	<-h.acting
	h.casting.Lock()
	h.casting.Unlock() //nolint:staticcheck // so has what began to show
	h.working.Wait()
}

func (h *Handoff) finish(outcome string) {
	state, _ := h.state()
	h.lock.Lock()
	first := h.outcome == ""
	if first {
		h.outcome, h.last = outcome, state
		if h.alone != nil {
			h.alone.Stop()
		}
		h.cancel()
	}
	h.lock.Unlock()
	if first {
		h.registry.forget(h)
	}
}

// state is how the pages are, or were at the end.
func (h *Handoff) state() (State, <-chan struct{}) {
	h.lock.Lock()
	last, over := h.last, h.outcome != ""
	h.lock.Unlock()
	if over {
		return last, nil
	}
	s, changed := h.surface.State()
	s.Host = s.Host[:min(len(s.Host), mostHost)]
	s.Pages, s.Refused = append([]PageShown{}, s.Pages...), append([]string{}, s.Refused...) // lists, also of nothing
	return s, changed
}

func (h *Handoff) shown() Shown {
	s, _ := h.state()
	h.lock.Lock()
	defer h.lock.Unlock()
	o := h.opening
	return Shown{
		ID: o.ID, ConnectionID: o.ConnectionID, Connection: o.Connection, RunID: o.RunID, Reason: o.Reason, Deadline: h.deadline(),
		Host: s.Host, Page: s.Page, Pages: slices.Clone(s.Pages), Refused: slices.Clone(s.Refused),
		Watched: h.outcome == "" && h.seat != nil && h.seat.live, Outcome: h.outcome,
	}
}

// deadline is when it ends at the latest as things are: earlier where nobody looks on. The lock is held.
func (h *Handoff) deadline() time.Time {
	at := h.opening.Deadline
	if live := h.seat != nil && h.seat.live; !live && !h.until.IsZero() && (at.IsZero() || h.until.Before(at)) {
		return h.until
	}
	return at
}

// sit uses a token up: its view begins.
func (h *Handoff) sit(session, token string) (*view, error) {
	h.lock.Lock()
	defer h.lock.Unlock()
	v, err := h.seated(session, token)
	if err != nil {
		return nil, err
	}
	if v.used || h.registry.now().Sub(v.made) > tokenLife {
		return nil, tokenInvalid()
	}
	v.used, v.live = true, true
	if h.alone != nil {
		h.alone.Stop()
	}
	return v, nil
}

// seated returns the view of a session and its token. The lock is held.
func (h *Handoff) seated(session, token string) (*view, error) {
	if h.outcome != "" {
		return nil, over(h.outcome)
	}
	v := h.seat
	mine, its := sha256.Sum256([]byte(session)), sha256.Sum256([]byte(token))
	if v == nil || subtle.ConstantTimeCompare(v.session[:], mine[:])&subtle.ConstantTimeCompare(v.token[:], its[:]) != 1 {
		return nil, tokenInvalid()
	}
	return v, nil
}

// sits returns why a view may neither see nor do more, when it is over or its token was taken over.
func (h *Handoff) sits(v *view) error {
	h.lock.Lock()
	defer h.lock.Unlock()
	switch {
	case h.outcome != "":
		return over(h.outcome)
	case h.seat != v || !v.live:
		return tokenInvalid()
	}
	return nil
}

// leave ends a view. When nobody comes back, the hand-off ends.
func (h *Handoff) leave(v *view) {
	v.end()
	h.lock.Lock()
	defer h.lock.Unlock()
	v.live, v.left = false, h.registry.now()
	if h.seat == v {
		h.await()
	}
}

// await ends the hand-off when no view begins any more. The lock is held.
func (h *Handoff) await() {
	if h.alone != nil {
		h.alone.Stop()
	}
	if h.outcome == "" {
		h.until = h.registry.now().Add(aloneLimit)
		h.alone = time.AfterFunc(aloneLimit, func() { h.finish(OutcomeTimedOut) })
	}
}

// View shows a hand-off to a session, until it ends, another view takes its place, write fails
// or ctx ends. The token is used up by it. write gets frames: a JPEG picture of the page that
// is shown, or its state as JSON. It keeps none of them.
func (r *Registry) View(ctx context.Context, id, session, token string, write func(kind byte, body []byte) error) error {
	h, err := r.find(id)
	if err != nil {
		return err
	}
	v, err := h.sit(session, token)
	if err != nil {
		return err
	}
	defer h.leave(v)
	return h.show(ctx, v, write)
}

// Input carries out what the owner does, in its order, while the view of that token lives.
func (r *Registry) Input(ctx context.Context, id, session, token string, batch []Event) error {
	h, err := r.find(id)
	if err != nil {
		return err
	}
	v, err := h.enter(session, token, len(batch))
	if err != nil {
		return err
	}
	defer h.exit()
	select {
	case h.acting <- struct{}{}:
		defer func() { <-h.acting }()
	case <-h.Ended():
		return over(h.Outcome())
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(h.ctx, cancel)()
	for _, e := range batch {
		if err := h.act(ctx, v, e); err != nil {
			return err
		}
	}
	return nil
}

// enter takes a batch in, when its view lives and it does not come too fast.
func (h *Handoff) enter(session, token string, events int) (*view, error) {
	h.lock.Lock()
	defer h.lock.Unlock()
	v, err := h.seated(session, token)
	switch {
	case err != nil:
		return nil, err
	case !v.live:
		return nil, tokenInvalid()
	case events == 0 || events > MostEvents:
		return nil, invalid("a batch has 1 to 64 events")
	case h.waiting >= mostWaiting || !v.paced(h.registry.now(), events):
		return nil, tooFast()
	}
	h.waiting++
	return v, nil
}

func (h *Handoff) exit() {
	h.lock.Lock()
	defer h.lock.Unlock()
	h.waiting--
}

// act carries out one event of a view.
func (h *Handoff) act(ctx context.Context, v *view, e Event) error {
	if err := h.sits(v); err != nil {
		return err
	}
	switch e.Do {
	case Done:
		h.finish(OutcomeDone)
		return nil
	case Cannot:
		h.finish(OutcomeCancelled)
		return nil
	}
	state, _ := h.state()
	switch {
	case !e.within(state.Viewport):
		return invalid("a place is not on the page")
	case e.Do == Allow && !slices.Contains(state.Refused, e.Host):
		return invalid("that host was not refused")
	}
	err := h.surface.Do(ctx, e)
	if outcome := h.Outcome(); outcome != "" && errors.Is(err, context.Canceled) {
		return over(outcome)
	}
	return err
}
