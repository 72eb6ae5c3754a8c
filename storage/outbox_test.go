package storage

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/blank"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/pgtest"
)

// laneFixture is a lane with what its tests ask of it.
type laneFixture struct {
	*exercise
	s    *Outbox // exercise has its Store
	path string
	lane Lane
}

func newLane(t *testing.T, change ...func(*Options)) *laneFixture {
	t.Helper()
	return newLaneOf(t, Lane{SourceInstanceID: "src1"}, change...)
}

func newLaneOf(t *testing.T, lane Lane, change ...func(*Options)) *laneFixture {
	t.Helper()
	x := &laneFixture{
		exercise: &exercise{T: t, clock: newClock()}, path: filepath.Join(t.TempDir(), "lane.sqlite"),
		lane: lane,
	}
	x.lane.ConnectorID = "demo"
	pgtest.OnFile(t)
	x.reopen(change...)
	return x
}

// reopen opens the lane's file, again if it was open before, as after a crash.
func (x *laneFixture) reopen(change ...func(*Options)) {
	x.Helper()
	if x.s != nil {
		x.ok(x.s.Close())
	}
	o := Options{Path: x.path, Now: x.clock.Now, unsynced: true}
	for _, c := range change {
		c(&o)
	}
	blank.Store(x.T, o.Path, migrated)
	s, err := OpenOutbox(x.Context(), o, x.lane)
	x.ok(err)
	x.Cleanup(func() { _ = s.Close() })
	x.s, x.exercise.s = s, s.Store
}

// claim claims as one holder, and says what it got.
func (x *laneFixture) claim(holder string, limit int) []OutboxItem {
	x.Helper()
	items, err := x.s.Claim(x.Context(), ClaimRequest{Holder: holder, Lease: 300 * time.Second, Limit: limit})
	x.ok(err)
	return items
}

// one claims one row of a kind.
func (x *laneFixture) one(kind string) *OutboxItem {
	x.Helper()
	items := x.claim("h", 1)
	if len(items) != 1 || items[0].Kind != kind {
		x.Fatalf("claimed %v, want one %s", kinds(items), kind)
	}
	return &items[0]
}

// deliver acknowledges whatever can be claimed, and says what that was.
func (x *laneFixture) deliver() (delivered []string) {
	x.Helper()
	for {
		items := x.claim("h", 4)
		if len(items) == 0 {
			return delivered
		}
		for i := range items {
			x.ok(x.s.Acknowledge(x.Context(), &items[i]))
			delivered = append(delivered, items[i].Kind)
		}
	}
}

func (x *laneFixture) counts() OutboxCounts {
	x.Helper()
	c, err := x.s.OutboxCounts(x.Context())
	x.ok(err)
	return c
}

// state says what the counts are in short: pending retrying leased stale dead
// succeeded, and the lifecycle state.
func (x *laneFixture) state() string {
	x.Helper()
	c := x.counts()
	x.same(c.Total, c.Pending+c.Retrying+c.Leased+c.DeadLetter+c.Succeeded)
	return fmt.Sprintf("%d %d %d %d %d %d %s", c.Pending, c.Retrying, c.Leased, c.StaleLeases, c.DeadLetter, c.Succeeded, c.LifecycleState)
}

