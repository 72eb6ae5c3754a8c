package storage

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi/device"
	devices "github.com/pdpp-host/pdpp-host/storage/device"
)

// LC-04.1: a run that failed of some streams alone commits the
// cursors of the others. A host takes none with the end of a failed run, so they
// go before it, each behind its records.
func TestAFailedRunsCursorsGoBeforeItsEnd(t *testing.T) {
	t.Parallel()
	x := newLane(t)
	w := x.begin("c")
	x.put(w, 0, "k=1")
	x.ok(w.Stage(t.Context(), "a", []byte(`{"at":1}`), ""))
	x.ok(w.Finish(t.Context(), Outcome{
		Status: "failed", Reason: "connector_reported_failed", Error: &RunError{Code: "stream_collection_failed", Message: "b failed"},
		Checkpoints: []StateCommit{{Stream: "a", Cursor: []byte(`{"at":1}`)}},
	}))
	x.ok(x.s.Acknowledge(t.Context(), x.one(KindRecordBatch)))
	x.ok(x.s.Acknowledge(t.Context(), x.one(KindCheckpoint)))
	end := x.one(KindRunCommit)
	var c device.RunCommit
	x.ok(json.Unmarshal(end.Body("dev1", "con1"), &c))
	_, err := devices.OutcomeOf(&c, strings.Repeat("0", 64)) // as the host reads it
	x.ok(err)
	x.ok(x.s.Acknowledge(t.Context(), end))
	x.same(x.confirmed(), `{"a":"{\"at\":1}"}`)
}

// Cursors that are together more than the end of a run may hold go before it.
func TestLargeCursorsGoBeforeTheEnd(t *testing.T) {
	t.Parallel()
	x := newLane(t)
	w := x.begin("c")
	cursor := []byte(`{"at":"` + strings.Repeat("<", 3<<20) + `"}`)
	x.finish(w, StateCommit{Stream: "a", Cursor: cursor}, StateCommit{Stream: "b", Cursor: cursor}, StateCommit{Stream: "d", Cursor: cursor})
	for range 3 {
		i := x.one(KindCheckpoint)
		x.same(len(i.Payload) < 4<<20, true) // as it was written, without escapes
		x.ok(x.s.Acknowledge(t.Context(), i))
	}
	i := x.one(KindRunCommit)
	x.same(len(i.Payload) < 1<<20, true)
	x.ok(x.s.Acknowledge(t.Context(), i))
}

// LC-06.1: a clock that was ahead, and is set back, blocks nothing for as long as
// it was ahead: neither what was leased nor what was put off.
func TestAClockThatIsSetBackBlocksNothing(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	x := newLane(t)
	w := x.begin("c")
	x.put(w, 0, "k=1")
	x.put(w, 1, "m=1")
	x.ok(w.Flush(ctx))
	x.clock.forward(365 * 24 * time.Hour)
	items := x.claim("died", 2)
	x.ok(x.s.Retry(ctx, &items[1], x.clock.Now().Add(time.Hour), "timeout", ""))
	x.clock.forward(-365 * 24 * time.Hour)
	n, err := x.s.RecoverLeases(ctx, nil)
	x.ok(err)
	x.same(n, 1)
	x.same(x.state(), "2 0 0 0 0 0 draining")
	again := x.claim("h", 2)
	x.same(len(again), 2)
	x.code(x.s.Acknowledge(ctx, &items[0]), CodeLeaseNotCurrent)
	x.ok(x.s.Acknowledge(ctx, &again[0]))
	// Seconds are what clocks are put right by, and no reason to take a row away.
	x.clock.forward(-10 * time.Second)
	n, err = x.s.RecoverLeases(ctx, nil)
	x.ok(err)
	x.same(n, 0)
	x.ok(x.s.Acknowledge(ctx, &again[1]))
}

// A destination takes a newer run for the end of an older one, and then nothing
// more of it: nothing of a run passes what an earlier one still has to deliver,
// not a commit that waits, nor what was given up.
func TestALaterRunPassesNothingOfAnEarlierOne(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	for name, leave := range map[string]func(x *laneFixture, w *RunWriter){
		"a checkpoint that waits": func(x *laneFixture, w *RunWriter) {
			x.ok(w.CommitSlice(ctx, "a", []byte(`{}`), "s"))
			x.ok(w.Flush(ctx))
			x.ok(x.s.Retry(ctx, x.one(KindCheckpoint), x.clock.Now().Add(time.Minute), "timeout", ""))
		},
		"a dead letter": func(x *laneFixture, w *RunWriter) {
			x.put(w, 0, "k=1")
			x.ok(w.Flush(ctx))
			x.ok(x.s.DeadLetter(ctx, x.one(KindRecordBatch), "http_422", ""))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := newLane(t)
			w := x.begin("c")
			leave(x, w)
			w.Abandon()
			x.clock.forward(10 * time.Second)
			w = x.begin("c", func(n *NewRun) { n.HolderAlive = func(string) bool { return false } })
			x.put(w, 1, "m=1")
			x.ok(w.Flush(t.Context()))
			x.same(len(x.claim("h", 9)), 0)
			_, err := x.s.RequeueDeadLetters(t.Context(), false)
			x.ok(err)
			x.clock.forward(time.Hour)
			first := x.claim("h", 1)
			x.same(first[0].RunID, "run1")
			x.ok(x.s.Acknowledge(t.Context(), &first[0]))
			x.same(x.deliver(), []string{KindRecordBatch})
		})
	}
}

// An owner can get moving at once what a host put off for years.
func TestWhatWasPutOffIsDueWhenItsOwnerSaysSo(t *testing.T) {
	t.Parallel()
	x := oneBatch(t)
	x.ok(x.s.Retry(t.Context(), x.one(KindRecordBatch), x.clock.Now().Add(30*365*24*time.Hour), "http_503", ""))
	n, err := x.s.RequeueDeadLetters(t.Context(), true)
	x.ok(err)
	x.same(n, 0)
	x.same(len(x.claim("h", 1)), 0)
	n, err = x.s.RequeueDeadLetters(t.Context(), false)
	x.ok(err)
	x.same(n, 0)
	x.ok(x.s.Acknowledge(t.Context(), x.one(KindRecordBatch)))
}

// LC-07.4: the end of a run is shown away from the device, and says nothing of
// where its files lie.
func TestTheEndOfARunNamesNoPath(t *testing.T) {
	t.Parallel()
	x := newLane(t)
	for _, path := range []string{x.path, "/Users/ada l/x", "/home/ada/.ssh/id", `C:\Users\ada\x.sqlite`, "~/ada/x", "file:///home/ada"} {
		w := x.begin("c")
		x.ok(w.Finish(t.Context(), Outcome{Status: "failed", Reason: "runtime_error", Error: &RunError{Code: "storage.full", Message: "no space left, or less: " + path + ", write"}}))
		i := x.one(KindRunCommit)
		var c device.RunCommit
		x.ok(json.Unmarshal(i.Payload, &c))
		if text := string(c.Outcome.Error); strings.Contains(text, "ada") || strings.Contains(text, filepath.Base(x.path)) || !strings.Contains(text, "no space left, or less: ") {
			t.Errorf("got %q, want the full disk named, and neither the owner nor the file", text)
		}
		x.ok(x.s.Acknowledge(t.Context(), i))
	}
}
