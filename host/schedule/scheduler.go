package schedule

import (
	"context"
	"sync"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// The parameters of the loop.
const (
	defaultWorkers = 2
	// Runs that wait for their owners and need no worker; each holds its guest's memory.
	mostWaiting = 8
	// The longest time between passes: a timer does not see the wall clock jump, the
	// machine sleep, or another process change the store.
	longestWait  = time.Minute
	shortestWait = time.Second
	// After a run, or an attempt, its connection pauses for a moment, whatever the
	// store says: a store that does not record a run's result must not make it run
	// again and again.
	restAfterRun  = 10 * time.Second
	longestRest   = time.Hour
	lostShift     = 16
	restAfterBusy = 30 * time.Second
	// Time between the starts of connections that are found due together.
	stagger     = 5 * time.Second
	mostStagger = 10 * time.Minute
	// Pause after an error of the store, doubled up to longestWait.
	troubleWait = time.Second
	// StopWithin is how long running runs may take to end after the scheduler is told
	// to stop and Deps.Grace is over. A run ends its guest long before.
	StopWithin = 30 * time.Second
)

// Scheduler runs connections when they are due. Create one with New; Run or
// Once is called once at a time.
type Scheduler struct {
	deps Deps

	mu      sync.Mutex
	running map[string]bool    // by connection id
	waiting int                // of these, for their owners
	scarce  map[string]string  // by connection id of these: what Deps.Scarce names
	held    map[string]hold    // by connection id
	skipped map[string]skipped // by connection id: the skip that was recorded last
	window  window             // the loop's alone
	lost    map[string]int64   // by connection id: consecutive jobs that the store has not recorded
	wake    chan struct{}      // capacity 1: a change that a pass should examine
	jobs    sync.WaitGroup
}

// New returns a Scheduler over deps.
func New(deps Deps) *Scheduler {
	if deps.Workers <= 0 {
		deps.Workers = defaultWorkers
	}
	return &Scheduler{
		deps: deps, running: map[string]bool{}, scarce: map[string]string{}, held: map[string]hold{}, skipped: map[string]skipped{}, lost: map[string]int64{},
		window: window{page: examinedPage, atMost: examinedAtMost}, wake: make(chan struct{}, 1),
	}
}

func (s *Scheduler) report(e Event) {
	if s.deps.Report != nil {
		s.deps.Report(e)
	}
}

// errStillRunning reports that a run did not end although it was told to.
var errStillRunning = abi.NewError(abi.CodeInternal, "a run did not end when it was told to", "its process ends with this one; the next run takes its lease over")

// Run schedules until ctx ends, then waits for the running runs, which ctx ends as
// well, for at most Deps.Grace and StopWithin. Errors on the way are reported and retried; it returns
// an error only if a run does not end.
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

// sleep waits until wait has passed, but at least shortestWait, until ctx ends, or
// until something changes.
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

// Wake has a loop that waits look now, since something has changed that it may wait for.
// It is safe for concurrent use.
func (s *Scheduler) Wake() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// join waits for the runs to end, for at most Deps.Grace and StopWithin.
func (s *Scheduler) join() error {
	done := make(chan struct{})
	go func() { s.jobs.Wait(); close(done) }()
	t := time.NewTimer(s.deps.Grace + StopWithin)
	defer t.Stop()
	select {
	case <-done:
		return nil
	case <-t.C:
		return errStillRunning
	}
}
