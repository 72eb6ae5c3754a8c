package run

import (
	"encoding/json"

	"github.com/pdpp-host/pdpp-host/abi"
)

// place is how far a run has come: the stream that it is at, and the last cursor
// that the guest gave for it. It is what a planned stop leaves behind (PB-D9).
type place struct {
	stream string
	cursor []byte // nil: none in this run
}

// maxPlaceCursor is up to which size a cursor is worth repeating in a gap.
const maxPlaceCursor = 4 << 10

// reach moves on to a stream, and to a cursor of it when there is one.
func (p *place) reach(stream string, cursor []byte) {
	if p.stream != stream {
		p.stream, p.cursor = stream, nil
	}
	if len(cursor) > 0 {
		p.cursor = cursor
	}
}

// stopped is the gap of a run that stopped asking at its own budget: where it
// stands, and that it was no pressure of the source (PB-A2, PB-A3, RT-24).
func (p *place) stopped(reason abi.Reason) KnownGap {
	return p.resumable(KnownGap{
		Kind: "send_budget", Reason: string(reason), Message: "the run stopped asking at its own budget; the next run goes on from here",
	})
}

// unfinished is the gap of a run that stopped between two units of work at its
// collector's own bound: the units that are left wait for the next run (LC-02.1).
func (p *place) unfinished(reason abi.Reason) KnownGap {
	return p.resumable(KnownGap{
		Kind: "policy_budget", Reason: string(reason), Message: "the run had collected as much as one may; the next run goes on from here",
	})
}

// resumable completes a gap that the next run closes by going on from here.
func (p *place) resumable(gap KnownGap) KnownGap {
	gap.Severity, gap.RecoveryHint, gap.Stream = "recoverable", "retry_by_runtime", p.stream
	if len(p.cursor) > 0 && len(p.cursor) <= maxPlaceCursor {
		if raw, err := json.Marshal(map[string]json.RawMessage{"cursor": p.cursor}); err == nil {
			gap.Diagnostics = raw
		}
	}
	return gap
}
