package storage

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/device"
)

// LC-04.1: once the records and the gaps before it are acknowledged, and not
// before, a checkpoint is given out, alone; and only its acknowledgement moves
// the cursor that the next run begins from.
func TestACheckpointFollowsItsRecords(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	x := newLane(t)
	w := x.begin("c")
	x.same(len(w.State()), 0)
	x.put(w, 0, "k=1")
	x.ok(w.PutGap(ctx, Gap{Stream: "a", RecordKey: "g", Reason: "rate_limited"}))
	x.ok(x.s.EnqueueBlob(ctx, "text/plain", []byte("blob")))
	x.ok(w.CommitSlice(ctx, "a", []byte(`7`), "s1"))
	x.put(w, 1, "m=1")
	x.ok(w.Flush(ctx))
	items := x.claim("h", 9)
	x.same(kinds(items), []string{KindRecordBatch, KindGap, KindBlobUpload, KindRecordBatch}) // the commit waits
	for i := range items[1:] {
		x.ok(x.s.Acknowledge(ctx, &items[1+i]))
	}
	x.same(len(x.claim("h", 9)), 0)
	x.same(x.confirmed(), "{}")
	x.ok(x.s.Acknowledge(ctx, &items[0]))
	x.put(w, 1, "m=2")
	x.ok(w.Flush(ctx))
	commit := x.claim("h", 9)
	x.same(kinds(commit), []string{KindCheckpoint}) // alone
	var said device.StateCommit
	x.ok(json.Unmarshal(commit[0].Body("dev", "con"), &said))
	x.same([]any{said.RunID, string(said.State["a"])}, []any{"run1", "7"})
	x.same(x.confirmed(), "{}")
	x.same(x.counts().LastCheckpointAt.IsZero(), true)
	x.clock.forward(time.Second)
	x.ok(x.s.Acknowledge(ctx, &commit[0]))
	x.same(x.confirmed(), `{"a":"7"}`)
	x.same(x.counts().LastCheckpointAt, x.clock.Now().UTC())
	x.finish(w)
	x.deliver()
	w = x.begin("c")
	x.same(string(w.State()["a"]), "7")
}

// LC-04.2: while a record or a gap before it is not accepted, for whatever
// reason, no checkpoint goes, and a later run begins from the old cursor.
func TestNoCheckpointPastWhatIsNotAccepted(t *testing.T) {
	t.Parallel()
	for name, refuse := range map[string]func(x *laneFixture, i *OutboxItem) error{
		"retrying": func(x *laneFixture, i *OutboxItem) error {
			return x.s.Retry(x.Context(), i, x.clock.Now().Add(time.Hour), "http_503", "")
		},
		"leased": func(*laneFixture, *OutboxItem) error { return nil },
		"dead":   func(x *laneFixture, i *OutboxItem) error { return x.s.DeadLetter(x.Context(), i, "http_422", "") },
	} {
		for _, kind := range []string{KindRecordBatch, KindGap, KindBlobUpload} {
			t.Run(name+" "+kind, func(t *testing.T) {
				t.Parallel()
				ctx := t.Context()
				x := newLane(t)
				x.ok(x.s.ConfirmState(ctx, map[string][]byte{"a": []byte(`"old"`)}, x.clock.Now()))
				w := x.begin("c")
				switch kind {
				case KindRecordBatch:
					x.put(w, 0, "k=1")
				case KindGap:
					x.ok(w.PutGap(ctx, Gap{Stream: "a", RecordKey: "g", Reason: "rate_limited"}))
				default:
					x.ok(x.s.EnqueueBlob(ctx, "", []byte("blob")))
				}
				x.ok(w.CommitSlice(ctx, "a", []byte(`"new"`), ""))
				x.finish(w, StateCommit{Stream: "b", Cursor: []byte(`"new"`)})
				x.ok(refuse(x, x.one(kind)))
				x.same(len(x.deliver()), 0)
				x.same(x.confirmed(), `{"a":"\"old\""}`)
				x.same(string(x.begin("c").State()["a"]), `"old"`)
			})
		}
	}
}

// LC-02.2: a unit is complete as soon as all of it is acknowledged, whatever
// becomes of the others of its run.
func TestAUnitCompletesByItself(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	x := newLane(t)
	w := x.begin("c")
	for i, stream := range []string{"a", "b"} {
		x.put(w, i, "k=1")
		x.ok(w.CommitSlice(ctx, stream, []byte("1"), "s1"))
	}
	x.put(w, 0, "k=2")
	x.ok(w.Flush(ctx))
	x.same(x.units(true), "running, running a s1, running b s1")
	items := x.claim("h", 2)
	x.ok(x.s.Acknowledge(ctx, &items[0]))
	x.ok(x.s.Retry(ctx, &items[1], x.clock.Now().Add(time.Hour), "timeout", "no answer"))
	x.same(x.units(true), "delivered a s1, running, running b s1 timeout")
	x.ok(x.s.Acknowledge(ctx, x.one(KindCheckpoint)))
	x.same(x.units(false), "complete a s1, running, running b s1 timeout")
	x.ok(x.s.Acknowledge(ctx, x.one(KindRecordBatch))) // of the unit that goes on
	x.same(x.units(true), "running, running b s1 timeout")
	// The run is cut off: what it delivered without a boundary is no complete unit.
	w.Abandon()
	x.clock.forward(time.Hour)
	w = x.begin("c")
	x.same(x.units(true), "delivered, running b s1 timeout")
	x.finish(w) // collects everything again
	x.deliver()
	x.same(x.units(true), "")
}

