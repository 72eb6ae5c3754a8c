package storage

import (
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/storage/internal/db"
)

// HL-18: the cycles and the floor of a cool-down are those of the gaps under
// source pressure. One that waits for another reason may have been tried more
// often and may be due sooner: it says nothing of the provider.
func TestOtherReasonsAreNoPressure(t *testing.T) {
	t.Parallel()
	x, _ := kept(t, keptManifest)
	ctx, soon, late := t.Context(), x.clock.Now().Add(time.Hour), x.clock.Now().Add(9*time.Hour)
	// found finds both gaps, and tries each as often as it says.
	found := func(floor time.Time, tries map[string]int) {
		t.Helper()
		for range max(tries["pressed"], tries["other"]) {
			x.clock.forward(24 * time.Hour)
			w := x.begin("c")
			for _, g := range x.lease(w, 10) {
				if tries[g.RecordKey]--; tries[g.RecordKey] >= 0 {
					x.ok(w.GapOutcome(ctx, g.ID, g.LeaseID, false))
				}
			}
			x.finish(w)
		}
		w := x.begin("c")
		x.ok(w.PutGap(ctx, Gap{Stream: "a", RecordKey: "pressed", Reason: "rate_limited", NextAttemptAfter: floor}))
		x.ok(w.PutGap(ctx, Gap{Stream: "a", RecordKey: "other", Reason: "retry_exhausted", NextAttemptAfter: soon}))
		x.finish(w)
	}
	want := func(attempts, floorUS int64) {
		t.Helper()
		e, err := x.s.EvidenceOf(ctx, "c")
		x.ok(err)
		if g := e.Facts.Gaps; g.MaxAttempts != attempts || g.NextAttemptUS != floorUS {
			t.Errorf("got %d attempts and the floor %d, want %d and %d", g.MaxAttempts, g.NextAttemptUS, attempts, floorUS)
		}
		differ, err := x.s.CheckEvidence(ctx)
		if x.ok(err); len(differ) > 0 {
			t.Errorf("the evidence made again differs")
		}
	}
	found(late, nil)
	want(0, db.Micros(late))
	found(late, map[string]int{"pressed": 1, "other": 3})
	want(1, db.Micros(late))
	found(time.Time{}, nil) // the provider names no moment any more
	want(1, 0)
}
