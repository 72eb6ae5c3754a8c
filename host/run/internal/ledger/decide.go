package ledger

import (
	"slices"

	"github.com/pdpp-host/pdpp-host/abi"
)

// Why a staged cursor was withheld.
const (
	WithheldRunFailed    = "run_failed"
	WithheldRunCancelled = "run_cancelled"
	WithheldStreamFailed = string(abi.ReasonStreamCollectionFailed)
	WithheldCoverage     = string(abi.ReasonDetailCoverageIncomplete)
	WithheldNarrowed     = "scope_narrowed" // --since or --resource left records out
	WithheldPartialScope = "rider_not_in_scope"
	WithheldRejected     = "all_records_rejected" // the connector does not fit its own schema
)

// Withheld is one staged cursor that may not be committed, and why.
type Withheld struct{ Stream, Reason string }

// Withhold returns why the cursor of stream c may not be committed now, or ""
// when it may (runtime contract, section 4.1).
func (l *Ledger) Withhold(c string) string {
	return l.withholdUnless(c, func(Lane) bool { return false })
}

// WithholdSlice is Withhold for a slice, whose lanes may be open where its slices
// account for them.
func (l *Ledger) WithholdSlice(c string) string { return l.withholdUnless(c, l.slicesWhole) }

func (l *Ledger) withholdUnless(c string, accounted func(Lane) bool) string {
	if l.narrowed {
		return WithheldNarrowed
	}
	for failed := range l.failed {
		if s := l.manifest.Stream(failed); failed == c || s != nil && l.rides(s, c) {
			return WithheldStreamFailed
		}
	}
	if l.allRejected(c) {
		return WithheldRejected
	}
	for i := range l.manifest.Streams {
		d := &l.manifest.Streams[i]
		if d.Name == c || !l.rides(d, c) {
			continue
		}
		if !l.inScope[d.Name] {
			// The cursor would claim the rider's records too, and they were
			// not collected.
			if CollectedByDefault(d) {
				return WithheldPartialScope
			}
			continue
		}
		if l.allRejected(d.Name) {
			return WithheldRejected
		}
		ln := Lane{d.Name, c}
		if _, declared := l.reports[ln]; !declared && slices.Contains(d.ParentStreams, c) && !accounted(ln) {
			return WithheldCoverage
		}
	}
	if l.unaccounted(c) {
		return WithheldCoverage
	}
	return ""
}

// unaccounted reports whether the connector named details of the cursor's lanes that
// neither arrived nor became gaps.
func (l *Ledger) unaccounted(c string) bool {
	for ln := range l.sliced {
		if ln.Parent == c && l.owesSlice(ln) {
			return true
		}
	}
	for ln, r := range l.reports {
		if ln.Parent == c && !l.accounted(r) {
			return true
		}
	}
	for g := range l.claimed {
		if s := l.manifest.Stream(g.Stream); g.Stream == c || g.Parent == c || s != nil && l.rides(s, c) {
			return true
		}
	}
	return false
}

// DecideCheckpoints decides the staged cursors of a run that ended with status (of
// abi.DoneSucceeded, abi.DoneFailed, abi.DoneCancelled): which commit with the
// outcome, and which are withheld and why. certified says that a failed run ended
// with error code stream_collection_failed and named the failed streams, the one
// case in which a failed run commits at its end.
func (l *Ledger) DecideCheckpoints(status string, certified bool, staged []string) (commit []string, withheld []Withheld) {
	for _, c := range slices.Sorted(slices.Values(staged)) {
		reason := l.Withhold(c)
		switch {
		case status == abi.DoneCancelled:
			reason = WithheldRunCancelled
		case !l.Commits(status, certified):
			reason = WithheldRunFailed
		}
		if reason == "" {
			commit = append(commit, c)
		} else {
			withheld = append(withheld, Withheld{Stream: c, Reason: reason})
		}
	}
	return commit, withheld
}

// Commits reports whether a run that ended so commits anything at its end, see DecideCheckpoints.
func (l *Ledger) Commits(status string, certified bool) bool {
	return status == abi.DoneSucceeded || status == abi.DoneFailed && certified && len(l.failed) > 0
}

// CollectedByDefault reports whether a run that names no streams collects s: the
// author means to collect it, or at least to inventory it (RT-11).
func CollectedByDefault(s *abi.Stream) bool {
	switch s.Policy() {
	case abi.CoverageCollect, abi.CoverageInventoryOnly:
		return true
	default:
		return false
	}
}
