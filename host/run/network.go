package run

import (
	"bytes"
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage"
)

const (
	// rateEvery bounds how often a change of the pace becomes evidence.
	rateEvery = 10 * time.Second
	// maxChanges bounds how many other steps of sending become evidence: a manifest
	// may have the breaker change with each request.
	maxChanges = 200
)

// network is a run's way to its provider: its requests, the pace and pressure that
// they met, and the bytes that they sent. It observes its own Sending.
type network struct {
	*journal // set when the run begins; the guest sends nothing before

	sending Sending  // nil: the run has no network
	streams []string // in scope: the learned rate may ride the cursor of one of these
	logger  *slog.Logger

	idle     chan func() // hands a request to a sender that has none
	senders  sync.WaitGroup
	replying sync.Mutex // held while an answer is handed over

	adopting     sync.Mutex
	adoptPending func(context.Context) error // stores a newly accepted base URL; nil: unchanged, or stored already

	pressedGaps int // gaps of this run that the provider's pressure left
	// failingDetails: a detail failed by itself that the provider answered with pressure.
	failingDetails bool
	pressedUntil   time.Time // the latest moment that such a gap waits for; zero: none named
	lastRated      *ratedCursor
	written        map[string]abi.Destination // by host: what the ledger of destinations has of this run

	waits struct {
		sync.Mutex // guards what follows

		until   time.Time // when the next request goes
		asked   bool      // the provider asked for that wait
		ratedAt time.Time
		changes int // see worthKeeping
	}
}

// ratedCursor is a cursor that a slice committed with the learned rate on it, as the
// guest gave it.
type ratedCursor struct {
	stream string
	cursor []byte
}

func newNetwork(streams []string, logger *slog.Logger) *network {
	return &network{streams: streams, logger: logger, idle: make(chan func()), written: map[string]abi.Destination{}}
}

func (n *network) close() {
	if n.sending != nil {
		n.sending.Close()
	}
}

// asleepLook is the time between two looks at whether a run only sleeps.
const asleepLook = 200 * time.Millisecond

// endAsleep ends a run that only waits for the end of a pause, once the host winds up: it comes
// to no checkpoint meanwhile, and what it has learned is kept.
func (r *run) endAsleep(ctx context.Context) {
	if r.network.sending == nil {
		return
	}
	select {
	case <-ctx.Done():
		return
	case <-r.deps.Stopping:
	}
	look := time.NewTicker(asleepLook)
	defer look.Stop()
	const awake = -1
	for slept := int64(awake); ; {
		// The guest may still work on what it has; then it calls.
		calls := int64(awake)
		if r.network.sending.Asleep() {
			calls = r.calls.Load()
		}
		if calls != awake && calls == slept {
			r.stop(ErrInterrupted)
			return
		}
		slept = calls
		select {
		case <-ctx.Done():
			return
		case <-look.C:
		}
	}
}

// send answers the http operation in the background: several requests are in
// flight, and the guest takes the answers in the order in which they complete.
func (n *network) send(request []byte, reply func([]byte)) error {
	if n.sending == nil {
		return abi.NewError(abi.CodeBindingNotGranted, "the run was not granted the network", "look at START.bindings.network first")
	}
	own := append([]byte(nil), request...)
	job := func() {
		n.sending.Do(n.ctx, own, func(answer []byte) {
			// One at a time: an answer that is not taken waits here, where its size
			// counts, and not in a queue to a worker that does not read.
			n.replying.Lock()
			defer n.replying.Unlock()
			reply(answer)
		})
	}
	select {
	case n.idle <- job:
	default:
		n.senders.Go(func() { n.sendJobs(job) })
	}
	return nil
}

// sendJobs makes requests until the run ends. An idle sender is used before a new one
// is made: a fresh goroutine grows its stack anew for each request, which costs a tenth
// of the request. There are no more senders than requests may be in flight.
func (n *network) sendJobs(job func()) {
	for {
		job()
		select {
		case job = <-n.idle:
		case <-n.ctx.Done():
			return
		}
	}
}

