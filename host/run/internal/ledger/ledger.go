package ledger

import (
	"slices"

	"github.com/pdpp-host/pdpp-host/abi"
)

// Lane is one detail lane: a detail stream and the parent stream whose cursor
// anchors it.
type Lane struct{ Stream, Parent string }

// Gap says what a gap is about: the store keeps one for each.
type Gap struct{ Stream, Parent, Key string }

// Report is one DETAIL_COVERAGE, or the part of a slice's STATE about one lane,
// with keys as canonical text.
type Report struct {
	Lane

	Required, Hydrated, Gaps, Skipped []string
}

// Ledger is what a run's checkpoints depend on.
type Ledger struct {
	manifest *abi.Manifest
	inScope  map[string]bool
	narrowed bool
	reports  map[Lane]Report
	sliced   map[Lane]*sliceReports
	gaps     map[Lane]map[string]bool   // stored DETAIL_GAPs; parent "" when the message named none
	rejected map[string]map[string]bool // by stream: keys of a lane's records that failed their schema
	arrivals map[string]*arrivals       // by stream
	failed   map[string]bool            // streams with an in-scope SKIP_RESULT stream_collection_failed
	claimed  map[Gap]bool               // served gaps that the connector called recovered without a record
	accepted map[string]map[string]bool // by stream, see RequireFresh: keys of this run's records
}

// New returns the ledger of a run that collects scope. narrowed says that the run
// leaves out records of a stream in scope, so that no cursor may be committed.
func New(m *abi.Manifest, scope abi.Scope, narrowed bool) *Ledger {
	l := &Ledger{
		manifest: m, inScope: map[string]bool{}, narrowed: narrowed,
		reports: map[Lane]Report{}, sliced: map[Lane]*sliceReports{}, gaps: map[Lane]map[string]bool{}, failed: map[string]bool{},
		rejected: map[string]map[string]bool{}, arrivals: map[string]*arrivals{}, claimed: map[Gap]bool{},
		accepted: map[string]map[string]bool{},
	}
	for _, s := range scope.Streams {
		l.inScope[s.Name] = true
	}
	return l
}

// Narrowed reports whether the run leaves out records of a stream in scope.
func (l *Ledger) Narrowed() bool { return l.narrowed }

// RequireFresh says that only this run's records prove a detail of the stream: the
// store does not list which older records were rejected since.
func (l *Ledger) RequireFresh(stream string) { l.accepted[stream] = map[string]bool{} }

// NeedsFresh reports whether RequireFresh was called for the stream.
func (l *Ledger) NeedsFresh(stream string) bool { return l.accepted[stream] != nil }

// FreshDetails returns which of the details a record of this run proves, by key.
func (l *Ledger) FreshDetails(stream string, details []string) map[string]bool {
	return detailsIn(l.accepted[stream], details)
}

// FailStream records that the connector could not collect a stream.
func (l *Ledger) FailStream(stream string) {
	if l.inScope[stream] {
		l.failed[stream] = true
	}
}

// Claim records a served gap that the connector called recovered without a record.
func (l *Ledger) Claim(g Gap) { l.claimed[g] = true }

// arrivals says whether good and whether rejected records of a stream arrived.
type arrivals struct{ good, rejected bool }

// Arrived records one record. The ledger remembers a rejected record of a lane by
// key: the guest will call it hydrated, which is false unless a good record of the
// same key follows.
func (l *Ledger) Arrived(stream string, key []byte, rejected bool) {
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
	if !l.HasLane(stream) {
		return
	}
	if l.rejected[stream] == nil {
		l.rejected[stream] = map[string]bool{}
	}
	l.rejected[stream][string(key)] = true
}

// Rejected reports whether the last record of that key was rejected, in a stream
// that has a lane.
func (l *Ledger) Rejected(stream, key string) bool { return l.rejected[stream][key] }

// RejectedDetails returns which of the details have a rejected record, by key.
func (l *Ledger) RejectedDetails(stream string, details []string) map[string]bool {
	return detailsIn(l.rejected[stream], details)
}

// HasLane reports whether the stream's records are accounted for by key.
func (l *Ledger) HasLane(stream string) bool {
	s := l.manifest.Stream(stream)
	return s != nil && accountedByKey(s)
}

func accountedByKey(s *abi.Stream) bool {
	return len(s.ParentStreams) > 0 || s.CoverageStrategy == "parent_detail_accounting"
}

// ByKey returns the manifest's streams whose records are accounted for by key.
func ByKey(m *abi.Manifest) (names []string) {
	for i := range m.Streams {
		if s := &m.Streams[i]; accountedByKey(s) {
			names = append(names, s.Name)
		}
	}
	return names
}

// allRejected reports whether records of the stream arrived and all were rejected:
// the connector does not fit its own schema.
func (l *Ledger) allRejected(stream string) bool {
	a := l.arrivals[stream]
	return a != nil && a.rejected && !a.good
}

// Delivers reports whether a good record of the stream arrived.
func (l *Ledger) Delivers(stream string) bool {
	a := l.arrivals[stream]
	return a != nil && a.good
}

// AddGap records that a DETAIL_GAP is in the store.
func (l *Ledger) AddGap(g Gap) {
	k := Lane{g.Stream, g.Parent}
	if l.gaps[k] == nil {
		l.gaps[k] = map[string]bool{}
	}
	l.gaps[k][g.Key] = true
}

// gapBacks reports whether a stored gap stands for key in the lane. A stream
// with one parent accepts a gap that names no parent; one with several needs
// the exact parent.
func (l *Ledger) gapBacks(ln Lane, key string) bool {
	if l.gaps[ln][key] {
		return true
	}
	s := l.manifest.Stream(ln.Stream)
	return (s == nil || len(s.ParentStreams) <= 1) && l.gaps[Lane{ln.Stream, ""}][key]
}

// Covers reports whether the cursor of c covers the records of a stream.
func (l *Ledger) Covers(c, stream string) bool {
	s := l.manifest.Stream(stream)
	return c == stream || s != nil && l.rides(s, c)
}

// rides reports whether the cursor of c covers records of s: c is a parent of s,
// or s rides the cursor of a stream that has no cursor and rides c. The manifest has
// no circle.
func (l *Ledger) rides(s *abi.Stream, c string) bool {
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
