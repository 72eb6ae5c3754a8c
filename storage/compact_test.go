package storage

import (
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage/run"
)

// A compaction gives back the room of what was removed and of the history that is
// over, says so, and is refused while a run goes on.
func TestCompact(t *testing.T) {
	t.Parallel()
	ctx, clock := t.Context(), newClock()
	x := &exercise{T: t, clock: clock, s: mustOpen(t, Options{Path: t.TempDir() + "/pdpp.sqlite", Now: clock.Now, History: 24 * time.Hour})}
	w := x.begin("c")
	x.marked(w, "record", 300, false)
	_, err := x.s.Compact(ctx, func(string) bool { return true })
	x.code(err, abi.CodeStoreLocked)
	x.finish(w)
	full, err := x.s.Space(ctx)
	x.ok(err)
	if full.Records < 300*8192 || full.History == 0 || full.Gaps == 0 || full.Rest == 0 {
		t.Errorf("300 long records: got %+v, want %d bytes or more of records, and some of the rest", full, 300*8192)
	}
	w = x.begin("c")
	x.marked(w, "record", 300, true)
	x.finish(w)
	space, err := x.s.Space(ctx)
	x.ok(err)
	if space.Free < full.Records/2 {
		t.Errorf("%d bytes are free after the records are gone, want about %d", space.Free, full.Records)
	}
	for range run.LeastRuns + 5 {
		clock.forward(24 * time.Hour)
		x.quiet()
	}
	c, err := x.s.Compact(ctx, nil)
	x.ok(err)
	if c.Runs < 5 || c.BytesAfter > c.BytesBefore/2 {
		t.Errorf("got %+v, want 5 runs or more gone and less than half of the bytes left", c)
	}
	space, err = x.s.Space(ctx)
	x.ok(err)
	x.same(space.Free, int64(0))
	report, err := x.s.Check(ctx)
	x.ok(err)
	x.same(len(report.Problems), 0)
}
