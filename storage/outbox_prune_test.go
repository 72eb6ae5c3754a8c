package storage

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/outbox"
)

// batches queues n batches of one record each, of streams of their own, so that
// none waits for another.
func (x *laneFixture) batches(n int) *RunWriter {
	x.Helper()
	w := x.begin("c", func(run *NewRun) {
		run.Streams = nil
		for i := range n {
			run.Streams = append(run.Streams, fmt.Sprint("s", i))
		}
	})
	for i := range n {
		x.put(w, i, "k=1")
	}
	x.ok(w.Flush(x.Context()))
	return w
}

func (x *laneFixture) prune(keep int64) Pruned {
	x.Helper()
	p, err := x.s.PruneDelivered(x.Context(), keep)
	x.ok(err)
	return p
}

// LC-09.1, LC-09.2: exactly the newest rows stay, however lately the others were
// acknowledged, in whatever order that was.
func TestPruneKeepsTheNewest(t *testing.T) {
	t.Parallel()
	x := newLane(t)
	x.batches(5)
	items := x.claim("h", 9)
	for _, i := range []int{4, 0, 3, 1, 2} {
		x.ok(x.s.Acknowledge(t.Context(), &items[i]))
	}
	x.same(x.prune(3), Pruned{Enabled: true, Matched: 2, Pruned: 2})
	x.same(x.state(), "0 0 0 0 0 3 coverage_missing")
	var kept []string
	x.ok(x.s.db.Read.NewRaw("SELECT id FROM outbox ORDER BY seq").Scan(t.Context(), &kept))
	x.same(kept, []string{items[2].ID, items[3].ID, items[4].ID})
	x.same(x.counts().RecordBatches, 5)
	var left int
	x.ok(x.s.db.Read.NewRaw("SELECT (SELECT count(*) FROM outbox_payloads) + (SELECT count(*) FROM outbox_streams WHERE seq < 3)").Scan(t.Context(), &left))
	x.same(left, 0)
}

// LC-09.3: only what is acknowledged goes.
func TestPruneLeavesWhatIsNotDelivered(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	x := newLane(t)
	x.batches(9)
	items := x.claim("h", 8)
	x.ok(x.s.DeadLetter(ctx, &items[0], "http_422", ""))
	x.ok(x.s.Retry(ctx, &items[1], x.clock.Now().Add(time.Hour), "timeout", ""))
	for i := 3; i < 8; i++ { // 2 stays leased, and the last one ready
		x.ok(x.s.Acknowledge(ctx, &items[i]))
	}
	x.same(x.state(), "1 1 1 0 1 5 dead_letter")
	x.same(x.prune(3), Pruned{Enabled: true, Matched: 2, Pruned: 2})
	x.same(x.state(), "1 1 1 0 1 3 dead_letter")
}

// LC-09.4: within the cap nothing goes.
func TestPruneWithinTheCap(t *testing.T) {
	t.Parallel()
	x := newLane(t)
	x.batches(3)
	x.same(x.prune(3), Pruned{Enabled: true})
	x.deliver()
	x.same(x.prune(3), Pruned{Enabled: true})
	x.same(x.prune(1<<40), Pruned{Enabled: true})
	x.same(x.counts().Succeeded, 3)
}

// LC-09.6: a prune removes in one pass never everything, in transactions of a
// bounded size, and makes no file.
func TestPruneIsBounded(t *testing.T) {
	t.Parallel()
	x := newLane(t)
	x.ok(x.s.db.Alone(t.Context(), "deliver many", func(tx *db.Tx) error {
		run := &outbox.LaneRun{RunID: "run"}
		for i := range 2*outbox.PruneRows + 100 {
			unit, err := run.Unit(tx)
			if err != nil {
				return err
			}
			row := &outbox.Row{ID: fmt.Sprint(i), Kind: KindRunCommit, UnitID: unit}
			if err := outbox.Enqueue(tx, row, []byte("{}")); err != nil {
				return err
			}
			if err := run.CloseUnit(tx, unit, "", ""); err != nil {
				return err
			}
		}
		_, err := tx.DB.ExecContext(tx.Ctx, "UPDATE outbox SET status = 'succeeded'")
		if err == nil {
			_, err = tx.DB.ExecContext(tx.Ctx, "UPDATE work_units SET status = 'complete'")
		}
		return err
	}))
	for _, keep := range []int64{0, -1} {
		_, err := x.s.PruneDelivered(t.Context(), keep)
		x.code(err, CodeKeepRefused)
	}
	files, err := os.ReadDir(filepath.Dir(x.path))
	x.ok(err)
	x.same(x.prune(1), Pruned{Enabled: true, Matched: 2*outbox.PruneRows + 99, Pruned: 2*outbox.PruneRows + 99})
	x.same(x.counts().Total, 1)
	after, err := os.ReadDir(filepath.Dir(x.path))
	x.ok(err)
	x.same(len(after), len(files))
	list, err := x.s.Units(t.Context(), false)
	x.ok(err)
	x.same(len(list), 1) // complete units go with their rows
}

// A delivered row takes no room: its contents go when it is acknowledged, and a compaction
// gives the room back.
func TestDeliveredContentsTakeNoRoom(t *testing.T) {
	t.Parallel()
	x := newLane(t)
	w := x.begin("c")
	for i := range 4 {
		x.put(w, i%2, `k="`+strings.Repeat("x", 1<<20)+`"`)
	}
	x.finish(w)
	x.deliver()
	x.ok(x.s.CompactLane(t.Context()))
	st, err := x.s.Stats(t.Context())
	x.ok(err)
	if st.FileBytes+st.LogBytes > 2<<20 { // of more than 4 MiB of records
		t.Errorf("got a file of %d and a log of %d bytes, want at most %d together", st.FileBytes, st.LogBytes, 2<<20)
	}
	x.same(x.state(), "0 0 0 0 0 5 coverage_missing")
	x.finish(x.begin("c"))
	x.same(x.deliver(), []string{KindRunCommit})
	x.sound()
}

// The number of a batch is given once, whatever was pruned.
func TestNumbersOutliveAPrune(t *testing.T) {
	t.Parallel()
	x := newLane(t)
	x.batches(3)
	items := x.claim("h", 9)
	for i := range items {
		x.ok(x.s.Acknowledge(t.Context(), &items[i]))
	}
	x.prune(1)
	x.reopen()
	x.clock.forward(time.Hour)
	x.batches(1)
	again := x.one(KindRecordBatch)
	if again.Seq <= items[2].Seq || again.ID == items[0].ID {
		t.Errorf("got %+v, want a sequence above %d and another id than %s", again, items[2].Seq, items[0].ID)
	}
	var n int64
	x.ok(x.s.db.Read.NewRaw("SELECT batch_seq FROM lanes").Scan(t.Context(), &n))
	x.same(n, 4)
}