func (x *laneFixture) units(open bool) string {
	x.Helper()
	list, err := x.s.Units(x.Context(), open)
	x.ok(err)
	var out []string
	for _, u := range list {
		out = append(out, strings.Trim(u.Status+" "+u.Stream+" "+u.Boundary+" "+u.Reason, " "))
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

func (x *laneFixture) confirmed() string {
	x.Helper()
	state, _, err := x.s.ConfirmedState(x.Context())
	x.ok(err)
	text, err := json.Marshal(asText(state))
	x.ok(err)
	return string(text)
}

func asText(state map[string][]byte) map[string]string {
	out := map[string]string{}
	for k, v := range state {
		out[k] = string(v)
	}
	return out
}

func kinds(items []OutboxItem) (out []string) {
	for _, i := range items {
		out = append(out, i.Kind)
	}
	return out
}

// LC-01.1: what a run collects is in the outbox with the run's own transactions,
// and delivered only when that is acknowledged. It never stands as records.
func TestWhatARunCollectsIsQueued(t *testing.T) {
	t.Parallel()
	x := newLane(t)
	ctx := t.Context()
	w := x.begin("c")
	x.put(w, 0, `k1={"n":1}`, `k2={"n":2}`, "-k3")
	x.put(w, 1, `k1={"m":1}`)
	x.ok(w.CommitSlice(ctx, "a", []byte(`{"at":1}`), "page1"))
	x.put(w, 0, `k4={"n":4}`)
	x.ok(w.Stage(ctx, "b", []byte(`"b1"`), ""))
	x.finish(w, StateCommit{Stream: "b", Cursor: []byte(`"b1"`)})
	x.same(w.Counts(), []StreamCounts{{New: 3, Deleted: 1}, {New: 1}})

	st, err := x.s.Stats(ctx)
	x.ok(err)
	x.same(st.Records+st.Tombstones+st.LastSeq, 0)
	x.same(x.cursors("c"), "") // no cursor moves here
	x.same(x.confirmed(), `{}`)
	x.same(x.state(), "5 0 0 0 0 0 draining")
	x.sound()

	batch := x.one(KindRecordBatch)
	var b device.Batch
	x.ok(json.Unmarshal(batch.Body("dev1", ""), &b))
	x.same([]any{b.DeviceID, b.SourceInstanceID, b.ConnectorID, b.RunID, b.BatchSeq, b.BodyHash == batch.BodyHash},
		[]any{"dev1", "src1", "demo", "run1", 1, true})
	x.same(string(b.Records), `[{"stream":"a","record_key":"k1","data":{"n":1},"emitted_at":"t"},`+
		`{"stream":"a","record_key":"k2","data":{"n":2},"emitted_at":"t"},{"stream":"a","record_key":"k3","emitted_at":"t","op":"delete"}]`)
	hash, err := device.Hash(b.Records)
	x.ok(err)
	x.same(b.BodyHash, hash)
	x.same(b.BatchID, device.BatchID("demo", "src1", 1, hash))
	x.ok(x.s.Acknowledge(ctx, batch))
	x.same(x.deliver(), []string{KindRecordBatch, KindRecordBatch, KindCheckpoint, KindRunCommit})
	x.same(x.confirmed(), `{"a":"{\"at\":1}","b":"\"b1\""}`)
	x.same(x.units(false), "complete, complete a page1")
}

// LC-01.2: what a killed process had queued is delivered by the next one, as it
// was, without collecting again.
func TestQueuedWorkOutlivesItsProcess(t *testing.T) {
	t.Parallel()
	x := newLane(t)
	w := x.begin("c")
	x.put(w, 0, `k1={"n":1}`)
	x.ok(w.Flush(t.Context()))
	before := x.one(KindRecordBatch) // it dies with the row in hand
	w.Abandon()
	x.reopen()
	x.same(x.state(), "0 0 1 0 0 0 draining")
	x.clock.forward(301 * time.Second)
	x.same(x.state(), "0 0 1 1 0 0 stale_lease")
	n, err := x.s.RecoverLeases(t.Context(), nil)
	x.ok(err)
	x.same(n, 1)
	again := x.one(KindRecordBatch)
	x.same([]any{again.ID, string(again.Payload), again.Epoch}, []any{before.ID, string(before.Payload), 2})
	x.ok(x.s.Acknowledge(t.Context(), again))
	x.same(x.state(), "0 0 0 0 0 1 coverage_missing")
}

// A batch is cut at its number of records and at its bytes; a record that is
// larger goes alone.
func TestBatchesAreBounded(t *testing.T) {
	t.Parallel()
	x := newLaneOf(t, Lane{SourceInstanceID: "src1", MaxBatchRecords: 3, MaxBatchBytes: 400})
	w := x.begin("c")
	big := `{"t":"` + strings.Repeat("x", 500) + `"}`
	x.put(w, 0, "a=1", "b=2", "c=3", "d=4", "e="+big, "f=6", `g="`+strings.Repeat("y", 250)+`"`, `h="`+strings.Repeat("z", 250)+`"`)
	x.ok(w.Flush(t.Context()))
	var sizes []int
	for {
		items := x.claim("h", 1)
		if len(items) == 0 {
			break
		}
		var b struct {
			Records []device.Record `json:"records"`
		}
		x.ok(json.Unmarshal(items[0].Payload, &b))
		sizes = append(sizes, len(b.Records))
		x.ok(x.s.Acknowledge(t.Context(), &items[0]))
	}
	x.same(sizes, []int{3, 1, 1, 2, 1})
	x.same(x.counts().RecordBatches, 5)
}

// A record that would be read as something else is refused before it is queued,
// with everything after it (Invariant 3).
func TestARecordCannotBecomeAnother(t *testing.T) {
	t.Parallel()
	for _, data := range []string{``, `{`, `1},{"stream":"b"`, `{"a":1}{"b":2}`, "\"\xff\"", "nul"} {
		x := newLane(t)
		w := x.begin("c")
		b := w.NewBatch()
		b.Add(0, []byte("k"), []byte(data), []byte("t"), false)
		x.code(w.Write(t.Context(), b), "internal.error")
		x.code(w.Finish(t.Context(), Outcome{Status: "succeeded"}), "internal.error")
		x.ok(w.Finish(t.Context(), Outcome{Status: "failed", Reason: "runtime_error"}))
		x.same(x.deliver(), []string{KindRunCommit})
	}
}
