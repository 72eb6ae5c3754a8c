package manifest_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pdpp-host/pdpp-host/abi/manifest"
)

// child returns a stream whose checkpoint dependency is declared with the
// strategy that it needs.
func child(name string, parents ...string) object {
	s := stream(name)
	if len(parents) == 1 {
		s["state_stream"], s["coverage_strategy"] = parents[0], "checkpoint_window"
	} else if len(parents) > 1 {
		s["parent_streams"], s["coverage_strategy"] = parents, "parent_detail_accounting"
	}
	return s
}

func TestCheckpointDependency(t *testing.T) {
	t.Parallel()
	with := func(s object, pairs ...any) object {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i+1] == drop {
				delete(s, pairs[i].(string))
				continue
			}
			s[pairs[i].(string)] = pairs[i+1]
		}
		return s
	}
	for name, c := range map[string]struct {
		streams     list
		path, words string
	}{
		"one parent":             {list{child("a", "b"), stream("b")}, "", ""},
		"many parents":           {list{child("a", "b", "c"), stream("b"), stream("c")}, "", ""},
		"one of many":            {list{with(child("a", "b", "c"), "parent_streams", list{"b"}), stream("b")}, "", ""},
		"a chain and a diamond":  {list{child("a", "b", "c"), child("b", "d"), child("c", "d"), stream("d")}, "", ""},
		"strategy without it":    {list{with(stream("a"), "coverage_strategy", "parent_detail_accounting")}, "", ""},
		"self":                   {list{child("a", "a")}, "streams[0].state_stream", "must not name the stream itself"},
		"self among parents":     {list{child("a", "a", "b"), stream("b")}, "streams[0].parent_streams", "must not name the stream itself"},
		"unknown":                {list{child("a", "x")}, "streams[0].state_stream", `"x" is not a stream`},
		"unknown among parents":  {list{child("a", "b", "x"), stream("b")}, "streams[0].parent_streams", `"x" is not a stream`},
		"duplicate":              {list{child("a", "b", "b"), stream("b")}, "streams[0].parent_streams[1]", "twice"},
		"both":                   {list{with(child("a", "b"), "parent_streams", list{"b"}), stream("b")}, "streams[0].parent_streams", "together with state_stream"},
		"empty text":             {list{with(child("a", "b"), "state_stream", ""), stream("b")}, "streams[0].state_stream", "empty"},
		"empty list":             {list{with(child("a", "b", "b"), "parent_streams", list{})}, "streams[0].parent_streams", "empty"},
		"empty item":             {list{with(child("a", "b", "b"), "parent_streams", list{"b", ""}), stream("b")}, "streams[0].parent_streams[1]", "empty"},
		"one, without strategy":  {list{with(child("a", "b"), "coverage_strategy", drop), stream("b")}, "streams[0].coverage_strategy", "must be checkpoint_window"},
		"one, other strategy":    {list{with(child("a", "b"), "coverage_strategy", "full_inventory"), stream("b")}, "streams[0].coverage_strategy", "must be checkpoint_window"},
		"many, without strategy": {list{with(child("a", "b", "c"), "coverage_strategy", drop), stream("b"), stream("c")}, "streams[0].coverage_strategy", "must be parent_detail_accounting"},
		"circle of two":          {list{child("a", "b"), child("b", "a")}, "streams[0].state_stream", "circle: a -> b -> a"},
		"circle of three":        {list{stream("z"), child("a", "b", "z"), child("b", "c"), child("c", "a")}, "streams[1].parent_streams", "circle: a -> b -> c -> a"},
		"circle behind a tail":   {list{child("t", "a"), child("a", "b"), child("b", "a")}, "streams[1].state_stream", "circle: a -> b -> a"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := set(t, minimal(), "streams", c.streams)
			if c.path == "" {
				valid(t, m)
				return
			}
			refused(t, encode(t, m), c.path, c.words)
		})
	}
}

// A circle as long as a manifest may be is found and named whole.
func TestLongestCircle(t *testing.T) {
	t.Parallel()
	var streams list
	for i := range 256 {
		streams = append(streams, child(fmt.Sprintf("s%d", i), fmt.Sprintf("s%d", (i+1)%256)))
	}
	refused(t, encode(t, set(t, minimal(), "streams", streams)), "streams[0].state_stream", "s254 -> s255 -> s0")
}

// A circle is found exactly when no order of the streams puts every parent
// first, and what is named is a circle of declared edges.
func TestCircleFoundExactlyWhenThereIsOne(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 8).Draw(t, "streams")
		edges := make(map[string][]string, n)
		var streams list
		for i := range n {
			name := fmt.Sprintf("s%d", i)
			for _, p := range rapid.SliceOfNDistinct(rapid.IntRange(0, n-1), 0, min(n, 3), rapid.ID[int]).Draw(t, name) {
				if p != i {
					edges[name] = append(edges[name], fmt.Sprintf("s%d", p))
				}
			}
			streams = append(streams, child(name, edges[name]...))
		}
		m := minimal()
		m["streams"] = streams
		raw := encode(t, m)
		problems := manifest.Problems(raw)
		if sorted := topologicallySortable(n, edges); sorted != (len(problems) == 0) {
			t.Fatalf("sortable %v, problems %q, want %v", sorted, problems, (len(problems) == 0))
		}
		for _, p := range problems {
			_, told, ok := strings.Cut(p.Rule, "circle: ")
			names := strings.Split(told, " -> ")
			if !ok || len(names) < 3 || names[0] != names[len(names)-1] {
				t.Fatalf("problem %q, want ok && len(names) >= 3 && names[0] == names[len(names)-1]", p)
			}
			for i := range len(names) - 1 {
				if !slices.Contains(edges[names[i]], names[i+1]) {
					t.Fatalf("%s -> %s is not declared: %v, want slices.Contains(edges[names[i]], names[i+1])", names[i], names[i+1], edges)
				}
			}
		}
	})
}

// topologicallySortable takes away streams without a parent left until none is
// left (Kahn's algorithm), the check's independent oracle.
func topologicallySortable(n int, edges map[string][]string) bool {
	left := make(map[string]bool, n)
	for i := range n {
		left[fmt.Sprintf("s%d", i)] = true
	}
	for range n {
		for name := range left {
			if !slices.ContainsFunc(edges[name], func(p string) bool { return left[p] }) {
				delete(left, name)
			}
		}
	}
	return len(left) == 0
}
