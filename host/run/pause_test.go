package run

import (
	"context"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage"
)

// AC-13: what is learned is in the store before the request has its answer; a run that is
// interrupted in the pause leaves it there, the next one gets it, and one that its owner insists
// on does not. A run that is answered and in no pause ends it.
func TestPauseIsDurableWhenItIsLearned(t *testing.T) {
	t.Parallel()
	until := time.Now().Add(time.Hour).UTC().Truncate(time.Microsecond)
	pause := storage.Pause{Reason: "rate_limited", Until: until, Learned: []byte(`{"at_ms":1}`)}
	f := &fakeSender{answer: func(string) string { return `{"status":200,"url":"u","headers":{}}` + "\nhello" }, learns: []storage.Pause{pause}, stands: pause}
	f.told, f.holds = until, make(chan struct{})
	h := newHost(t, setup{sender: f})
	ctx, stop := context.WithCancelCause(t.Context())
	defer stop(nil)
	h.runner.deps.Observe = func(Update) { // while the run goes on
		if p, err := h.store.SourcePressure(ctx, "scripted", nil); err == nil && p.Pause != nil {
			stop(ErrInterrupted)
		}
	}
	res, err := h.playCtx(ctx, get+"\nexpect hello"+done(0))
	if err != nil || res.Status != StatusCancelled {
		t.Fatalf("got %+v, %v, want it cancelled in the pause", res, err)
	}
	if p := h.pressure(); p.Pause == nil || !p.Pause.NextAttempt.Equal(until) || p.Pause.Reason != "rate_limited" || p.Record != nil {
		t.Fatalf("got %+v, want a pause until %v", p, until)
	}
	h.runner.deps.Observe = func(Update) {}

	f.holds, f.unwell = nil, true // it was down: that says nothing of the pause
	f.stands, f.told = storage.Pause{}, time.Time{}
	h.succeed(get + done(0))
	if string(f.open.Learned) != `{"at_ms":1}` {
		t.Errorf("the next run is given %q, want what was learned", f.open.Learned)
	}
	if p := h.pressure(); p.Pause == nil {
		t.Error("the pause is forgotten by a run that had no answer")
	}
	f.unwell = false
	h.succeed(get+done(0), func(r *Request) { r.Force = true })
	if f.open.Learned != nil {
		t.Errorf("the run that its owner insists on is given %q, want nothing", f.open.Learned)
	}
	if p := h.pressure(); p.Pause != nil {
		t.Errorf("got %+v after answers, want no pause", p.Pause)
	}
}

// AC-13: a run that came to its own end in a pause of the host's own has said all there is to
// say; one that did not leaves it to the next. The provider's
// own pause stays either way, and ends no earlier pressure.
func TestWhichPauseOutlivesTheRun(t *testing.T) {
	t.Parallel()
	until := time.Now().Add(time.Hour).UTC().Truncate(time.Microsecond)
	for name, c := range map[string]struct {
		script string
		told   bool
		want   bool
	}{
		"its own end, the host's own": {get + done(0), false, false},
		"its own end, the provider's": {get + done(0), true, true},
		"a crash, the host's own":     {get + "\ntrap", false, true},
		"a crash, the provider's":     {get + "\ntrap", true, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := &fakeSender{answer: func(string) string { return `{"status":200,"url":"u","headers":{}}` }, pressure: abi.ReasonRateLimited, until: until}
			h := newHost(t, setup{sender: f})
			failed := "\ndone " + `{"type":"DONE","status":"failed","records_emitted":0,"error":{"code":"x","message":"m","retryable":true}}`
			if _, err := h.play(get + failed); err != nil { // an earlier run ended under pressure
				t.Fatal(err)
			}
			f.pressure, f.until = "", time.Time{}
			f.stands = storage.Pause{Reason: "upstream_pressure", Until: until}
			if c.told {
				f.told = until
			}
			if _, err := h.play(c.script); err != nil {
				t.Fatal(err)
			}
			if p := h.pressure(); (p.Pause != nil) != c.want || (p.Record != nil) != c.want {
				t.Errorf("got pause %+v and record %+v, want them kept: %v", p.Pause, p.Record, c.want)
			}
		})
	}
}

// A run that only waits for the end of a pause ends at once when the host winds up, and one that
// waits for an answer does not.
func TestSleepingRunEndsWithItsHost(t *testing.T) {
	t.Parallel()
	for name, asleep := range map[string]bool{"asleep": true, "at the provider": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := &fakeSender{answer: func(string) string { return `{"status":200,"url":"u","headers":{}}` + "\nhello" }, asleep: asleep, holds: make(chan struct{})}
			h := newHost(t, setup{sender: f})
			stopping := make(chan struct{})
			h.runner.deps.Stopping = stopping
			looks := 0
			h.runner.deps.Observe = func(u Update) {
				if u.Requests.Sent == 0 && looks == 0 {
					return
				}
				if looks++; looks == 1 {
					close(stopping)
				}
				if looks == 6 && !asleep { // it was looked at several times
					close(f.holds)
				}
			}
			res, err := h.play(get + "\nexpect hello" + done(0))
			if err != nil {
				t.Fatal(err)
			}
			if cut := res.Status == StatusCancelled && res.Error != nil && res.Error.Code == string(abi.CodeInterrupted); cut != asleep {
				t.Errorf("got %s, want it ended by the stop: %v", res.Status, asleep)
			}
		})
	}
}

// A run that sends nothing does not sleep, so that it goes on to its end when the host winds up.
func TestARunWithoutRequestsOutlivesTheStop(t *testing.T) {
	t.Parallel()
	h := newHost(t, setup{})
	stopping := make(chan struct{})
	close(stopping)
	h.runner.deps.Stopping = stopping
	if res, err := h.play(done(0)); err != nil || res.Status != StatusSucceeded {
		t.Errorf("got %s, %v, want %s", res.Status, err, StatusSucceeded)
	}
}
