package sim

import (
	"context"
	"time"
)

// The figures that have to be reached.
const (
	wantSteady  = 0.90 // of the oracle, from the first request on, pauses between runs included
	wantHours   = 0.85 // as above, where the window is an hour that no header reports
	wantRefused = 0.01 // of the sent requests
	wantHalved  = 0.85 // of the oracle, again, within recoverTime
	wantWarm    = 0.90 // of the oracle, in the first warmTime of the second run

	measured    = time.Hour
	changeAfter = 10 * time.Minute
	recoverTime = 10 * time.Minute
	warmTime    = 30 * time.Second
	endless     = -1 // details
)

// figure is one line of the table.
type figure struct {
	shape   string
	share   float64 // of the oracle's throughput
	refused float64 // share of the sent requests
	bans    int
	endings []ending // of runs before all was fetched
	ok      bool
}

// figure reads a provider's counts since a moment at which its tally was clear.
func (p *provider) figure(since time.Time, best float64) figure {
	t := p.tally
	return figure{
		shape: p.shape.name, bans: t.bans,
		share:   float64(t.served) / (best * time.Since(since).Minutes()),
		refused: float64(t.refused) / float64(max(1, t.served+t.refused)),
	}
}

// steadily measures a provider whose limit does not move, end to end.
func steadily(ctx context.Context, s *shape, seed uint64) (figure, error) {
	return endToEnd(ctx, s, seed, wantSteady)
}

// hourly is steadily where runs have to end until the window is learned.
func hourly(ctx context.Context, s *shape, seed uint64) (figure, error) {
	return endToEnd(ctx, s, seed, wantHours)
}

func endToEnd(ctx context.Context, s *shape, seed uint64, want float64) (figure, error) {
	lasts := s.lasts
	if lasts == 0 {
		lasts = measured
	}
	began := time.Now()
	c := newConnection(s, seed, endless)
	if err := c.collect(ctx, began.Add(lasts)); err != nil {
		return figure{}, err
	}
	f := c.provider.figure(began, s.best(s.perMinute, inFlight))
	f.endings = c.endings
	f.ok = f.share >= want && f.refused < wantRefused && f.bans == 0

	return f, nil
}

// plainly measures the plain client on a provider whose limit does not move.
func plainly(ctx context.Context, s *shape, seed uint64) (figure, error) {
	lasts := s.lasts
	if lasts == 0 {
		lasts = measured
	}
	began := time.Now()
	p := newProvider(s, seed)
	p.lenient = true
	err := plain(ctx, p, seed, began.Add(lasts))
	return p.figure(began, s.best(s.perMinute, 1)), err
}

// listed measures the runs that it takes to fetch a whole list: one.
func listed(ctx context.Context, s *shape, seed uint64) (figure, error) {
	began := time.Now()
	c := newConnection(s, seed, s.todo)
	if err := c.run(ctx, began.Add(24*time.Hour)); err != nil {
		return figure{}, err
	}
	f := c.provider.figure(began, s.best(s.perMinute, inFlight))
	f.endings = c.endings
	f.ok = c.fetched == s.todo && f.bans == 0
	return f, nil
}

// halvedly measures a provider that halves its limit, in the last minutes of the
// ten that the governor has to find the new one.
func halvedly(ctx context.Context, s *shape, seed uint64) (figure, error) {
	const last = 2 * time.Minute
	changing := *s
	changing.changeAt = changeAfter
	c := newConnection(&changing, seed, endless)
	began := time.Now()
	end := began.Add(changeAfter + recoverTime)
	early := 0
	timer := time.AfterFunc(changeAfter+recoverTime-last, func() {
		c.provider.mu.Lock()
		defer c.provider.mu.Unlock()
		early, c.provider.tally = c.provider.tally.bans, tally{}
	})
	defer timer.Stop()
	if err := c.collect(ctx, end); err != nil {
		return figure{}, err
	}
	f := c.provider.figure(end.Add(-last), s.best(s.changeTo, inFlight))
	f.bans += early
	f.endings = c.endings
	f.ok = f.share >= wantHalved && f.bans == 0
	return f, nil
}

// warmly measures the second run of a connection, an hour after the first, with nothing
// but the cursor's content.
func warmly(ctx context.Context, s *shape, seed uint64) (figure, error) {
	c := newConnection(s, seed, endless)
	if err := c.run(ctx, time.Now().Add(measured/2)); err != nil {
		return figure{}, err
	}
	time.Sleep(time.Hour)
	c.provider.tally = tally{}
	began := time.Now()
	if err := c.run(ctx, began.Add(warmTime)); err != nil {
		return figure{}, err
	}
	f := c.provider.figure(began, s.best(s.perMinute, inFlight))
	f.ok = f.share >= wantWarm && f.bans == 0
	return f, nil
}
