package live

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// lookEvery is how often the store is looked at: so soon is a change told, and so seldom
// each connection (OC-15).
const lookEvery = 250 * time.Millisecond

// devicesEvery is how often devices are looked at, where something was written at all.
const devicesEvery = time.Second

// The bounds of what is told at a time.
const (
	mostWatchers = 512
	mostOfOne    = 32 // watchers of one caller
	mostChanges  = 500
	mostWaiting  = 2 * mostChanges // events of one watcher; one that has more is dropped
)

// CodeFull says that no more can watch, or no more of one caller.
const CodeFull abi.Code = "serve.too_many_watchers"

// Hub tells watchers what changes. It is safe for concurrent use.
type Hub struct {
	now    func() time.Time
	logger *slog.Logger

	mu       sync.Mutex
	watchers map[*Watcher]bool
	admitted int64         // how many there ever were
	over     chan struct{} // closed when Run has ended

	// These belong to the goroutine of Run.
	seen        place
	looking     bool // seen, and the texts below, say how things are
	behind      bool // there was a commit that is not wholly told of
	questions   string
	devices     string
	callers     string
	lookDevices time.Time
	source      Source
	joins       chan *join
}

// New returns a Hub. It tells nothing before Run.
func New(source Source, now func() time.Time, logger *slog.Logger) *Hub {
	return &Hub{now: now, logger: logger, watchers: map[*Watcher]bool{}, source: source, joins: make(chan *join), over: make(chan struct{})}
}

// Run looks until ctx ends, then ends every watch and closes the source.
func (h *Hub) Run(ctx context.Context) error {
	defer h.end()
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return h.source.Close()
		case j := <-h.joins:
			j.done <- h.admit(ctx, j)
		case <-tick.C:
			if h.idle() {
				h.looking = false
				continue
			}
			if err := h.look(ctx); err != nil && ctx.Err() == nil {
				h.logger.Warn("the store's changes could not be read", "code", string(abi.CodeOf(err)))
			}
		}
	}
}

func (h *Hub) idle() bool { return h.Watching() == 0 }

// Watching returns how many watchers there are.
func (h *Hub) Watching() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.watchers)
}

// end ends every watch.
func (h *Hub) end() {
	h.mu.Lock()
	defer h.mu.Unlock()
	close(h.over)
	for w := range h.watchers {
		w.finish(ErrEnded)
	}
	clear(h.watchers)
}

// look tells what has changed since it looked last. It tells as much as can be read, and the
// rest the next time.
func (h *Hub) look(ctx context.Context) error {
	moved, err := h.source.Moved(ctx)
	if err != nil {
		return err
	}
	h.behind = h.behind || moved
	now, more := h.now(), false
	var events []Event
	defer func() { h.spread(events) }()
	if h.behind {
		if err := h.lookAtCallers(ctx); err != nil { // before anything is told
			return err
		}
		changes, err := h.source.Since(ctx, h.seen.change, mostChanges)
		if err != nil {
			return err
		}
		if len(changes) > 0 {
			h.seen.change = changes[len(changes)-1].Place
		}
		events, more = h.tell(events, changes), len(changes) == mostChanges
		asked, err := h.source.Questions(ctx)
		if err != nil {
			return err
		}
		if asked != h.questions {
			h.questions = asked
			events = append(events, about(Questions, h.seen.mark(), subject{}))
		}
	}
	if now.Sub(h.seen.at) >= devicesEvery {
		aged, err := h.source.Aged(ctx, h.seen.at, now, mostChanges)
		if err != nil {
			return err
		}
		h.seen.at = now
		events = h.tell(events, aged)
	}
	if h.behind || !h.lookDevices.IsZero() {
		if events, err = h.lookAtDevices(ctx, events, now); err != nil {
			return err
		}
	}
	h.behind = more
	return nil
}

// lookAtCallers doubts every watcher when somebody who could ask can no more.
func (h *Hub) lookAtCallers(ctx context.Context) error {
	known, err := h.source.Callers(ctx)
	if err != nil || known == h.callers {
		return err
	}
	h.callers = known
	h.mu.Lock()
	defer h.mu.Unlock()
	for w := range h.watchers {
		w.doubt()
	}
	return nil
}

// lookAtDevices looks at the devices now, or a moment later where that was just done.
func (h *Hub) lookAtDevices(ctx context.Context, events []Event, now time.Time) ([]Event, error) {
	if now.Before(h.lookDevices) {
		return events, nil
	}
	known, err := h.source.Devices(ctx)
	if err != nil {
		return events, err
	}
	h.lookDevices = time.Time{}
	if known != h.devices {
		h.devices, h.lookDevices = known, now.Add(devicesEvery)
		events = append(events, about(Devices, h.seen.mark(), subject{}))
	}
	return events, nil
}

// tell adds the events of connections that have changed, and of their newest runs.
func (h *Hub) tell(events []Event, changes []Change) []Event {
	for _, c := range changes {
		mark := h.seen
		if !c.TimesAlone {
			mark.change = c.Place
		}
		s := subject{ConnectionID: c.ID, Connection: c.Name, RunID: c.NewestRun}
		events = append(events, about("connection-"+c.ID, mark.mark(), s))
		if c.NewestRun != "" {
			events = append(events, about("run-"+c.NewestRun, mark.mark(), s))
		}
	}
	return events
}

// spread gives events to every watcher, and drops those that have too many.
func (h *Hub) spread(events []Event) {
	if len(events) == 0 {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for w := range h.watchers {
		if !w.add(events) {
			delete(h.watchers, w)
		}
	}
}
