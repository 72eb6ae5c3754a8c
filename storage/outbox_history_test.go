package storage

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/outbox"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/blank"
)

// count counts the rows of a table.
func (x *laneFixture) count(table string) (n int64) {
	x.Helper()
	x.ok(x.s.db.Read.NewRaw("SELECT count(*) FROM "+table).Scan(x.Context(), &n))
	return n
}

func (x *laneFixture) pruneHistory(keep int) int64 {
	x.Helper()
	n, err := x.s.PruneHistory(x.Context(), keep)
	x.ok(err)
	return n
}

// A lane bounds what it keeps about its own runs: the newest stay, with their events.
func TestHistoryIsBounded(t *testing.T) {
	t.Parallel()
	x := newLane(t)
	x.finish(x.begin("c"))
	const all = 2*outbox.PruneRows + 20
	x.ok(x.s.db.Alone(t.Context(), "make many", func(tx *db.Tx) error {
		const many = "WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < ?) "
		for _, q := range []string{
			`INSERT INTO runs SELECT n.i, 'r' || n.i, connection_id, connector, version, module_sha256, mode, bookmark, holder, epoch, streams, status, reason,
error, checkpoints, withheld, known_gaps, result, started_us, finished_us, narrowed, boundary FROM runs, n WHERE pk = 1`,
			"INSERT INTO run_streams SELECT n.i, stream_id, added, changed, unchanged, deleted, suppressed FROM run_streams, n WHERE run_pk = 1",
			"INSERT INTO events SELECT n.i, seq, type, stream, data, at_us FROM (SELECT 1 AS seq, 'run.completed' AS type, '' AS stream, '' AS data, 1 AS at_us), n",
		} {
			if _, err := tx.DB.ExecContext(tx.Ctx, many+q, all-2); err != nil {
				return err
			}
		}
		return nil
	}))
	for range 2 {
		x.finish(x.begin("c"))
	}
	x.same(x.pruneHistory(10), all-10-1) // the first one is not delivered
	x.deliver()
	x.same(x.pruneHistory(10), 1)
	x.same(x.pruneHistory(10), 0)
	x.same([]int64{x.count("runs"), x.count("events"), x.count("run_streams")}, []int64{10, 8, 20})
	x.sound()

	running := x.begin("c")
	x.same(x.pruneHistory(10), 0) // it has not ended
	x.finish(running)
	x.deliver()
	x.same(x.pruneHistory(10), 1)
	for _, keep := range []int{0, -1} {
		_, err := x.s.PruneHistory(t.Context(), keep)
		x.code(err, CodeKeepRefused)
	}
}

// A stream that was collected once, long ago, stays known as that, and a run stays
// that is not delivered.
func TestHistoryKeepsWhatIsStillSaid(t *testing.T) {
	t.Parallel()
	x := newLane(t)
	only := func(streams ...string) func(*NewRun) { return func(n *NewRun) { n.Streams = streams } }
	x.finish(x.begin("c", only("old")))
	x.deliver()
	for range 20 {
		x.clock.forward(time.Hour)
		x.finish(x.begin("c", only("a")))
	}
	facts := x.facts()
	if n := x.deliver(); len(n) != 20 {
		t.Fatal(n)
	}
	x.same(x.pruneHistory(5), 15)
	x.same(x.count("runs"), 6)
	x.same(x.facts(), facts)
	x.ok(x.s.RepairEvidence(t.Context(), "c")) // as doctor does it
	x.same(x.facts(), facts)
	for range 5 { // collected again, the old run has nothing more to say
		x.finish(x.begin("c", only("a", "old")))
	}
	x.deliver()
	x.same(x.pruneHistory(5), 6)
	x.sound()
}

// facts is the document that is kept of the lane's connection.
func (x *laneFixture) facts() (text string) {
	x.Helper()
	x.ok(x.s.db.Read.NewRaw("SELECT facts FROM evidence").Scan(x.Context(), &text))
	return text
}

// endInLane ends a run of a lane, in what a lane can tell its host.
func (d *history) endInLane(w *RunWriter) {
	o := Outcome{Status: d.draw("status", "succeeded", "succeeded", "failed", "cancelled"), Narrowed: d.draw("narrowed", "", "", "yes") != ""}
	if o.Status == "failed" {
		o.Reason = "connector_reported_failed"
		o.Error = &RunError{Code: d.draw("code", "demo_auth_failed", "stream_collection_failed"), RecoveryHint: d.draw("hint", "", "refresh_credentials")}
	}
	o.KnownGaps = []byte(d.draw("known", "[]", "[]",
		`[{"kind":"skip","stream":"a","severity":"actionable","reason":"selector","recovery_hint":"update_selector","message":"m","diagnostics":{"n":1}}]`,
		`[{"kind":"interaction","severity":"actionable","reason":"interaction_timeout","recovery_hint":"refresh_credentials"}]`,
		`[{"kind":"skip","stream":"b","severity":"recoverable","reason":"stream_collection_failed"},{"kind":"skip","stream":"a","severity":"informational","reason":"y"}]`))
	if rapid.Bool().Draw(d.t, "held back") {
		o.Withheld = []Withheld{{Stream: "b", Reason: "detail_coverage_incomplete"}}
	}
	d.ok(w.Finish(d.ctx, o))
}

// TestEvidenceOutlivesHistory drives a lane through random runs, and holds its
// evidence to the one that is made of what a prune has left.
//
// Invariant 7.
func TestEvidenceOutlivesHistory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	n, all := 0, int64(0)
	rapid.Check(t, func(rt *rapid.T) {
		n++
		d := &history{t: rt, known: map[string]*collected{}, ctx: t.Context(), clock: newClock(), live: map[string]*RunWriter{}}
		path := filepath.Join(dir, fmt.Sprint(n))
		blank.Store(t, path, migrated)
		lane, err := OpenOutbox(d.ctx, Options{Path: path, Now: d.clock.Now, unsynced: true}, Lane{SourceInstanceID: "src", ConnectorID: "demo"})
		d.ok(err)
		d.s = lane.Store
		defer func() { _ = d.s.Close() }()
		for range rapid.IntRange(1, 12).Draw(rt, "runs") {
			d.clock.forward(time.Hour)
			d.begin("c")
			if rapid.IntRange(0, 5).Draw(rt, "killed") > 0 {
				d.endInLane(d.live["c"])
			}
			if rapid.Bool().Draw(rt, "delivered") {
				d.ok(d.s.db.Alone(d.ctx, "deliver", func(t *db.Tx) error {
					_, err := t.DB.ExecContext(t.Ctx, "UPDATE outbox SET status = 'succeeded'")
					return err
				}))
			}
			if rapid.Bool().Draw(rt, "prune") {
				pruned, err := lane.PruneHistory(d.ctx, rapid.IntRange(1, 3).Draw(rt, "keep"))
				d.ok(err)
				all += pruned
			}
			differ, err := d.s.CheckEvidence(d.ctx)
			if d.ok(err); len(differ) > 0 {
				rt.Fatalf("the evidence is not what is made of the runs that are left: %s", d.difference(differ[0]))
			}
		}
	})
	if n >= enoughHistories && all == 0 {
		t.Errorf("got no run pruned in %d sequences, want some", n)
	}
}
