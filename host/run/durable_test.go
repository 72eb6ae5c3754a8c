package run

import (
	"context"
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
		t.Fatalf("%+v %v", checkpoints, err)
	}
	streams, err := h.store.Streams(t.Context(), "scripted")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range streams {
		if s.Name == "notes" && (s.Live != 3 || checkpoints[0].Seq < s.LastSeq) {
			t.Errorf("the cursor was committed at change %d, and its %d records reach to %d", checkpoints[0].Seq, s.Live, s.LastSeq)
		}
	}
}

// A gap is durable as recovered when its record is, and never before.
func TestAGapIsRecoveredBehindItsRecord(t *testing.T) {
	t.Parallel()
	var h *host
	var seen []string
	h = newHost(t, setup{asker: answers(func(ctx context.Context, _ abi.Interaction) (abi.InteractionResponse, error) {
		// Here the store is as a crash would leave it.
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
