package run

import (
	"slices"
	"testing"

	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/health/verdict"
	"github.com/pdpp-host/pdpp-host/storage"
)

// AC-03: a stream whose records came without what its coverage_strategy promises is unknown in
// the verdict until a run has shown it, and a later run that shows less takes nothing back.
func TestCoverageIsUnknownUntilItIsShown(t *testing.T) {
	t.Parallel()
	const (
		ranked = `emit {"type":"RECORD","stream":"ranked","key":["x","y"],"data":{"id":"x","range":"y"},"emitted_at":"2026-01-01T00:00:00Z"}` + "\n"
		rider  = `emit {"type":"RECORD","stream":"riders","key":"r","data":{"id":"r"},"emitted_at":"2026-01-01T00:00:00Z"}` + "\n"
		open   = `enumerate {"type":"ENUMERATION","stream":"ranked","status":"open"}` + "\n"
		whole  = `enumerate {"type":"ENUMERATION","stream":"ranked","status":"whole"}` + "\n"
		cursor = `state {"type":"STATE","stream":"ranked","cursor":{"n":1}}` + "\n"
		notes  = `state {"type":"STATE","stream":"notes","cursor":{"n":1}}` + "\n"
		chats  = `state {"type":"STATE","stream":"chats","cursor":{"n":1}}` + "\n"
	)
	for stream, c := range map[string]struct{ without, with string }{
		"ranked":   {ranked, open + ranked + whole + cursor},
		"messages": {message("m")[1:] + "\n" + chats, message("m")[1:] + covers("m") + "\n" + chats},
		"riders":   {rider, rider + notes},
	} {
		t.Run(stream, func(t *testing.T) {
			t.Parallel()
			h := newHost(t, setup{enumerate: true})
			for i, step := range []struct {
				script string
				told   bool
				want   health.CoverageAxis
			}{{c.without, true, health.CoverageUnknown}, {c.without, true, health.CoverageUnknown}, {c.with, false, health.CoverageComplete}, {c.without, false, health.CoverageComplete}} {
				res := h.succeed(step.script + "finish")
				if told := slices.ContainsFunc(res.KnownGaps, func(g KnownGap) bool { return g.Kind == storage.CoverageNotShown && g.Stream == stream }); told != step.told {
					t.Errorf("run %d: got %+v, want it told: %v", i+1, res.KnownGaps, step.told)
				}
				v := h.verdict()
				at := slices.IndexFunc(v.Streams, func(r verdict.StreamRow) bool { return r.StreamID == stream })
				if v.Streams[at].Coverage != step.want || step.want == health.CoverageUnknown && v.Pill.Tone == "green" {
					t.Errorf("run %d: got %s, %+v, want %s", i+1, v.Pill.Tone, v.Streams[at], step.want)
				}
			}
		})
	}
}