// adoptBaseURL makes the base URL that the owner accepted the connection's own, once
// it has answered and before anything from there is stored. Until then the connection
// keeps the URL of before: nothing collected there can have vanished.
func (n *network) adoptBaseURL() error {
	n.adopting.Lock()
	defer n.adopting.Unlock()
	if n.adoptPending == nil || n.sending == nil || n.sending.Counts().Answered == 0 {
		return nil
	}
	adopt := n.adoptPending
	n.adoptPending = nil
	return n.stored(adopt(n.lasting()))
}

// Waiting implements SendingObserver: the progress display shows the wait.
func (n *network) Waiting(until time.Time, asked bool) {
	n.waits.Lock()
	defer n.waits.Unlock()
	n.waits.until, n.waits.asked = until, asked
}

// RateChanged implements SendingObserver.
func (n *network) RateChanged(rate *abi.CollectionRate) {
	n.waits.Lock()
	now := n.now()
	due := now.Sub(n.waits.ratedAt) >= rateEvery
	if due {
		n.waits.ratedAt = now
	}
	n.waits.Unlock()
	if due {
		n.keepRate(rate)
	}
}

// CircuitChanged implements SendingObserver.
func (n *network) CircuitChanged(change abi.Raw) {
	if n.worthKeeping() {
		_ = n.event("run.progress_reported", "", map[string]any{
			"message": "the provider's circuit breaker changed", "provider_budget": change,
		})
	}
}

// PauseDisbelieved implements SendingObserver.
func (n *network) PauseDisbelieved() {
	if n.worthKeeping() {
		_ = n.event("run.progress_reported", "", map[string]any{
			"message": "the service named a pause of more than a day, which it cannot mean: the host's own back-off held",
		})
	}
}

// PauseLearned implements SendingObserver.
func (n *network) PauseLearned(until time.Time, reason abi.Reason, learned []byte) {
	_ = n.stored(n.writer.KeepPause(n.lasting(), storage.Pause{Reason: string(reason), Until: until, Learned: learned}))
}

// worthKeeping counts a change that a provider can cause with each answer, and
// reports whether it still becomes evidence.
func (n *network) worthKeeping() bool {
	n.waits.Lock()
	defer n.waits.Unlock()
	n.waits.changes++
	return n.waits.changes <= maxChanges
}

// waiting returns when the next request goes, and whether the provider asked for the
// wait; zero without a wait.
func (n *network) waiting() (until time.Time, asked bool) {
	n.waits.Lock()
	defer n.waits.Unlock()
	return n.waits.until, n.waits.asked
}

// keepRate stores the pace as evidence; rate is nil when pacing is off (RT-27).
func (n *network) keepRate(rate *abi.CollectionRate) {
	if rate != nil {
		_ = n.event("run.progress_reported", "", map[string]any{"message": "the pace of requests", "collection_rate": rate})
	}
}

// pressureEnds returns the moment that the provider named for the next attempt of a gap
// with this reason; zero when it named none, or when the reason is no pressure.
func (n *network) pressureEnds(reason abi.Reason) time.Time {
	if n.sending == nil || !reason.IsSourcePressure() {
		return time.Time{}
	}
	pressure, next := n.sending.Pressure()
	if pressure == "" || !next.After(n.now()) {
		return time.Time{}
	}
	n.pressedUntil = next
	return next
}

// countPressed counts a gap that the provider's pressure left, unless its detail fails by
// itself.
func (n *network) countPressed(reason abi.Reason, failsByItself bool) {
	switch {
	case n.sending == nil || !reason.IsSourcePressure():
	case failsByItself:
		n.failingDetails = true
	default:
		n.pressedGaps++
	}
}

// withLearnedRate puts the learned rate on a cursor that is about to be committed.
func (n *network) withLearnedRate(stream string, cursor []byte) []byte {
	if n.sending == nil {
		return cursor
	}
	with, err := n.sending.Learned(stream, n.streams, cursor)
	if err != nil {
		n.logger.Debug("the learned rate is not kept", "stream", stream, "error", err.Error())
		return cursor
	}
	return with
}

// rateCommitted remembers a cursor that a slice committed, when the learned rate was
// put on it.
func (n *network) rateCommitted(stream string, own, with []byte) {
	if !bytes.Equal(own, with) {
		n.lastRated = &ratedCursor{stream, own}
	}
}

