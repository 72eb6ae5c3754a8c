package storage

import (
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/health/verdict"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
)

func onlyStream(name string) func(*NewRun) {
	return func(n *NewRun) { n.Streams = []string{name} }
}

// succeed ends a run well, after change.
func (x *exercise) succeed(w *RunWriter, change func(*Outcome)) {
	x.Helper()
	o := Outcome{Status: tables.StatusSucceeded}
	if change != nil {
		change(&o)
	}
	x.ok(w.Finish(x.Context(), o))
}

func (x *exercise) tone(what string, want verdict.Tone) {
	x.Helper()
	if v := x.verdict("c"); v.Pill.Tone != want {
		x.Errorf("%s: %s, not %s: %s, %+v", what, v.Pill.Tone, want, v.ForwardStatement, v.Streams)
	}
}

// A run that lists a stream as collected settles that stream, and no other: what is known to
// be missing of these stays so (Invariant 8).
func TestNarrowedRunsProveNothingElse(t *testing.T) {
	t.Parallel()
	const unreachable = `[{"kind":"skip","stream":"b","severity":"actionable","reason":"selector","recovery_hint":"update_selector"}]`
	const nowhere = `[{"kind":"interaction","severity":"actionable","reason":"x","recovery_hint":"not_retriable"}]`
	known := func(gaps string) func(*Outcome) { return func(o *Outcome) { o.KnownGaps = []byte(gaps) } }
	narrowed := func(o *Outcome) { o.Narrowed = true }
	failed := Outcome{Status: tables.StatusFailed, Reason: "connector_reported_failed", Error: &RunError{Code: "demo_http_500"}}
	for name, c := range map[string]struct {
		do   func(x *exercise)
		want verdict.Tone
	}{
		"what was narrowed is not collected": {func(x *exercise) {
			x.succeed(x.begin("c", allStreams), narrowed)
		}, verdict.Grey},
		"nor is it refreshed": {func(x *exercise) {
			x.succeed(x.begin("c", allStreams), nil)
			x.clock.forward(8 * 24 * time.Hour)
			x.succeed(x.begin("c", allStreams), narrowed)
		}, verdict.Amber},
		"nor by a back-fill": {func(x *exercise) {
			x.succeed(x.begin("c", allStreams, func(n *NewRun) { n.Bookmark = BookmarkBackfill }), nil)
		}, verdict.Grey},
		"another stream's gap stays": {func(x *exercise) {
			x.succeed(x.begin("c", allStreams), nil)
			x.succeed(x.begin("c", allStreams), known(unreachable))
			x.succeed(x.begin("c", onlyStream("a")), nil)
		}, verdict.Red},
		"the own gap stays when the run was narrowed": {func(x *exercise) {
			x.succeed(x.begin("c", allStreams), nil)
			x.succeed(x.begin("c", allStreams), known(unreachable))
			x.succeed(x.begin("c", onlyStream("b")), narrowed)
		}, verdict.Red},
		"the own gap goes": {func(x *exercise) {
			x.succeed(x.begin("c", allStreams), nil)
			x.succeed(x.begin("c", allStreams), known(unreachable))
			x.succeed(x.begin("c", onlyStream("b")), nil)
		}, verdict.Green},
		"a gap of no stream stays": {func(x *exercise) {
			x.succeed(x.begin("c", allStreams), nil)
			x.succeed(x.begin("c", allStreams), known(nowhere))
			x.succeed(x.begin("c", onlyStream("a")), nil)
		}, verdict.Red},
		"and goes with a run of the same streams": {func(x *exercise) {
			x.succeed(x.begin("c", allStreams), nil)
			x.succeed(x.begin("c", allStreams), known(nowhere))
			x.succeed(x.begin("c", onlyStream("a")), nil)
			x.succeed(x.begin("c", allStreams), nil)
		}, verdict.Green},
		"a killed run answers nothing": {func(x *exercise) {
			x.succeed(x.begin("c", allStreams), nil)
			x.succeed(x.begin("c", allStreams), known(unreachable))
			x.begin("c", allStreams).Abandon()
			x.succeed(x.begin("c", onlyStream("a"), func(n *NewRun) { n.HolderAlive = func(string) bool { return false } }), nil)
		}, verdict.Red},
		"what failed before stays so": {func(x *exercise) {
			x.succeed(x.begin("c", allStreams), nil)
			x.ok(x.begin("c", allStreams).Finish(x.Context(), failed))
			x.succeed(x.begin("c", onlyStream("a")), nil)
		}, verdict.Amber},
		"until it is collected": {func(x *exercise) {
			x.succeed(x.begin("c", allStreams), nil)
			x.ok(x.begin("c", allStreams).Finish(x.Context(), failed))
			x.succeed(x.begin("c", onlyStream("a")), nil)
			x.tone("b is not", verdict.Amber)
			x.succeed(x.begin("c", func(n *NewRun) { n.Streams = []string{"b", "extra"} }), nil)
		}, verdict.Green},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x, _ := kept(t, keptManifest)
			c.do(x)
			x.tone(name, c.want)
			x.sound()
		})
	}
}

