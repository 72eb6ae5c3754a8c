package main

import (
	"context"
	"time"

	"github.com/pdpp-host/pdpp-host/host/send"
)

// The figures that have to be reached.
const (
	wantSteady  = 0.90 // of the oracle, after warmUp
	wantRefused = 0.01 // of what was sent
	wantHalved  = 0.85 // of the oracle, again, within recoverTime
	wantWarm    = 0.90 // of the oracle, in the first warmTime of the second run

	warmUp      = 5 * time.Minute
	measured    = 30 * time.Minute
	changeAfter = 10 * time.Minute
	recoverTime = 10 * time.Minute
	warmTime    = 30 * time.Second
)

var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// figure is one line of the table.
type figure struct {
	shape   string
	share   float64 // of the oracle's throughput
	refused float64 // share of what was sent
	bans    int
	plain   figurePlain
	ok      bool
}

// figurePlain is the same provider under the plain client. It is not locked out,
// so that there is something to compare; how often it would have been is bans.
type figurePlain struct {
	share, refused float64
	bans           int
}

// drive lets a client send until the clock stands at end.
func drive(ctx context.Context, c client, clock *send.VirtualClock, end time.Time) error {
	for clock.Now().Before(end) {
		if err := c.step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// span measures a client over a span: its share of best and what was refused.
func span(ctx context.Context, c client, p *provider, clock *send.VirtualClock, d time.Duration, best float64) (figurePlain, error) {
	p.tally = tally{}
	began := clock.Now()
	if err := drive(ctx, c, clock, began.Add(d)); err != nil {
		return figurePlain{}, err
	}
	took, t := clock.Now().Sub(began), p.tally
	return figurePlain{
		share:   float64(t.served) / (best * took.Minutes()),
		refused: float64(t.refused) / float64(max(1, t.served+t.refused)),
		bans:    t.bans,
	}, nil
}

// measureSteady runs one provider whose limit does not move.
func measureSteady(ctx context.Context, s *shape, seed uint64) (figure, error) {
	lasts := s.lasts
	if lasts == 0 {
		lasts = measured
	}
	f := figure{shape: s.name}
	for _, plain := range []bool{false, true} {
		clock := send.NewVirtualClock(epoch)
		p := newProvider(s, clock, seed)
		p.lenient = plain
		var c client = newBackingOff(p, clock, seed)
		if !plain {
			g, err := newGoverned(s, p, clock, seed, nil)
			if err != nil {
				return f, err
			}
			c = g
		}
		if err := drive(ctx, c, clock, epoch.Add(warmUp)); err != nil {
			return f, err
		}
		early := p.tally.bans
		got, err := span(ctx, c, p, clock, lasts, s.best(s.perMinute))
		if err != nil {
			return f, err
		}
		got.bans += early
		if plain {
			f.plain = got
		} else {
			f.share, f.refused, f.bans = got.share, got.refused, got.bans
		}
	}
	f.ok = f.share >= wantSteady && f.refused < wantRefused && f.bans == 0
	return f, nil
}

// measureHalved runs a provider that halves its limit, and looks at the last
// minutes of the ten that the governor has to find the new one.
func measureHalved(ctx context.Context, s *shape, seed uint64) (figure, error) {
	const last = 2 * time.Minute
	s.changeAt = changeAfter
	f := figure{shape: s.name}
	clock := send.NewVirtualClock(epoch)
	p := newProvider(s, clock, seed)
	c, err := newGoverned(s, p, clock, seed, nil)
	if err != nil {
		return f, err
	}
	if err := drive(ctx, c, clock, epoch.Add(changeAfter+recoverTime-last)); err != nil {
		return f, err
	}
	early := p.tally.bans
	got, err := span(ctx, c, p, clock, last, s.best(s.changeTo))
	f.share, f.refused, f.bans = got.share, got.refused, got.bans+early
	f.ok = f.share >= wantHalved && f.bans == 0
	return f, err
}

// measureWarm runs a provider for half an hour and again an hour later, with
// nothing but what the cursor carried.
func measureWarm(ctx context.Context, s *shape, seed uint64) (figure, error) {
	f := figure{shape: s.name}
	clock := send.NewVirtualClock(epoch)
	p := newProvider(s, clock, seed)
	c, err := newGoverned(s, p, clock, seed, nil)
	if err != nil {
		return f, err
	}
	if err := drive(ctx, c, clock, epoch.Add(measured)); err != nil {
		return f, err
	}
	cursor, err := c.governor.Snapshot().Learned().Persist([]string{"items"}, "items", nil, clock.Now())
	if err != nil {
		return f, err
	}
	clock.Advance(time.Hour)
	second, err := newGoverned(s, p, clock, seed+1, send.Restore(cursor, clock.Now()))
	if err != nil {
		return f, err
	}
	got, err := span(ctx, second, p, clock, warmTime, s.best(s.perMinute))
	f.share, f.refused, f.bans = got.share, got.refused, got.bans
	f.ok = f.share >= wantWarm && f.bans == 0
	return f, err
}
