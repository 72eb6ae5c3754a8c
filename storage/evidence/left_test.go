package evidence

import (
	"slices"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
)

// A file of several reasons is one file, whatever the reasons are called.
func TestAFileOfSeveralReasonsIsOne(t *testing.T) {
	t.Parallel()
	files := []tables.AmissFile{
		{Root: "r", Path: "t.zip", Reason: "empty"}, {Root: "r", Path: "u", Reason: "torn"}, {Root: "r", Path: "t.zip", Reason: "torn"},
		{Root: "s", Path: "t.zip", Reason: "torn"}, {Root: "s", Path: "t.zip", Reason: "torn"},
	}
	var n int64
	for _, a := range amissOf(files) {
		n += a.Count
	}
	if n != 3 {
		t.Errorf("got %d files, want 3: %+v", n, amissOf(files))
	}
}

// A gap that a run left to its owner is kept in its words, and one that a run fetches is not.
func TestWordsAreKeptOfWhatIsLeftToTheOwner(t *testing.T) {
	t.Parallel()
	const gap = `{"kind":"skip","severity":"actionable","reason":"x","message":"2 entries have no time","recovery_hint":"manual_action_required","diagnostics":{"count":3,"examples":["a.json, entry 1"]}}`
	const other = `{"kind":"skip","severity":"transient","reason":"y","message":"later","recovery_hint":"retry_by_runtime"}`
	gaps, ok := KnownGaps(&tables.RunRow{KnownGaps: "[" + gap + "," + other + "]"})
	if want := "“2 entries have no time”: a.json, entry 1 and 2 more"; !ok || gaps[0].Says != want || gaps[1].Says != "" {
		t.Errorf("got %q and %q, want %q and none", gaps[0].Says, gaps[1].Says, want)
	}
	long := strings.Repeat("a ", 2500)
	for message, want := range map[string]string{`it is odd; its own words: "no"`: "“it is odd”", "": ""} {
		if got := health.LeftWords(message, nil, 0); got != want {
			t.Errorf("%s: got %q, want %q", message, got, want)
		}
	}
	if got := health.LeftWords(long, []string{long, long, long}, 9); len(got) > health.MostSays {
		t.Errorf("got %d bytes, want at most %d", len(got), health.MostSays)
	}
}

// Places are counted by themselves: several of what is counted may be in one.
func TestNamedIn(t *testing.T) {
	t.Parallel()
	for diagnostics, want := range map[string]int64{
		`{"count":4,"examples":["x.ics"],"places":1}`: 1, `{"count":4,"examples":["x.ics"],"places":2}`: 2, `{"count":4,"examples":["x.ics"]}`: 4,
	} {
		if names, n := tables.NamedIn([]byte(diagnostics)); n != want || !slices.Equal(names, []string{"x.ics"}) {
			t.Errorf("%s: got %d of %q, want %d", diagnostics, n, names, want)
		}
	}
}
