package run

import (
	"context"
	"encoding/json"
	"sync/atomic"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Sender opens the network binding of a run. An error refuses the run before it
// begins: an *abi.Error for a manifest or an option that cannot be used.
type Sender interface {
	Open(ctx context.Context, s SendRun) (Sending, error)
}

// SendRun is the run that a Sending is for.
type SendRun struct {
	Connection *storage.Connection
	Manifest   *abi.Manifest
	Options    map[string]string
	Secrets    Secrets              // nil: there are none
	Streams    []string             // in scope: the learned rate may ride these alone
	Cursors    map[string][]byte    // committed, by stream; for the learned rate
	MaxWall    time.Duration        // no request begins later than that after the first; 0: unbounded
	Observe    func(e SendingEvent) // safe for concurrent use, and quick
}

// Sending is the network binding of one run: the one way of its guest to the
// provider (RT-20, RT-23). Safe for concurrent use.
type Sending interface {
	// Do answers the http operation: it calls reply once and returns after that.
	// It never fails: what went wrong is an answer. It answers soon after ctx has
	// ended. What it holds of large answers is bounded until reply returns.
	Do(ctx context.Context, request []byte, reply func(answer []byte))
	Counts() RequestCounts
	Destinations() []storage.Destination
	// Learned returns a stream's cursor with the learned rate on it, where the
	// manifest names that stream; otherwise the cursor as it is (RT-26).
	Learned(stream string, cursor []byte) ([]byte, error)
	// Pressure is the last request that ended under source pressure; nil when
	// none did. A budget or a cap is none (RT-24).
	Pressure() *storage.Pressure
	// Stopped is the planned stop of the run's sending, such as
	// abi.ReasonRequestCapReached; "" when there was none.
	Stopped() abi.Reason
	// Trouble is why a host did not answer well, and which; "" when each did.
	Trouble() (cause abi.Cause, host string)
	Hosts() []string // that it reaches: where base_url is, if anywhere, and then those of the manifest
	Rate() *Rate     // nil: pacing is off (RT-27.2)
	Close()
}

// Rate is the pace of sending, for a progress display. The raw form rides a
// PROGRESS as collection_rate.
type Rate struct {
	PerMinute, CeilingPerMinute int64
	Raw                         json.RawMessage
}

// SendingEvent is a step of sending that an owner may want to see. Exactly one
// field is set.
type SendingEvent struct {
	Wait    *SendingWait
	Rate    *Rate           // the pace has changed
	Circuit json.RawMessage // a breaker's change, as provider_budget of a PROGRESS (PB-D6)
	// Disbelieved: the provider named a pause that is too long to be meant.
	Disbelieved bool
}

// SendingWait says that the next request goes at Until, and whether the provider
// asked for that or the pace does.
type SendingWait struct {
	Until time.Time
	Asked bool
}

// Secrets are the secrets of one connection. Safe for concurrent use. Values
// reach the provider through Sending and nothing else (Invariant 5).
type Secrets interface {
	Held() map[string]bool // by credential field: whether there is a value
	Value(ctx context.Context, field string) (value string, ok bool, err error)
	// BindRun names the run that may Replace. It is called once, before any other
	// method is called from the run's requests.
	BindRun(w *storage.RunWriter)
	// Replace stores renewed values over those that the run has read, durable when it
	// returns. It fails when the run has lost its lease, or when somebody else has
	// stored a value since.
	Replace(ctx context.Context, values map[string]string) error
	// Keep stores what an owner typed in answer to a question.
	Keep(ctx context.Context, values map[string]string) error
}

// sent answers the http operation in the background: several requests are in
// flight, and the guest takes the answers in the order in which they complete.
func (c *collection) sent(request []byte, reply func([]byte)) {
	own := append([]byte(nil), request...)
	job := func() {
		c.sending.Do(c.ctx, own, func(answer []byte) {
			// One at a time: an answer that is not taken waits here, where its size
			// counts, and not in a queue to a worker that does not read.
			c.replying.Lock()
			defer c.replying.Unlock()
			reply(answer)
		})
	}
	select {
	case c.senders <- job:
	default:
		c.asks.Go(func() { c.sender(job) })
	}
}

// sender makes requests until the run ends. One that has nothing to do is taken
// before a new one is made: a fresh goroutine grows its stack anew for each
// request, which costs a tenth of it. There are no more than may be in flight.
func (c *collection) sender(job func()) {
	for {
		job()
		select {
		case job = <-c.senders:
		case <-c.ctx.Done():
			return
		}
	}
}

// noticed takes a step of sending: the wait for the display, the pace and a
// breaker's change as evidence too.
func (c *collection) noticed(e SendingEvent) {
	switch {
	case e.Wait != nil:
		c.mu.Lock()
		c.waiting = *e.Wait
		c.mu.Unlock()
	case e.Rate != nil:
		c.mu.Lock()
		now := c.deps.Now()
		due := now.Sub(c.ratedAt) >= rateEvery
		if due {
			c.ratedAt = now
		}
		c.mu.Unlock()
		if due {
			c.rated(e.Rate)
		}
	case len(e.Circuit) > 0:
		if c.worthKeeping() {
			_ = c.event("run.progress_reported", "", map[string]any{
				"message": "the provider's circuit breaker changed", "provider_budget": e.Circuit,
			})
		}
	case e.Disbelieved:
		if c.worthKeeping() {
			_ = c.event("run.progress_reported", "", map[string]any{
				"message": "the service named a pause of more than a day, which it cannot mean: the host's own back-off held",
			})
		}
	}
}

// worthKeeping counts a change that a provider can make with each answer, and
// reports whether it still becomes evidence.
func (c *collection) worthKeeping() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.changes++
	return c.changes <= maxChanges
}

