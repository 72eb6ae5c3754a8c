package storage

import (
	"testing"
	"time"
)

// The overdue connections are found, the longest due first, and none that was never
// scheduled, is paused or is run by hand.
func TestOverdue(t *testing.T) {
	t.Parallel()
	x := newExercise(t)
	ctx := t.Context()
	due := func(name string, at time.Time) *Connection {
		c := x.connection(name)
		x.ok(x.s.AdoptSchedule(ctx, c.ID))
		x.ok(x.s.PutDue(ctx, c.ID, Due{Basis: "new", At: at}))
		return c
	}
	now := x.clock.Now()
	due("later", now.Add(-time.Minute))
	due("first", now.Add(-time.Hour))
	due("not-yet", now.Add(time.Minute))
	due("ran", now.Add(-time.Hour))
	x.finish(x.begin("ran"))
	x.ok(x.s.PutSchedule(ctx, Schedule{ConnectionID: due("paused", now.Add(-time.Hour)).ID, Paused: true}))
	x.ok(x.s.PutSchedule(ctx, Schedule{ConnectionID: due("by-hand", now.Add(-time.Hour)).ID, Mode: "manual"}))
	x.connection("never-scheduled")
	names := func(before time.Time) (out []string) {
		all, err := x.s.Overdue(ctx, before)
		x.ok(err)
		for i := range all {
			out = append(out, all[i].Name)
		}
		return out
	}
	x.same(names(now), []string{"first", "later"})
	x.same(names(now.Add(-time.Minute)), []string{"first"})
	x.same(names(now.Add(time.Second)), []string{"first", "ran", "later"}) // it ran before that
	x.ok(x.s.ForgetOverdue(ctx, now))
	x.same(len(names(now)), 0)
	x.same(x.scheduleState(x.connection("not-yet").ID).Due.Basis, "new")
}
