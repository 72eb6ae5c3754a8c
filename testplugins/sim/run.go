package sim

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/schedule"
	"github.com/pdpp-host/pdpp-host/host/send"
)

// The circumstances of a connection that nothing was set for.
const (
	inFlight = 4                           // details, as in the SDK
	askFor   = 4*time.Hour - 5*time.Minute // a run's time, less the part for accounting for the rest
	interval = time.Hour                   // between two runs
	stream   = "items"
)

// connection is one connector's connection: the details that its runs fetched and left
// as gaps, and the pace that they learned.
type connection struct {
	shape    *shape
	provider *provider
	random   *rand.Rand

	todo    int // details that the list still has; below zero: no end
	gaps    []schedule.Gap
	cursor  abi.Raw
	fetched int
	endings []ending
}

// ending is how one run ended before everything was fetched.
type ending struct {
	after   time.Duration
	fetched int
	reason  string
}

func (e ending) String() string {
	return fmt.Sprintf("%s after %v, %d fetched", e.reason, e.after.Round(time.Second), e.fetched)
}

func newConnection(s *shape, seed uint64, todo int) *connection {
	return &connection{
		shape: s, provider: newProvider(s, seed), todo: todo,
		random: rand.New(rand.NewPCG(seed, 11)), //nolint:gosec // a simulation must repeat itself
	}
}

// collect makes runs until everything is fetched or the time is over.
func (c *connection) collect(ctx context.Context, until time.Time) error {
	for time.Now().Before(until) && (c.todo != 0 || len(c.gaps) > 0) {
		began := time.Now()
		if err := c.run(ctx, until); err != nil {
			return err
		}
		next := began.Add(interval)
		if cools, _ := schedule.Cooldown(schedule.CooldownInput{Gaps: c.gaps, Base: interval}, time.Now()); cools.After(next) {
			next = cools
		}
		if next.After(until) {
			next = until
		}
		time.Sleep(time.Until(next))
	}
	return nil
}

// run makes one run: the gaps of earlier ones first, then the list, with several
// requests in flight. until is the end of the simulation and no end of a run.
func (c *connection) run(ctx context.Context, until time.Time) error {
	began := time.Now()
	r := &run{connection: c, served: c.gaps}
	c.gaps = nil
	governor, err := send.New(c.shape.profile(), send.Deps{
		Transport: c.provider, Clock: send.SystemClock{}, Random: r.draw, Run: send.NewRunBudget(0, askFor),
		Learned: send.Restore(c.cursor, began),
	})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	var all sync.WaitGroup
	for range inFlight {
		all.Go(func() {
			for gap, ok := r.next(); ok; gap, ok = r.next() {
				r.fetchDetail(ctx, gap, governor)
			}
		})
	}
	all.Wait()
	c.gaps = append(c.gaps, r.served...) // left alone at the end of the run
	c.cursor, err = governor.Snapshot().Learned().Persist([]string{stream}, stream, nil, time.Now())
	if len(r.why) > 0 {
		c.endings = append(c.endings, ending{time.Since(began), r.fetched, strings.Join(r.why, ", ")})
	}
	return errors.Join(err, r.err)
}

// run is one run under way.
type run struct {
	*connection

	mu      sync.Mutex
	served  []schedule.Gap // to be tried again
	stopped bool
	fetched int
	why     []string // reasons of the unfetched details, each once
	err     error
}

func (r *run) draw() float64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.random.Float64()
}

// next returns the next detail, as the gap that it would leave.
func (r *run) next() (gap schedule.Gap, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.stopped:
		return gap, false
	case len(r.served) > 0:
		gap, r.served = r.served[0], r.served[1:]
		gap.AttemptCount++
		return gap, true
	case r.todo == 0:
		return gap, false
	}
	r.todo--
	return gap, true
}

// fetchDetail fetches one detail, or leaves a gap. A stop that would hit every further
// request ends the run, as host/send/call tells a guest.
func (r *run) fetchDetail(ctx context.Context, gap schedule.Gap, governor *send.Governor) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://provider.example/items", http.NoBody)
	if err == nil {
		_, err = governor.Do(ctx, req)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	var stop *send.Stop
	switch {
	case err == nil:
		r.fetched++
		r.connection.fetched++
	case ctx.Err() != nil: // the simulation is over
		r.stopped = true
	case errors.As(err, &stop):
		gap.Reason, gap.Class, gap.UpdatedAt, gap.NextAttemptAfter = stop.GapReason(), stop.Reason, time.Now(), stop.NextAttempt
		r.gaps = append(r.gaps, gap)
		if why := string(stop.Reason); len(r.why) == 0 || r.why[len(r.why)-1] != why {
			r.why = append(r.why, why)
		}
		held := stop.ArmsCooldown() && (stop.Attempts == 0 || time.Until(stop.NextAttempt) > send.DefaultMaxInlineWait)
		r.stopped = r.stopped || held || stop.Reason.Has(abi.BudgetExhaustion)
	default:
		r.err, r.stopped = err, true
	}
}
