package storage

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage/connection"
)

func scheduled(t *testing.T) (*exercise, *Connection) {
	x := &exercise{T: t, open: sqliteFile(t), clock: newClock()}
	x.s = x.open(t, x.clock.Now)
	return x, x.connection("c")
}

func (x *exercise) scheduleState(id string) ScheduleState {
	x.Helper()
	st, err := x.s.ScheduleState(x.Context(), id, 10)
	x.ok(err)
	return st
}

// The owner's choice is kept, with when it was paused and resumed last.
func TestSchedule(t *testing.T) {
	t.Parallel()
	x, c := scheduled(t)
	begin := x.clock.Now().UTC()
	want := Schedule{ConnectionID: c.ID}
	holds := func() {
		t.Helper()
		got, err := x.s.Schedule(t.Context(), c.ID)
		x.ok(err)
		x.same(got, want)
		x.same(x.scheduleState(c.ID).Schedule, want)
	}
	put := func(change func(s *Schedule)) {
		t.Helper()
		x.clock.forward(time.Minute)
		s := Schedule{ConnectionID: c.ID, Mode: want.Mode, Every: want.Every, Paused: want.Paused}
		change(&s)
		x.ok(x.s.PutSchedule(t.Context(), s))
		want.Mode, want.Every, want.Paused = s.Mode, s.Every, s.Paused
	}
	holds()
	put(func(s *Schedule) { s.Mode, s.Every = "automatic", 90*time.Second })
	holds()
	put(func(s *Schedule) { s.Paused = true })
	want.PausedAt = begin.Add(2 * time.Minute)
	holds()
	put(func(s *Schedule) { s.Paused = true }) // it was paused already
	holds()
	put(func(s *Schedule) { s.Paused = false })
	want.ResumedAt = begin.Add(4 * time.Minute)
	holds()
	put(func(s *Schedule) { s.Mode, s.Every = "manual", 0 })
	holds()
	x.code(x.s.PutSchedule(t.Context(), Schedule{ConnectionID: "none"}), abi.CodeConnectionUnknown)
}

// One read returns everything that a connection's next run depends on.
func TestScheduleState(t *testing.T) {
	t.Parallel()
	x, c := scheduled(t)
	ctx := t.Context()
	st := x.scheduleState(c.ID)
	if len(st.Runs)+len(st.Dispatches) != 0 || st.Lease != nil || !st.Due.At.IsZero() || !st.ConfirmOwed.IsZero() {
		t.Errorf("a new connection: got %+v, want no run, dispatch, lease and due time", st)
	}
	due := Due{Basis: "b", At: x.clock.Now().Add(time.Hour).UTC()}
	x.ok(x.s.PutDue(ctx, c.ID, Due{Basis: "a", At: x.clock.Now()}))
	x.ok(x.s.PutDue(ctx, c.ID, due))

	w := x.begin("c")
	x.ok(w.Finish(ctx, Outcome{
		Status: "failed", Reason: "connector_reported_failed",
		Error: &RunError{Code: "demo_auth_failed", Message: "no", Retryable: true, RecoveryHint: "refresh_credentials"},
	}))
	x.finish(x.begin("c"))
	x.connection("other")
	x.finish(x.begin("other"))
	live := x.begin("c")
	st = x.scheduleState(c.ID)
	x.same(st.Due, due)
	x.same(len(st.Runs), 3)
	x.same(st.Runs[0].Status, StatusRunning)
	x.same(st.Runs[1].Status, "succeeded")
	failed := st.Runs[2]
	if failed.Code != "demo_auth_failed" || !failed.Retryable || failed.RecoveryHint != "refresh_credentials" || failed.FinishedAt.IsZero() {
		t.Errorf("got %+v, want demo_auth_failed, retryable, with an end", failed)
	}
	if st.Lease == nil || st.Lease.RunID != st.Runs[0].RunID || st.Lease.Holder != "holder1" || !st.Lease.ExpiresAt.After(x.clock.Now()) {
		t.Errorf("got %+v, want the newest run's, of holder1", st.Lease)
	}
	x.finish(live)
	if st = x.scheduleState(c.ID); st.Lease != nil {
		t.Errorf("after the run: got %+v, want none", st.Lease)
	}
	x.sound()
}

func TestDispatches(t *testing.T) {
	t.Parallel()
	x, c := scheduled(t)
	ctx := t.Context()
	put := func(reason, identity string) bool {
		t.Helper()
		x.clock.forward(time.Minute)
		fresh, err := x.s.RecordDispatch(ctx, Dispatch{
			ConnectionID: c.ID, Trigger: "scheduled", Status: "skipped", Reason: reason, Identity: identity, Until: x.clock.Now().Add(time.Hour),
		})
		x.ok(err)
		return fresh
	}
	first := x.clock.Now().Add(time.Minute).UTC()
	x.same(put("a", "1"), true)
	x.same(put("a", "1"), false)
	x.same(put("a", "2"), true)
	x.same(put("a", "1"), true) // not in a row
	list, err := x.s.Dispatches(ctx, c.ID, 0)
	x.ok(err)
	x.same(len(list), 3)
	if d := list[2]; d.Count != 2 || !d.FirstAt.Equal(first) || !d.LastAt.Equal(first.Add(time.Minute)) || !d.Until.Equal(first.Add(61*time.Minute)) {
		t.Errorf("got %+v, want two of one minute, until a minute later", d)
	}
	for i := range connection.KeptDispatches + 5 {
		put("b", fmt.Sprint(i))
	}
	list, err = x.s.Dispatches(ctx, c.ID, 0)
	x.ok(err)
	x.same(len(list), connection.KeptDispatches)
	x.same(list[0].Identity, fmt.Sprint(connection.KeptDispatches+4))
	if _, err := x.s.RecordDispatch(ctx, Dispatch{ConnectionID: "none"}); err == nil {
		t.Error("a dispatch of no connection is kept")
	}
}

