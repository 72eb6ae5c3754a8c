package verdict_test

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/health/verdict"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// vector is one line of testdata/vectors.jsonl: evidence, projected and then rendered,
// and the expected contents of the verdict. expect is a subset; null means absent or
// null; absent lists texts that may occur only in the verdict's detail.
type vector struct {
	ID        string         `json:"id"`
	Scenarios []string       `json:"scenarios"`
	Input     vectorInput    `json:"input"`
	Expect    map[string]any `json:"expect"`
	Absent    []string       `json:"absent"`
}

type vectorInput struct {
	Evidence  health.Evidence           `json:"evidence"`
	Streams   []verdict.StreamRollup    `json:"streams"`
	RuntimeOK bool                      `json:"runtime_ok"`
	Progress  *verdict.ProgressEvidence `json:"progress"`
	Schedule  *verdict.Schedule         `json:"schedule"`
}

// covered is every scenario that the vectors hold this package to.
var covered = []string{
	"HL-22.1", "HL-22.2", "HL-22.3", "HL-22.4", "HL-22.5", "HL-23.1", "HL-23.2", "HL-23.3", "HL-23.4", "HL-23.5", "HL-23.6", "HL-23.7", "HL-23.8",
	"HL-23.12", "HL-23.13", "HL-23.14", "HL-24.1", "HL-24.2", "HL-25.1", "HL-25.2", "HL-25.3", "HL-27.1", "HL-27.2", "HL-28.2",
	"HL-29.1", "HL-29.2", "HL-30.1", "HL-30.2",
}

func TestVectors(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("testdata/vectors.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	named := make(map[string]bool)
	for line := range bytes.Lines(b) {
		var v vector
		dec := json.NewDecoder(bytes.NewReader(line))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&v); err != nil {
			t.Fatalf("%s: dec.Decode(&v): got %v, want no error", line, err)
		}
		for _, s := range v.Scenarios {
			named[s] = true
			if !slices.Contains(covered, s) {
				t.Errorf("%s names %s, which is not covered, want slices.Contains(covered, s)", v.ID, s)
			}
		}
		t.Run(v.ID, func(t *testing.T) {
			t.Parallel()
			v.hold(t)
		})
	}
	for _, s := range covered {
		if !named[s] {
			t.Errorf("no vector names %s, want named[s]", s)
		}
	}
}

func (v *vector) hold(t *testing.T) {
	t.Helper()
	in := v.Input
	got := verdict.Synthesize(verdict.Input{
		Snapshot: health.Project(in.Evidence), Streams: in.Streams, Refresh: in.Evidence.Refresh, RuntimeOK: in.RuntimeOK,
		Progress: in.Progress, Schedule: in.Schedule, Attention: in.Evidence.Attention,
	})
	if got.Detail.Violations != nil {
		t.Errorf("withheld for %q, want got.Detail.Violations == nil", got.Detail.Violations)
	}
	whole := asMap(t, got)
	whole["push"] = verdict.ShouldPush(got)
	differ(t, "", v.Expect, whole)
	got.Detail = nil
	shown, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range v.Absent {
		if strings.Contains(string(shown), text) {
			t.Errorf("%q stands in %s, want !strings.Contains(string(shown), text)", text, shown)
		}
	}
}

func asMap(t *testing.T, v any) map[string]any {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]any
	if err := json.Unmarshal(b, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

// differ reports where got does not hold the subset want.
func differ(t *testing.T, path string, want, got any) {
	t.Helper()
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			t.Errorf("%s = %v, want %v", path, got, want)
			return
		}
		for key, value := range w {
			differ(t, path+"."+key, value, g[key])
		}
	case []any:
		g, _ := got.([]any)
		if len(g) != len(w) {
			t.Errorf("%s = %v, want %v", path, got, want)
			return
		}
		for i := range w {
			differ(t, path, w[i], g[i])
		}
	default:
		if want != got {
			t.Errorf("%s = %v, want %v", path, got, want)
		}
	}
}
