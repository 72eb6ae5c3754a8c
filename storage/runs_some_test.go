package storage

import (
	"context"
	"slices"
	"testing"
)

// The newest run of each connection is the one that Runs has first, whatever ran
// in between and however many there are; one that never ran is not among them.
func TestLatestRuns(t *testing.T) {
	t.Parallel()
	x := &exercise{T: t, clock: newClock()}
	x.s = sqliteFile(t)(t, x.clock.Now)
	ctx := t.Context()
	x.connection("never")
	for _, c := range []string{"c", "d", "c", "e", "d"} {
		w := x.begin(c)
		x.put(w, 0, "k="+c)
		x.finish(w)
	}
	open := x.begin("e")
	x.put(open, 1, "k=2")
	x.ok(open.Flush(ctx))
	all, err := x.s.Connections(ctx)
	x.ok(err)
	var ids []string
	for i := range all {
		ids = append(ids, all[i].ID)
	}
	latest, err := x.s.LatestRuns(ctx, ids[:2])
	x.ok(err)
	x.same(len(latest), 2)
	some, err := x.s.ConnectionsOf(ctx, append([]string{"gone"}, ids[1], ids[0]))
	x.ok(err)
	x.same(some, all[:2])
	latest, err = x.s.LatestRuns(ctx, ids)
	x.ok(err)
	x.same(len(latest), 3)
	for _, c := range []string{"c", "d", "e"} {
		runs, err := x.s.Runs(ctx, c, 1)
		x.ok(err)
		x.same(latest[runs[0].ConnectionID], runs[0])
	}
	e, err := x.s.Connection(ctx, "e")
	x.ok(err)
	x.same(latest[e.ID].Counts["b"].New, 1)
	x.finish(open)
}

// Runs without an end come in pages, each once, oldest first.
func TestUnfinishedRuns(t *testing.T) {
	t.Parallel()
	x := &exercise{T: t, clock: newClock()}
	x.s = sqliteFile(t)(t, x.clock.Now)
	want := []string{}
	var open []*RunWriter
	for _, c := range []string{"c", "d", "e", "f", "g"} {
		x.finish(x.begin(c))
		open = append(open, x.begin(c))
		want = append(want, open[len(open)-1].RunID())
	}
	pages := func(limit int) (got []string, n int) {
		for after := int64(0); ; n++ {
			runs, next, err := x.s.UnfinishedRuns(t.Context(), after, limit)
			x.ok(err)
			if len(runs) > limit {
				t.Fatalf("got %d runs, want at most %d", len(runs), limit)
			}
			for _, r := range runs {
				got = append(got, r.ID)
			}
			if next == 0 {
				return got, n + 1
			}
			after = next
		}
	}
	if got, n := pages(2); !slices.Equal(got, want) || n != 3 {
		t.Errorf("%v in %d pages, want %v", got, n, want)
	}
	for _, w := range open {
		x.finish(w)
	}
	if got, _ := pages(2); len(got) != 0 {
		t.Errorf("they have ended: got %v, want none", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := x.s.UnfinishedRuns(ctx, 0, 1); err == nil {
		t.Error("a page of nobody's")
	}
	if _, err := x.s.LatestRuns(ctx, []string{"c"}); err == nil {
		t.Error("runs of nobody's")
	}
}
