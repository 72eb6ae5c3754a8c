package run

import (
	"context"
	"database/sql"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Invariant 1: the cursor of a slice becomes durable behind the slice's records,
// whatever becomes of the run after it.
func TestASliceIsCommittedBehindItsRecords(t *testing.T) {
	t.Parallel()
	h := newHost(t, setup{})
	h.mustPlay("records notes 0 3" + slice("notes", `{"page":1}`) + "\ntrap")
	checkpoints, err := h.store.Checkpoints(t.Context(), "scripted")
	if err != nil || len(checkpoints) != 1 {
		t.Fatalf("got checkpoints %+v (%v), want one", checkpoints, err)
	}
	streams, err := h.store.Streams(t.Context(), "scripted")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range streams {
		if s.Name == "notes" && (s.Live != 3 || checkpoints[0].Seq < s.LastSeq) {
			t.Errorf("got the cursor at change %d and %d records up to change %d, want 3 records before the cursor", checkpoints[0].Seq, s.Live, s.LastSeq)
		}
	}
}

// A gap is durable as recovered when its record is, and never before.
func TestAGapIsRecoveredBehindItsRecord(t *testing.T) {
	t.Parallel()
	var h *host
	var seen []string
	h = newHost(t, setup{asker: answers(func(ctx context.Context, _ abi.Interaction) (abi.InteractionResponse, error) {
		// A crash would leave the store as it is here.
		h.t.Helper()
		if g := h.gap("b"); g.Status == storage.GapRecovered {
			seen = append(seen, h.keys("messages"))
		}
		return abi.InteractionResponse{Status: abi.ResponseSuccess}, ctx.Err()
	})})
	h.succeed(leavesGap("b", ofChats) + done(0))
	h.succeed(h.outcomeOf("ATTEMPTED", "b") + message("b") + h.outcomeOf("RECOVERED", "b") + "\n" + ask(abi.InteractionManualAction) + done(1))
	if len(seen) != 1 || seen[0] != "b" {
		t.Errorf("when the gap is recovered the store has the records %q, want b", seen)
	}
}

// A connector reports a backlog again while it fetches it, with an older watermark: a
// run that ends there leaves the older records, and a run that goes on recovers the
// backlog without its lease, which is over.
func TestABacklogIsMovedInItsMiddle(t *testing.T) {
	t.Parallel()
	const key = "backlog:messages:a..z"
	h := newHost(t, setup{})
	backlog := func(before, more string) string {
		return strings.NewReplacer(`"detail_locator":{}`, `"detail_locator":{"kind":"backlog","before_update_time":"`+before+`"}`,
			"temporary_unavailable", "retry_exhausted").Replace(leavesGap(key, ofChats, more))
	}
	h.succeed(backlog("z", "") + done(0))
	moved := h.outcomeOf("ATTEMPTED", key) + message("y") + backlog("x", `,"gap_id":"`+h.gap(key).ID+`"`)
	h.mustPlay(moved + "\ntrap")
	if g := h.gap(key); g.Status != storage.GapPending || !strings.Contains(string(g.DetailLocator), `"x"`) {
		t.Fatalf("after the trap the backlog is %s, %s; want it pending from x on", g.Status, g.DetailLocator)
	}
	id := `,"gap_id":"` + h.gap(key).ID + `"`
	moved = h.outcomeOf("ATTEMPTED", key) + message("x") + backlog("w", id)
	last := strings.Replace(backlog("v", id), `"retryable"`, `"last_error":{"class":"run_cap_backlog"},"retryable"`, 1)
	if res := h.succeed(moved + last + done(1)); res.GapsFound != 1 || len(res.Gaps) != 1 || res.Gaps[0].Class != "run_cap_backlog" {
		t.Errorf("%d gaps found, listed %+v, want the one backlog as it was reported last", res.GapsFound, res.Gaps)
	}
	moved = h.outcomeOf("ATTEMPTED", key) + message("w") + backlog("c", id) + backlog("b", id)
	res := h.succeed(moved + "\ngap {\"type\":\"DETAIL_GAP_RECOVERED\",\"gap_id\":\"" + h.gap(key).ID + "\",\"stream\":\"messages\"}" + done(1))
	if res.GapsFound != 0 || len(res.Gaps) != 0 {
		t.Errorf("%d gaps found and %d listed, want none: the backlog was fetched", res.GapsFound, len(res.Gaps))
	}
	if g := h.gap(key); g.Status != storage.GapRecovered {
		t.Errorf("the backlog is %s, want recovered", g.Status)
	}
}

// guestless has runs of h be what a test does in the guest's place, behind START.
func (h *host) guestless(guest func(r *run)) {
	h.deps.Collect = func(_ context.Context, _ *plugin.Guest, _ plugin.Grant, to plugin.Host) plugin.Exit {
		r, ours := to.(*run)
		if !ours {
			h.t.Errorf("got a host of type %T, want a run", to)
			return plugin.Exit{}
		}
		if err := r.Submit(abi.OpStart, nil, func([]byte) {}); err != nil {
			h.t.Error(err)
		}
		guest(r)
		return plugin.Exit{Returned: true}
	}
	h.runner = New(h.deps)
}

// robbed has another host take the connection's lease, so that the run's next write fails.
func (h *host) robbed() {
	h.t.Helper()
	c, err := h.store.Connection(h.t.Context(), "scripted")
	if err == nil {
		_, err = h.store.BeginRun(h.t.Context(), storage.NewRun{
			RunID: "thief", ConnectionID: c.ID, Connector: "scripted", Version: "1", ModuleSHA256: "x", Mode: abi.ModeIncremental,
			Bookmark: storage.BookmarkIncremental, Holder: "thief", Streams: []string{"notes"}, LeaseTTL: time.Minute,
			HolderAlive: func(string) bool { return false },
		})
	}
	if err != nil {
		h.t.Error(err)
	}
}

// An outcome that cannot be written is not an outcome, whichever it is.
func TestAnOutcomeThatIsNotWritten(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{"succeeded": "records notes 0 3" + done(3), "failed": "trap"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t, setup{})
			db, err := sql.Open("sqlite", "file:"+filepath.Join(h.dir, "pdpp.sqlite")+"?_pragma=busy_timeout(10000)")
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = db.Close() }()
			if _, err := db.ExecContext(t.Context(), "CREATE TRIGGER no_end BEFORE UPDATE OF finished_us ON runs BEGIN SELECT RAISE(ABORT, 'no end'); END"); err != nil {
				t.Fatal(err)
			}
			if res, err := h.play(script); res != nil || !isCode(err, "storage.unavailable") {
				t.Errorf("got %+v and %v, want no outcome and the store's error", res, err)
			}
		})
	}
}

