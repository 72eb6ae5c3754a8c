package api

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi/device"
)

func raw(v any) json.RawMessage {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return text
}

// A run's end is held to the words and the limits of a local run's.
func TestTheEndOfARunIsHeldToItsLimits(t *testing.T) {
	t.Parallel()
	l := ready(t)
	long := strings.Repeat("x", 10_000)
	gap := func(edit func(*knownGap)) json.RawMessage {
		g := knownGap{Kind: "skip_result", Reason: "r", Severity: "transient", Count: 1}
		edit(&g)
		return raw([]knownGap{g})
	}
	for param, edits := range map[string][]func(*device.RunCommit){
		"version":               {func(c *device.RunCommit) { c.Version = 2 }},
		"commit_id":             {func(c *device.RunCommit) { c.CommitID = "" }, func(c *device.RunCommit) { c.CommitID = long }},
		"run_id":                {func(c *device.RunCommit) { c.RunID = "a b" }},
		"source_instance_id":    {func(c *device.RunCommit) { c.SourceInstanceID = "another" }},
		"connector_id":          {func(c *device.RunCommit) { c.ConnectorID = "another" }},
		"connector_instance_id": {func(c *device.RunCommit) { c.ConnectorInstanceID = "another" }},
		"outcome.status": {
			func(c *device.RunCommit) { c.Outcome.Status = "abandoned" }, func(c *device.RunCommit) { c.Outcome.Status = "" },
		},
		"outcome.collection_mode": {func(c *device.RunCommit) { c.Outcome.Mode = "all" }},
		"outcome.reason":          {func(c *device.RunCommit) { c.Outcome.Reason = "a\nb" }},
		"outcome.connector":       {func(c *device.RunCommit) { c.Outcome.Connector = "another" }},
		"outcome.version":         {func(c *device.RunCommit) { c.Outcome.Version = long }},
		"outcome.module_sha256":   {func(c *device.RunCommit) { c.Outcome.ModuleSHA256 = "x" }, func(c *device.RunCommit) { c.Outcome.ModuleSHA256 = "" }},
		"outcome.streams":         {func(c *device.RunCommit) { c.Outcome.Streams = []string{"a\x00"} }},
		"state_delta": {
			func(c *device.RunCommit) { c.StateDelta = map[string]json.RawMessage{"none": raw(map[string]int{})} },
			func(c *device.RunCommit) { c.StateDelta = map[string]json.RawMessage{"notes": raw("text")} },
			func(c *device.RunCommit) { c.StateDelta = map[string]json.RawMessage{"notes": raw([]int{1})} },
			func(c *device.RunCommit) {
				c.StateDelta = map[string]json.RawMessage{"notes": raw(map[string]string{"a": strings.Repeat("x", 8<<20)})}
			},
			func(c *device.RunCommit) { // a run that failed moves nothing
				c.Outcome.Status, c.StateDelta = "failed", map[string]json.RawMessage{"notes": raw(map[string]int{})}
			},
		},
		"terminal_facts": {
			func(c *device.RunCommit) { c.Facts = []device.TerminalFact{{Stream: "none"}} },
			func(c *device.RunCommit) {
				c.Facts = []device.TerminalFact{{Stream: "notes", CoverageStatuses: []string{"fine"}}}
			},
		},
		"outcome.error": {
			func(c *device.RunCommit) { c.Outcome.Error = raw(map[string]string{"code": "x"}) }, // on success
			func(c *device.RunCommit) { c.Outcome.Status, c.Outcome.Error = "failed", raw("text") },
			func(c *device.RunCommit) {
				c.Outcome.Status, c.Outcome.Error = "failed", raw(map[string]string{"message": long})
			},
		},
		"outcome.known_gaps": {
			func(c *device.RunCommit) { c.Outcome.KnownGaps = raw("text") },
			func(c *device.RunCommit) { c.Outcome.KnownGaps = raw(make([]knownGap, maxKnownGaps+1)) },
			func(c *device.RunCommit) { c.Outcome.KnownGaps = gap(func(g *knownGap) { g.Severity = "fine" }) },
			func(c *device.RunCommit) { c.Outcome.KnownGaps = gap(func(g *knownGap) { g.Kind = "A kind" }) },
			func(c *device.RunCommit) { c.Outcome.KnownGaps = gap(func(g *knownGap) { g.Message = long }) },
			func(c *device.RunCommit) { c.Outcome.KnownGaps = gap(func(g *knownGap) { g.Count = -1 }) },
			func(c *device.RunCommit) {
				c.Outcome.KnownGaps = gap(func(g *knownGap) { g.Diagnostics = raw(strings.Repeat(long, 5)) })
			},
			func(c *device.RunCommit) { c.Outcome.KnownGaps = gap(func(g *knownGap) { g.Stream = "\n" }) },
		},
		"outcome.withheld": {
			func(c *device.RunCommit) { c.Outcome.Withheld = raw("text") },
			func(c *device.RunCommit) {
				c.Outcome.Withheld = raw([]map[string]string{{"stream": "none", "reason": "r"}})
			},
		},
		"outcome.coverage": {
			func(c *device.RunCommit) {
				c.Outcome.Coverage = []device.Coverage{{Stream: "notes", StateStream: "notes", Required: -1}}
			},
			func(c *device.RunCommit) { c.Outcome.Coverage = []device.Coverage{{Stream: "notes"}} },
		},
	} {
		for _, edit := range edits {
			c := l.commit("run_1", "commit_1", nil)
			edit(&c)
			a := l.send(http.MethodPost, device.PathRunCommits(l.DeviceID, l.SourceInstanceID), c)
			if f := l.refuses(http.StatusBadRequest, device.CodeBadRequest, a); f.Param != param || strings.Contains(f.Message, "xxxx") {
				t.Errorf("%s: %+v", param, f)
			}
		}
	}
	c := l.commit("run_1", "commit_1", nil)
	c.DeviceID = "another"
	l.refuses(http.StatusForbidden, device.CodeForbidden, l.send(http.MethodPost, device.PathRunCommits(l.DeviceID, l.SourceInstanceID), c))
}

