package storage

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/health/stored"
	"github.com/pdpp-host/pdpp-host/health/verdict"
	"github.com/pdpp-host/pdpp-host/storage/evidence"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
)

func (x *exercise) dispatch(c *Connection, reason string, holds stored.HoldKind, until time.Time) {
	x.Helper()
	_, err := x.s.RecordDispatch(x.Context(), Dispatch{ConnectionID: c.ID, Status: "skipped", Reason: reason, Holds: holds, Until: until, AfterRun: x.newestRun(c)})
	x.ok(err)
}

// newestRun is what a scheduler that looks now sees.
func (x *exercise) newestRun(c *Connection) int64 {
	x.Helper()
	if runs := x.scheduleState(c.ID).Runs; len(runs) > 0 {
		return runs[0].Number
	}
	return 0
}

// HL-04.2: what the scheduler puts off is shown with its time, and no longer than
// until a run begins; HL-24: what it does not run any more is not said to come.
func TestHeldConnections(t *testing.T) {
	t.Parallel()
	x, c := kept(t, keptManifest)
	ctx := t.Context()
	x.ok(x.s.AdoptSchedule(ctx, c.ID))
	x.succeed(x.begin("c", allStreams), nil)
	x.tone("before", verdict.Green)

	x.clock.forward(time.Minute)
	until := x.clock.Now().Add(time.Hour)
	x.dispatch(c, "source_pressure", stored.HeldUntil, until)
	if v := x.verdict("c"); v.Pill.Tone != verdict.Amber || !v.Detail.NextAttemptAt.Equal(until) || v.Channel != verdict.Calm {
		t.Errorf("cooling down: got %+v until %v, %s; want amber until %v, calm", v.Pill, v.Detail.NextAttemptAt, v.Channel, until)
	}
	x.clock.forward(time.Hour)
	x.tone("it is over", verdict.Green)

	x.dispatch(c, "not_ready", stored.HeldForOwner, time.Time{})
	v := x.verdict("c")
	if v.Pill.Tone != verdict.Amber || v.Channel != verdict.Attention || v.RequiredActions[0].CTACode != "cta_put_right" || v.ForwardCode != "put_right" {
		t.Errorf("a folder is gone: got %+v %s %+v %s, want amber, attention, cta_put_right, put_right", v.Pill, v.Channel, v.RequiredActions, v.ForwardCode)
	}
	x.dispatch(c, "policy_paused", "", time.Time{})
	x.tone("it is paused, and the folder is gone all the same", verdict.Amber)
	x.succeed(x.begin("c", allStreams), nil)
	x.tone("a run began", verdict.Green)

	x.ok(x.begin("c", allStreams).Finish(ctx, Outcome{Status: tables.StatusFailed, Reason: "connector_reported_failed", Error: &RunError{Code: "demo_http_500"}}))
	x.dispatch(c, "failing_for_good", stored.HeldForGood, time.Time{})
	v = x.verdict("c")
	if v.Pill.Tone != verdict.Red || v.RequiredActions[0].Kind != verdict.RetryGap || v.ForwardCode != "retry_gap" {
		t.Errorf("given up: got %+v %+v %s, want red, retry_gap", v.Pill, v.RequiredActions, v.ForwardCode)
	}
	x.sound()
}

// A credential that was rejected, or that was missed and is there since, says for
// itself what is to be done.
func TestHeldForACredential(t *testing.T) {
	t.Parallel()
	x, c := kept(t, keptManifest)
	ctx := t.Context()
	x.succeed(x.begin("c", allStreams), nil)
	x.dispatch(c, "credential.missing", stored.HeldForOwner, time.Time{})
	x.tone("it is missed", verdict.Amber)
	x.clock.forward(time.Minute)
	x.ok(x.s.PutCredentials(ctx, c.ID, map[string][]byte{"token": {1}}))
	x.tone("it is there", verdict.Green)

	x.ok(x.begin("c", allStreams).Finish(ctx, Outcome{Status: tables.StatusFailed, Reason: "connector_reported_failed", Error: &RunError{Code: "demo_auth_failed"}}))
	x.dispatch(c, "attention", stored.HeldForOwner, time.Time{})
	if v := x.verdict("c"); v.Pill.Tone != verdict.Red || len(v.RequiredActions) != 1 || v.RequiredActions[0].Kind != verdict.Reauth {
		t.Errorf("rejected: got %+v %+v, want red, reauth alone", v.Pill, v.RequiredActions)
	}
	x.clock.forward(time.Minute)
	x.ok(x.s.PutCredentials(ctx, c.ID, map[string][]byte{"token": {2}}))
	if v := x.verdict("c"); v.Channel == verdict.Attention {
		t.Errorf("with a new one: got %s %+v, want no attention", v.Channel, v.RequiredActions)
	}
	x.sound()
}