const (
	// rateEvery bounds how often a change of the pace becomes evidence.
	rateEvery = 10 * time.Second
	// maxChanges bounds the other steps of sending that do: a manifest may have the
	// breaker change with each request.
	maxChanges = 200
)

// rated keeps the pace as evidence; there is none when pacing is off (RT-27).
func (c *collection) rated(r *Rate) {
	if r != nil {
		_ = c.event("run.progress_reported", "", map[string]any{"message": "the pace of requests", "collection_rate": r.Raw})
	}
}

// pressed completes a gap that the provider's pressure left with the moment
// from which it may be tried again, when the provider named one.
func (c *collection) pressed(g *storage.Gap) {
	if c.sending == nil || !abi.Reason(g.Reason).IsSourcePressure() {
		return
	}
	c.pressedGaps++
	if p := c.sending.Pressure(); p != nil && p.NextAttempt.After(c.deps.Now()) {
		g.NextAttemptAfter, c.pressedUntil = p.NextAttempt, p.NextAttempt
	}
}

// learned puts the learned rate on a cursor that is about to be committed.
func (c *collection) learned(stream string, cursor []byte) []byte {
	if c.sending == nil {
		return cursor
	}
	with, err := c.sending.Learned(stream, cursor)
	if err != nil {
		c.deps.Logger.Debug("the learned rate is not kept", "stream", stream, "error", err.Error())
		return cursor
	}
	return with
}

// ofSending adds to the outcome what the run's requests left: the destinations that are
// not written yet, and the pressure that defers the next run. The gaps that pressure left
// defer it by themselves, so the outcome carries the pressure only when there are no such
// gaps, or when the provider named a later moment than theirs. A run under no pressure ends
// that of earlier runs, if any request was answered: a provider that is down ends none.
func (c *collection) ofSending(o *storage.Outcome) {
	if c.sending == nil {
		return
	}
	o.Destinations = c.unwritten()
	p := c.sending.Pressure()
	switch {
	case p != nil && (c.pressedGaps == 0 || p.NextAttempt.After(c.pressedUntil) && p.NextAttempt.After(c.deps.Now())):
		o.Pressure = p
	case p == nil && c.sending.Counts().Answered > 0:
		o.PressureOver = true
	}
	c.rated(c.sending.Rate())
	if reason := c.sending.Stopped(); reason != "" {
		c.known.add(c.at.stopped(reason))
	}
}

// notice carries the steps of sending to a collection that is made after it.
type notice struct{ at atomic.Pointer[collection] }

func (n *notice) to(c *collection) {
	if n != nil {
		n.at.Store(c)
	}
}

func (n *notice) take(e SendingEvent) {
	if c := n.at.Load(); c != nil {
		c.noticed(e)
	}
}

// openSending opens the connection's secrets and the run's way to its provider.
func (r *Runner) openSending(ctx context.Context, req Request, p *prepared) (err error) {
	if r.deps.Secrets != nil && hasCredentials(p.manifest) {
		if p.secrets, err = r.deps.Secrets(ctx, p.connection, p.manifest); err != nil {
			return err
		}
	}
	if !p.granted.grant.Bindings[abi.BindingNetwork] {
		return nil
	}
	cursors := map[string][]byte{}
	checkpoints, err := r.deps.Store.Checkpoints(ctx, p.connection.Name)
	if err != nil {
		return err
	}
	for _, cp := range checkpoints {
		if !cp.Staged && cp.Bookmark == bookmark(p.mode) {
			cursors[cp.Stream] = cp.Cursor
		}
	}
	p.notice = new(notice)
	p.sending, err = r.deps.Sender.Open(ctx, SendRun{
		Connection: p.connection, Manifest: p.manifest, Options: p.options, Secrets: p.secrets, Cursors: cursors,
		Streams: streamNames(p.scope), MaxWall: req.MaxWall, Observe: p.notice.take,
	})
	return err
}

// held says which credential fields have a value.
func (r *Runner) held(p *prepared) map[string]bool {
	if p.secrets != nil {
		return p.secrets.Held()
	}
	return noCredentials(p.manifest)
}
