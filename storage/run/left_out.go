package run

import (
	"context"
	"slices"

	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/storage/evidence"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
)

// mostGapRuns is how far back a gap is looked for that later runs have not looked at.
const mostGapRuns = 20

// LeftOut returns what the run said that the connection's evidence rests on, of what it
// did not collect: the known gaps of its outcome, as in Run.KnownGaps, and nil without
// any. Where that run looked at other streams alone, they are those of the run before it
// that left one of what is still missing, among the newest twenty. It writes nothing.
func (s *Store) LeftOut(ctx context.Context, e *evidence.Evidence) ([]byte, error) {
	settled, stand := e.Facts.Settled, e.Facts.KnownGaps
	if settled == nil {
		return nil, nil
	}
	runs, err := s.Runs(ctx, e.Name, mostGapRuns)
	if err != nil {
		return nil, err
	}
	from := slices.IndexFunc(runs, func(r Run) bool { return r.ID == settled.ID })
	if from < 0 {
		return nil, nil
	}
	for i, r := range runs[from:] {
		gaps, ok := evidence.KnownGaps(&tables.RunRow{KnownGaps: string(r.KnownGaps)})
		if ok && len(gaps) > 0 && (i == 0 || slices.ContainsFunc(gaps, func(g health.KnownGap) bool { return standsIn(stand, g) })) {
			return r.KnownGaps, nil
		}
		if len(stand) == 0 {
			break
		}
	}
	return nil, nil
}

// standsIn reports whether a gap that a run left is one of those that stand.
func standsIn(stand []health.KnownGap, g health.KnownGap) bool {
	return slices.ContainsFunc(stand, func(s health.KnownGap) bool {
		return s.Stream == g.Stream && s.Severity == g.Severity && s.RecoveryAction == g.RecoveryAction
	})
}
