package manifest

import (
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
)

// The rule for both spellings of the checkpoint dependency.
const (
	strategyOne  = "checkpoint_window"
	strategyMany = "parent_detail_accounting"
)

// checkDependencies checks which stream's checkpoint covers which stream's records:
// each stream uses at most one spelling, with the strategy that it needs, and names
// other streams of this manifest, without a circle. In a circle no checkpoint could be
// decided first.
func checkDependencies(places []place, streams []abi.Stream) {
	known := make(map[string]int, len(streams))
	for i := range streams {
		known[streams[i].Name] = i
	}
	edges := make([][]int, len(streams))
	for i := range streams {
		edges[i] = parents(places[i], &streams[i], known)
	}
	for _, circle := range cycles(edges) {
		names := make([]string, 0, len(circle)+1)
		for _, s := range append(circle, circle[0]) {
			names = append(names, streams[s].Name)
		}
		p := places[circle[0]]
		field := p.member("parent_streams")
		if !field.present() {
			field = p.member("state_stream")
		}
		field.fail("must not depend on itself in a circle: " + strings.Join(names, " -> "))
	}
}

// parents returns the indices of the streams on which the one at p depends.
func parents(p place, s *abi.Stream, known map[string]int) []int {
	one, many := p.member("state_stream"), p.member("parent_streams")
	if one.present() && many.present() {
		many.fail("must not be given together with state_stream")
		return nil
	}
	many.notEmpty()
	strategy := p.member("coverage_strategy")
	if one.present() && s.CoverageStrategy != strategyOne {
		strategy.fail("must be " + strategyOne + " with state_stream")
	}
	if many.present() && s.CoverageStrategy != strategyMany {
		strategy.fail("must be " + strategyMany + " with parent_streams")
	}
	names, at := s.ParentStreams, many
	if s.StateStream != "" {
		names, at = []string{s.StateStream}, one
	}
	var edges []int
	for _, name := range names {
		i, ok := known[name]
		switch {
		case name == s.Name:
			at.fail("must not name the stream itself")
		case !ok:
			at.fail(quote(name) + " is not a stream of this manifest")
		default:
			edges = append(edges, i)
		}
	}
	return edges
}

// cycles returns one circle of each set of nodes that a depth-first walk finds to lead
// back into itself, each starting at its least node. edges[i] are the successors of i.
// A graph without a circle yields none, and a graph with one yields at least one.
func cycles(edges [][]int) [][]int {
	const (
		fresh = iota
		open  // on the path from the walk's start
		done  // leads to no undiscovered circle
	)
	state := make([]int, len(edges))
	var path []int
	var found [][]int
	var visit func(int)
	visit = func(n int) {
		state[n] = open
		path = append(path, n)
		for _, next := range edges[n] {
			switch state[next] {
			case fresh:
				visit(next)
			case open:
				found = append(found, leastFirst(path[slices.Index(path, next):]))
			}
		}
		path = path[:len(path)-1]
		state[n] = done
	}
	for n := range edges {
		if state[n] == fresh {
			visit(n)
		}
	}
	return found
}

// leastFirst returns a copy of a circle that begins with its least node, so the same
// circle is always reported in the same way.
func leastFirst(circle []int) []int {
	at := slices.Index(circle, slices.Min(circle))
	return slices.Concat(circle[at:], circle[:at])
}