// A gap in a stream that the new manifest no longer has cannot be collected by anybody.
func TestDroppedStream(t *testing.T) {
	t.Parallel()
	x, c := kept(t, keptManifest)
	ctx := t.Context()
	x.succeed(x.begin("c", allStreams), nil)
	w := x.begin("c", allStreams)
	x.ok(w.PutGap(ctx, Gap{Stream: "b", RecordKey: "1", Reason: "temporary_unavailable"}))
	x.succeed(w, func(o *Outcome) {
		o.KnownGaps = []byte(`[{"kind":"skip","stream":"b","severity":"actionable","reason":"selector","recovery_hint":"update_selector"}]`)
	})
	x.tone("with b", verdict.Red)
	x.ok(x.s.PinPlugin(ctx, c.ID, "def", []byte(`{"capabilities":{"refresh_policy":{"maximum_staleness_seconds":604800}},"streams":[{"name":"a"}]}`)))
	x.tone("without b", verdict.Green)
	x.ok(x.s.PinPlugin(ctx, c.ID, "abc", []byte(keptManifest)))
	x.tone("with b again", verdict.Red)
	x.sound()
}

// And what was missing of no stream in particular is answered by a run that looks at
// all there still is.
func TestDroppedStreamLeavesNoGapOfNone(t *testing.T) {
	t.Parallel()
	x, c := kept(t, keptManifest)
	x.succeed(x.begin("c", allStreams), func(o *Outcome) {
		o.KnownGaps = []byte(`[{"kind":"interaction","severity":"actionable","reason":"x","recovery_hint":"not_retriable"}]`)
	})
	x.tone("a gap of no stream", verdict.Red)
	x.ok(x.s.PinPlugin(t.Context(), c.ID, "def", []byte(`{"capabilities":{"refresh_policy":{"maximum_staleness_seconds":604800}},"streams":[{"name":"a"}]}`)))
	x.succeed(x.begin("c", onlyStream("a")), nil)
	x.tone("all that there is was looked at", verdict.Green)
	x.sound()
}

// Data in the future comes from a clock that was put back: how old it is, nobody knows.
func TestClockPutBack(t *testing.T) {
	t.Parallel()
	x, _ := kept(t, keptManifest)
	x.clock.forward(400 * 24 * time.Hour)
	x.succeed(x.begin("c", allStreams), nil)
	x.clock.forward(-time.Hour)
	x.tone("an hour", verdict.Green)
	x.clock.forward(-399 * 24 * time.Hour)
	x.tone("a year", verdict.Grey)
	x.succeed(x.begin("c", allStreams), nil)
	x.tone("collected again", verdict.Green)
	x.sound()
}

// The run that left something out is found, though later runs have
// looked at other streams alone.
func TestWhatARunLeftOutIsFound(t *testing.T) {
	t.Parallel()
	const gaps = `[{"kind":"skip","stream":"b","severity":"actionable","reason":"selector","recovery_hint":"update_selector"}]`
	x, _ := kept(t, keptManifest)
	left := func(when, want string) {
		t.Helper()
		e, err := x.s.EvidenceOf(t.Context(), "c")
		x.ok(err)
		got, err := x.s.LeftOut(t.Context(), e)
		if err != nil || string(got) != want {
			t.Errorf("%s: got %s (%v), want %s", when, got, err, want)
		}
	}
	left("no run", "")
	x.succeed(x.begin("c", allStreams), nil)
	left("a run that left nothing out", "")
	x.succeed(x.begin("c", allStreams), func(o *Outcome) { o.KnownGaps = []byte(gaps) })
	left("a run that left some out", gaps)
	x.succeed(x.begin("c", onlyStream("a")), nil)
	left("a run of the other stream", gaps)
	x.succeed(x.begin("c", allStreams), nil)
	left("a run that found them", "")
}