// HL-26: a confirming run is owed once for one version of the evidence, however
// many ask at once.
func TestClaimConfirmation(t *testing.T) {
	t.Parallel()
	x, c := scheduled(t)
	claim := func(action, version string) (n int64) {
		t.Helper()
		var owed atomic.Int64
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				fresh, err := x.s.ClaimConfirmation(t.Context(), c.ID, action, version)
				if err != nil {
					t.Error(err)
				}
				if fresh {
					owed.Add(1)
				}
			})
		}
		all.Wait()
		return owed.Load()
	}
	x.same(claim("a", "1"), 1)
	at := x.scheduleState(c.ID).ConfirmOwed
	x.clock.forward(time.Hour)
	x.same(claim("a", "1"), 0)
	x.same(x.scheduleState(c.ID).ConfirmOwed, at)
	x.same(claim("a", "2"), 1)
	x.same(x.scheduleState(c.ID).ConfirmOwed, at.Add(time.Hour))
	x.same(claim("b", "1"), 1)
}

// One process at a time serves a store; one that is gone, or let its time pass,
// is replaced.
func TestServe(t *testing.T) {
	t.Parallel()
	x, _ := scheduled(t)
	const ttl = time.Minute
	alive := true
	serve := func(holder string) *Server {
		t.Helper()
		other, err := x.s.Serve(t.Context(), holder, ttl, func(h string) bool { return alive && h == "first" })
		x.ok(err)
		return other
	}
	for range 2 { // to begin with, and to go on
		if serve("first") != nil {
			t.Error("the first is refused")
		}
	}
	since := x.clock.Now().UTC()
	x.ok(x.s.ServesAt(t.Context(), "another", "http://127.0.0.1:1"))
	x.ok(x.s.ServesAt(t.Context(), "first", "http://127.0.0.1:8378"))
	serve("first")
	if o, err := x.s.Serving(t.Context()); err != nil || o.Origin != "http://127.0.0.1:8378" {
		t.Errorf("got %+v, %v, want where the first is, which it said once", o, err)
	}
	x.clock.forward(30 * time.Second)
	if o := serve("second"); o == nil || o.Holder != "first" || !o.Since.Equal(since) {
		t.Errorf("got %+v, want the first, since it began", o)
	}
	serve("first") // it goes on
	x.clock.forward(40 * time.Second)
	if serve("second") == nil {
		t.Error("the first kept on, and is replaced")
	}
	x.clock.forward(ttl)
	if serve("second") != nil {
		t.Error("its time has passed, and it still serves")
	}
	if o, err := x.s.Serving(t.Context()); err != nil || o.Holder != "second" || o.Origin != "" {
		t.Errorf("got %+v, %v, want the second, which has not said where it is", o, err)
	}
	x.ok(x.s.StopServing(t.Context(), "first")) // it is not the one
	alive = false
	if serve("third") != nil {
		t.Error("a server that is gone still serves")
	}
	x.ok(x.s.StopServing(t.Context(), "third"))
	if serve("first") != nil {
		t.Error("nobody serves, and it is refused")
	}
	// A clock that was put back does not keep a dead machine's row for years.
	alive = true
	x.clock.forward(-24 * time.Hour)
	if serve("fourth") != nil {
		t.Error("a row of the future serves")
	}
}

// With the connection goes everything that was kept to schedule it.
func TestRemoveTakesTheScheduleAlong(t *testing.T) {
	t.Parallel()
	x, c := scheduled(t)
	ctx := t.Context()
	x.ok(x.s.PutSchedule(ctx, Schedule{ConnectionID: c.ID, Mode: "manual"}))
	x.ok(x.s.PutDue(ctx, c.ID, Due{Basis: "b", At: x.clock.Now()}))
	_, err := x.s.RecordDispatch(ctx, Dispatch{ConnectionID: c.ID, Status: "skipped"})
	_, err2 := x.s.ClaimConfirmation(ctx, c.ID, "a", "1")
	x.ok(errors.Join(err, err2))
	x.ok(x.s.RemoveConnection(ctx, "c", nil))
	for _, table := range []string{"schedules", "due_times", "dispatches", "confirmations"} {
		var n int
		x.ok(x.s.db.Read.NewRaw("SELECT count(*) FROM "+table).Scan(ctx, &n))
		x.same(n, 0)
	}
	x.sound()
}
