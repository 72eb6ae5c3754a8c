package storage

import (
	"fmt"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/health/stored"
	"github.com/pdpp-host/pdpp-host/health/verdict"
	"github.com/pdpp-host/pdpp-host/storage/connection"
)

// HL-04, HL-21: what waits for its owner does so whatever else is skipped, until a
// run begins or its owner has done it. A pause, or a run by hand alone, is neither.
func TestWhatWaitsForItsOwnerStands(t *testing.T) {
	t.Parallel()
	for _, reason := range []string{"policy_paused", "policy_manual_only", "policy_background_unsafe", "facts_not_available", "source_pressure"} {
		x, c := kept(t, keptManifest)
		x.ok(x.s.AdoptSchedule(t.Context(), c.ID))
		x.succeed(x.begin("c", allStreams), nil)
		x.dispatch(c, "files.root_missing", stored.HeldForOwner, time.Time{})
		x.ok(x.s.PutSchedule(t.Context(), Schedule{ConnectionID: c.ID, Paused: reason == "policy_paused", Mode: map[bool]string{true: "manual"}[reason == "policy_manual_only"]}))
		var holds stored.HoldKind
		until := time.Time{}
		if reason == "source_pressure" {
			holds, until = stored.HeldUntil, x.clock.Now().Add(time.Hour)
		}
		x.dispatch(c, reason, holds, until)
		if v := x.verdict("c"); v.Pill.Tone == verdict.Green || v.Channel != verdict.Attention || v.RequiredActions[0].CTACode != "cta_put_right_folder" {
			t.Errorf("%s: got %+v %s %+v, want attention and cta_put_right_folder", reason, v.Pill, v.Channel, v.RequiredActions)
		}
		x.sound()
		if h := x.scheduleState(c.ID).Held; h == nil || h.Reason != "files.root_missing" {
			t.Errorf("%s: got held by %+v, want files.root_missing", reason, h)
		}
		d := Dispatch{ConnectionID: c.ID, Status: "skipped", Reason: reason, Holds: holds, Until: until, PutRight: true, AfterRun: x.newestRun(c)}
		_, err := x.s.RecordDispatch(t.Context(), d)
		x.ok(err)
		if v := x.verdict("c"); v.Channel == verdict.Attention || (holds == "") != (v.Pill.Tone == verdict.Green) {
			t.Errorf("%s, put right: got %+v %s %+v, want no attention, and green where nothing holds", reason, v.Pill, v.Channel, v.RequiredActions)
		}
		x.sound()
	}
}

// A dispatch that holds a connection stays however many are skipped since.
func TestAHoldOutlivesManySkips(t *testing.T) {
	t.Parallel()
	x, c := kept(t, keptManifest)
	x.succeed(x.begin("c", allStreams), nil)
	x.dispatch(c, "files.root_missing", stored.HeldForOwner, time.Time{})
	for i := range connection.KeptDispatches + 5 {
		x.dispatch(c, fmt.Sprint("policy_", i), "", time.Time{})
	}
	list, err := x.s.Dispatches(t.Context(), c.ID, 0)
	x.ok(err)
	x.same(len(list), connection.KeptDispatches+1)
	if v := x.verdict("c"); v.Channel != verdict.Attention {
		t.Errorf("got %s %+v, want attention", v.Channel, v.RequiredActions)
	}
	x.sound()
	x.succeed(x.begin("c", allStreams), nil)
	x.dispatch(c, "policy_paused", "", time.Time{})
	list, err = x.s.Dispatches(t.Context(), c.ID, 0)
	x.ok(err)
	x.same(len(list), connection.KeptDispatches)
	x.tone("a run began", verdict.Green)
	x.sound()
}

// A dispatch from before an owner's run began is not kept while that run goes on, and changes
// nothing in how it ends.
func TestASkipOfBeforeIsNotKept(t *testing.T) {
	t.Parallel()
	x, c := kept(t, keptManifest)
	x.succeed(x.begin("c", allStreams), nil)
	x.clock.forward(time.Minute)
	seen := x.newestRun(c)
	w := x.begin("c", allStreams) // meanwhile
	fresh, err := x.s.RecordDispatch(t.Context(), Dispatch{ConnectionID: c.ID, Status: "skipped", Reason: "not_ready", Holds: stored.HeldForOwner, AfterRun: seen})
	x.ok(err)
	x.same(fresh, false)
	x.succeed(w, nil)
	x.tone("the run went well", verdict.Green)
	list, err := x.s.Dispatches(t.Context(), c.ID, 0)
	x.ok(err)
	x.same(len(list), 0)
	x.sound()
}

