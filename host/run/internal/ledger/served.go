package ledger

import (
	"iter"
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
)

// Backlog reports whether the gap stands for many records, under a key that no
// record has.
func (g Gap) Backlog() bool { return strings.HasPrefix(g.Key, abi.BacklogKeyPrefix(g.Stream)) }

// Served has the gaps that a run was given to fill.
type Served struct {
	byID    map[string]Gap
	left    map[Gap]LeftBefore
	parents map[[2]string][]string        // by stream and key
	last    map[string]map[string]Arrival // by stream and key
}

// LeftBefore is what earlier runs left of a served gap, and why.
type LeftBefore struct {
	ID            string
	Failures      int64 // of earlier runs
	Reason, Class string
	LastError     []byte
}

// Arrival is how the last record of a served gap came.
type Arrival int

// The arrivals.
const (
	NoArrival Arrival = iota // no record has come since the gap was served
	GoodArrival
	RejectedArrival
)

// NewServed returns a Served without a gap.
func NewServed() Served {
	return Served{
		byID: map[string]Gap{}, left: map[Gap]LeftBefore{}, parents: map[[2]string][]string{}, last: map[string]map[string]Arrival{},
	}
}

// Add adds a gap that the run was given, or that earlier runs have given up.
func (s Served) Add(id string, g Gap, left LeftBefore) {
	s.byID[id], s.left[g] = g, left
	if s.last[g.Stream] == nil {
		s.last[g.Stream] = map[string]Arrival{}
	}
	if _, twice := s.last[g.Stream][g.Key]; !twice { // for another parent
		s.last[g.Stream][g.Key] = NoArrival
	}
	about := [2]string{g.Stream, g.Key}
	if !slices.Contains(s.parents[about], g.Parent) {
		s.parents[about] = append(s.parents[about], g.Parent)
	}
}

// ByID returns the gap with that id.
func (s Served) ByID(id string) (g Gap, served bool) {
	g, served = s.byID[id]
	return g, served
}

// Left returns what earlier runs left of a gap.
func (s Served) Left(g Gap) (left LeftBefore, served bool) {
	left, served = s.left[g]
	return left, served
}

// Last returns how the last record of a gap came.
func (s Served) Last(g Gap) Arrival { return s.last[g.Stream][g.Key] }

// Find returns the served gap that a DETAIL_GAP reports again, or g itself when the
// run was not given that gap. A stream with one parent need not name it.
func (s Served) Find(g Gap, m *abi.Manifest) Gap {
	parents := s.parents[[2]string{g.Stream, g.Key}]
	if st := m.Stream(g.Stream); len(parents) > 0 && !slices.Contains(parents, g.Parent) && (st == nil || len(st.ParentStreams) <= 1) {
		g.Parent = parents[0]
	}
	return g
}

// Arrived records that a record arrived, for each served gap that it may fill.
func (s Served) Arrived(stream string, key []byte, as Arrival) {
	last := s.last[stream]
	if len(last) == 0 {
		return
	}
	for detail := range detailsOf(string(key)) {
		if _, served := last[detail]; served {
			last[detail] = as
		}
	}
}

// detailsOf returns the keys of the details that a record may belong to: its own,
// and, as one detail may hold several records, each part of it before a colon.
func detailsOf(key string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range len(key) {
			if key[i] == ':' && !yield(key[:i]) {
				return
			}
		}
		yield(key)
	}
}

// detailsIn returns which of the details the records hold a record of, by key.
func detailsIn(records map[string]bool, details []string) map[string]bool {
	held := make(map[string]bool, len(details))
	for _, d := range details {
		held[d] = false
	}
	for key := range records {
		for d := range detailsOf(key) {
			if _, asked := held[d]; asked {
				held[d] = true
			}
		}
	}
	return held
}
