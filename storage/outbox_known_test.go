package storage

import (
	"strings"
	"testing"
	"time"
)

// LC-05.1, LC-05.2: what a run could not collect is a unit with its place, its
// reason, whether it is tried again, and how often it was; a run that collects it
// closes it.
func TestWhatIsLeftIsAUnit(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	x := newLane(t)
	end := func(o Outcome) []WorkUnit {
		t.Helper()
		w := x.begin("c")
		x.ok(w.Finish(ctx, o))
		x.deliver()
		list, err := x.s.Units(ctx, true)
		x.ok(err)
		return list
	}
	budget := []byte(`[{"kind":"send_budget","reason":"wall_clock_deadline","severity":"recoverable","recovery_hint":"retry_by_runtime",` +
		`"stream":"a","diagnostics":{"cursor":7},"count":1},
{"kind":"skip","reason":"missing_file","severity":"informational","recovery_hint":"not_retriable","stream":"b","message":"no /home/me/x"}]`)
	list := end(Outcome{Status: "succeeded", KnownGaps: budget})
	x.same(len(list), 2)
	x.clock.forward(time.Minute)
	list = end(Outcome{Status: "succeeded", KnownGaps: budget})
	x.same(x.units(true), `backlog a {"cursor":7} wall_clock_deadline, gap b  missing_file`)
	for _, u := range list {
		x.same([]any{u.Attempts, u.LastAttemptAt, u.RunID, u.Retryable}, []any{2, x.clock.now().UTC(), "run2", u.Status == UnitBacklog})
		if strings.Contains(u.LastError, "/home") {
			t.Error(u.LastError)
		}
	}
	c := x.counts()
	x.same([]any{c.BacklogOpen, c.GapsOpen, c.LifecycleState}, []any{1, 1, LaneHealthyIdle})

	// A failure leaves every stream that it did not account for.
	end(Outcome{Status: "failed", Reason: "connector_reported_failed", Error: &RunError{Code: "parse_failed", Message: "bad line"}})
	x.same(x.units(true), `backlog a {"cursor":7} wall_clock_deadline, gap a  parse_failed, gap b  missing_file, gap b  parse_failed`)
	// The next one collects a, and not b.
	end(Outcome{Status: "succeeded", KnownGaps: []byte(`[{"kind":"skip","reason":"unsupported_store","severity":"actionable","stream":"b"}]`)})
	x.same(x.units(true), `gap b  missing_file, gap b  parse_failed, gap b  unsupported_store`)
	end(Outcome{Status: "cancelled", Reason: "owner_cancelled"})
	x.same(strings.Count(x.units(true), "owner_cancelled"), 2)
	end(Outcome{Status: "succeeded", Narrowed: true})
	x.same(strings.Count(x.units(true), "owner_cancelled"), 2) // it looked at a part
	end(Outcome{Status: "succeeded"})
	x.same(x.units(true), "")
	end(Outcome{Status: "succeeded", KnownGaps: []byte(`{}`)})
	x.same(x.units(true), "gap   known_gaps")
}
