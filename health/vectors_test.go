package health_test

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/health"
)

// vector is one line of testdata/vectors.jsonl: an input, and the expected contents of
// the answer. expect is a subset; conditions are keyed by type; null means absent or
// null. absent lists texts that must not occur in the answer.
type vector struct {
	ID        string          `json:"id"`
	Scenarios []string        `json:"scenarios"`
	Op        string          `json:"op"`
	Input     json.RawMessage `json:"input"`
	Expect    map[string]any  `json:"expect"`
	Absent    []string        `json:"absent"`
}

// covered is every scenario that the vectors hold this package to. Each has at
// least one vector, and no vector names another.
var covered = []string{
	"HL-01.1", "HL-01.2", "HL-02.1", "HL-02.2", "HL-03.1", "HL-03.2", "HL-04.1", "HL-04.2", "HL-04.3", "HL-05.1", "HL-05.2", "HL-05.3",
	"HL-07.1", "HL-07.2", "HL-11.1", "HL-11.2", "HL-11.3", "HL-14.1", "HL-14.2", "HL-14.3", "HL-14.4",
	"HL-15.1", "HL-15.2", "HL-15.3", "HL-15.4", "HL-15.5", "HL-16.1", "HL-16.2", "HL-16.3", "HL-16.4",
	"HL-17.1", "HL-17.2", "HL-17.3", "HL-17.4", "HL-18.1", "HL-18.2", "HL-18.3", "HL-18.4", "HL-18.5", "HL-18.6", "HL-18.7",
	"HL-19.2", "HL-23.4",
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
		if err := json.Unmarshal(line, &v); err != nil {
			t.Fatalf("%s: json.Unmarshal(line, &v): got %v, want no error", line, err)
		}
		for _, s := range v.Scenarios {
			named[s] = true
			if !slices.Contains(covered, s) {
				t.Errorf("%s names %s, which is not covered, want slices.Contains(covered, s)", v.ID, s)
			}
		}
		t.Run(v.Op+"/"+v.ID, func(t *testing.T) {
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
	out, err := json.Marshal(answer(t, v.Op, v.Input))
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatal(err)
	}
	if list, ok := got["conditions"].([]any); ok {
		byType := make(map[string]any)
		for _, c := range list {
			byType[c.(map[string]any)["type"].(string)] = c
		}
		got["conditions"] = byType
	}
	differ(t, "", v.Expect, got)
	for _, text := range v.Absent {
		if strings.Contains(string(out), text) {
			t.Errorf("%q stands in %s, want !strings.Contains(string(out), text)", text, out)
		}
	}
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

func decode[T any](t *testing.T, b []byte) T {
	t.Helper()
	var in T
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&in); err != nil {
		t.Fatal(err)
	}
	return in
}

// answer runs one function of the package on an input.
func answer(t *testing.T, op string, b []byte) any {
	t.Helper()
	switch op {
	case "project":
		return health.Project(decode[health.Evidence](t, b))
	case "outbox_axis":
		in := decode[struct {
			Now        health.Instant     `json:"now"`
			Heartbeats []health.Heartbeat `json:"heartbeats"`
		}](t, b)
		r := health.OutboxAxis(in.Heartbeats, in.Now, health.StaleHeartbeat)
		counts := health.RollupOutboxCounts(in.Heartbeats)
		return map[string]any{
			"axis": r.Axis, "cause": r.Cause, "source_count": r.SourceCount, "unreliable": r.Unreliable, "outbox_counts": counts,
			"local_device_verdict_eligible": r.Axis == health.OutboxIdle && !counts.Stuck(),
		}
	case "local_coverage":
		in := decode[struct {
			health.LocalCoverage
			RunAxis health.CoverageAxis `json:"run_axis"`
		}](t, b)
		c := health.SelectCoverage(health.Coverage{Axis: in.RunAxis}, &in.LocalCoverage)
		return map[string]any{"coverage_axis": c.Axis, "degrading": c.Axis.Degrading()}
	case "detail_gap_backlog":
		in := decode[health.DetailGaps](t, b)
		return map[string]any{"detail_gap_backlog": health.DetailGapBacklog(&in)}
	case "run_coverage":
		in := decode[struct {
			Run     *health.RunEvidence     `json:"run"`
			Pending []health.PendingGap     `json:"pending_detail_gaps"`
			Streams []health.ManifestStream `json:"manifest_streams"`
		}](t, b)
		c := health.RunCoverage(in.Run, in.Pending, in.Streams)
		return map[string]any{
			"coverage_axis": c.Axis, "required_but_accepted": c.RequiredButAccepted, "streams": c.Streams,
			"forward_disposition": health.ForwardDisposition(health.DispositionInput{
				Coverage: c.Axis, GapRetryable: c.Axis == health.CoverageRetryableGap, Accepted: !c.RequiredButAccepted,
			}),
		}
	}
	t.Fatalf("unknown op %q", op)
	return nil
}

// instant reads a time of a test.
func instant(t *testing.T, s string) health.Instant {
	t.Helper()
	at, err := time.Parse(time.RFC3339, s)
	if err != nil {
		t.Fatal(err)
	}
	return health.At(at)
}
