package storage

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/health/stored"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
)

// commitOf is the end of a run that went well, a minute ago.
func (x *exercise) commitOf(run string, change ...func(*device.RunCommit)) *device.RunCommit {
	now := x.clock.Now()
	c := &device.RunCommit{
		Version: 1, CommitID: "commit-" + run, RunID: run, StateDelta: map[string]json.RawMessage{"a": []byte(`{"at":2}`)},
		Outcome: device.Outcome{
			Status: tables.StatusSucceeded, Mode: abi.ModeIncremental, Version: "2.1", ModuleSHA256: hashOf("module"), Streams: []string{"a", "b", "extra"},
			StartedAt: now.Add(-2 * time.Minute), FinishedAt: now.Add(-time.Minute),
		},
	}
	for _, f := range change {
		f(c)
	}
	return c
}

func (x *exercise) commit(src *SourceInstance, c *device.RunCommit) string {
	x.Helper()
	event, replayed, err := x.s.CommitDeviceRun(x.Context(), src, c, hashOf("envelope"))
	x.ok(err)
	x.same(replayed, false)
	return event
}

func exerciseDeviceCommit(_ *testing.T, x *exercise) {
	src := x.enrolled("laptop")
	state, _, updated, err := x.s.DeviceState(x.Context(), src, StatePart{})
	x.ok(err)
	x.same([]any{len(state), updated.IsZero()}, []any{0, true})

	x.deliver(src, "r1", "a", "k=1")
	x.ok(x.s.CommitDeviceState(x.Context(), src, "r1", map[string][]byte{"a": []byte(`{"at":1}`)}))
	x.same(x.cursors("laptop"), `a/incremental={"at":1}`)
	seven := int64(7)
	c := x.commitOf("r1", func(c *device.RunCommit) {
		c.Outcome.Streams = []string{"a", "gone", "a", "b"}
		c.Outcome.Coverage = []device.Coverage{{Stream: "a", StateStream: "a", Considered: &seven, Covered: &seven}, {Stream: "gone", StateStream: "gone"}}
		c.Outcome.KnownGaps = []byte(`[{"kind":"skip","stream":"gone"},{"kind":"skip","stream":"b","severity":"recoverable"}]`)
		c.Outcome.Withheld = []byte(`[{"stream":"b","reason":"scope_narrowed"}]`)
	})
	event := x.commit(src, c)
	x.same(event, "r1.3")
	x.same(x.eventTypes("r1"), "1:run.state_advanced 2:run.state_advanced 3:run.completed")
	x.same(x.cursors("laptop"), `a/incremental={"at":2}`)
	state, _, updated, err = x.s.DeviceState(x.Context(), src, StatePart{})
	x.ok(err)
	x.same([]any{string(state["a"]), updated.Equal(x.clock.Now())}, []any{`{"at":2}`, true})
	r, err := x.s.Run(x.Context(), "r1")
	x.ok(err)
	x.same([]any{r.Status, r.Streams, r.Version, r.FinishedAt.Equal(c.Outcome.FinishedAt), r.StartedAt.Equal(c.Outcome.StartedAt), string(r.KnownGaps)},
		[]any{"succeeded", []string{"a", "b"}, "2.1", true, true, `[{"kind":"skip","stream":"b","severity":"recoverable"}]`})
	lanes, err := x.s.Coverage(x.Context(), "r1")
	x.ok(err)
	x.same(len(lanes), 1)

	// The same end again is the same; another one under its name, or of its run, is not taken.
	again, replayed, err := x.s.CommitDeviceRun(x.Context(), src, c, hashOf("envelope"))
	x.ok(err)
	x.same([]any{again, replayed}, []any{event, true})
	_, _, err = x.s.CommitDeviceRun(x.Context(), src, c, hashOf("another"))
	x.code(err, device.CodeRunConflict)
	c.CommitID = "second"
	_, _, err = x.s.CommitDeviceRun(x.Context(), src, c, hashOf("envelope"))
	x.code(err, device.CodeRunConflict)
	_, _, err = x.s.IngestBatch(x.Context(), x.delivery(src, "r1", "a", "k=2"))
	x.code(err, device.CodeRunConflict)

	// A run of which nothing else was delivered, which failed.
	x.commit(src, x.commitOf("r2", func(c *device.RunCommit) {
		c.StateDelta, c.Outcome.Status, c.Outcome.Reason = nil, "failed", "connector_reported_failed"
		c.Outcome.Error = []byte(`{"code":"x_failed","message":"m","retryable":true}`)
	}))
	r, err = x.s.Run(x.Context(), "r2")
	x.ok(err)
	x.same([]any{r.Status, r.Error.Code, r.Error.Retryable}, []any{"failed", "x_failed", true})
	for what, change := range map[string]func(*device.RunCommit){
		"cursors of a failed run": func(c *device.RunCommit) { c.Outcome.Status = "failed" },
		"no such end":             func(c *device.RunCommit) { c.Outcome.Status = StatusRunning },
		"an end of the host's":    func(c *device.RunCommit) { c.Outcome.Status = StatusAbandoned },
		"no time":                 func(c *device.RunCommit) { c.Outcome.FinishedAt = time.Time{} },
		"no mode":                 func(c *device.RunCommit) { c.Outcome.Mode = "" },
		"no cursor":               func(c *device.RunCommit) { c.StateDelta["a"] = []byte("{") },
		"no error":                func(c *device.RunCommit) { c.Outcome.Error = []byte(`"x"`) },
		"no name":                 func(c *device.RunCommit) { c.RunID = "a\x00b" },
	} {
		if _, _, err := x.s.CommitDeviceRun(x.Context(), src, x.commitOf("r3", change), hashOf("envelope")); abi.CodeOf(err) != device.CodeBadRequest {
			x.Errorf("%s: got %v, want %s", what, err, device.CodeBadRequest)
		}
	}
	if _, err := x.s.Run(x.Context(), "r3"); abi.CodeOf(err) != abi.CodeRunUnknown {
		x.Errorf("the run that was refused: got %v, want %s", err, abi.CodeRunUnknown)
	}
}