// addLastRate adds to the outcome the rate of the run's end. A slice took along the
// rate of its own moment: when the stream with the rate commits first, the run had
// hardly learned a rate by then (RT-26.1). The cursor itself is the slice's.
func (n *network) addLastRate(o *storage.Outcome, commit []string) {
	last := n.lastRated
	if last == nil || slices.Contains(commit, last.stream) || n.storeError() != nil {
		return
	}
	o.Checkpoints = append(o.Checkpoints, storage.StateCommit{Stream: last.stream, Cursor: n.withLearnedRate(last.stream, last.cursor)})
}

// plannedStop returns the owner's bound at which the run stopped asking: its requests,
// its time or its retries; "" when it met none. Retries that ended before anything was
// answered mean a provider that is down, and an open circuit one that is unwell.
func (n *network) plannedStop() abi.Reason {
	if n.sending == nil {
		return ""
	}
	switch reason := n.sending.Stopped(); reason {
	case abi.ReasonRequestCapReached, abi.ReasonWallClockDeadline:
		return reason
	case abi.ReasonRetryBudgetExhausted:
		if n.sending.Counts().Answered > 0 {
			return reason
		}
	}
	return ""
}

// addTo adds to the outcome what the run's requests left: the destinations that are
// not written yet, and the pressure that defers the next run. The gaps that pressure left
// defer it by themselves, so the outcome carries the pressure only when there are no such
// gaps, or when the provider named a later moment than theirs. A run under no pressure ends
// that of earlier runs, if any request was answered: a provider that is down ends none.
//
// Where the run did not come to its own end, the pause that stands defers the next one, whoever
// asked for it; else the run has said all that there is to say, and only the provider's word stands.
func (n *network) addTo(o *storage.Outcome, at *place, byItself bool) {
	if n.sending == nil {
		return
	}
	o.Destinations = n.unwritten()
	pressure, next := n.sending.Pressure()
	until, told, why, learned := n.sending.Standing()
	if byItself {
		until = told
	}
	answered := n.sending.Counts().Answered > 0
	if answered || !until.IsZero() {
		o.Pause = &storage.Pause{Reason: string(why), Until: until, Learned: learned}
	}
	switch {
	case pressure == abi.ReasonUpstreamPressure && n.failingDetails && n.pressedGaps == 0 && !next.After(n.now()):
		// It says that of details that fail by themselves: neither does it defer the next
		// run, nor is the pressure of earlier runs over.
	case pressure != "" && (n.pressedGaps == 0 || next.After(n.pressedUntil) && next.After(n.now())):
		o.Pressure = &storage.Pressure{Reason: string(pressure), NextAttempt: next}
	case pressure == "" && answered && until.IsZero():
		o.PressureOver = true
	}
	n.keepRate(n.sending.Rate())
	if reason := n.sending.Stopped(); reason != "" {
		n.known.add(at.stopped(reason))
	}
}

// writeDestinations brings the ledger of destinations up to what the run has sent.
func (n *network) writeDestinations() error {
	list := n.unwritten()
	if len(list) == 0 {
		return nil
	}
	// It waits for the write to end: bytes that may have been written are neither left
	// out of the outcome nor counted twice.
	if err := n.stored(n.writer.AddDestinations(n.lasting(), list)); err != nil {
		return err
	}
	for _, d := range list {
		was := n.written[d.Host]
		n.written[d.Host] = abi.Destination{
			Requests: was.Requests + d.Requests, BytesOut: was.BytesOut + d.BytesOut, BytesIn: was.BytesIn + d.BytesIn,
		}
	}
	return nil
}

// unwritten returns what the run has sent since the ledger was last written.
func (n *network) unwritten() []storage.Destination {
	if n.sending == nil {
		return nil
	}
	var list []storage.Destination
	for _, d := range n.sending.Destinations() {
		was := n.written[d.Host]
		news := storage.Destination{
			Host: d.Host, Requests: d.Requests - was.Requests, BytesOut: d.BytesOut - was.BytesOut, BytesIn: d.BytesIn - was.BytesIn,
		}
		if news.Requests > 0 || news.BytesOut > 0 || news.BytesIn > 0 {
			list = append(list, news)
		}
	}
	return list
}
