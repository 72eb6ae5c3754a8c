package run

import (
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
)

// gapOf is what a gap is about: the store keeps one for each.
type gapOf struct{ stream, parent, key string }

// backlog reports whether the gap stands for many records, under a key that is no
// record's.
func (g gapOf) backlog() bool { return strings.HasPrefix(g.key, "backlog:"+g.stream) }

// servedGaps are the gaps that a run was given.
type servedGaps struct {
	byID    map[string]gapOf
	left    map[gapOf]leftBefore
	parents map[[2]string][]string // by stream and key
}

func newServedGaps() servedGaps {
	return servedGaps{byID: map[string]gapOf{}, left: map[gapOf]leftBefore{}, parents: map[[2]string][]string{}}
}

func (s servedGaps) add(id string, g gapOf, left leftBefore) {
	s.byID[id], s.left[g] = g, left
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