func exerciseDeviceGaps(_ *testing.T, x *exercise) {
	src := x.enrolled("laptop")
	post := func(change ...func(*device.Gap)) *Gap {
		x.Helper()
		g := device.Gap{Reason: "retryable_error", Retryable: true, Stream: "a", Boundary: "file-1", BackoffMS: 60000, FirstSeenAt: x.clock.Now().Add(time.Hour), LastRunID: "r1"}
		for _, f := range change {
			f(&g)
		}
		out, err := x.s.PutDeviceGap(x.Context(), src, g)
		x.ok(err)
		return out
	}
	g := post()
	x.same([]any{g.Status, g.AttemptCount, g.CreatedAt.Equal(x.clock.Now()), g.NextAttemptAfter.Equal(x.clock.Now().Add(time.Minute))}, []any{GapPending, 0, true, true})
	x.same(post().AttemptCount, 0) // the answer was lost
	x.same(post(func(g *device.Gap) { g.LastRunID = "r2" }).AttemptCount, 1)
	x.same(post(func(g *device.Gap) { g.Boundary, g.Retryable = "file-2", false }).Status, GapTerminal)
	x.same(post(func(g *device.Gap) { g.Stream = "gone" }).Status, GapTerminal)
	x.same(x.open(x.T, x.clock.Now) != nil, true)
	all, err := x.s.Gaps(x.Context(), "laptop", GapQuery{})
	x.ok(err)
	x.same(len(all), 2) // nothing of a stream that is no stream
	e, err := x.s.EvidenceOf(x.Context(), "laptop")
	x.ok(err)
	x.same(e.Facts.Gaps.Streams, []stored.StreamGaps{{Stream: "a", Other: 1}})

	recovered := func(boundary string) *Gap {
		x.Helper()
		out, err := x.s.RecoverDeviceGap(x.Context(), src, device.GapRecovered{Reason: "retryable_error", Stream: "a", Boundary: boundary, RecoveredRunID: "r3"})
		x.ok(err)
		return out
	}
	// A boundary is often a record's key, and a class the connector's own words.
	odd := post(func(g *device.Gap) {
		g.Boundary, g.Class, g.Retryable = strings.Repeat("a\n\u00ad", 1000), "HTTP\t500", false
	})
	x.same([]any{odd.Status, len(odd.RecordKey)}, []any{GapTerminal, 4000})
	for _, boundary := range []string{"a\x00b", "\xff", strings.Repeat("a", 16<<10+1)} {
		_, err = x.s.PutDeviceGap(x.Context(), src, device.Gap{Reason: "retryable_error", Stream: "a", Boundary: boundary})
		x.code(err, device.CodeBadRequest)
	}

	g = recovered("file-1")
	x.same([]any{g.Status, g.AttemptCount, g.RecoveredRunID}, []any{GapRecovered, 2, "r3"})
	x.same(recovered("file-1").AttemptCount, 2)
	x.same(recovered("never seen").Status, GapRecovered)
	x.same(post(func(g *device.Gap) { g.LastRunID = "r4" }).Status, GapPending)
	_, err = x.s.PutDeviceGap(x.Context(), src, device.Gap{Stream: "a"})
	x.code(err, device.CodeBadRequest)
	bare, err := x.s.SourceInstance(x.Context(), "dev", "src")
	x.code(err, device.CodeNotFound)
	x.same(bare == nil, true)
}
