package ownerapi

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/pdpp-host/pdpp-host/host/api/wire"
	"github.com/pdpp-host/pdpp-host/host/owner/access"
	"github.com/pdpp-host/pdpp-host/host/owner/live"
	"github.com/pdpp-host/pdpp-host/host/web"
)

// heartbeat is how often a stream says that it goes on, and looks whether its client may
// still watch.
const heartbeat = 15 * time.Second

// writeTime is how long a client may take to take what it is sent.
const writeTime = 10 * time.Second

// headerLastEvent is where a client goes on that was cut off.
const headerLastEvent = "Last-Event-ID"

// longestMark is in bytes.
const longestMark = 64

func (c *call) events() error {
	first := c.r // each proof adds to the context of the request that it is made of
	return c.watch(c.w, c.r, c.caller.Actor.ID, func() error {
		c.r = first
		return c.identify()
	})
}

// SessionEvents answers a page of the owner's browser with the events of GET
// /v1/owner/events. It stands behind the guard.
func (a *API) SessionEvents() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		may := func() error {
			again, err := a.Guard.Identify(r)
			if err == nil && (web.CallerOf(again.Context()) == nil || web.CallerOf(r.Context()) == nil) {
				err = unauthenticated()
			}
			if err != nil {
				return err
			}
			return web.CallerOf(again.Context()).Allows(access.ScopeRead)
		}
		err := may()
		if err == nil && r.Method != http.MethodGet {
			err = &wire.Failure{Status: http.StatusMethodNotAllowed, Code: wire.CodeMethod, Message: "this path takes GET"}
		}
		if err == nil {
			err = a.watch(w, r, web.CallerOf(r.Context()).Actor.ID, may)
		}
		if err != nil {
			id := wire.NewID(a.Random)
			wire.Begin(w.Header(), id)
			wire.Fail(w, refusalOf(err), id)
		}
	})
}

// watch sends what changes until the client goes away, falls behind, gives way, or may watch no
// more. who is the id of its session or token.
// It returns an error only before the stream has begun.
func (a *API) watch(w http.ResponseWriter, r *http.Request, who string, may func() error) error {
	after := r.Header.Get(headerLastEvent)
	if len(after) > longestMark {
		return wire.Invalid(headerLastEvent, "is not the id of an event")
	}
	watcher, err := a.Live.Watch(r.Context(), who, after)
	if errors.Is(err, live.ErrEnded) {
		return wire.Busy()
	}
	if err != nil {
		return err
	}
	defer watcher.Close()
	s := stream{w: w, control: http.NewResponseController(w)}
	if err := s.begin(); err != nil {
		return err
	}
	a.follow(r.Context(), watcher, may, func(events []live.Event) error {
		if events == nil {
			return s.send([]byte(": still here\n\n"))
		}
		return s.tell(events)
	})
	return nil // the stream has begun: its client comes again, and is told why
}

// follow tells what changes until ctx ends, the watch does, its client may watch no more, or
// tell fails. tell gets nil where there is only to say that it goes on.
func (a *API) follow(ctx context.Context, watcher *live.Watcher, may func() error, tell func([]live.Event) error) {
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-beat.C:
			if a.still(may) != nil || tell(nil) != nil {
				return
			}
		case <-watcher.Ready():
			if watcher.Doubted() && a.still(may) != nil {
				return
			}
			events, err := watcher.Take()
			if err != nil || len(events) > 0 && tell(events) != nil {
				return
			}
		}
	}
}

// still asks whether a client may watch on. It asks on a stack of its own, and a few at a time:
// those of 500 streams stay as small as waiting needs (OC-10).
func (a *API) still(may func() error) error {
	a.asking <- struct{}{}
	answer := make(chan error, 1)
	go func() {
		defer func() { <-a.asking }()
		answer <- may()
	}()
	return <-answer
}

// stream writes server-sent events.
type stream struct {
	w       http.ResponseWriter
	control *http.ResponseController
	buf     bytes.Buffer
}

// begin sends the headers. It lifts the server's deadlines, which bound whole answers: this
// answer does not end.
func (s *stream) begin() error {
	if err := errors.Join(s.control.SetReadDeadline(time.Time{}), s.control.SetWriteDeadline(time.Time{})); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	h := s.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "private, no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Accel-Buffering", "no") // of a proxy
	s.w.WriteHeader(http.StatusOK)
	_ = s.send([]byte("retry: 1000\n\n")) // a client that is gone is seen by its context
	return nil
}

func (s *stream) tell(events []live.Event) error {
	s.buf.Reset()
	for _, e := range events {
		s.buf.WriteString("id: " + e.Mark + "\nevent: " + e.Name + "\ndata: ")
		s.buf.Write(e.Data)
		s.buf.WriteString("\n\n")
	}
	if s.buf.Len() == 0 {
		return nil
	}
	return s.send(s.buf.Bytes())
}

// send writes at once, within writeTime.
func (s *stream) send(b []byte) error {
	if err := s.control.SetWriteDeadline(time.Now().Add(writeTime)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	if _, err := s.w.Write(b); err != nil {
		return err
	}
	return s.control.Flush()
}
