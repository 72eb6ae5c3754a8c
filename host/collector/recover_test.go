package collector

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage"
)

// folder is every file of the lane's folder, by its bytes.
func (w *world) folder() string {
	w.Helper()
	var out strings.Builder
	entries, err := os.ReadDir(filepath.Dir(w.path))
	if !errors.Is(err, fs.ErrNotExist) {
		w.ok(err)
	}
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(filepath.Dir(w.path), e.Name()))
		w.ok(err)
		fmt.Fprintf(&out, "%s %x\n", e.Name(), sha256.Sum256(b))
	}
	return out.String()
}

// stuck leaves three uploads in the hands of a dead process, two of them past
// their lease.
func stuck(t *testing.T) *world {
	t.Helper()
	w := newWorld(t).guest()
	w.run(done(0)) // the connector is pinned, and the host knows its manifest
	w.enqueueStreams("notes", "journal", "chats")
	s := w.open()
	for n, lease := range map[int]time.Duration{1: time.Minute, 2: time.Microsecond} {
		held, err := s.Claim(t.Context(), storage.ClaimRequest{Holder: "dead", Lease: lease, Limit: n})
		if err != nil || len(held) != n {
			t.Fatalf("%v %v", held, err)
		}
	}
	w.ok(s.Close())
	return w
}

// given leaves two uploads given up for good.
func given(t *testing.T) *world {
	t.Helper()
	w := newWorld(t).guest()
	w.run(done(0))
	w.enqueueStreams("notes", "journal")
	s := w.open()
	held, err := s.Claim(t.Context(), storage.ClaimRequest{Holder: "h", Lease: time.Minute, Limit: 2})
	if err != nil || len(held) != 2 {
		t.Fatalf("%v %v", held, err)
	}
	for i := range held {
		w.ok(s.DeadLetter(t.Context(), &held[i], "http_422:device_records_rejected", "record 0 of notes"))
	}
	w.ok(s.Close())
	return w
}

// HL-23.11: a recovery that is only looked at says what it would do, and changes
// nothing: no row, no file, no request.
func TestRecoverDryRunChangesNothing(t *testing.T) {
	t.Parallel()
	w := given(t)
	before, calls := w.folder(), len(w.host.calls)
	r, err := w.collector().Recover(t.Context(), RecoverRequest{})
	w.ok(err)
	w.same(r.Mode, ModeDryRun, "mode")
	w.same(r.Planned, Planned{RequeueDeadLetters: 2, Run: true}, "planned")
	w.same(r.Before.LifecycleState, storage.LaneDeadLetter, "state")
	w.same(r.Before.Counts.DeadLetter, 2, "given up")
	w.same(w.folder(), before, "the lane's folder")
	w.same(len(w.host.calls), calls, "requests")
	if r.After != nil || r.Run != nil {
		t.Errorf("it did something: %+v", r)
	}

	none := newWorld(t)
	none.path = filepath.Join(t.TempDir(), "no", "lane.sqlite")
	none.deps.LanePath = none.path
	r, err = none.collector().Recover(t.Context(), RecoverRequest{})
	none.ok(err)
	none.same(r.DB.Exists, false, "the file is there")
	none.same(r.Before.LifecycleState, storage.LaneHealthyIdle, "state")
	if _, err := os.Stat(filepath.Dir(none.path)); !errors.Is(err, fs.ErrNotExist) {
		t.Error("it made a folder")
	}
}

// HL-23.11, HL-23.8: applied, it queues what was given up again, delivers it, and
// runs the collector once, with the lane's own profile.
func TestRecoverApplies(t *testing.T) {
	t.Parallel()
	w := given(t)
	r, err := w.collector().Recover(t.Context(), RecoverRequest{Apply: true, Run: w.script(records("notes", 0, 1) + done(1))})
	w.ok(err)
	w.same(r.Planned, Planned{RequeueDeadLetters: 2, Run: true}, "done")
	w.same(r.Before.Counts.DeadLetter, 2, "given up before")
	w.same(r.After.Counts.DeadLetter, 0, "given up after")
	if r.Run == nil || r.Run.Run == nil || r.Run.Outcome != OutcomeComplete {
		t.Fatalf("the run: %+v", r.Run)
	}
	w.same(len(w.host.keys("notes")), 2, "records at the host")
	w.same(len(w.host.keys("journal")), 1, "records at the host")
}

// The lease of a dead process runs out before its item is taken over.
func TestRecoverTakesOverStaleLeases(t *testing.T) {
	t.Parallel()
	w := stuck(t)
	r, err := w.collector().Recover(t.Context(), RecoverRequest{})
	w.ok(err)
	w.same(r.Planned.RecoverLeases, 2, "leases that are over")
	w.same(r.Before.LifecycleState, storage.LaneStaleLease, "state")
	r, err = w.collector().Recover(t.Context(), RecoverRequest{Apply: true, Run: w.script(done(0))})
	w.ok(err)
	w.same(r.Planned.RecoverLeases, 2, "leases taken over")
	w.same(r.After.Counts.Leased, 1, "still held")
	w.same(r.Run.SkippedScan, true, "scan skipped")
}

// A lane's file is no other lane's, whatever names it.
func TestRecoverRefusesAnotherLane(t *testing.T) {
	t.Parallel()
	w := given(t)
	other := *w.deps.Profile
	other.SourceInstanceID = "src_2"
	w.deps.Profile = &other
	before := w.folder()
	for _, apply := range []bool{false, true} {
		if _, err := w.collector().Recover(t.Context(), RecoverRequest{Apply: apply}); abi.CodeOf(err) != storage.CodeLaneMismatch {
			t.Errorf("apply %v: %v", apply, err)
		}
	}
	w.same(w.folder(), before, "the other lane's folder")
}

// A lane's upkeep by hand: what was given up is queued again, what was delivered
// is pruned, and the file is written anew only when nothing waits.
func TestUpkeep(t *testing.T) {
	t.Parallel()
	w := given(t)
	c := w.collector()
	if _, err := c.Compact(t.Context()); abi.CodeOf(err) != CodeLaneUndelivered {
		t.Errorf("it was compacted with work that waits: %v", err)
	}
	again, err := c.RetryDeadLetters(t.Context())
	w.ok(err)
	w.same(again.Requeued, 2, "requeued")
	w.same(again.After.Counts.Pending, 3, "waiting after")
	w.over(func(e *execution) { w.ok(e.d.Drain(t.Context())) })
	pruned, err := c.PruneSent(t.Context(), 1)
	w.ok(err)
	w.same(pruned.After.Counts.Sent, 1, "kept")
	w.same(pruned.PrunedSent.Pruned, 3, "pruned")
	compact, err := c.Compact(t.Context())
	w.ok(err)
	if compact.BytesAfter == 0 || compact.BytesAfter > compact.BytesBefore {
		t.Errorf("%d bytes became %d", compact.BytesBefore, compact.BytesAfter)
	}
	w.same(w.counts().Succeeded, 1, "kept after compacting")

	none := newWorld(t)
	for name, do := range map[string]func() error{
		"retry":   func() error { _, err := none.collector().RetryDeadLetters(t.Context()); return err },
		"prune":   func() error { _, err := none.collector().PruneSent(t.Context(), 1); return err },
		"compact": func() error { _, err := none.collector().Compact(t.Context()); return err },
	} {
		if err := do(); abi.CodeOf(err) != CodeLaneMissing {
			t.Errorf("%s of a lane that is not there: %v", name, err)
		}
	}
	if _, err := os.Stat(none.path); !errors.Is(err, fs.ErrNotExist) {
		t.Error("a lane was made")
	}
}
