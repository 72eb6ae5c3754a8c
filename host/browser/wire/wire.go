package wire

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"github.com/pdpp-host/pdpp-host/abi"
)

// Transport carries whole messages.
type Transport interface {
	Send(message []byte) error
	Read() ([]byte, error)
	Close() error
}

// Event is something that the browser tells of.
type Event struct {
	Session proto.TargetSessionID // "": of the browser itself
	Params  json.RawMessage
	Method  string
}

// Line is a browser's line. Safe for concurrent use.
type Line struct {
	transport Transport
	limit     time.Duration
	ended     chan struct{} // closed when nothing more comes
	drained   chan struct{} // closed when the reader has returned

	lock    sync.Mutex
	err     error // why it ended
	last    int64
	pending map[int64]chan<- message
	queues  map[string]chan Event
}

// message is one of the browser's: an answer, or an event.
type message struct {
	ID      int64                 `json:"id"`
	Session proto.TargetSessionID `json:"sessionId"` //nolint:tagliatelle // the protocol's own
	Method  string                `json:"method"`
	Params  json.RawMessage       `json:"params"`
	Result  json.RawMessage       `json:"result"`
	Error   *Refusal              `json:"error"`
}

// Refusal is the browser's answer to a call that it does not carry out.
type Refusal struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// Error says what the browser said.
func (r *Refusal) Error() string {
	return fmt.Sprintf("the browser refuses: %s (%d)", r.Message, r.Code)
}

// New returns the line over t. A call whose context has no deadline has limit for its answer.
// Close it.
func New(t Transport, limit time.Duration) *Line {
	l := &Line{
		transport: t, limit: limit, ended: make(chan struct{}), drained: make(chan struct{}),
		pending: map[int64]chan<- message{}, queues: map[string]chan Event{},
	}
	go l.drain()
	return l
}

// Queue returns the events of a method from now on, at most n that wait. Events of a method
// without a queue are dropped. The channel is never closed; Ended is.
func (l *Line) Queue(method string, n int) <-chan Event { return l.Together(n, method) }

// Together is Queue for the events of several methods, which come in their order.
func (l *Line) Together(n int, methods ...string) <-chan Event {
	l.lock.Lock()
	defer l.lock.Unlock()
	q := make(chan Event, n)
	for _, method := range methods {
		l.queues[method] = q
	}
	return q
}

// Ended is closed when the line has ended, and Err says why.
func (l *Line) Ended() <-chan struct{} { return l.ended }

// Err is why the line ended; nil while it has not.
func (l *Line) Err() error {
	l.lock.Lock()
	defer l.lock.Unlock()
	return l.err
}

// Close ends the line, and returns when nothing reads any more.
func (l *Line) Close() error {
	l.End(ErrGone)
	<-l.drained
	return nil
}

// End ends the line for a reason: the browser is to be gone.
func (l *Line) End(why error) {
	l.lock.Lock()
	first := l.err == nil
	if first {
		l.err = why
		close(l.ended)
	}
	l.lock.Unlock()
	if first {
		_ = l.transport.Close() // the browser ends when its pipe does
	}
}

// ErrGone is why a line ended when its browser closed it, or Close was called. Any other reason is told as it is.
var ErrGone = abi.NewError(abi.CodeBrowserClosed, "the browser is gone", "run it again")

// drain reads until the line ends.
func (l *Line) drain() {
	defer close(l.drained)
	for {
		b, err := l.transport.Read()
		var m message
		if err == nil && json.Unmarshal(b, &m) != nil {
			err = abi.NewError(abi.CodeBrowserClosed, "the browser sent what is no message of its protocol", "run it again; install another version if that goes on")
		}
		if err == nil {
			err = l.deliver(m)
		}
		if err != nil {
			if abi.CodeOf(err) != abi.CodeBrowserClosed {
				err = ErrGone
			}
			l.End(err)
			return
		}
	}
}

// deliver hands one message on. It waits for nobody.
func (l *Line) deliver(m message) error {
	l.lock.Lock()
	defer l.lock.Unlock()
	if m.ID != 0 {
		if answer := l.pending[m.ID]; answer != nil {
			answer <- m // has room for one, and gets one
			delete(l.pending, m.ID)
		}
		return nil
	}
	q := l.queues[m.Method]
	if q == nil {
		return nil
	}
	select {
	case q <- Event{m.Session, m.Params, m.Method}:
		return nil
	default:
		return abi.NewError(abi.CodeBrowserClosed, "the browser tells of more than can be taken in ("+m.Method+")", "run it again")
	}
}

// call writes one call and waits for its answer.
func (l *Line) call(ctx context.Context, session proto.TargetSessionID, method string, params any) ([]byte, error) {
	if _, bounded := ctx.Deadline(); !bounded { // whoever says how long knows better: a navigation may wait for its turn
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, l.limit, abi.NewError(abi.CodeBrowserTimeout, "the browser does not answer "+method, "try it again when the machine is less busy"))
		defer cancel()
	}
	if ctx.Err() != nil { // nothing is done that nobody waits for
		return nil, context.Cause(ctx)
	}
	answer := make(chan message, 1)
	l.lock.Lock()
	l.last++
	id := l.last
	l.pending[id] = answer
	l.lock.Unlock()
	defer func() {
		l.lock.Lock()
		delete(l.pending, id)
		l.lock.Unlock()
	}()
	b, err := json.Marshal(struct {
		ID      int64                 `json:"id"`
		Session proto.TargetSessionID `json:"sessionId,omitempty"` //nolint:tagliatelle // the protocol's own
		Method  string                `json:"method"`
		Params  any                   `json:"params,omitempty"`
	}{id, session, method, params})
	if err != nil {
		return nil, err
	}
	// A browser that reads nothing leaves the pipe full: only the end of the line ends Send.
	sent := make(chan error, 1)
	go func() { sent <- l.transport.Send(b) }()
	for {
		select {
		case m := <-answer:
			if m.Error != nil {
				return nil, m.Error
			}
			return m.Result, nil
		case err := <-sent:
			if sent = nil; err != nil {
				l.End(ErrGone)
			}
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-l.ended:
			return nil, l.Err()
		}
	}
}

// Target is a part of the browser that calls go to, for as long as ctx lives. It is what
// the requests of lib/proto take.
type Target struct {
	line    *Line
	ctx     context.Context
	session proto.TargetSessionID
}

// On returns the part of the browser that a session is with; "": the browser itself.
func (l *Line) On(ctx context.Context, session proto.TargetSessionID) *Target {
	return &Target{l, ctx, session}
}

// GetContext is what lib/proto asks for.
func (t *Target) GetContext() context.Context { return t.ctx }

// GetSessionID is what lib/proto asks for.
func (t *Target) GetSessionID() proto.TargetSessionID { return t.session }

// Call makes one call. lib/proto calls it with the target's own context and session.
func (t *Target) Call(ctx context.Context, session, method string, params any) ([]byte, error) {
	return t.line.call(ctx, proto.TargetSessionID(session), method, params)
}
