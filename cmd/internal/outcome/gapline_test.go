package outcome

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/host/run"
)

func TestGapLine(t *testing.T) {
	t.Parallel()
	for want, g := range map[string]run.KnownGap{
		"notes: unreadable (3 times), files": {Stream: "notes", Reason: "unreadable", Count: 3, Message: "files"},
		"odd, 3 files are odd":               {Kind: run.KindUnexplained, Reason: "odd", Count: 3, Message: "3 files are odd"},
		"unreadable":                         {Reason: "unreadable", Count: 1},
		`notes: shape_check_failed, the record fails "required" of the stream's schema`: {
			Kind: "rejected_record", Stream: "notes", Reason: "shape_check_failed", Message: ` fails "required" of the stream's schema`,
		},
		`notes: shape_check_failed, /n fails "type" of the stream's schema`: {
			Kind: "rejected_record", Stream: "notes", Reason: "shape_check_failed", Message: `/n fails "type" of the stream's schema`,
		},
	} {
		if got := GapLine(g); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestGapNames(t *testing.T) {
	t.Parallel()
	for diagnostics, want := range map[string]string{
		`{"count":5,"files":["a","b","c"]}`: "a, b and 3 more",
		`{"examples":["a","b"]}`:            "a, b",
		`{"files":"a"}`:                     "",
		`{"files":[1]}`:                     "",
		`{"size_bytes":7}`:                  "",
		`[]`:                                "",
		``:                                  "",
	} {
		if got := GapNames(run.KnownGap{Diagnostics: json.RawMessage(diagnostics)}, 2); got != want {
			t.Errorf("%s: %q, want %q", diagnostics, got, want)
		}
	}
}

// Two rollouts of a day differ at the end of their names.
func TestGapNamesAreToldApart(t *testing.T) {
	t.Parallel()
	const day = "sessions/2026/01/01/rollout-2026-01-01T00-00-00-019ff351-7f44-75c1-9036-cf6aa5f9a60"
	for _, tail := range []string{".jsonl.zst", ".jsonl.zst: the file ends early at byte 60"} {
		names := strings.Split(GapNames(run.KnownGap{Diagnostics: json.RawMessage(`{"files":["` + day + "1" + tail + `","` + day + "2" + tail + `"]}`)}, 2), ", ")
		if len(names) != 2 || names[0] == names[1] || len([]rune(names[0])) > LongestName {
			t.Errorf("%q, want two names, each as long as %d runes at most", names, LongestName)
		}
	}
}

func TestLogEnd(t *testing.T) {
	t.Parallel()
	for log, want := range map[string][]string{
		"":                                      nil,
		"one\n\ntwo\n":                          {"one", "two"},
		"1\n2\n3\n4\n5\n6\x1b[2J\n7":            {"3", "4", "5", "6[2J", "7"},
		"a\npanic: no\n\ngoroutine 1 [x]:\nm()": {"panic: no"},
		strings.Repeat("x", 300):                {strings.Repeat("x", 199) + "…"},
	} {
		if got := LogEnd(log); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", log, got, want)
		}
	}
}
