package storage

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/device"
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
		x.same([]any{u.Attempts, u.LastAttemptAt, u.RunID, u.Retryable}, []any{2, x.clock.Now().UTC(), "run2", u.Status == UnitBacklog})
		if strings.Contains(u.LastError, "/home") {
			t.Errorf("got %q, want no path in it", u.LastError)
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

// A run that reached its collector's bound before its first checkpoint begins again
// where it began: the lane keeps that, with how often it was, and tells the host; one
// that gave a checkpoint goes on.
func TestWhatStartsOverIsKept(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	x := newLane(t)
	bound := Outcome{
		Status: "failed", Reason: string(abi.ReasonPolicyBudget), KnownGaps: []byte(`[{"kind":"skip","severity":"informational","stream":"b"}]`),
		Error: &RunError{Code: string(abi.CodeBudgetReached), Retryable: true},
	}
	end := func(checkpoint bool) (gaps string) {
		t.Helper()
		w := x.begin("c")
		x.put(w, 0, "k=1")
		if checkpoint {
			x.ok(w.CommitSlice(ctx, "a", []byte(`{"at":1}`), "s"))
		}
		x.ok(w.Finish(ctx, bound))
		for {
			items := x.claim("h", 1)
			if len(items) == 0 {
				return gaps
			}
			if items[0].Kind == KindRunCommit {
				var c device.RunCommit
				x.ok(json.Unmarshal(items[0].Payload, &c))
				gaps = string(c.Outcome.KnownGaps)
			}
			x.ok(x.s.Acknowledge(ctx, &items[0]))
		}
	}
	said := func() (all []WorkUnit) {
		t.Helper()
		list, err := x.s.Units(ctx, true)
		x.ok(err)
		return slices.DeleteFunc(list, func(u WorkUnit) bool { return u.Reason != device.GapStartsOver })
	}
	x.same(strings.Contains(end(true), device.GapStartsOver), false)
	x.same(len(said()), 0)
	gaps := end(false)
	var list []told
	x.ok(json.Unmarshal([]byte(gaps), &list))
	x.same(list, []told{{"skip", "", "informational"}, {string(abi.ReasonPolicyBudget), device.GapStartsOver, "recoverable"}})
	end(false)
	left := said()
	if len(left) != 1 || left[0].Attempts != 2 || !left[0].Retryable || left[0].Status != UnitBacklog || left[0].LastError == "" {
		t.Errorf("got %+v, want one unit in the backlog that was tried twice", left)
	}
	x.finish(x.begin("c"))
	x.same(len(said()), 0)
	x.sound()
}

// told is a known gap of a run's end, in part.
type told struct {
	Kind     string `json:"kind"`
	Reason   string `json:"reason"`
	Severity string `json:"severity"`
}