// HL-05: while a run waits for its owner's answer the connection does, and no
// longer than there is somebody who takes it.
func TestARunThatAsks(t *testing.T) {
	t.Parallel()
	x, _ := kept(t, keptManifest)
	ctx := t.Context()
	x.succeed(x.begin("c", allStreams), nil)
	w := x.begin("c", allStreams)
	until := x.clock.Now().UTC().Add(time.Minute)
	event := func(kind string) {
		x.ok(w.Event(ctx, Event{Type: kind, Data: []byte(`{"kind":"otp","expires_at":"` + until.Format(time.RFC3339Nano) + `"}`)}))
		x.ok(w.Flush(ctx))
	}
	x.tone("it runs", verdict.Green)
	event(evidence.EventAsks)
	v := x.verdict("c")
	if v.Channel != verdict.Attention || v.RequiredActions[0].CTACode != "cta_add_info" || v.RequiredActions[0].Target.RunID != "run2" {
		t.Errorf("it asks: got %s %+v, want attention, cta_add_info of run2", v.Channel, v.RequiredActions)
	}
	x.sound()
	e, err := x.s.EvidenceOf(ctx, "c")
	x.ok(err)
	if e.Facts.Asking != "otp" || e.Facts.AskingUntilUS != until.UnixMicro() || !e.NextChange.Equal(until) {
		t.Errorf("it asks: got a question for %q until %d, with a change at %s, want otp until %s, and the change then", e.Facts.Asking, e.Facts.AskingUntilUS, e.NextChange, until)
	}
	if v := verdict.OfStored(e.Facts, e.Moment(x.clock.Now(), func(string) bool { return false }), true); v.Channel == verdict.Attention {
		t.Errorf("its host is gone: got %s %+v, want no attention", v.Channel, v.RequiredActions)
	}
	event(evidence.EventAnswered)
	x.tone("answered", verdict.Green)
	event(evidence.EventAsks)
	x.succeed(w, nil)
	x.tone("it ended", verdict.Green)
	x.sound()
}

// A connection is adopted once, and its owner's choice stays.
func TestAdoptSchedule(t *testing.T) {
	t.Parallel()
	x, c := kept(t, keptManifest)
	ctx := t.Context()
	schedule := func() *health.Schedule {
		e, err := x.s.EvidenceOf(ctx, "c")
		x.ok(err)
		return e.Facts.Schedule
	}
	if schedule() != nil || x.scheduleState(c.ID).Adopted {
		t.Error("it is scheduled by nobody")
	}
	x.ok(x.s.AdoptSchedule(ctx, c.ID))
	if s := schedule(); s == nil || !s.Enabled || !x.scheduleState(c.ID).Adopted {
		t.Errorf("adopted: got %+v, want it enabled and adopted", s)
	}
	x.ok(x.s.PutSchedule(ctx, Schedule{ConnectionID: c.ID, Paused: true}))
	x.ok(x.s.AdoptSchedule(ctx, c.ID))
	if s := schedule(); s == nil || s.Enabled {
		t.Errorf("adopted again: got %+v, want it disabled", s)
	}
	x.sound()
}