// Every run that ends is told of, also one that failed or collected nothing, and
// one that failed commits nothing.
func TestEveryEndIsTold(t *testing.T) {
	t.Parallel()
	x := newLane(t)
	for i, o := range []Outcome{
		{Status: "succeeded"},
		{Status: "cancelled", Reason: "owner_cancelled"},
		{
			Status: "failed", Reason: "connector_reported_failed", Error: &RunError{Code: "x", Message: "it's <b>"},
			KnownGaps: []byte(`[{"kind":"skip","stream":"a","reason":"r"}]`), Withheld: []Withheld{{Stream: "a", Reason: "run_failed"}}, Narrowed: true,
		},
	} {
		w := x.begin("c")
		n := int64(5)
		x.ok(w.PutCoverage(t.Context(), Coverage{Stream: "a", StateStream: "b", Required: 3, Considered: &n}))
		x.clock.forward(time.Second)
		x.ok(w.Finish(t.Context(), o))
		item := x.one(KindRunCommit)
		body := item.Body("dev1", "con1")
		var c device.RunCommit
		x.ok(json.Unmarshal(body, &c))
		x.same([]any{c.Version, c.RunID, c.DeviceID, c.ConnectorInstanceID, c.ConnectorID, c.SourceInstanceID, len(c.StateDelta), c.StateDelta != nil},
			[]any{1, fmt.Sprint("run", i+1), "dev1", "con1", "demo", "src1", 0, true})
		out := c.Outcome
		x.same([]any{out.Status, out.Reason, out.Mode, out.Narrowed, out.Connector, out.Version, out.ModuleSHA256, out.Streams, out.FinishedAt.Sub(out.StartedAt)},
			[]any{o.Status, o.Reason, abi.ModeIncremental, o.Narrowed, "demo", "1", "abc", []string{"a", "b"}, time.Second})
		x.same([]any{len(out.Coverage), out.Coverage[0].Required, *out.Coverage[0].Considered}, []any{1, 3, 5})
		if o.Error != nil {
			var e RunError
			x.ok(json.Unmarshal(out.Error, &e))
			x.same(e, *o.Error)
			x.same(string(out.KnownGaps), string(o.KnownGaps))
			x.same(string(out.Withheld), `[{"stream":"a","reason":"run_failed"}]`)
		}
		x.ok(x.s.Acknowledge(t.Context(), item))
	}
	x.same(x.counts().LastCheckpointAt.IsZero(), true) // no cursor moved
}

// The coverage records of a run's own streams go with its end.
func TestTheEndSaysWhatWasCovered(t *testing.T) {
	t.Parallel()
	x := newLane(t)
	w := x.begin("c", func(n *NewRun) { n.Streams = []string{"a", device.CoverageStream} })
	x.put(w, 1, `1={"id":"1","store":"x","stream":"a","status":"excluded"}`, `2={"id":"2","store":"y","stream":"a","status":"collected"}`,
		`3={"store":"y","stream":"a","status":"invented"}`, `4={"store":"y","stream":null,"status":"missing"}`, `5={"stream":"elsewhere","status":"missing"}`, `6=7`)
	x.finish(w)
	x.same(x.deliver()[0], KindRecordBatch)
	var c device.RunCommit
	w = x.begin("c")
	x.finish(w)
	x.ok(json.Unmarshal(x.one(KindRunCommit).Payload, &c))
	x.same(len(c.Facts), 0) // of the second run

	x = newLane(t)
	w = x.begin("c", func(n *NewRun) { n.Streams = []string{"a", device.CoverageStream} })
	x.put(w, 1, `1={"stream":"a","status":"excluded"}`, `2={"stream":"a","status":"x"}`)
	x.finish(w)
	x.ok(x.s.Acknowledge(t.Context(), x.one(KindRecordBatch)))
	x.ok(json.Unmarshal(x.one(KindRunCommit).Payload, &c))
	x.same(c.Facts, []device.TerminalFact{{Stream: "a", CoverageStatuses: []string{"excluded", "unaccounted"}}})
}

// The end of one run goes before anything of the next.
func TestRunsAreDeliveredInTheirOrder(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	x := newLane(t)
	for range 2 {
		w := x.begin("c")
		x.put(w, 0, "k=1")
		x.finish(w)
	}
	i := x.one(KindRecordBatch)
	x.same(len(x.claim("h", 9)), 0)
	x.ok(x.s.Acknowledge(ctx, i))
	x.same(x.deliver(), []string{KindRunCommit, KindRecordBatch, KindRunCommit})
}

// The destination's own cursors replace those that were known.
func TestConfirmedStateIsReplaced(t *testing.T) {
	t.Parallel()
	x := newLane(t)
	x.ok(x.s.ConfirmState(t.Context(), map[string][]byte{"a": []byte("1"), "b": []byte(`{"n":12345678901234567890}`)}, x.clock.Now()))
	x.ok(x.s.ConfirmState(t.Context(), map[string][]byte{"b": []byte(`{"n":12345678901234567890}`)}, time.Time{}))
	x.same(x.confirmed(), `{"b":"{\"n\":12345678901234567890}"}`)
	x.same(asText(x.begin("c").State()), map[string]string{"b": `{"n":12345678901234567890}`})
	_, err := x.s.BeginRun(t.Context(), x.newRun("c", func(n *NewRun) { n.Bookmark = BookmarkBackfill }))
	x.code(err, abi.CodeUsage)
}
