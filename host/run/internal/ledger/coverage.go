package ledger

import (
	"slices"

	"github.com/pdpp-host/pdpp-host/abi"
)

// AddCoverage takes a lane's DETAIL_COVERAGE. A second one for the same lane is a
// violation (RT-12).
func (l *Ledger) AddCoverage(r Report) error {
	if err := l.checkLane(r.Lane); err != nil {
		return err
	}
	if _, twice := l.reports[r.Lane]; twice {
		return abi.NewError(abi.CodeCoverageInvalid,
			"a second DETAIL_COVERAGE for stream "+r.Stream+" and "+r.Parent,
			"emit exactly one per lane, after the lane's last record")
	}
	l.reports[r.Lane] = r
	return nil
}

// checkLane refuses a parent that the manifest does not declare, and a stream that
// has no lane.
func (l *Ledger) checkLane(r Lane) error {
	s := l.manifest.Stream(r.Stream)
	switch {
	case s == nil || !l.inScope[r.Stream]:
		return outOfScope("DETAIL_COVERAGE", r.Stream)
	case !l.inScope[r.Parent]:
		return outOfScope("DETAIL_COVERAGE's state_stream", r.Parent)
	case s.StateStream != "":
		return abi.NewError(abi.CodeCoverageInvalid,
			"stream "+r.Stream+" rides the cursor of "+s.StateStream+" and has no detail lane",
			"leave DETAIL_COVERAGE out, or declare parent_streams instead of state_stream")
	case len(s.ParentStreams) > 0 && !slices.Contains(s.ParentStreams, r.Parent):
		return abi.NewError(abi.CodeCoverageInvalid,
			"DETAIL_COVERAGE of stream "+r.Stream+" names "+r.Parent+", which is not among its parent_streams",
			"name a declared parent as state_stream")
	}
	return nil
}

func outOfScope(what, stream string) error {
	return abi.NewError(abi.CodeStreamOutOfScope, what+" names stream "+stream+", which is not in the run's scope",
		"emit only for the streams of START.scope")
}

// LaneClosed reports whether every lane of the stream has had its coverage, so
// that no further record of the stream may follow (RT-12.1).
func (l *Ledger) LaneClosed(stream string) bool {
	s := l.manifest.Stream(stream)
	if s == nil || len(l.reports) == 0 {
		return false
	}
	if len(s.ParentStreams) == 0 {
		for ln := range l.reports {
			if ln.Stream == stream {
				return true
			}
		}
		return false
	}
	closed := false
	for _, p := range s.ParentStreams {
		if _, ok := l.reports[Lane{stream, p}]; ok {
			closed = true
		} else if l.inScope[p] {
			return false
		}
	}
	return closed
}

// accounted reports whether every required key of the report was hydrated, is
// backed by a stored gap, or was skipped by a policy that the manifest lets
// count. A detail with several records is not hydrated while one of them is rejected,
// except in a stream that anchors its own lane.
func (l *Ledger) accounted(r Report) bool {
	refused := l.rejected[r.Stream]
	if r.Stream != r.Parent && len(refused) > 0 {
		refused = detailsIn(refused, r.Hydrated)
	}
	return l.accountedBut(r, refused)
}

// accountedBut is accounted when the records of the refused keys do not count.
func (l *Ledger) accountedBut(r Report, refused map[string]bool) bool {
	done := make(map[string]bool, len(r.Required))
	for _, k := range r.Hydrated {
		done[k] = !refused[k]
	}
	for _, k := range r.Gaps {
		if l.gapBacks(r.Lane, k) {
			done[k] = true
		}
	}
	if s := l.manifest.Stream(r.Stream); s != nil && s.Selection.OptionalSkipKeys {
		for _, k := range r.Skipped {
			done[k] = true
		}
	}
	for _, k := range r.Required {
		if !done[k] {
			return false
		}
	}
	return true
}

// Accounted lists the streams of which a DETAIL_COVERAGE came, in order.
func (l *Ledger) Accounted() (streams []string) {
	for lane := range l.reports {
		streams = append(streams, lane.Stream)
	}
	slices.Sort(streams)
	return slices.Compact(streams)
}
