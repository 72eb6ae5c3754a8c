package plugin

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// RT-09.2: from the deadline to the kill it takes the grace, to the tick.
func TestWatch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		var stopAt, killAt time.Duration
		var why error
		d := watch(t.Context(), 10*time.Second, 2*time.Second, nil,
			func() { stopAt = time.Since(began) },
			func(err error) { killAt, why = time.Since(began), err })
		time.Sleep(20 * time.Second)
		if stopped := d.finish(); stopAt != 10*time.Second || killAt != 12*time.Second || !errors.Is(stopped, why) {
			t.Errorf("d.finish(): got %+v, %+v, %+v, want stopAt == 10 * time.Second && killAt == 12 * time.Second && errors.Is(stopped, why)", stopAt, killAt, stopped)
		}
		wantCode(t, why, abi.CodeLimitTime, "10s")
	})
	synctest.Test(t, func(t *testing.T) { // complies in time
		ctx, cancel := context.WithCancelCause(t.Context())
		d := watch(ctx, time.Hour, 2*time.Second, nil, func() {}, func(error) { t.Error("killed") })
		cancel(errors.New("asked"))
		time.Sleep(time.Second)
		wantCode(t, d.finish(), abi.CodeInterrupted)
		time.Sleep(time.Minute)
	})
	synctest.Test(t, func(t *testing.T) { // nobody asked
		d := watch(t.Context(), time.Hour, time.Second, nil, func() { t.Error("stopped") }, func(error) { t.Error("killed") })
		time.Sleep(time.Minute)
		if err := d.finish(); err != nil {
			t.Error(err)
		}
	})
	synctest.Test(t, func(t *testing.T) { // it rested (OC-18.3)
		var stopAt time.Duration
		began := time.Now()
		rested := func() time.Duration { return min(max(0, time.Since(began)-9*time.Second), time.Hour) }
		d := watch(t.Context(), 10*time.Second, time.Second, rested, func() { stopAt = time.Since(began) }, func(error) {})
		time.Sleep(2 * time.Hour)
		if _ = d.finish(); stopAt < time.Hour+10*time.Second || stopAt > time.Hour+10*time.Second+restLook {
			t.Errorf("got the stop after %s, want it after the rest and the limit", stopAt)
		}
	})
	synctest.Test(t, func(t *testing.T) { // without grace
		var killAt time.Duration
		began := time.Now()
		d := watch(t.Context(), time.Second, 0, nil, nil, func(error) { killAt = time.Since(began) })
		time.Sleep(time.Minute)
		if _ = d.finish(); killAt != time.Second {
			t.Errorf("d.finish(): got %+v, want killAt == time.Second", killAt)
		}
	})
}