// A clock that was ahead for a moment does not hide what is owed since, and what
// was owed then is owed again.
func TestClaimsOfAClockThatWasAhead(t *testing.T) {
	t.Parallel()
	x, c := scheduled(t)
	claim := func(action, version string, want bool) {
		t.Helper()
		fresh, err := x.s.ClaimConfirmation(t.Context(), c.ID, action, version)
		x.ok(err)
		x.same(fresh, want)
	}
	const year = 365 * 24 * time.Hour
	x.clock.forward(year)
	claim("a", "1", true)
	claim("a", "1", false)
	x.clock.forward(-year)
	x.same(x.scheduleState(c.ID).ConfirmOwed.IsZero(), true)
	claim("b", "1", true)
	x.same(x.scheduleState(c.ID).ConfirmOwed, x.clock.Now().UTC())
	x.clock.forward(time.Hour)
	claim("a", "1", true)
	x.same(x.scheduleState(c.ID).ConfirmOwed, x.clock.Now().UTC())
	claim("a", "1", false)
	claim("b", "1", false)
	// A sign-in by hand and the others do not hide each other.
	at := x.clock.Now().UTC()
	x.clock.forward(time.Hour)
	claim(SignedInByHand, "1", true)
	x.same(x.scheduleState(c.ID).ConfirmOwed, at)
	x.same(x.scheduleState(c.ID).SignedInByHand, x.clock.Now().UTC())
}

// A rejected environment is kept for its connection alone, the last one only.
func TestRejectedEnvironments(t *testing.T) {
	t.Parallel()
	x, c := scheduled(t)
	other := x.connection("other")
	has := func(of *Connection, want string) {
		t.Helper()
		mark, err := x.s.RejectedEnvironment(t.Context(), of.ID)
		x.ok(err)
		x.same(mark, want)
	}
	has(c, "")
	x.ok(x.s.RejectEnvironment(t.Context(), c.ID, "a1b2"))
	x.ok(x.s.RejectEnvironment(t.Context(), c.ID, "c3d4"))
	has(c, "c3d4")
	has(other, "")
	x.code(x.s.RejectEnvironment(t.Context(), "none", "a"), abi.CodeConnectionUnknown)
	x.ok(x.s.RemoveConnection(t.Context(), "c", nil))
	has(c, "")
	x.sound()
}

// Nothing but a run, or another hold, takes the place of a hold: no pause makes a
// connection well that was given up, nor does it say that a source may be asked.
func TestAPauseEndsNoHold(t *testing.T) {
	t.Parallel()
	x, c := kept(t, keptManifest)
	x.succeed(x.begin("c", allStreams), nil)
	until := x.clock.Now().Add(time.Hour)
	x.dispatch(c, "source_pressure", stored.HeldUntil, until)
	x.dispatch(c, "policy_paused", "", time.Time{})
	if v := x.verdict("c"); !v.Detail.NextAttemptAt.Equal(until) {
		t.Errorf("cooling down: got until %v, want %v", v.Detail.NextAttemptAt, until)
	}
	x.dispatch(c, "failing_for_good", stored.HeldForGood, time.Time{})
	x.dispatch(c, "policy_paused", "", time.Time{})
	x.tone("given up", verdict.Red)
	x.dispatch(c, "failing", stored.HeldUntil, until)
	x.tone("tried again", verdict.Amber)
	x.sound()
}

// A folder that no run can read is named, with what is wrong with it: its path is the connection's, and in none of a
// refusal's words.
func TestAHoldNamesItsFolder(t *testing.T) {
	t.Parallel()
	x, c := kept(t, keptManifest)
	_, err := x.s.KeepConnection(t.Context(), c.ID, func(c *Connection) error {
		c.Roots, c.ReadRoots = map[string]string{"notes": "/new"}, map[string]string{"notes": "/old"}
		return nil
	})
	x.ok(err)
	for code, want := range map[abi.Code]string{
		abi.CodeRootEmptied: `No run can begin: the folder for root "notes" is odd: /new. Putting it right lets the connector collect again.`,
		abi.CodeRootChanged: `No run can begin: the folder for root "notes" is odd: /old. Putting it right lets the connector collect again.`,
	} {
		d := Dispatch{ConnectionID: c.ID, Status: "refused", Reason: string(code), Holds: stored.HeldForOwner, AfterRun: x.newestRun(c), Says: `the folder for root "notes" is odd`, Identity: string(code)}
		_, err := x.s.RecordDispatch(t.Context(), d)
		x.ok(err)
		x.same(x.verdict("c").ForwardStatement, want)
		x.sound()
	}
}
