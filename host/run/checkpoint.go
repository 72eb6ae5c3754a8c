package run

import (
	"slices"

	"github.com/pdpp-host/pdpp-host/abi"
)

// Why a staged cursor was withheld.
const (
	withheldRunFailed    = "run_failed"
	withheldRunCancelled = "run_cancelled"
	withheldStreamFailed = string(abi.ReasonStreamCollectionFailed)
	withheldCoverage     = string(abi.ReasonDetailCoverageIncomplete)
	withheldNarrowed     = "scope_narrowed" // --since or --resource left records out
	withheldPartialScope = "rider_not_in_scope"
	withheldRejected     = "all_records_rejected" // the connector does not fit its own schema
)

// withhold returns why the cursor of stream c may not be committed now, or ""
// when it may (contracts: section 4.1).
func (l *ledger) withhold(c string) string {
	return l.withholdUnless(c, func(lane) bool { return false })
}

// withholdSlice is withhold for a slice, whose lanes may be open where its slices
// account for them.
func (l *ledger) withholdSlice(c string) string { return l.withholdUnless(c, l.whole) }

func (l *ledger) withholdUnless(c string, accounted func(lane) bool) string {
	if l.narrowed {
		return withheldNarrowed
	}
	for failed := range l.failed {
		if s := l.manifest.Stream(failed); failed == c || s != nil && l.rides(s, c) {
			return withheldStreamFailed
		}
	}
	if l.allRejected(c) {
		return withheldRejected
	}
	for i := range l.manifest.Streams {
		d := &l.manifest.Streams[i]
		if d.Name == c || !l.rides(d, c) {
			continue
		}
		if !l.inScope[d.Name] {
			// The cursor would claim the rider's records too, and they were
			// not collected.
			if collectedByDefault(d) {
				return withheldPartialScope
			}
			continue
		}
		if l.allRejected(d.Name) {
			return withheldRejected
		}
		ln := lane{d.Name, c}
		if _, declared := l.reports[ln]; !declared && slices.Contains(d.ParentStreams, c) && !accounted(ln) {
			return withheldCoverage
		}
	}
	if l.unaccounted(c) {
		return withheldCoverage
	}
	return ""
}

// unaccounted reports whether the connector named details of the cursor's lanes that
// are neither here nor gaps.
func (l *ledger) unaccounted(c string) bool {
	for ln := range l.sliced {
		if ln.parent == c && l.owes(ln) {
			return true
		}
	}
	for ln, r := range l.reports {
		if ln.parent == c && !l.accounted(r) {
			return true
		}
	}
	for g := range l.claimed {
		if s := l.manifest.Stream(g.stream); g.stream == c || g.parent == c || s != nil && l.rides(s, c) {
			return true
		}
	}
	return false
}

// rides reports whether the cursor of c covers records of s: c is a parent of s,
// or s rides the cursor of a stream that has none of its own and rides c. The
// manifest has no circle.
func (l *ledger) rides(s *abi.Stream, c string) bool {
	if slices.Contains(s.Parents(), c) {
		return true
	}
	for s != nil && s.StateStream != "" {
		if s.StateStream == c {
			return true
		}
		s = l.manifest.Stream(s.StateStream)
	}
	return false
}

// settle decides the staged cursors of a run that ended: which commit with the
// outcome, and which are withheld and why. certified says that a failed run
// ended with error code stream_collection_failed and named the failed streams,
// the one case in which a failed run commits at its end.
func (l *ledger) settle(status string, certified bool, staged []string) (commit []string, held []Withheld) {
	for _, c := range slices.Sorted(slices.Values(staged)) {
		reason := l.withhold(c)
		switch {
		case status == StatusCancelled:
			reason = withheldRunCancelled
		case status == StatusFailed && !(certified && len(l.failed) > 0):
			reason = withheldRunFailed
		}
		if reason == "" {
			commit = append(commit, c)
		} else {
			held = append(held, Withheld{Stream: c, Reason: reason})
		}
	}
	return commit, held
}
