package outbox

import (
	"encoding/json"
	"slices"
	"sync"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
	"github.com/pdpp-host/pdpp-host/storage/record"
	"github.com/pdpp-host/pdpp-host/storage/run"
)

// A Lane is the sink of its runs: what they collect is queued for the destination.

// Refuses implements Sinks.
func (l *lane) Refuses(bookmark string) error {
	if bookmark == tables.BookmarkIncremental {
		return nil
	}
	return abi.NewError(abi.CodeUsage, "a collector's run cannot fill in history: its host keeps one cursor for each stream",
		"run it with --mode incremental or full_refresh")
}

// Open implements Sinks.
func (l *lane) Open(w *run.Writer) run.Sink {
	r := &LaneRun{lane: l, RunID: w.RunID(), to: w.To}
	w.To.HandOn = r.bury
	return r
}

// Delivered implements Sinks.
func (l *lane) Delivered() bun.Ident { return "delivered_keys" }

// Deserted implements Sinks.
func (l *lane) Deserted() abi.Reason { return abi.ReasonCollectorStopped }

// LaneRun is the sink of one run of a lane.
type LaneRun struct {
	*lane

	RunID string
	to    *record.Target
	units int64 // units of work closed; the writer goroutine's alone

	mu       sync.Mutex
	coverage map[string][]string // what coverage records said, by stream
}

// Commit implements run.Sink. It commits no cursor: the destination does, and confirms it.
func (r *LaneRun) Commit(*db.Tx, []run.StateCommit) error { return nil }

// noteCoverage keeps what a coverage record says of one of the run's streams.
func (r *LaneRun) noteCoverage(stream string, data []byte) {
	var said struct {
		Stream *string `json:"stream"`
		Status string  `json:"status"`
	}
	if stream != device.CoverageStream || json.Unmarshal(data, &said) != nil || said.Stream == nil {
		return
	}
	if !slices.ContainsFunc(r.to.Streams, func(s record.Stream) bool { return s.Name == *said.Stream }) {
		return
	}
	said.Status = device.CoverageStatus(said.Status)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.coverage == nil {
		r.coverage = map[string][]string{}
	}
	if list := r.coverage[*said.Stream]; !slices.Contains(list, said.Status) {
		r.coverage[*said.Stream] = append(list, said.Status)
	}
}

// terminalFacts are what the run's coverage records say, by stream.
func (r *LaneRun) terminalFacts(narrowed bool) []device.TerminalFact {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := []device.TerminalFact{}
	for _, s := range r.to.Streams {
		if list := r.coverage[s.Name]; list != nil {
			out = append(out, device.TerminalFact{Stream: s.Name, CoverageStatuses: slices.Sorted(slices.Values(list)), Scoped: narrowed})
		}
	}
	return out
}
