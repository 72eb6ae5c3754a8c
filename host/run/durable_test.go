package run

import (
	"context"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
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
