package storage

import (
	"fmt"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage/connection"
)

// Starts that were turned away are one record for each connection and reason until a run begins, and
// one for whoever asks. They hold nothing: what the scheduler and a connection's health look at is
// as it was, and so is a refusal that waits for its owner.
func exerciseTurnedAway(t *testing.T, x *exercise) {
	ctx := t.Context()
	c, other := x.connection("turned"), x.connection("other")
	begun := x.clock.Now()
	away := func(id string, reason abi.Code, times int64) {
		t.Helper()
		x.clock.forward(time.Minute)
		now := x.clock.Now()
		x.ok(x.s.KeepTurnedAway(ctx, []TurnedAway{
			{ConnectionID: "gone", Reason: string(reason), FirstAt: now, LastAt: now, Count: 1},
			{ConnectionID: id, Trigger: "scheduled", Reason: string(reason), Says: "no room, token ghp_a1b2c3d4e5f6", FirstAt: now, LastAt: now, Count: times},
		}))
	}
	told := func(id string, since, until time.Time) (all []string) {
		t.Helper()
		found, err := x.s.TurnedAway(ctx, id, since, until)
		x.ok(err)
		for _, a := range found {
			all = append(all, fmt.Sprintf("%s %d %.0f-%.0f", a.Reason, a.Count, a.FirstAt.Sub(begun).Minutes(), a.LastAt.Sub(begun).Minutes()))
		}
		return all
	}
	ever := time.Time{}
	x.ok(x.s.KeepTurnedAway(ctx, nil))
	_, err := x.s.RecordDispatch(ctx, Dispatch{ConnectionID: c.ID, Status: "refused", Reason: "send.base_url_invalid", AfterRun: 0})
	x.ok(err)
	before := x.scheduleState(c.ID)
	for range 70 {
		away(c.ID, abi.CodeStoreFull, 1)
		away(c.ID, abi.CodeConnectionBusy, 2)
	}
	away(other.ID, abi.CodeStoreFull, 5)
	x.same(told(c.ID, ever, ever), []string{"storage.full 70 1-139", "run.connection_busy 140 2-140"})
	x.same(told(other.ID, ever, ever), []string{"storage.full 5 141-141"})
	x.same(len(told("", ever, ever)), 3)
	x.same(told("", begun.Add(140*time.Minute), begun.Add(141*time.Minute)), []string{"run.connection_busy 140 2-140"})

	_, err = x.s.RecordDispatch(ctx, Dispatch{ConnectionID: c.ID, Status: "refused", Reason: "send.base_url_invalid", AfterRun: 0})
	x.ok(err)
	after := x.scheduleState(c.ID)
	x.same([]int{len(before.Dispatches), len(after.Dispatches)}, []int{1, 1})
	x.same(after.Dispatches[0].Count, int64(2)) // the refusal is the same one
	refusals, err := x.s.Refusals(ctx, c.ID)
	x.ok(err)
	x.same(len(refusals), 1)

	x.finish(x.begin("turned"))
	away(c.ID, abi.CodeStoreFull, 1)
	x.same(told(c.ID, ever, ever), []string{"storage.full 71 1-142", "run.connection_busy 140 2-140"})
	for i := range 2 * connection.KeptTurnedAway {
		away(c.ID, abi.Code(fmt.Sprint("code.", i)), 1)
	}
	x.same(len(told(c.ID, ever, ever)), connection.KeptTurnedAway)
	found, err := x.s.TurnedAway(ctx, other.ID, ever, ever)
	x.ok(err)
	if says := found[0].Says; says == "" || says == "no room, token ghp_a1b2c3d4e5f6" {
		t.Errorf("got the words %q, want them without the secret", says)
	}
}
