package storage

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"
)

// LC-05.1, LC-07.1: what is not done is listed within bounds, what needs somebody
// first, and without what is for the device alone.
func TestInspectLaneListsOpenWork(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	x := newLane(t)
	look := func() LaneInfo {
		t.Helper()
		info, _, err := InspectLane(ctx, x.path, x.clock.Now())
		x.ok(err)
		return info
	}
	x.same([]any{look().OpenTotal, look().PinnedSHA256}, []any{0, ""})
	w := x.begin("c")
	x.ok(w.PutGap(ctx, Gap{Stream: "a", ParentStream: "p", RecordKey: "/home/me/k", Reason: "rate_limited"}))
	x.ok(w.Finish(ctx, Outcome{Status: "succeeded", KnownGaps: []byte(
		`[{"kind":"send_budget","reason":"wall_clock_deadline","severity":"recoverable","stream":"a","diagnostics":{"cursor":"/home/me"}},
{"kind":"skip","reason":"/home/me/missing","severity":"actionable","stream":"b"}]`)}))
	x.deliver()
	info := look()
	x.same(info.OpenTotal, 3)
	var got []string
	for _, o := range info.Open {
		got = append(got, fmt.Sprintf("%s %s %q %s %s %v %d", o.Kind, o.Stream, o.Boundary, o.Status, o.Reason, o.Retryable, o.Attempts))
	}
	x.same(got, []string{
		`unit b "" gap _home_me_missing false 1`, `unit a "" backlog wall_clock_deadline true 1`, `gap a "" pending rate_limited true 0`,
	})
	x.same(info.Open[0].LastAttemptAt, x.clock.Now().UTC())
	x.same(info.Open[2].LastAttemptAt, time.Time{})

	// Many units are counted, and not all are listed.
	w = x.begin("c")
	for i := range MaxOpenWork + 5 {
		x.ok(w.CommitSlice(ctx, "a", []byte(fmt.Sprint(i)), filepath.Join("slice", fmt.Sprint(i))))
	}
	x.ok(w.Flush(ctx))
	info = look()
	x.same([]any{len(info.Open), info.OpenTotal, info.Open[0].Status}, []any{MaxOpenWork, MaxOpenWork + 5 + 3, UnitGap})
	x.same(info.Open[3].Boundary, "")
}

// A gap alone holds no scan; all else that is not delivered does.
func TestWhatHoldsAScan(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	x := newLane(t)
	w := x.begin("c")
	x.ok(w.PutGap(ctx, Gap{Stream: "a", RecordKey: "k", Reason: "rate_limited"}))
	x.ok(w.Flush(ctx))
	c := x.counts()
	x.same([]any{c.Pending, c.HoldsScan}, []any{1, 0})
	x.finish(w)
	x.same(x.counts().HoldsScan, 1)
	x.deliver()
	x.same(x.counts().HoldsScan, 0)
}
