package run

import (
	"slices"

	"github.com/pdpp-host/pdpp-host/abi"
)

// lane is one detail lane: a detail stream and the parent stream whose cursor
// anchors it.
type lane struct{ stream, parent string }

// coverageReport is one DETAIL_COVERAGE, with keys as canonical text.
type coverageReport struct {
	lane
	required, hydrated, gaps, skipped []string
}

// ledger keeps what a run's checkpoints depend on: the lanes' coverage, the
// gaps that back it, and the streams that failed. Not safe for concurrent use.
type ledger struct {
	manifest *abi.Manifest
	inScope  map[string]bool
	narrowed bool
	reports  map[lane]coverageReport
	sliced   map[lane]*sliceReports
	gaps     map[lane]map[string]bool   // stored DETAIL_GAPs; parent "" when the message named none
	rejected map[string]map[string]bool // by stream: keys of a lane's records that failed their schema
	arrivals map[string]*arrivals       // by stream
	failed   map[string]bool            // streams with an in-scope SKIP_RESULT stream_collection_failed
	claimed  map[gapOf]bool             // served gaps that the connector called recovered without a record

	// accepted has the keys of this run's records, in the streams of which an older
	// record proves nothing (see storage.RunWriter.RejectionsUnlisted).
	accepted map[string]map[string]bool
}

func newLedger(m *abi.Manifest, scope abi.Scope, narrowed bool) *ledger {
	l := &ledger{
		manifest: m, inScope: map[string]bool{}, narrowed: narrowed,
		reports: map[lane]coverageReport{}, sliced: map[lane]*sliceReports{}, gaps: map[lane]map[string]bool{}, failed: map[string]bool{},
		rejected: map[string]map[string]bool{}, arrivals: map[string]*arrivals{}, claimed: map[gapOf]bool{},
		accepted: map[string]map[string]bool{},
	}
	for _, s := range scope.Streams {
		l.inScope[s.Name] = true
	}
	return l
}

// arrivals says whether records of a stream arrived, good and rejected ones. How
// many is counted once, for the display and the result, by the collection.
type arrivals struct{ good, rejected bool }

// arrived notes one record. A rejected one of a lane is remembered by key: the
// guest will call it hydrated, and it is not, unless it arrives well after that.
func (l *ledger) arrived(stream string, key []byte, rejected bool) {
	a := l.arrivals[stream]
	if a == nil {
		a = &arrivals{}
		l.arrivals[stream] = a
	}
	if !rejected {
		a.good = true
		delete(l.rejected[stream], string(key))
		if accepted := l.accepted[stream]; accepted != nil {
			accepted[string(key)] = true
		}
		return
	}
	a.rejected = true
	delete(l.accepted[stream], string(key))
	if !l.hasLane(stream) {
		return
	}
	if l.rejected[stream] == nil {
		l.rejected[stream] = map[string]bool{}
	}
	l.rejected[stream][string(key)] = true
}

// hasLane reports whether the stream's records are accounted for by key.
func (l *ledger) hasLane(stream string) bool {
	s := l.manifest.Stream(stream)
	return s != nil && accountedByKey(s)
}

func accountedByKey(s *abi.Stream) bool {
	return len(s.ParentStreams) > 0 || s.CoverageStrategy == "parent_detail_accounting"
}

// byKey returns the manifest's streams whose records are accounted for by key.
func byKey(m *abi.Manifest) (names []string) {
	for i := range m.Streams {
		if s := &m.Streams[i]; accountedByKey(s) {
			names = append(names, s.Name)
		}
	}
	return names
}

// allRejected reports whether records of the stream arrived and none was good:
// the connector does not fit its own schema.
func (l *ledger) allRejected(stream string) bool {
	a := l.arrivals[stream]
	return a != nil && a.rejected && !a.good
}

