package handoff

import (
	"context"
	"encoding/json"
	"sync"
	"time"
)

// The kinds of frames.
const (
	FrameJPEG  = 'J'
	FrameState = 'S' // a StateFrame as JSON
)

// StateFrame is what a view is told of its hand-off.
type StateFrame struct {
	State

	Deadline time.Time `json:"deadline"`
	Ended    string    `json:"ended"` // an outcome, or TakenOver; "": it goes on
}

const (
	between   = time.Second / 12 // at least, from one picture to the next
	beat      = 10 * time.Second // a view is told its state at least so often, so that one that is gone is noticed
	measured  = 2 * time.Second
	good      = 60 // quality of the pictures
	poor      = 40
	poorAbove = 200 << 10 // bytes a second, over the time that is measured
	goodBelow = 50 << 10
)

// view is one session's.
type view struct {
	session [32]byte // hashes
	token   [32]byte
	made    time.Time
	used    bool
	live    bool
	left    time.Time
	budget  float64 // events that may come at once
	charged time.Time

	slot slot
	once sync.Once
	over chan struct{}
}

func newView(session, token [32]byte, now time.Time) *view {
	return &view{session: session, token: token, made: now, budget: MostEvents, charged: now, over: make(chan struct{}), slot: slot{ready: make(chan struct{}, 1)}}
}

// end ends it, because another takes its place or its session is gone.
func (v *view) end() { v.once.Do(func() { close(v.over) }) }

// holds reports whether no other session may take its place. The lock is held.
func (v *view) holds(now time.Time) bool {
	return v.live || !v.used && now.Sub(v.made) <= tokenLife || v.used && now.Sub(v.left) < seatKept
}

// paced takes n events off what may come, or reports that they come too fast. The lock is held.
func (v *view) paced(now time.Time, n int) bool {
	v.budget = min(MostEvents, v.budget+now.Sub(v.charged).Seconds()*MostRate)
	v.charged = now
	if v.budget < float64(n) {
		return false
	}
	v.budget -= float64(n)
	return true
}

// slot holds the newest picture until it is taken.
type slot struct {
	lock   sync.Mutex
	closed bool
	next   []byte
	taken  []byte // of the goroutine that shows
	acks   []func()
	ready  chan struct{} // holds one while there is a picture
}

// put takes a picture in, in the place of one that nobody has taken.
func (s *slot) put(jpeg []byte, ack func()) {
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.closed {
		return
	}
	if cap(s.next) < len(jpeg) {
		clear(s.next)
		s.next = make([]byte, 0, len(jpeg)+len(jpeg)/2)
	}
	clear(s.next)
	s.next = append(s.next[:0], jpeg...)
	s.acks = append(s.acks, ack)
	select {
	case s.ready <- struct{}{}:
	default:
	}
}

// show writes the newest picture, and asks for the next once it was written.
func (s *slot) show(write func(kind byte, body []byte) error) (bytes int, err error) {
	s.lock.Lock()
	s.next, s.taken = s.taken, s.next
	acks := s.acks
	s.acks = nil
	s.lock.Unlock()
	if err := write(FrameJPEG, s.taken); err != nil {
		return 0, err
	}
	for _, ack := range acks {
		ack()
	}
	return len(s.taken), nil
}

// close forgets the pictures.
func (s *slot) close() {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.closed = true
	clear(s.next[:cap(s.next)])
	clear(s.taken[:cap(s.taken)])
	s.next, s.taken, s.acks = nil, nil, nil
}

// cast has pictures put for a view, which has its seat.
func (h *Handoff) cast(ctx context.Context, v *view, quality int) (stop func(), err error) {
	h.casting.Lock()
	defer h.casting.Unlock()
	if err := h.sits(v); err != nil {
		return nil, err
	}
	return h.surface.Cast(ctx, quality, v.slot.put)
}

// without ends a view that got no pictures: it is told the end, if that is why.
func (h *Handoff) without(v *view, write func(kind byte, body []byte) error, why error) error {
	if outcome := h.Outcome(); outcome != "" {
		return h.say(write, outcome)
	}
	select {
	case <-v.over:
		return h.say(write, TakenOver)
	default:
		return why
	}
}

// show writes a view's frames until its end.
func (h *Handoff) show(ctx context.Context, v *view, write func(kind byte, body []byte) error) error {
	defer v.slot.close()
	casting, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(h.ctx, cancel)()
	quality, sent := good, 0
	stop, err := h.cast(casting, v, quality)
	if err != nil {
		return h.without(v, write, err)
	}
	defer func() { stop() }()
	pace, tell, measure := time.NewTimer(0), time.NewTicker(beat), time.NewTicker(measured)
	defer pace.Stop()
	defer tell.Stop()
	defer measure.Stop()
	_, changed := h.state()
	open, said, fresh := false, false, false // whether frames may go, the state is told, and a picture waits
	for {
		select {
		case <-v.over:
			return h.say(write, TakenOver)
		case <-h.Ended():
			return h.say(write, h.Outcome())
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-changed:
			changed, said = nil, false
		case <-tell.C:
			said = false
		case <-pace.C:
			open = true
		case <-v.slot.ready:
			fresh = true
		case <-measure.C:
			if next := qualityOf(quality, sent); next != quality {
				quality = next
				stop()
				if stop, err = h.cast(casting, v, quality); err != nil {
					stop = func() {}
					return h.without(v, write, err)
				}
			}
			sent = 0
		}
		if !open || said && !fresh {
			continue
		}
		if !said {
			_, changed = h.state() // first: what changes while it is told is told again
			if err := h.say(write, ""); err != nil {
				return err
			}
		}
		if fresh {
			n, err := v.slot.show(write)
			if err != nil {
				return err
			}
			sent += n
		}
		open, said, fresh = false, true, false
		pace.Reset(between)
	}
}

// qualityOf is the quality of pictures after n bytes of them in the time that is measured.
func qualityOf(now, n int) int {
	const seconds = int(measured / time.Second)
	switch {
	case n > seconds*poorAbove:
		return poor
	case n < seconds*goodBelow:
		return good
	}
	return now
}

// say tells a view the state of its hand-off.
func (h *Handoff) say(write func(kind byte, body []byte) error, ended string) error {
	state, _ := h.state()
	h.lock.Lock()
	deadline := h.deadline()
	h.lock.Unlock()
	body, err := json.Marshal(StateFrame{state, deadline, ended})
	if err != nil {
		return err
	}
	return write(FrameState, body)
}
