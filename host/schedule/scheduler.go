package schedule

import (
	"context"
	"sync"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// The loop's figures.
const (
	defaultWorkers = 2
	// A pass at least so often: a timer does not see the wall clock jump, nor a
	// machine sleep, nor what another process changes in the store.
	longestWait  = time.Minute
	shortestWait = time.Second
	// After a run, or an attempt at one, its connection is left alone for a
	// moment, whatever the store says: a store that does not take what a run did
	// must not make it run again and again.
	restAfterRun  = 10 * time.Second
	longestRest   = time.Hour
	lostShift     = 16
	restAfterBusy = 30 * time.Second
	// Connections that are found due together start one after the other.
	stagger     = 5 * time.Second
	mostStagger = 10 * time.Minute
	// How long a store that fails is left alone, doubled up to longestWait.
	troubleWait = time.Second
	// StopWithin is how long running runs may take to end once the scheduler is
	// told to stop. A run ends its guest long before.
	StopWithin = 30 * time.Second
)

// Scheduler runs connections when they are due. Create one with New; Run or
// Once is called once at a time.
type Scheduler struct {
	deps Deps

	mu      sync.Mutex
	running map[string]bool    // by connection id
	held    map[string]hold    // likewise
	skipped map[string]skipped // likewise: the skip that was recorded last
	lost    map[string]int64   // likewise: jobs in a row that the store knows nothing of
	wake    chan struct{}      // 1: something changed that a pass should look at
	jobs    sync.WaitGroup
}

// New returns a Scheduler over deps.
func New(deps Deps) *Scheduler {
	if deps.Workers <= 0 {
		deps.Workers = defaultWorkers
	}
	return &Scheduler{deps: deps, running: map[string]bool{}, held: map[string]hold{}, skipped: map[string]skipped{}, lost: map[string]int64{}, wake: make(chan struct{}, 1)}
}

func (s *Scheduler) report(e Event) {
	if s.deps.Report != nil {
		s.deps.Report(e)
	}
}

// errStillRunning says that a run did not end although it was told to.
var errStillRunning = abi.NewError(abi.CodeInternal, "a run did not end when it was told to", "its process ends with this one; the next run takes its lease over")

// Run schedules until ctx ends, then waits for the runs that go on, which ctx
// ends as well, for StopWithin at most. What fails on the way is reported and
// tried again; it returns an error only when a run does not end.
func (s *Scheduler) Run(ctx context.Context) error {
	trouble := 0
	for ctx.Err() == nil {
		wait, err := s.pass(ctx)
		switch {
		case ctx.Err() != nil:
		case err != nil:
			if trouble == 0 {
				s.report(Event{Kind: EventTrouble, Err: err})
			}
			wait = doubled(troubleWait, int64(trouble), 10, longestWait)
			wait += jitter(wait, s.deps.Random())
			trouble++
		case trouble > 0:
			s.report(Event{Kind: EventRecovers})
			trouble = 0
		}
		if err == nil && s.deps.Passed != nil {
			s.deps.Passed()
		}
		s.sleep(ctx, wait, err == nil)
	}
	s.report(Event{Kind: EventStopping})
	return s.join()
}

// sleep waits for wait to pass, and at least shortestWait, for ctx to end, or
// for something to change.
func (s *Scheduler) sleep(ctx context.Context, wait time.Duration, wakeable bool) {
	t := time.NewTimer(max(wait, shortestWait))
	defer t.Stop()
	wake := s.wake
	if !wakeable {
		wake = nil
	}
	select {
	case <-ctx.Done():
	case <-t.C:
	case <-wake:
	}
}

// join waits for the runs to end, but not for ever.
func (s *Scheduler) join() error {
	done := make(chan struct{})
	go func() { s.jobs.Wait(); close(done) }()
	t := time.NewTimer(StopWithin)
	defer t.Stop()
	select {
	case <-done:
		return nil
	case <-t.C:
		return errStillRunning
	}
}
