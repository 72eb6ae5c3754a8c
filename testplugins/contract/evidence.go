package contract

import (
	"fmt"
	"slices"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/storage"
)

// warnOfEvidence warns of streams whose records came without what their coverage_strategy
// promises. One of which the run said that something is missing promises nothing.
func (s *suite) warnOfEvidence(res *run.Result) {
	files, _ := s.manifest.Declares(abi.BindingFilesystem)
	for i := range s.manifest.Streams {
		st := &s.manifest.Streams[i]
		told := slices.ContainsFunc(res.KnownGaps, func(g run.KnownGap) bool {
			return g.Stream == st.Name && g.Kind != storage.CoverageNotShown || g.Stream == "" && g.Kind != run.KindUnexplained // a gap about files, not records
		})
		if st.Name == device.CoverageStream || len(s.stored[st.Name]) == 0 || told {
			continue
		}
		if what := res.Lacking(st, files); what != "" {
			s.report.Warnings = append(s.report.Warnings, fmt.Sprintf("stream %s declares %s, and its records came without %s: nothing says that they are all", st.Name, st.CoverageStrategy, what))
		}
	}
}