// A clock that is set right by a little takes nobody's turn to serve.
func TestServingSurvivesASmallStep(t *testing.T) {
	t.Parallel()
	x, _ := kept(t, keptManifest)
	ctx := t.Context()
	alive := func(string) bool { return true }
	if s, err := x.s.Serving(ctx); s != nil || err != nil {
		t.Errorf("nobody serves: got %+v, %v, want none", s, err)
	}
	_, err := x.s.Serve(ctx, "a", time.Minute, alive)
	x.ok(err)
	x.clock.forward(-5 * time.Second)
	other, err := x.s.Serve(ctx, "b", time.Minute, alive)
	x.ok(err)
	if other == nil || other.Holder != "a" {
		t.Errorf("got %+v taken over, want a", other)
	}
	if s, err := x.s.Serving(ctx); err != nil || s == nil || s.Holder != "a" {
		t.Errorf("got %+v, %v, want a", s, err)
	}
	x.clock.forward(-24 * time.Hour)
	if other, err = x.s.Serve(ctx, "b", time.Minute, alive); other != nil || err != nil {
		t.Errorf("a day: got %+v, %v, want nobody before", other, err)
	}
}

// A refusal's hold says what it is that the owner has to put right, whatever the
// refusal's own code is called.
func TestWhatARefusalWaitsFor(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]verdict.Code{
		"files.root_missing": "cta_put_right_folder", "plugin.changed": "cta_put_right_module", "manifest.invalid": "cta_put_right_module",
		"connection.origin_changed": "cta_put_right_address", "send.base_url_invalid": "cta_put_right_address", "egress.host_refused": "cta_put_right_address",
		"usage.invalid": "cta_put_right_option", "binding.missing": "cta_put_right_binding", "vault.damaged": "cta_put_right_vault", "credential.missing": "cta_put_right",
	} {
		x, c := kept(t, keptManifest)
		ctx := t.Context()
		x.succeed(x.begin("c", allStreams), nil)
		x.ok(x.begin("c", allStreams).Finish(ctx, Outcome{Status: tables.StatusFailed, Reason: "connector_reported_failed", Error: &RunError{Code: "demo_http_500"}}))
		x.dispatch(c, code, stored.HeldForOwner, time.Time{})
		v := x.verdict("c")
		if v.Channel != verdict.Attention || v.RequiredActions[0].CTACode != want || strings.Contains(v.ForwardStatement, "later run") {
			t.Errorf("%s: got %s %+v %s, want attention and no word of a later run", code, v.Channel, v.RequiredActions, v.ForwardStatement)
		}
		x.sound()
	}
}

// HL-04.2: a run that succeeds in spite of its provider's pressure does not end the
// wait that it met.
func TestPressureOfARunThatSucceeded(t *testing.T) {
	t.Parallel()
	x, c := kept(t, keptManifest)
	ctx := t.Context()
	x.ok(x.s.AdoptSchedule(ctx, c.ID))
	until := x.clock.Now().Add(20 * time.Hour)
	x.succeed(x.begin("c", allStreams), func(o *Outcome) { o.Pressure = &Pressure{Reason: "rate_limited", NextAttempt: until} })
	waits := func(when string) {
		t.Helper()
		v := x.verdict("c")
		if v.Pill.Tone != verdict.Amber || v.Detail.State != health.StateCoolingOff || !v.Detail.NextAttemptAt.Equal(until) || v.Channel != verdict.Calm {
			t.Errorf("%s: got %+v, %s until %v, %s, want amber, cooling off, calm", when, v.Pill, v.Detail.State, v.Detail.NextAttemptAt, v.Channel)
		}
		x.sound()
	}
	waits("at once")
	x.clock.forward(time.Minute)
	waits("a minute later")
	x.dispatch(c, "source_pressure", stored.HeldUntil, until)
	waits("and the scheduler holds it")
	x.clock.forward(20 * time.Hour)
	x.tone("it is over", verdict.Green)
	x.sound()
}

// A connector's counts of a stream's lanes add up to no negative number.
func TestAccountsDoNotOverflow(t *testing.T) {
	t.Parallel()
	x, _ := kept(t, keptManifest)
	w := x.begin("c", allStreams)
	for state, n := range map[string]int64{"a": math.MaxInt64, "b": 1} {
		x.ok(w.PutCoverage(t.Context(), Coverage{Stream: "a", StateStream: state, Considered: &n, Covered: &n}))
	}
	x.succeed(w, nil)
	s := x.verdict("c").Streams[0]
	x.same([]int64{*s.Considered, *s.Collected}, []int64{math.MaxInt64, math.MaxInt64})
	x.sound()
}
