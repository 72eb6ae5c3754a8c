package contract

import (
	"fmt"
	"slices"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/host/run"
)

// lacking returns what a stream's coverage_strategy promises and a run did not show, "" when it
// did: without it nothing says that the stream's records are all there is. files: the connector
// reads folders, of which the host knows by itself what was read.
func lacking(st *abi.Stream, res *run.Result, files bool) string {
	committed := func(stream string) bool { return slices.Contains(res.Checkpoints.Committed, stream) }
	switch st.CoverageStrategy {
	case "full_inventory":
		if !slices.Contains(res.Whole, st.Name) && !(files && committed(st.Name)) {
			return "an enumeration that is said to be whole"
		}
	case "parent_detail_accounting":
		if !slices.Contains(res.Accounted, st.Name) {
			return "a DETAIL_COVERAGE"
		}
	case "checkpoint_window", "snapshot_import_receipt":
		if !committed(st.Name) && !slices.ContainsFunc(st.Parents(), committed) {
			return "a cursor"
		}
	}
	return "" // of singleton_presence the record is the evidence
}

// warnOfEvidence warns of streams whose records came without what their coverage_strategy
// promises. One of which the run said that something is missing promises nothing.
func (s *suite) warnOfEvidence(res *run.Result) {
	files, _ := s.manifest.Declares(abi.BindingFilesystem)
	for i := range s.manifest.Streams {
		st := &s.manifest.Streams[i]
		told := slices.ContainsFunc(res.KnownGaps, func(g run.KnownGap) bool {
			return g.Stream == st.Name || g.Stream == "" && g.Kind != "unexplained_input" // a gap about files, not records
		})
		if st.Name == device.CoverageStream || len(s.stored[st.Name]) == 0 || told {
			continue
		}
		if what := lacking(st, res, files); what != "" {
			s.report.Warnings = append(s.report.Warnings, fmt.Sprintf("stream %s declares %s, and its records came without %s: nothing says that they are all", st.Name, st.CoverageStrategy, what))
		}
	}
}
