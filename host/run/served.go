package run

import (
	"iter"
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
)

// gapOf is what a gap is about: the store keeps one for each.
type gapOf struct{ stream, parent, key string }

// backlog reports whether the gap stands for many records, under a key that is no
// record's.
func (g gapOf) backlog() bool { return strings.HasPrefix(g.key, abi.BacklogKeyPrefix(g.stream)) }

// servedGaps are the gaps that a run was given.
type servedGaps struct {
	byID    map[string]gapOf
	left    map[gapOf]leftBefore
	parents map[[2]string][]string        // by stream and key
	last    map[string]map[string]arrival // by stream and key
}

// arrival is how the last record of a served gap came.
type arrival int

const (
	noArrival arrival = iota // none has, since the gap was served
	goodArrival
	rejectedArrival
)

func newServedGaps() servedGaps {
	return servedGaps{
		byID: map[string]gapOf{}, left: map[gapOf]leftBefore{}, parents: map[[2]string][]string{}, last: map[string]map[string]arrival{},
	}
}

func (s servedGaps) add(id string, g gapOf, left leftBefore) {
	s.byID[id], s.left[g] = g, left
	if s.last[g.stream] == nil {
		s.last[g.stream] = map[string]arrival{}
	}
	if _, twice := s.last[g.stream][g.key]; !twice { // for another parent
		s.last[g.stream][g.key] = noArrival
	}
	about := [2]string{g.stream, g.key}
	if !slices.Contains(s.parents[about], g.parent) {
		s.parents[about] = append(s.parents[about], g.parent)
	}
}

// find returns the served gap that a DETAIL_GAP tells of again, or the gap as it
// stands there. A stream with one parent need not name it.
func (s servedGaps) find(g gapOf, m *abi.Manifest) gapOf {
	parents := s.parents[[2]string{g.stream, g.key}]
	if st := m.Stream(g.stream); len(parents) > 0 && !slices.Contains(parents, g.parent) && (st == nil || len(st.ParentStreams) <= 1) {
		g.parent = parents[0]
	}
	return g
}

// arrived notes a record that arrived, of whatever served gaps it is.
func (s servedGaps) arrived(stream string, key []byte, as arrival) {
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

// detailsOf returns the keys of the details that a record may be of: its own, and, as
// one detail may hold several records, whatever stands before a colon.
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

// heldBy returns those of the details of which the records hold one.
func heldBy(records map[string]bool, details []string) map[string]bool {
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
