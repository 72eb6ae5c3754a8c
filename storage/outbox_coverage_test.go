package storage

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/outbox"
)

// observed says what is known of coverage records.
func (x *laneFixture) observed() string {
	x.Helper()
	if c := x.counts(); c.CoverageObserved != nil {
		return fmt.Sprint(*c.CoverageObserved)
	}
	return "unknown"
}

// LC-07.2: a lane that has delivered records and never a coverage record is
// told apart from a healthy one, and from one that has collected nothing; and a
// coverage record once delivered is remembered when its row is gone.
func TestCoverageMissing(t *testing.T) {
	t.Parallel()
	x := newLane(t)
	x.same(x.state(), "0 0 0 0 0 0 healthy_idle") // nothing collected yet
	w := x.begin("c", func(n *NewRun) { n.Streams = []string{"a", device.CoverageStream} })
	x.put(w, 0, "k=1")
	x.ok(w.Flush(t.Context()))
	x.same(x.observed(), "false")
	x.deliver()
	x.same(x.state(), "0 0 0 0 0 1 coverage_missing")
	x.put(w, 1, "k=1")
	x.ok(w.Flush(t.Context()))
	x.same(x.observed(), "true")
	i := x.one(KindRecordBatch)
	x.ok(x.s.DeadLetter(t.Context(), i, "http_422", ""))
	x.same(x.observed(), "false") // what was given up was not carried
	_, err := x.s.RequeueDeadLetters(t.Context(), false)
	x.ok(err)
	x.deliver()
	x.finish(w)
	x.deliver()
	x.prune(1)
	x.same(x.observed(), "true")
	x.same(x.state(), "0 0 0 0 0 1 healthy_idle")
	x.same(x.counts().RecordBatches, 2)
}

// legacy puts n delivered batches into the lane as if before there was an index.
func (x *laneFixture) legacy(n int, status, payload string) {
	x.Helper()
	x.ok(x.s.db.Alone(x.Context(), "legacy", func(t *db.Tx) error {
		rows := make([]*outbox.Row, n)
		for i := range rows {
			rows[i] = &outbox.Row{ID: fmt.Sprintf("%s%s%d", status, payload, i), Kind: KindRecordBatch, Status: OutboxReady}
		}
		for some := range slices.Chunk(rows, 500) { // as t.enqueue does, many at a time
			if _, err := t.DB.NewInsert().Model(&some).Exec(t.Ctx); err != nil {
				return err
			}
			contents := make([]outbox.PayloadRow, len(some))
			for i, row := range some {
				contents[i] = outbox.PayloadRow{Seq: row.Seq, Payload: []byte(payload)}
			}
			if _, err := t.DB.NewInsert().Model(&contents).Exec(t.Ctx); err != nil {
				return err
			}
		}
		_, err := t.DB.ExecContext(t.Ctx, "UPDATE outbox SET status = ? WHERE status = 'ready'", status)
		if err == nil {
			_, err = t.DB.ExecContext(t.Ctx, "UPDATE lanes SET batches_delivered = batches_delivered + ?", n)
		}
		return err
	}))
}

const (
	legacyPlain    = `{"records":[{"stream":"a"},{"stream":"b"}]}`
	legacyCoverage = `{"records":[{"stream":"a"},{"stream":"coverage_diagnostics"}]}`
)

