package run

import (
	"context"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
)

// LC-02.1: a planned stop comes between two units, keeps the units committed by then,
// and leaves a gap that the next run closes by going on; it is no source pressure.
func TestPlannedStopKeepsFinishedUnits(t *testing.T) {
	t.Parallel()
	h := newHost(t, setup{})
	units := 0
	h.deps.Budget = func() abi.Reason {
		if units++; units < 2 {
			return ""
		}
		return abi.ReasonPolicyBudget
	}
	h.runner = New(h.deps)
	script := "records notes 0 10" + slice("notes", `{"page":1}`) + "\nrecords notes 10 20" + slice("notes", `{"page":2}`) +
		"\nrecords notes 20 30" + state("notes", `{"page":3}`) + "\npoll"
	res, err := h.play(script)
	expectFailure(t, res, err, abi.ReasonPolicyBudget, abi.CodeBudgetReached)
	if got := h.cursor("notes"); got != `{"page":2}` || units != 2 {
		t.Errorf("got cursor %s after %d units, want page 2 after 2", got, units)
	}
	if !res.Error.Retryable || len(res.KnownGaps) != 1 {
		t.Fatalf("got %+v with known gaps %+v, want a retryable failure and one gap", res.Error, res.KnownGaps)
	}
	g := res.KnownGaps[0]
	if g.Reason != string(abi.ReasonPolicyBudget) || g.Stream != "notes" || g.Severity != "recoverable" || g.RecoveryHint != "retry_by_runtime" {
		t.Errorf("got %+v, want a recoverable gap of notes for the policy budget", g)
	}
	if abi.ReasonPolicyBudget.IsSourcePressure() {
		t.Error("got a policy budget that counts as source pressure, want none")
	}
	h.deps.Budget = nil
	h.runner = New(h.deps)
	h.succeed("expect {\"page\":2}\nrecords notes 20 30" + state("notes", `{"page":3}`) + done(10))
}

// A connector that succeeds behind its last unit leaves no gap.
func TestPlannedStopAtTheEndIsNone(t *testing.T) {
	t.Parallel()
	h := newHost(t, setup{})
	h.deps.Budget = func() abi.Reason { return abi.ReasonPolicyBudget }
	h.runner = New(h.deps)
	res := h.succeed("records notes 0 1" + slice("notes", `{"page":1}`) + done(1))
	if len(res.KnownGaps) != 0 || h.cursor("notes") != `{"page":1}` {
		t.Errorf("got known gaps %+v and cursor %s, want none and page 1", res.KnownGaps, h.cursor("notes"))
	}
}

// Deps.Described may refuse the run, before anything of it begins.
func TestDescribedMayRefuse(t *testing.T) {
	t.Parallel()
	h := newHost(t, setup{})
	said := ""
	h.deps.Described = func(_ context.Context, manifest []byte) error {
		said = string(manifest)
		return errTest
	}
	h.runner = New(h.deps)
	if res, err := h.play(done(0)); err == nil || res != nil || !strings.Contains(said, `"connector_key": "scripted"`) {
		t.Errorf("got %v, %v after manifest %q; want a refusal after the connector's own", res, err, said)
	}
	if runs, err := h.store.Runs(t.Context(), "scripted", 10); err != nil || len(runs) != 0 {
		t.Errorf("got runs %v (%v), want none", runs, err)
	}
}

// Deps.Accepted sees only records that have passed the boundary.
func TestAcceptedSeesGoodRecords(t *testing.T) {
	t.Parallel()
	h := newHost(t, setup{})
	var seen []string
	h.deps.Accepted = func(stream string, key, data []byte, deleted bool) {
		seen = append(seen, stream+" "+string(key)+" "+string(data))
		if deleted {
			seen[len(seen)-1] += " deleted"
		}
	}
	h.runner = New(h.deps)
	h.mustPlay(`emit {"type":"RECORD","stream":"notes","key":"a","data":{"id":"a","n":1},"emitted_at":"2026-01-01T00:00:00Z"}` +
		"\n" + `emit {"type":"RECORD","stream":"notes","key":"b","data":{"id":"b","n":"one"},"emitted_at":"2026-01-01T00:00:00Z"}` +
		"\n" + `emit {"type":"RECORD","stream":"notes","key":"c","op":"delete","data":{"id":"c"},"emitted_at":"2026-01-01T00:00:00Z"}` + done(3))
	if len(seen) != 2 || !strings.HasPrefix(seen[0], `notes a {"id":"a","n":1}`) || !strings.HasPrefix(seen[1], "notes c ") || !strings.HasSuffix(seen[1], " deleted") {
		t.Errorf("got %q, want the good record a and the deletion of c", seen)
	}
}
