package ledger

import (
	"slices"

	"github.com/pdpp-host/pdpp-host/abi"
)

// sliceReports is what the STATEs of a run said about one lane that is still open.
type sliceReports struct {
	silent bool     // one STATE said nothing: its cursor may cover details that were never counted
	open   []Report // the reports that are not all accounted for
}

// AddSlice takes what a STATE of the parent stream says about its lanes. A lane that
// the STATE leaves out, while the lane's DETAIL_COVERAGE is owed, commits no more
// slices.
func (l *Ledger) AddSlice(parent string, said []Report) error {
	for _, r := range said {
		if err := l.checkLane(r.Lane); err != nil {
			return err
		}
		if _, closed := l.reports[r.Lane]; closed {
			return abi.NewError(abi.CodeCoverageInvalid, "a slice accounts for details of stream "+r.Stream+" after its DETAIL_COVERAGE",
				"emit DETAIL_COVERAGE after the lane's last slice")
		}
		if s := l.slicesOf(r.Lane); !l.SliceAccounted(r) {
			s.open = append(s.open, r)
		}
	}
	for i := range l.manifest.Streams {
		d := &l.manifest.Streams[i]
		ln := Lane{d.Name, parent}
		if _, closed := l.reports[ln]; closed || !slices.Contains(d.ParentStreams, parent) {
			continue
		}
		if !slices.ContainsFunc(said, func(r Report) bool { return r.Lane == ln }) {
			l.slicesOf(ln).silent = true
		}
	}
	return nil
}

func (l *Ledger) slicesOf(ln Lane) *sliceReports {
	s := l.sliced[ln]
	if s == nil {
		s = &sliceReports{}
		l.sliced[ln] = s
	}
	return s
}

// slicesWhole reports whether all slices of the lane so far are accounted for.
func (l *Ledger) slicesWhole(ln Lane) bool {
	s := l.sliced[ln]
	return s != nil && !s.silent && !l.owesSlice(ln)
}

// owesSlice reports whether a slice of the lane is not accounted for. A good record
// may have followed a rejected one since.
func (l *Ledger) owesSlice(ln Lane) bool {
	s := l.sliced[ln]
	s.open = slices.DeleteFunc(s.open, l.SliceAccounted)
	return len(s.open) > 0
}

// SliceAccounted is accounted for a slice. A stream that anchors its own lane may leave
// rejected records behind, as any stream may: the store remembers them.
func (l *Ledger) SliceAccounted(r Report) bool {
	if r.Stream == r.Parent {
		return l.accountedBut(r, nil)
	}
	return l.accounted(r)
}
