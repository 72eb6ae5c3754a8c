package run

import (
	"context"
	"slices"

	"github.com/pdpp-host/pdpp-host/abi"
)

// sliceReports is what the STATEs of a run said of one lane that is still open.
type sliceReports struct {
	silent bool             // one said nothing: its cursor may cover details that nobody counted
	open   []coverageReport // that are not all accounted for
}

// onSliceCoverage takes what a STATE says of the lanes that its cursor anchors.
func (c *collection) onSliceCoverage(state *abi.State) error {
	ctx := context.WithoutCancel(c.ctx)
	var said []coverageReport
	for _, s := range state.Coverage {
		report, err := c.reportOf(ctx, lane{s.Stream, state.Stream}, s.RequiredKeys, s.HydratedKeys, s.GapKeys, s.OptionalSkipKeys)
		if err != nil {
			return err
		}
		if !c.ledger.sliceAccounted(report) {
			for _, key := range s.RequiredKeys {
				if err := c.keep(len(key)); err != nil {
					return err
				}
			}
		}
		said = append(said, report)
	}
	return c.ledger.addSlice(state.Stream, said)
}

// reportOf reads an account of a lane, without the keys that the connector calls
// fetched and has delivered nothing of.
func (c *collection) reportOf(ctx context.Context, ln lane, required, hydrated, gaps, skipped []abi.Raw) (coverageReport, error) {
	report := coverageReport{lane: ln}
	for _, part := range []struct {
		to   *[]string
		from []abi.Raw
	}{
		{&report.required, required}, {&report.hydrated, hydrated}, {&report.gaps, gaps}, {&report.skipped, skipped},
	} {
		var err error
		if *part.to, err = keyTexts(part.from); err != nil {
			return report, err
		}
	}
	return report, c.believe(ctx, &report)
}

// addSlice takes what a STATE of the stream says of its lanes. A lane that it says
// nothing of, while the lane's DETAIL_COVERAGE is owed, commits no slices any more.
func (l *ledger) addSlice(parent string, said []coverageReport) error {
	for _, r := range said {
		if err := l.checkLane(r.lane); err != nil {
			return err
		}
		if _, closed := l.reports[r.lane]; closed {
			return abi.NewError(abi.CodeCoverageInvalid, "a slice accounts for details of stream "+r.stream+" after its DETAIL_COVERAGE",
				"emit DETAIL_COVERAGE after the lane's last slice")
		}
		if s := l.slicesOf(r.lane); !l.sliceAccounted(r) {
			s.open = append(s.open, r)
		}
	}
	for i := range l.manifest.Streams {
		d := &l.manifest.Streams[i]
		ln := lane{d.Name, parent}
		if _, closed := l.reports[ln]; closed || !slices.Contains(d.ParentStreams, parent) {
			continue
		}
		if !slices.ContainsFunc(said, func(r coverageReport) bool { return r.lane == ln }) {
			l.slicesOf(ln).silent = true
		}
	}
	return nil
}

func (l *ledger) slicesOf(ln lane) *sliceReports {
	s := l.sliced[ln]
	if s == nil {
		s = &sliceReports{}
		l.sliced[ln] = s
	}
	return s
}

// whole reports whether all slices of the lane so far are accounted for.
func (l *ledger) whole(ln lane) bool {
	s := l.sliced[ln]
	return s != nil && !s.silent && !l.owes(ln)
}

// owes reports whether a slice of the lane is not accounted for. A record that was
// rejected may have arrived well since.
func (l *ledger) owes(ln lane) bool {
	s := l.sliced[ln]
	s.open = slices.DeleteFunc(s.open, l.sliceAccounted)
	return len(s.open) > 0
}

// sliceAccounted is accounted for a slice. A stream that anchors its own lane may leave
// rejected records behind, as any stream may: the store remembers them.
func (l *ledger) sliceAccounted(r coverageReport) bool {
	if r.stream == r.parent {
		return l.accountedBut(r, nil)
	}
	return l.accounted(r)
}
