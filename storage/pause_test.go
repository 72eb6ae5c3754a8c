package storage

import (
	"context"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/storage/internal/db"
)

// AC-13: a pause is durable when it is learned, whatever becomes of its run, and the evidence has
// it. It becomes no shorter by a later one, and ends with a run that says so.
func TestPause(t *testing.T) {
	t.Parallel()
	x, _ := kept(t, keptManifest)
	ctx := t.Context()
	soon, late := x.clock.Now().Add(time.Minute).UTC(), x.clock.Now().Add(time.Hour).UTC()
	want := func(until time.Time, learned string) {
		t.Helper()
		p, err := x.s.SourcePressure(ctx, "c", nil)
		x.ok(err)
		got, err := x.s.Learned(ctx, x.connection("c").ID)
		x.ok(err)
		if (p.Pause != nil) == until.IsZero() || p.Pause != nil && !p.Pause.NextAttempt.Equal(until) || string(got) != learned {
			t.Fatalf("got %+v and %q, want a pause until %v and %q", p.Pause, got, until, learned)
		}
		e, err := x.s.EvidenceOf(ctx, "c")
		x.ok(err)
		switch f := e.Facts.Pressure; {
		case until.IsZero() && f != nil, !until.IsZero() && (f == nil || f.NextAttemptUS != db.Micros(until)):
			t.Fatalf("got evidence %+v, want it until %v", f, until)
		}
		differ, err := x.s.CheckEvidence(ctx)
		if x.ok(err); len(differ) > 0 {
			t.Fatal("the evidence made again differs")
		}
	}
	want(time.Time{}, "")
	w := x.begin("c")
	x.ok(w.KeepPause(ctx, Pause{Reason: "rate_limited", Until: late, Learned: []byte(`{"a":1}`)}))
	want(late, `{"a":1}`)
	x.ok(w.KeepPause(ctx, Pause{Reason: "rate_limited", Until: soon}))
	want(late, "")
	w.Abandon() // its host was killed
	lost, err := x.s.LoseRuns(ctx, func(string) bool { return false })
	if x.ok(err); lost != 1 {
		t.Fatalf("%d runs were lost, want 1", lost)
	}
	want(late, "")
	x.ok(x.begin("c").Finish(ctx, Outcome{Status: "failed"})) // it learned nothing
	want(late, "")
	// A run that is refused anew has not been given leave.
	x.ok(x.begin("c").Finish(ctx, Outcome{Status: "failed", Pause: &Pause{Reason: "rate_limited", Until: soon}}))
	want(late, "")
	x.ok(x.begin("c").Finish(ctx, Outcome{Status: "failed", Pause: &Pause{}, Pressure: &Pressure{Reason: "rate_limited"}}))
	want(late, "")
	x.ok(x.begin("c").Finish(ctx, Outcome{Status: "succeeded", PressureOver: true, Pause: &Pause{Learned: []byte(`{"b":2}`)}}))
	want(time.Time{}, `{"b":2}`)
	x.ok(x.begin("c").Finish(ctx, Outcome{Status: "succeeded", Pause: &Pause{}}))
	want(time.Time{}, "")
	unread, cancel := context.WithCancel(ctx)
	cancel()
	if got, err := x.s.Learned(unread, x.connection("c").ID); err == nil {
		t.Errorf("got %q and no error of a store that cannot be read, want its error", got)
	}
}
