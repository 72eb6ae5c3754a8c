package storage

import (
	"slices"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage/run"
)

func exerciseGaps(t *testing.T, x *exercise) {
	ctx := t.Context()
	w := x.begin("c")
	gap := Gap{Stream: "a", ParentStream: "p", RecordKey: `["1","2"]`, Reason: "rate_limited", Class: "http", DetailLocator: []byte(`{"u":1}`)}
	x.ok(w.PutGap(ctx, gap))
	x.ok(w.PutGap(ctx, gap)) // the same gap
	x.ok(w.PutGap(ctx, Gap{Stream: "a", RecordKey: `["1","2"]`, Reason: "rate_limited"}))
	x.ok(w.PutGap(ctx, Gap{Stream: "b", RecordKey: "1", NextAttemptAfter: x.clock.Now().Add(time.Hour)}))
	x.same(len(x.lease(w, 10)), 0) // not a gap's own finder
	x.finish(w)
	gaps, err := x.s.Gaps(ctx, "c", GapQuery{})
	x.ok(err)
	x.same(len(gaps), 3)

	w = x.begin("c")
	x.same(len(x.lease(w, 1)), 1)
	leased := x.lease(w, 10)
	x.same(len(leased), 1) // stream b's is not due
	x.same(len(x.lease(w, 10)), 0)
	g := x.gap("a", "p")
	x.same([]any{g.Status, g.LeaseRunID, g.LeaseID != "", g.LeaseExpiresAt, string(g.DetailLocator), g.DiscoveredRunID},
		[]any{GapInProgress, "run2", true, x.clock.Now().Add(time.Minute).UTC(), `{"u":1}`, "run1"})
	x.ok(w.GapOutcome(ctx, g.ID, g.LeaseID, false))
	x.ok(w.GapOutcome(ctx, g.ID, g.LeaseID, true))
	x.ok(w.Flush(ctx))
	g = x.gap("a", "p")
	x.same([]any{g.Status, g.AttemptCount, g.RecoveredRunID, g.LastAttemptAt}, []any{GapRecovered, 1, "run2", x.clock.Now().UTC()})
	other := x.gap("a", "")
	x.ok(w.GapOutcome(ctx, other.ID, other.LeaseID, false))
	gap.Reason = "retry_exhausted"
	x.ok(w.PutGap(ctx, gap)) // known again: open again
	x.finish(w)
	g = x.gap("a", "p")
	x.same([]any{g.Status, g.Reason, g.AttemptCount, g.RecoveredRunID, g.DiscoveredRunID, g.LastRunID}, []any{GapPending, "retry_exhausted", 1, "", "run1", "run2"})
	x.same(x.gap("a", "").AttemptCount, 1)

	x.clock.forward(2 * time.Hour)
	w = x.begin("c")
	x.same(len(x.lease(w, 10)), 3)
	x.ok(w.GiveUp(ctx, g.ID))
	x.finish(w)
	g = x.gap("a", "p")
	x.same([]any{g.Status, g.Class}, []any{GapTerminal, "gone_or_forbidden"})
	w = x.begin("c")
	x.same(len(x.lease(w, 10)), 2)
	x.finish(w)
}

// AC-10: a gap whose item is gone or forbidden is no open one: no run leases it by itself, it counts
// as gone in its connection's evidence, and it says what its provider said. An owner's word, another
// credential and another module have it asked for again, and a run that was not let in leaves it gone.
func exerciseGone(t *testing.T, x *exercise) {
	ctx := t.Context()
	w := x.begin("c")
	id := w.To.ConnectionID
	for _, key := range []string{"1", "2", "3", "4"} {
		x.ok(w.PutGap(ctx, Gap{
			Stream: "a", RecordKey: key, Reason: "temporary_unavailable", Class: "demo_http_404", LastError: []byte(`{"http_status":404,"said":"No ` + key + `."}`),
		}))
	}
	x.finish(w)
	count := func(gone, open int64) {
		x.Helper()
		e, err := x.s.EvidenceOf(ctx, id)
		x.ok(err)
		x.same(len(e.Facts.Gaps.Streams), 1)
		g := e.Facts.Gaps.Streams[0]
		x.same([]int64{g.Gone, g.Other, g.Pressure, g.Failing}, []int64{gone, open, 0, 0})
		counts, err := x.s.GapCounts(ctx, id, []string{"a"})
		x.ok(err)
		n := int64(0)
		for _, c := range counts {
			n += c.Count
		}
		x.same(n, open)
	}
	leased := func(w *RunWriter, force bool) int {
		x.Helper()
		gaps, err := w.LeaseGaps(ctx, GapPage{Streams: []string{"a", "b"}, MaxBytes: 1 << 20, Due: x.clock.Now(), GivenUp: force})
		x.ok(err)
		return len(gaps)
	}
	w = x.begin("c")
	x.same(leased(w, false), 4)
	keys := map[string]string{}
	all, err := x.s.Gaps(ctx, "c", GapQuery{})
	x.ok(err)
	for _, g := range all {
		keys[g.RecordKey] = g.ID
	}
	x.ok(w.GiveUp(ctx, keys["1"], keys["2"], keys["3"]))
	x.code(w.GiveUp(ctx, "nothing"), abi.CodeGapInvalid)
	x.finish(w)
	count(3, 1)
	missing, err := x.s.MissingDetails(ctx, id, []string{"a"})
	x.ok(err)
	x.same(len(missing), 2)
	x.same([]any{missing[1].Class, missing[1].Count, missing[1].Keys, missing[1].Said}, []any{"gone_or_forbidden", int64(3), []string{"1", "2", "3"}, "No 1."})

	w = x.begin("c")
	gone, err := w.GivenUp(ctx, []string{"a"})
	x.ok(err)
	x.same(len(gone), 3)
	x.same(leased(w, false), 1)
	x.finish(w)
	w = x.begin("c")
	x.same(leased(w, true), 4)
	x.same(leased(w, true), 0) // once in a run
	x.ok(w.PutGap(ctx, Gap{Stream: "a", RecordKey: "2", Reason: "temporary_unavailable", Class: string(abi.ReasonGone)}))
	x.ok(w.GapOutcome(ctx, keys["3"], "", true))
	x.finish(w)
	count(2, 1)
	x.ok(x.s.RepairEvidence(ctx, "c"))
	count(2, 1)

	x.ok(x.s.PutCredentials(ctx, id, map[string][]byte{"token": []byte("t")}))
	count(0, 3)
	w = x.begin("c")
	x.same(leased(w, false), 3)
	x.ok(w.GiveUp(ctx, keys["1"]))
	x.finish(w)
	count(1, 2)
	x.ok(x.s.PinPlugin(ctx, id, "other", []byte(keptManifest)))
	count(0, 3)
}

