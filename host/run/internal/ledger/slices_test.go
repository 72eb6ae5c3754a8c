package ledger

import (
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
)

// lanes has two lanes over chats, and a stream that has neither.
func lanes() *Ledger {
	m := manifestOf(abi.Stream{Name: "chats"}, abi.Stream{Name: "messages", ParentStreams: []string{"chats"}},
		abi.Stream{Name: "files", ParentStreams: []string{"chats"}}, abi.Stream{Name: "other"})
	return New(m, scopeOf("chats", "messages", "files", "other"), false)
}

// A slice's cursor moves when the slices so far account for every lane that is open: a STATE that
// left one of them out, or a detail that neither came nor became a gap, holds all later slices
// back, until the detail has come.
func TestSlicesAccountForEachLane(t *testing.T) {
	t.Parallel()
	slice := func(required, hydrated, gaps string) Report {
		split := func(keys string) (all []string) {
			for _, key := range keys {
				all = append(all, string(key))
			}
			return all
		}
		return report("messages", "chats", split(required), split(hydrated), split(gaps))
	}
	files := report("files", "chats", nil, nil, nil)
	for name, tc := range map[string]struct {
		slices [][]Report
		gap    string // is in the store
		want   string
	}{
		"no slice":                {nil, "", WithheldCoverage},
		"both lanes":              {[][]Report{{slice("ab", "ab", ""), files}}, "", ""},
		"both lanes, twice":       {[][]Report{{slice("a", "a", ""), files}, {slice("b", "b", ""), files}}, "", ""},
		"a lane left out":         {[][]Report{{slice("ab", "ab", "")}}, "", WithheldCoverage},
		"a lane left out before":  {[][]Report{{slice("a", "a", "")}, {slice("b", "b", ""), files}}, "", WithheldCoverage},
		"nothing said":            {[][]Report{{}}, "", WithheldCoverage},
		"short":                   {[][]Report{{slice("ab", "a", ""), files}}, "", WithheldCoverage},
		"short before":            {[][]Report{{slice("ab", "a", ""), files}, {slice("c", "c", ""), files}}, "", WithheldCoverage},
		"short in the other lane": {[][]Report{{slice("a", "a", ""), report("files", "chats", []string{"f"}, nil, nil)}}, "", WithheldCoverage},
		"a gap":                   {[][]Report{{slice("ab", "a", "b"), files}}, "b", ""},
		"a gap of another":        {[][]Report{{slice("ab", "a", "b"), files}}, "c", WithheldCoverage},
	} {
		l := lanes()
		if tc.gap != "" {
			l.AddGap(Gap{"messages", "chats", tc.gap})
		}
		for _, said := range tc.slices {
			if err := l.AddSlice("chats", said); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		if got := l.WithholdSlice("chats"); got != tc.want {
			t.Errorf("%s: got the slice withheld as %q, want %q", name, got, tc.want)
		}
		if got := l.Withhold("chats"); got != WithheldCoverage {
			t.Errorf("%s: got the end of the lanes withheld as %q, want %q until their coverage", name, got, WithheldCoverage)
		}
		if got := l.WithholdSlice("other"); got != "" {
			t.Errorf("%s: got a stream without a lane withheld as %q, want it to commit", name, got)
		}
	}
}

// The one lane of a list is accounted for by a slice that speaks of it alone.
func TestSlicesOfOneLane(t *testing.T) {
	t.Parallel()
	l := New(manifestOf(abi.Stream{Name: "chats"}, abi.Stream{Name: "messages", ParentStreams: []string{"chats"}}), scopeOf("chats", "messages"), false)
	if err := l.AddSlice("chats", []Report{report("messages", "chats", []string{"a"}, []string{"a"}, nil)}); err != nil {
		t.Fatal(err)
	}
	if got := l.WithholdSlice("chats"); got != "" {
		t.Errorf("got %q, want it to commit", got)
	}
}

// A detail that was rejected and has come well since is owed no more, and neither is a lane that
// its DETAIL_COVERAGE has closed, behind which no slice may speak of it.
func TestSlicesOwedAreSettled(t *testing.T) {
	t.Parallel()
	l := lanes()
	files := report("files", "chats", nil, nil, nil)
	l.Arrived("messages", []byte("z"), false)
	l.Arrived("messages", []byte("a"), true)
	if err := l.AddSlice("chats", []Report{report("messages", "chats", []string{"a"}, []string{"a"}, nil), files}); err != nil {
		t.Fatal(err)
	}
	if got := l.WithholdSlice("chats"); got != WithheldCoverage {
		t.Errorf("with a rejected detail: got %q, want %q", got, WithheldCoverage)
	}
	l.Arrived("messages", []byte("a"), false)
	if got := l.WithholdSlice("chats"); got != "" {
		t.Errorf("with the detail: got %q, want it to commit", got)
	}
	for _, r := range []Report{report("messages", "chats", nil, nil, nil), files} {
		if err := l.AddCoverage(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.AddSlice("chats", nil); err != nil { // nothing is owed
		t.Fatal(err)
	}
	if got := l.Withhold("chats"); got != "" {
		t.Errorf("behind the coverage: got %q, want it to commit", got)
	}
	if err := l.AddSlice("chats", []Report{files}); abi.CodeOf(err) != abi.CodeCoverageInvalid {
		t.Errorf("a slice of a closed lane: got %v, want %s", err, abi.CodeCoverageInvalid)
	}
	if err := l.AddSlice("chats", []Report{report("other", "messages", nil, nil, nil), report("ghost", "chats", nil, nil, nil)}); abi.CodeOf(err) != abi.CodeStreamOutOfScope {
		t.Errorf("a slice of a stream that is not there: got %v, want %s", err, abi.CodeStreamOutOfScope)
	}
}

// A stream that anchors its own lane may leave rejected records behind in a slice, and a detail of
// it counts by its own key; in another lane a detail counts as all of its records do.
func TestOwnLaneLeavesRejectedBehind(t *testing.T) {
	t.Parallel()
	m := manifestOf(abi.Stream{Name: "notes", CoverageStrategy: "parent_detail_accounting"}, abi.Stream{Name: "messages", ParentStreams: []string{"notes"}})
	for stream, want := range map[string]struct{ slice, whole bool }{"notes": {true, true}, "messages": {false, false}} {
		l := New(m, scopeOf("notes", "messages"), false)
		l.Arrived(stream, []byte("a:1"), true)
		r := report(stream, "notes", []string{"a"}, []string{"a"}, nil)
		if slice, whole := l.SliceAccounted(r), l.accounted(r); slice != want.slice || whole != want.whole {
			t.Errorf("%s: got %v of a slice and %v of the whole, want %v and %v", stream, slice, whole, want.slice, want.whole)
		}
		l.Arrived(stream, []byte("a"), true)
		if slice, whole := l.SliceAccounted(r), l.accounted(r); slice != want.slice || whole {
			t.Errorf("%s, all rejected: got %v of a slice and %v of the whole, want %v and false", stream, slice, whole, want.slice)
		}
	}
}

// A key that the connector skipped by its policy counts where the manifest lets it, and there alone.
func TestSkippedKeysCountWhereTheyMay(t *testing.T) {
	t.Parallel()
	for _, may := range []bool{true, false} {
		m := manifestOf(abi.Stream{Name: "chats"}, abi.Stream{Name: "messages", ParentStreams: []string{"chats"}, Selection: abi.Selection{OptionalSkipKeys: may}})
		l := New(m, scopeOf("chats", "messages"), false)
		r := report("messages", "chats", []string{"a", "b"}, []string{"a"}, nil)
		r.Skipped = []string{"b"}
		if got := l.accounted(r); got != may {
			t.Errorf("skips may count %v: got accounted %v", may, got)
		}
		if r.Skipped = []string{"c"}; l.accounted(r) {
			t.Errorf("skips may count %v: got another skipped key counted, want it owed", may)
		}
	}
}

// A stream that does not ride a cursor holds it back neither by being left out nor by being
// rejected, and one whose coverage is there counts by that.
func TestOnlyRidersHoldACursorBack(t *testing.T) {
	t.Parallel()
	m := manifestOf(abi.Stream{Name: "chats"}, abi.Stream{Name: "messages", ParentStreams: []string{"chats"}}, abi.Stream{Name: "other"}, abi.Stream{Name: "riding", StateStream: "other"})
	l := New(m, scopeOf("chats", "messages"), false)
	l.Arrived("other", []byte("a"), true)
	if err := l.AddCoverage(report("messages", "chats", []string{"a"}, []string{"a"}, nil)); err != nil {
		t.Fatal(err)
	}
	if got := l.Withhold("chats"); got != "" {
		t.Errorf("got %q, want it to commit", got)
	}
	if got := l.WithholdSlice("chats"); got != "" {
		t.Errorf("got the slice withheld as %q, want it to commit", got)
	}
	l.Arrived("messages", []byte("b"), true)
	if got := l.Withhold("chats"); got != WithheldRejected {
		t.Errorf("all details rejected: got %q, want %q", got, WithheldRejected)
	}
}
