package problems_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/problems"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

// Each kind is reported for each stream of the run that lacks something, and counted once.
func TestPlaces(t *testing.T) {
	t.Parallel()
	torn := &problems.Kind{Reason: "torn", One: "file is torn", Many: "files are torn", Hint: "retry_by_runtime", Examples: "files", First: 2}
	odd := &problems.Kind{Reason: "odd", Many: "odd", Hint: "not_retriable"}
	found := &problems.Kind{HostTells: true, Many: "found by the host"}
	var count int
	res := sdktest.Collect(t, connector(func(h *sdk.Host) error {
		p := problems.NewPlaces(h, odd, torn)
		long := strings.Repeat("folder/", 20)
		p.Note(torn, long+"b", "notes", "elsewhere")
		p.Note(torn, long+"a", "notes", "")
		p.Note(torn, long+"a", "notes") // the same place
		p.Add(torn, 3, "c", "notes")
		p.Note(odd, "", "")
		p.Note(found, "", "")
		count = p.Count(torn) + p.Count(found)
		return p.Report()
	}), sdktest.Options{})
	var got []string
	for _, s := range res.Skips {
		if s.Stream == "notes" && !strings.HasSuffix(string(s.Diagnostics), `,"places":3}`) {
			t.Errorf("got %s, want three places of six cases", s.Diagnostics)
		}
		got = append(got, fmt.Sprintf("%s %q: %s %d", s.Stream, s.Reason, s.Message, strings.Count(string(s.Diagnostics), "folder/")))
	}
	want := []string{` "odd": 1 odd 0`, ` "torn": 1 file is torn 20`, `notes "torn": 6 files are torn 40`}
	if strings.Join(got, "\n") != strings.Join(want, "\n") || count != 7 {
		t.Errorf("got %q and %d, want %q and 7", got, count, want)
	}
}
