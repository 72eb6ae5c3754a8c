package live

import (
	"context"
	"errors"
	"sync"

	"github.com/pdpp-host/pdpp-host/abi"
)

// The reasons why a watch ends.
var (
	ErrEnded   = errors.New("the hub has ended")
	ErrDropped = errors.New("the watcher fell too far behind")
	ErrGaveWay = errors.New("the watcher gave way to one of a caller with fewer")
)

// Watcher is told what changes. Close it.
type Watcher struct {
	hub    *Hub
	caller string
	number int64 // in the order of the joins, from 1
	ready  chan struct{}

	mu      sync.Mutex
	waiting []Event
	doubted bool  // see Doubted
	ended   error // nil: it goes on
}

// join asks for a watch from a mark on.
type join struct {
	watcher *Watcher
	after   string
	done    chan error
}

// Watch returns a watcher that is told what changes from now on, or behind the mark of an event
// that was seen. caller is the id of the session or token that asks. It returns
// serve.too_many_watchers where 32 of the same caller watch, or where 512 do and nobody has more
// than this caller with one more; otherwise the newest of whoever has most gives way.
func (h *Hub) Watch(ctx context.Context, caller, after string) (*Watcher, error) {
	w := &Watcher{hub: h, caller: caller, ready: make(chan struct{}, 1)}
	j := &join{w, after, make(chan error, 1)}
	select {
	case h.joins <- j:
		return w, <-j.done
	case <-h.over:
		return nil, ErrEnded
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// room returns the watcher that gives way to the next one of a caller, or nil if there is room for one more.
func (h *Hub) room(caller string) (*Watcher, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	of := map[string]int{caller: 1}
	for w := range h.watchers {
		of[w.caller]++
	}
	if of[caller] > mostOfOne {
		return nil, abi.NewError(CodeFull, "too many clients of one session or token watch already", fewer)
	}
	if len(h.watchers) < mostWatchers {
		return nil, nil
	}
	var goes *Watcher
	for w := range h.watchers {
		if goes == nil || of[w.caller] > of[goes.caller] || of[w.caller] == of[goes.caller] && w.number > goes.number {
			goes = w
		}
	}
	if of[goes.caller] <= of[caller] {
		return nil, abi.NewError(CodeFull, "too many clients watch already", fewer)
	}
	return goes, nil
}

// fewer says what a client can do that may not watch.
const fewer = "close one of them, or ask for what you need from time to time"

// admit begins a watch, and first tells the watcher what it has missed.
func (h *Hub) admit(ctx context.Context, j *join) error {
	goes, err := h.room(j.watcher.caller)
	if err != nil {
		return err
	}
	if !h.looking {
		if err := h.begin(ctx); err != nil {
			return err
		}
	}
	if j.after == "" {
		j.watcher.add([]Event{about(Begun, h.seen.mark(), subject{})})
	} else {
		missed, err := h.missed(ctx, j.after)
		if err != nil {
			return err
		}
		j.watcher.add(missed)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if goes != nil {
		goes.finish(ErrGaveWay)
		delete(h.watchers, goes)
	}
	h.admitted++
	j.watcher.number = h.admitted
	h.watchers[j.watcher] = true
	return nil
}

// begin looks at how things are, so that only what changes from now on is told.
func (h *Hub) begin(ctx context.Context) (err error) {
	if _, err = h.source.Moved(ctx); err != nil {
		return err
	}
	h.seen.at = h.now()
	if h.seen.change, err = h.source.Last(ctx); err != nil {
		return err
	}
	if h.questions, err = h.source.Questions(ctx); err != nil {
		return err
	}
	if h.devices, err = h.source.Devices(ctx); err != nil {
		return err
	}
	h.callers, err = h.source.Callers(ctx)
	h.looking = err == nil
	return err
}

// missed returns what has changed behind a mark, up to where the hub is. Questions and
// devices, which have no numbers, are told in any case.
func (h *Hub) missed(ctx context.Context, after string) ([]Event, error) {
	from, ok := placeOf(after)
	if !ok || from.change > h.seen.change {
		return []Event{about(Reset, h.seen.mark(), subject{})}, nil
	}
	changes, err := h.source.Since(ctx, from.change, mostChanges)
	if err != nil {
		return nil, err
	}
	aged, err := h.source.Aged(ctx, from.at, h.seen.at, mostChanges)
	if err != nil {
		return nil, err
	}
	for len(changes) > 0 && changes[len(changes)-1].Place > h.seen.change { // it is told of in a moment
		changes = changes[:len(changes)-1]
	}
	if len(changes) == mostChanges || len(aged) == mostChanges {
		return []Event{about(Reset, h.seen.mark(), subject{})}, nil
	}
	events := h.tell(h.tell(nil, changes), aged)
	return append(events, about(Questions, h.seen.mark(), subject{}), about(Devices, h.seen.mark(), subject{})), nil
}

// add gives events to the watcher, and reports whether it can go on.
func (w *Watcher) add(events []Event) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended != nil {
		return false
	}
	if len(w.waiting)+len(events) > mostWaiting {
		w.waiting = nil
		w.finishLocked(ErrDropped)
		return false
	}
	w.waiting = append(w.waiting, events...)
	w.wake()
	return true
}

func (w *Watcher) finish(why error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.finishLocked(why)
}

func (w *Watcher) finishLocked(why error) {
	w.ended = why
	w.wake()
}

func (w *Watcher) wake() {
	select {
	case w.ready <- struct{}{}:
	default:
	}
}

func (w *Watcher) doubt() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.doubted = true
	w.wake()
}

// Doubted reports whether a token was revoked or a session has ended since it was last asked:
// who watches may be one that may no more. It is asked before Take.
func (w *Watcher) Doubted() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	doubted := w.doubted
	w.doubted = false
	return doubted
}

// Ready is sent to when there is something to Take.
func (w *Watcher) Ready() <-chan struct{} { return w.ready }

// Take returns the events that wait. The error is ErrDropped, ErrGaveWay or ErrEnded, once the watch has
// ended and nothing waits any more.
func (w *Watcher) Take() ([]Event, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	events := w.waiting
	w.waiting = nil
	if len(events) == 0 {
		return nil, w.ended
	}
	if w.ended != nil {
		w.wake()
	}
	return events, nil
}

// Close ends the watch.
func (w *Watcher) Close() {
	w.hub.mu.Lock()
	defer w.hub.mu.Unlock()
	delete(w.hub.watchers, w)
}