func (x *exercise) lease(w *RunWriter, n int) []Gap {
	x.Helper()
	gaps, err := w.LeaseGaps(x.Context(), GapPage{Streams: []string{"a", "b"}, MaxBytes: n * (run.GapOverhead + 64), Due: x.s.db.Now()})
	x.ok(err)
	return gaps
}

func (x *exercise) gap(stream, parent string) Gap {
	x.Helper()
	gaps, err := x.s.Gaps(x.Context(), "c", GapQuery{})
	x.ok(err)
	i := slices.IndexFunc(gaps, func(g Gap) bool { return g.Stream == stream && g.ParentStream == parent })
	return gaps[i]
}

func exerciseGapLeases(t *testing.T, x *exercise) {
	ctx := t.Context()
	w := x.begin("c")
	x.ok(w.PutGap(ctx, Gap{Stream: "a", RecordKey: "1"}))
	x.finish(w)
	w = x.begin("c") // will not end
	g := x.lease(w, 1)[0]
	fresh := x.begin("c", func(n *NewRun) { n.HolderAlive = func(string) bool { return false } })
	again := x.lease(fresh, 1)
	x.same(len(again), 1)
	x.same(again[0].ID, g.ID)
	// The old lease is worth nothing.
	x.code(fresh.GapOutcome(ctx, g.ID, g.LeaseID, true), abi.CodeGapInvalid)
	x.ok(fresh.GapOutcome(ctx, again[0].ID, again[0].LeaseID, true)) // a refusal does not end the run
	// Another connection's gap is unknown here.
	w = x.begin("d")
	x.code(w.GapOutcome(ctx, g.ID, "", true), abi.CodeGapInvalid)
	x.code(w.GiveUp(ctx, g.ID), abi.CodeGapInvalid)
	x.finish(w)
}

func exerciseCoverage(t *testing.T, x *exercise) {
	ctx := t.Context()
	w := x.begin("c")
	n := int64(7)
	x.ok(w.PutCoverage(ctx, Coverage{Stream: "a", StateStream: "b", Required: 1}))
	x.ok(w.PutCoverage(ctx, Coverage{Stream: "a", StateStream: "b", Required: 4, Hydrated: 2, Gaps: 1, Skipped: 1, Covered: &n}))
	x.ok(w.PutCoverage(ctx, Coverage{Stream: "b", StateStream: "b", Considered: &n}))
	x.finish(w)
	list, err := x.s.Coverage(ctx, w.RunID())
	x.ok(err)
	x.same(len(list), 2)
	x.same([]any{list[0].Required, list[0].Hydrated, list[0].Gaps, list[0].Skipped, list[0].Considered == nil, *list[0].Covered}, []any{4, 2, 1, 1, true, 7})
	x.same([]any{*list[1].Considered, list[1].Covered == nil}, []any{7, true}) // unknown is not zero, Invariant 8
	_, err = x.s.Coverage(ctx, "none")
	x.code(err, abi.CodeRunUnknown)
}

// A gap that is open already and is seen again costs no event; one that is new, was
// closed, or has another reason does.
func exerciseGapEvents(t *testing.T, x *exercise) {
	ctx := t.Context()
	events := func(reason string) int {
		t.Helper()
		w := x.begin("c")
		x.ok(w.PutGap(ctx, Gap{Stream: "a", RecordKey: "1", Reason: reason}, Event{Type: "gap"}))
		x.finish(w)
		list, err := x.s.Events(ctx, w.RunID(), 0, 0)
		x.ok(err)
		n := 0
		for _, e := range list {
			if e.Type == "gap" {
				n++
			}
		}
		return n
	}
	x.same([]int{events("rate_limited"), events("rate_limited"), events("retry_exhausted"), events("retry_exhausted")}, []int{1, 0, 1, 0})
	w := x.begin("c")
	x.ok(w.GiveUp(ctx, x.gap("a", "").ID))
	x.finish(w)
	x.same(events("retry_exhausted"), 1)
}