// addGap records that a DETAIL_GAP is in the store.
func (l *ledger) addGap(stream, parent, key string) {
	k := lane{stream, parent}
	if l.gaps[k] == nil {
		l.gaps[k] = map[string]bool{}
	}
	l.gaps[k][key] = true
}

// gapBacks reports whether a stored gap stands for key in the lane. A stream
// with one parent accepts a gap that names no parent; one with several needs
// the exact parent.
func (l *ledger) gapBacks(ln lane, key string) bool {
	if l.gaps[ln][key] {
		return true
	}
	s := l.manifest.Stream(ln.stream)
	return (s == nil || len(s.ParentStreams) <= 1) && l.gaps[lane{ln.stream, ""}][key]
}

// addCoverage takes a lane's DETAIL_COVERAGE. A second one for the same lane is a
// violation (RT-12).
func (l *ledger) addCoverage(r coverageReport) error {
	if err := l.checkLane(r.lane); err != nil {
		return err
	}
	if _, twice := l.reports[r.lane]; twice {
		return abi.NewError(abi.CodeCoverageInvalid,
			"a second DETAIL_COVERAGE for stream "+r.stream+" and "+r.parent,
			"emit exactly one per lane, after the lane's last record")
	}
	l.reports[r.lane] = r
	return nil
}

// checkLane refuses a parent that the manifest does not declare, and a stream that
// has no lane.
func (l *ledger) checkLane(r lane) error {
	s := l.manifest.Stream(r.stream)
	switch {
	case s == nil || !l.inScope[r.stream]:
		return outOfScope("DETAIL_COVERAGE", r.stream)
	case !l.inScope[r.parent]:
		return outOfScope("DETAIL_COVERAGE's state_stream", r.parent)
	case s.StateStream != "":
		return abi.NewError(abi.CodeCoverageInvalid,
			"stream "+r.stream+" rides the cursor of "+s.StateStream+" and has no detail lane",
			"leave DETAIL_COVERAGE out, or declare parent_streams instead of state_stream")
	case len(s.ParentStreams) > 0 && !slices.Contains(s.ParentStreams, r.parent):
		return abi.NewError(abi.CodeCoverageInvalid,
			"DETAIL_COVERAGE of stream "+r.stream+" names "+r.parent+", which is not among its parent_streams",
			"name a declared parent as state_stream")
	}
	return nil
}

// laneClosed reports whether every lane of the stream has had its coverage, so
// that no further record of it may follow (RT-12.1).
func (l *ledger) laneClosed(stream string) bool {
	s := l.manifest.Stream(stream)
	if s == nil || len(l.reports) == 0 {
		return false
	}
	if len(s.ParentStreams) == 0 {
		for ln := range l.reports {
			if ln.stream == stream {
				return true
			}
		}
		return false
	}
	closed := false
	for _, p := range s.ParentStreams {
		if _, ok := l.reports[lane{stream, p}]; ok {
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
func (l *ledger) accounted(r coverageReport) bool {
	refused := l.rejected[r.stream]
	if r.stream != r.parent && len(refused) > 0 {
		refused = heldBy(refused, r.hydrated)
	}
	return l.accountedBut(r, refused)
}

// accountedBut is accounted when the records of the refused keys do not count.
func (l *ledger) accountedBut(r coverageReport, refused map[string]bool) bool {
	done := make(map[string]bool, len(r.required))
	for _, k := range r.hydrated {
		done[k] = !refused[k]
	}
	for _, k := range r.gaps {
		if l.gapBacks(r.lane, k) {
			done[k] = true
		}
	}
	if s := l.manifest.Stream(r.stream); s != nil && s.Selection.OptionalSkipKeys {
		for _, k := range r.skipped {
			done[k] = true
		}
	}
	for _, k := range r.required {
		if !done[k] {
			return false
		}
	}
	return true
}

func outOfScope(what, stream string) error {
	return abi.NewError(abi.CodeStreamOutOfScope, what+" names stream "+stream+", which is not in the run's scope",
		"emit only for the streams of START.scope")
}