// LC-07.3: batches without an index are read up to a bound; past it, or when
// what they held is gone, it is unknown, and unknown is never missing.
func TestCoverageOfBatchesWithoutIndex(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		prepare func(x *laneFixture)
		want    string
	}{
		"none of it": {func(x *laneFixture) { x.legacy(3, OutboxSucceeded, legacyPlain) }, "false coverage_missing"},
		"one of it": {func(x *laneFixture) {
			x.legacy(3, OutboxSucceeded, legacyPlain)
			x.legacy(1, OutboxSucceeded, legacyCoverage)
		}, "true healthy_idle"},
		"given up": {func(x *laneFixture) {
			x.legacy(2, OutboxSucceeded, legacyPlain)
			x.legacy(1, OutboxDeadLetter, legacyCoverage)
		}, "false dead_letter"},
		"within the bound":   {func(x *laneFixture) { x.legacy(outbox.MaxUnindexed, OutboxSucceeded, legacyPlain) }, "false coverage_missing"},
		"above the bound":    {func(x *laneFixture) { x.legacy(outbox.MaxUnindexed+1, OutboxSucceeded, legacyPlain) }, "unknown healthy_idle"},
		"damaged":            {func(x *laneFixture) { x.legacy(1, OutboxSucceeded, `{`) }, "unknown healthy_idle"},
		"of which one is it": {func(x *laneFixture) { x.legacy(1, OutboxSucceeded, `{`); x.legacy(1, OutboxSucceeded, legacyCoverage) }, "true healthy_idle"},
		"pruned":             {func(x *laneFixture) { x.legacy(3, OutboxSucceeded, legacyPlain); x.prune(1) }, "unknown healthy_idle"},
		"contents gone": {func(x *laneFixture) {
			x.legacy(1, OutboxSucceeded, legacyPlain)
			x.ok(x.s.db.Alone(x.Context(), "", func(t *db.Tx) error {
				_, err := t.DB.ExecContext(t.Ctx, "DELETE FROM outbox_payloads")
				return err
			}))
		}, "unknown healthy_idle"},
		"delivered now":          {func(x *laneFixture) { x.legacy(1, OutboxReady, legacyCoverage); x.deliver() }, "true healthy_idle"},
		"delivered now, of none": {func(x *laneFixture) { x.legacy(1, OutboxReady, legacyPlain); x.deliver() }, "false coverage_missing"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := newLane(t)
			c.prepare(x)
			x.same(x.observed()+" "+x.counts().LifecycleState, c.want)
		})
	}
}

// LC-07.1: exactly one lifecycle state, the worst first.
func TestLifecyclePrecedence(t *testing.T) {
	t.Parallel()
	no := false
	for i, c := range []struct {
		counts    OutboxCounts
		claimable bool
		want      string
	}{
		{OutboxCounts{DeadLetter: 1, StaleLeases: 1, Leased: 1, Pending: 1, Retrying: 1, RecordBatches: 1, CoverageObserved: &no}, true, LaneDeadLetter},
		{OutboxCounts{StaleLeases: 1, Leased: 1, Pending: 1, Retrying: 1, RecordBatches: 1, CoverageObserved: &no}, true, LaneStaleLease},
		{OutboxCounts{Leased: 1, Retrying: 1, RecordBatches: 1, CoverageObserved: &no}, false, LaneDraining},
		{OutboxCounts{Pending: 1, Retrying: 1, RecordBatches: 1, CoverageObserved: &no}, true, LaneDraining},
		{OutboxCounts{Pending: 1, Retrying: 1, RecordBatches: 1, CoverageObserved: &no}, false, LaneRetryableBacklog},
		{OutboxCounts{RecordBatches: 1, Succeeded: 1, CoverageObserved: &no}, false, LaneCoverageMissing},
		{OutboxCounts{RecordBatches: 1, Succeeded: 1}, false, LaneHealthyIdle},
		{OutboxCounts{CoverageObserved: &no}, false, LaneHealthyIdle},
	} {
		if got := c.counts.Lifecycle(c.claimable); got != c.want {
			t.Errorf("%d: %s, want %s", i, got, c.want)
		}
	}
}

// LC-07.1, LC-07.4: two lanes of one connector are counted each by itself, and
// what is counted says neither a path nor a secret.
func TestLanesAreCountedApart(t *testing.T) {
	t.Parallel()
	x, y := newLane(t), newLaneOf(t, Lane{SourceInstanceID: "src2"})
	x.begin("c")
	y.batches(2)
	y.ok(y.s.DeadLetter(t.Context(), y.one(KindRecordBatch), "open /home/me/x", ""))
	x.same(x.state(), "0 0 0 0 0 0 healthy_idle")
	y.same(y.state(), "1 0 0 0 1 0 dead_letter")
	c := y.counts()
	y.same(c.OldestPendingAt, y.clock.Now().UTC())
	if text := fmt.Sprint(c.DeadLetterClasses); strings.Contains(text, "/") {
		t.Errorf("got the classes %s, want none with a path in it", text)
	}
	y.same(c.LastAckAt.IsZero(), true)
	y.clock.forward(time.Second)
	y.deliver()
	y.same(y.counts().LastAckAt, y.clock.Now().UTC())
}
