package serving

import (
	"context"
	"sync"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/run"
)

// mostByHand is how many runs that owners began by hand go on at a time: each takes a
// worker's memory, beside those of the scheduler.
const mostByHand = 8

// lives are the runs that this process makes now, whoever began them. It is safe for
// concurrent use.
type lives struct {
	grace time.Duration // see Request.Grace
	tally *tally        // of what runs store; nil: nobody counts

	mu     sync.Mutex
	runs   map[string]*life // by run id
	byHand int
	within context.Context // until it ends, runs begin by hand; nil: none may
	jobs   sync.WaitGroup  // the runs by hand
}

// during lets runs begin by hand while work goes on, then has those that go on wind up, and
// waits for them.
func (l *lives) during(ctx context.Context, work func() error) error {
	ctx, stop := context.WithCancelCause(ctx)
	l.mu.Lock()
	l.within = ctx
	l.mu.Unlock()
	err := work()
	l.mu.Lock()
	l.within = nil
	l.mu.Unlock()
	stop(run.ErrInterrupted)
	l.jobs.Wait()
	return err
}

// byHandIn runs fn beside its caller, with a context that ends when the host stops.
func (l *lives) byHandIn(fn func(ctx context.Context)) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.within == nil || l.within.Err() != nil:
		return abi.NewError(CodeWindingUp, "the host is stopping, and begins no run", "run it again once the host is back")
	case l.byHand >= mostByHand:
		return abi.NewError(CodeTooManyRuns, "too many runs go on that were begun by hand", "wait until one of them has ended, or stop one")
	}
	l.byHand++
	within := l.within
	l.jobs.Go(func() {
		defer func() {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.byHand--
		}()
		fn(within)
	})
	return nil
}

// follow returns the life of a run that is about to begin, and the context to run it with.
// The host stops when serves ends: the run then has the grace to reach a checkpoint, at
// which life.stopping ends it, before its context ends as well.
func (l *lives) follow(serves context.Context) (context.Context, *life) {
	ctx, stop := context.WithCancelCause(context.WithoutCancel(serves))
	forget := context.AfterFunc(serves, func() {
		late := time.NewTimer(l.grace)
		defer late.Stop()
		select {
		case <-late.C:
			stop(context.Cause(serves))
		case <-ctx.Done():
		}
	})
	return ctx, &life{of: l, stop: stop, forget: forget, stopping: serves.Done()}
}

// running returns how many runs go on.
func (l *lives) running() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.runs)
}

func (l *lives) find(runID string) *life {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.runs[runID]
}

// life is one run that goes on.
type life struct {
	of       *lives
	stop     context.CancelCauseFunc
	forget   func() bool     // that the host may stop
	stopping <-chan struct{} // see run.Deps.Stopping
	began    run.Began

	mu   sync.Mutex
	last *run.Update
}

// begin is told that the run has begun (see run.Deps.Began).
func (f *life) begin(b run.Began) {
	f.of.mu.Lock()
	defer f.of.mu.Unlock()
	f.began = b
	if f.of.runs == nil {
		f.of.runs = map[string]*life{}
	}
	f.of.runs[b.RunID] = f
}

// observe is told how far the run is (see run.Deps.Observe).
func (f *life) observe(u run.Update) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.of.tally != nil {
		f.of.tally.store(f.last, &u)
	}
	f.last = &u
}

func (f *life) read() *run.Update {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.last
}

// end forgets the run.
func (f *life) end() {
	f.forget()
	f.stop(nil)
	f.of.mu.Lock()
	defer f.of.mu.Unlock()
	delete(f.of.runs, f.began.RunID)
}