// saying is the end of a guest's line, after the word that begins it.
func saying(line string) []byte {
	_, payload, _ := strings.Cut(strings.TrimSpace(line), " ")
	return []byte(payload)
}

// A cursor that is durable and only staged is not told as committed when the store fails, and
// that of a whole slice is.
//
// Invariant 1.
func TestAStagedCursorIsNotToldAsCommitted(t *testing.T) {
	t.Parallel()
	h := newHost(t, setup{})
	h.guestless(func(r *run) {
		for _, line := range []string{slice("notes", `{"n":1}`), state("journal", `{"j":1}`)} {
			if err := r.Message("state", saying(line)); err != nil {
				t.Error(err)
			}
		}
		if err := r.writer.Flush(t.Context()); err != nil {
			t.Error(err)
		}
		_ = r.stored(errTest)
	})
	res := h.mustPlay("")
	if got := res.Checkpoints.Committed; res.Status != StatusFailed || len(got) != 1 || got[0] != "notes" {
		t.Errorf("got %s with %v committed, want failed, and notes alone", res.Status, got)
	}
}

// The records that a guest emitted last are stored, although no message came behind them and
// the guest failed.
func TestTheLastRecordsAreStored(t *testing.T) {
	t.Parallel()
	h := newHost(t, setup{})
	for script, want := range map[string]string{"emit " + goodNote + "\ntrap": StatusFailed, "records journal 0 2" + done(2): StatusSucceeded} {
		if res := h.mustPlay(script); res.Status != want {
			t.Errorf("got %s %+v, want %s", res.Status, res.Error, want)
		}
	}
	if got := h.keys("notes") + " " + h.keys("journal"); got != "good journal-0 journal-1" {
		t.Errorf("got the records %q, want all three", got)
	}
}

// A run whose last records cannot be stored has failed, whatever its guest said, and its result
// says so: what was queued is waited for before the outcome is decided.
func TestAFailureOfTheLastFlushIsTold(t *testing.T) {
	t.Parallel()
	h := newHost(t, setup{})
	h.guestless(func(r *run) {
		if err := r.Emit([]byte(goodNote)); err != nil {
			t.Error(err)
		}
		if err := r.intake.flush(); err != nil {
			t.Error(err)
		}
		if err := r.writer.Flush(t.Context()); err != nil {
			t.Error(err)
		}
		if err := r.Emit([]byte(badNote)); err != nil {
			t.Error(err)
		}
		if err := r.Message("done", saying(done(2))); err != nil {
			t.Error(err)
		}
		h.robbed()
	})
	res, err := h.play("")
	expectFailure(t, res, err, abi.ReasonFenced, abi.CodeFenced)
}

// A gap that the store did not take, and a page of gaps that it did not give, end the run at
// once: the guest learns that the call failed, and is given no page.
func TestAFailedGapOperationEndsTheRun(t *testing.T) {
	t.Parallel()
	for name, call := range map[string]func(r *run, h *host) error{
		"a page": func(r *run, _ *host) error {
			return r.Submit(abi.OpGaps, nil, func(page []byte) { t.Errorf("got the page %q, want none", page) })
		},
		"an attempt":  func(r *run, h *host) error { return r.Message("gap", saying(h.outcomeOf("ATTEMPTED", "b"))) },
		"a recovery":  func(r *run, h *host) error { return r.Message("gap", saying(h.outcomeOf("RECOVERED", "b"))) },
		"another gap": func(r *run, _ *host) error { return r.Message("gap", saying(leavesGap("c", ofChats))) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t, setup{})
			h.succeed(leavesGap("b", ofChats) + done(0))
			h.guestless(func(r *run) {
				h.ids.Add(-1) // this run's lease has the number
				h.robbed()
				_ = r.writer.Flush(t.Context())
				err := call(r, h)
				h.ids.Add(1)
				if !isCode(err, abi.CodeFenced) || !isCode(r.storeError(), abi.CodeFenced) {
					t.Errorf("got %v, and %v as the run's end, want the lost lease as both", err, r.storeError())
				}
				if name == "a page" && !isCode(context.Cause(r.ctx), abi.CodeFenced) {
					t.Errorf("got the run ended by %v, want the lost lease", context.Cause(r.ctx))
				}
			})
			res, err := h.play("")
			expectFailure(t, res, err, abi.ReasonFenced, abi.CodeFenced)
		})
	}
}
