package storage

import "testing"

// Gaps that keep failing come after those that were never tried: under a small
// cap they would otherwise use up every run.
func TestGapsTriedLeastComeFirst(t *testing.T) {
	t.Parallel()
	x := &exercise{T: t, s: mustOpen(t, Options{Path: t.TempDir() + "/pdpp.sqlite"})}
	w := x.begin("c")
	x.ok(w.PutGap(t.Context(), Gap{Stream: "a", RecordKey: "old", Reason: "temporary_unavailable"}))
	x.ok(w.Finish(t.Context(), Outcome{Status: "succeeded"}))
	w = x.begin("c")
	old := x.lease(w, 1)[0]
	x.ok(w.GapOutcome(t.Context(), old.ID, old.LeaseID, false))
	x.ok(w.PutGap(t.Context(), Gap{Stream: "a", RecordKey: "old", Reason: "temporary_unavailable"}))
	x.ok(w.PutGap(t.Context(), Gap{Stream: "a", RecordKey: "new", Reason: "temporary_unavailable"}))
	x.ok(w.Finish(t.Context(), Outcome{Status: "succeeded"}))
	w = x.begin("c")
	if got := x.lease(w, 1); got[0].RecordKey != "new" {
		t.Fatalf("%s comes first", got[0].RecordKey)
	}
	x.ok(w.Finish(t.Context(), Outcome{Status: "succeeded"}))
}