// A device whose clock is wrong, or whose run failed, must be able to be done.
func TestEveryEndOfARunIsTaken(t *testing.T) {
	t.Parallel()
	l := ready(t)
	for id, edit := range map[string]func(*device.RunCommit){
		"failed": func(c *device.RunCommit) {
			c.Outcome.Status, c.Outcome.Error = "failed", raw(map[string]any{"code": "guest.trap", "message": "it trapped", "retryable": true})
		},
		"cancelled": func(c *device.RunCommit) { c.Outcome.Status = "cancelled" },
		"ahead":     func(c *device.RunCommit) { c.Outcome.FinishedAt = time.Now().AddDate(20, 0, 0) },
		"backwards": func(c *device.RunCommit) { c.Outcome.FinishedAt = c.Outcome.StartedAt.Add(-time.Hour) },
		"partial": func(c *device.RunCommit) {
			c.Outcome.KnownGaps = raw([]knownGap{{Kind: "skip_result", Reason: "missing_file", Severity: "actionable", Stream: "gone", Count: 2}})
			c.Outcome.Withheld = raw([]map[string]string{{"stream": "notes", "reason": "gaps"}})
			c.Outcome.Coverage = []device.Coverage{{Stream: "notes", StateStream: "notes", Required: 2, Hydrated: 1, Gaps: 1}}
			c.Facts = []device.TerminalFact{{Stream: "notes", CoverageStatuses: []string{"collected", "missing"}}}
		},
	} {
		c := l.commit("run_"+id, "commit_"+id, nil)
		edit(&c)
		l.must(http.StatusOK, l.send(http.MethodPost, device.PathRunCommits(l.DeviceID, l.SourceInstanceID), c), nil)
	}
}

// A run may report up to 8 KiB about a gap as its connector wrote it, and six times that
// where it is spelled with escapes.
func TestDiagnosticsAreTakenAsTheyAreSpelled(t *testing.T) {
	t.Parallel()
	l := ready(t)
	c := l.commit("run_1", "commit_1", nil)
	c.Outcome.KnownGaps = raw([]knownGap{{
		Kind: "skip", Reason: "r", Severity: "recoverable", Stream: "notes", Count: 1, Diagnostics: json.RawMessage(`{"page":"` + strings.Repeat("<", 8<<10-11) + `"}`),
	}})
	l.must(http.StatusOK, l.send(http.MethodPost, device.PathRunCommits(l.DeviceID, l.SourceInstanceID), c), nil)
}
