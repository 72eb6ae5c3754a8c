package storage

import (
	"strings"
	"testing"
	"time"
)

// exerciseChanged: whoever follows a store sees each commit of every process, and asks for
// the connections that changed behind the last one seen: new ones, runs that begin, count
// and end, however little the records of a run moved.
func exerciseChanged(t *testing.T, x *exercise) {
	w, err := x.s.Watch(t.Context())
	x.ok(err)
	t.Cleanup(func() { x.ok(w.Close()) })
	other := x.open(t, x.clock.Now)
	place := int64(0)
	step := func(what, want string) {
		t.Helper()
		moved, err := w.Changed(t.Context())
		x.ok(err)
		changed, err := x.s.ChangedSince(t.Context(), place, 10)
		x.ok(err)
		var got []string
		for _, c := range changed {
			got, place = append(got, c.Name+":"+c.LatestRun), c.Place
		}
		last, err := x.s.LastChange(t.Context())
		x.ok(err)
		told := moved == (want != "") || moved && x.s.db.IsServer() // a server tells of its other databases, too
		if g := strings.Join(got, " "); g != want || !told || last != place {
			t.Errorf("%s: got %q, a commit: %t, the last place %d, want %q and place %d", what, g, moved, last, want, place)
		}
	}
	step("nothing", "")
	x.connection("one")
	x.connection("two")
	step("two connections", "one: two:")
	run := x.begin("two")
	step("a run that begins", "two:run1")
	x.put(run, 0, "k=1")
	x.ok(run.Flush(t.Context()))
	step("a new record", "two:run1")
	x.put(run, 0, "k=1")
	x.ok(run.Flush(t.Context()))
	step("a record as it was", "two:run1")
	ids, err := x.s.RunningRuns(t.Context(), 10)
	x.ok(err)
	x.same(ids, []string{"run1"})
	runs, err := x.s.RunsNamed(t.Context(), append(ids, "gone"))
	x.ok(err)
	if len(runs) != 1 || runs[0].Status != StatusRunning || runs[0].Counts["a"] != (StreamCounts{New: 1, Unchanged: 1}) {
		t.Errorf("got %+v, want run1 with a new and an unchanged record", runs)
	}
	_, err = other.EnsureConnection(t.Context(), "one more", "demo")
	x.ok(err)
	step("another process", "one more:")
	x.finish(run)
	step("a run that ends", "two:run1")
	step("nothing again", "")
	ids, err = x.s.StandingSince(t.Context(), x.clock.Now().Add(-time.Second), x.clock.Now(), 10)
	x.ok(err)
	if len(ids) != 3 {
		t.Errorf("got %v, want the three connections, which stand from now on", ids)
	}
}
