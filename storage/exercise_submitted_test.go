package storage

import (
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// BR-13.5: a run whose host is killed behind a secret that it has sent is its owner's to repeat,
// before and after that end is written; one that was let in is not, and neither is one that ended.
func exerciseSubmitted(_ *testing.T, x *exercise) {
	ctx, dead := x.Context(), func(string) bool { return false }
	c, n := x.connection("c"), x.newRun("c")
	// said is what the scheduler reads of the newest run, what its owner is asked, and what history shows.
	said := func() string {
		x.Helper()
		e, err := x.s.EvidenceOf(ctx, "c")
		x.ok(err)
		asked := ""
		if a := e.Facts.Evidence(e.Moment(x.clock.Now(), dead)).Attention; a != nil {
			asked = string(a.ReasonCode)
		}
		run, err := x.s.Run(ctx, x.scheduleState(c.ID).Runs[0].RunID)
		x.ok(err)
		shown := ""
		if run.Error != nil {
			shown = run.Error.Code
		}
		newest := x.scheduleState(c.ID).Runs[0]
		return newest.Status + " " + newest.RecoveryHint + " " + asked + " " + shown
	}
	w, err := x.s.BeginRun(ctx, n)
	x.ok(err)
	x.same(said(), "running   ")
	x.ok(w.KeepSubmitted(ctx, true))
	x.same(said(), "running manual_action_required sign_in_unfinished ")
	x.ok(w.KeepSubmitted(ctx, false))
	x.same(said(), "running   ")
	x.ok(w.KeepSubmitted(ctx, true))
	lost, err := x.s.LoseRuns(ctx, dead)
	x.ok(err)
	x.same(lost, 1)
	x.same(said(), "abandoned manual_action_required sign_in_unfinished run.interrupted")
	x.code(w.KeepSubmitted(ctx, false), abi.CodeFenced) // of a host that was away

	w = x.begin("c") // the owner's
	x.same(said(), "running   ")
	x.ok(w.KeepSubmitted(ctx, true))
	x.clock.forward(time.Second)
	x.finish(w)
	x.same(said(), "succeeded   ")
}
