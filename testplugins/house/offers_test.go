package house_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi/declaration"
)

// The manifests offer at least the orders, ranges, searches and aggregations of testdata/offers.txt, each of a field whose type allows it.
func TestManifestsOfferWhatPublicOnesDo(t *testing.T) {
	t.Parallel()
	streams := make(map[string][]declaration.Stream)
	lines := 0
	for line := range strings.Lines(read(t, "testplugins/house/testdata/offers.txt")) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		lines++
		connector, stream, kind, fields := words[0], words[1], words[2], words[3:]
		if streams[connector] == nil {
			streams[connector] = declaration.Read([]byte(read(t, "plugins/"+connector+"/manifest.json")))
		}
		i := slices.IndexFunc(streams[connector], func(s declaration.Stream) bool { return s.Name == stream })
		if i < 0 {
			t.Errorf("%s has no stream %s", connector, stream)
			continue
		}
		s := &streams[connector][i]
		for _, field := range fields {
			if !offers(t, s, kind, field) {
				t.Errorf("%s does not offer %s of %s, of the type %q, as %s", connector, field, stream, s.TypeOf(field), kind)
			}
		}
	}
	if lines < 100 {
		t.Errorf("the table has %d lines, want lines >= 100", lines)
	}
}

// offers reports whether a stream offers a field for that kind of reading.
func offers(t *testing.T, s *declaration.Stream, kind, field string) bool {
	t.Helper()
	is, a := s.TypeOf(field), &s.Aggregates
	switch kind {
	case "order":
		return s.CursorField == field && is != declaration.Other
	case "range":
		return slices.Contains(s.Range, field)
	case "lexical":
		return slices.Contains(s.Lexical, field)
	case "sum":
		return slices.Contains(a.Sum, field) && is == declaration.Number
	case "min":
		return slices.Contains(a.Min, field) && is != declaration.Other
	case "max":
		return slices.Contains(a.Max, field) && is != declaration.Other
	case "count_distinct":
		return slices.Contains(a.Distinct, field) && is != declaration.Other
	case "group_by":
		return slices.Contains(a.GroupBy, field) && is != declaration.Other
	case "group_by_time":
		return slices.Contains(a.GroupByTime, field) && is.IsTime()
	}
	t.Fatalf("the table has a line for %s, of which this test knows nothing", kind)
	return false
}
