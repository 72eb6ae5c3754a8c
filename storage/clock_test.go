package storage

import (
	"testing"
	"time"
)

// A clock that goes back is noticed by whoever reads, and once it was written it stays so:
// what is counted from then ends. A clock that is put right by a little is not noticed.
func TestClockThatWentBack(t *testing.T) {
	t.Parallel()
	x := &exercise{T: t, open: sqliteFile(t), clock: newClock()}
	x.s = x.open(t, x.clock.Now)
	clock := func() Clock {
		t.Helper()
		c, err := x.s.Clock(t.Context())
		x.ok(err)
		return c
	}
	serve := func() {
		t.Helper()
		_, err := x.s.Serve(t.Context(), "h", time.Minute, func(string) bool { return true })
		x.ok(err)
	}
	x.same(clock(), Clock{})
	serve()
	x.clock.forward(-4 * time.Minute)
	x.same(clock(), Clock{})
	x.clock.forward(4*time.Minute + 100*time.Hour)
	serve()
	x.clock.forward(-48 * time.Hour)
	back := x.clock.Now().UTC()
	x.same(clock(), Clock{BackAt: back, By: 48 * time.Hour})
	x.clock.forward(time.Hour)
	x.same(clock(), Clock{BackAt: back.Add(time.Hour), By: 47 * time.Hour}) // nothing has written it yet
	x.ok(x.s.NoteClock(t.Context()))
	x.clock.forward(time.Hour)
	serve()
	x.same(clock(), Clock{BackAt: back.Add(time.Hour), By: 47 * time.Hour})
	x.clock.forward(-24 * time.Hour)
	x.begin("c")
	x.clock.forward(time.Minute)
	x.same(clock(), Clock{BackAt: x.clock.Now().UTC().Add(-time.Minute), By: 24 * time.Hour})
}
