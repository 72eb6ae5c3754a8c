package sdk

import (
	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/internal/link"
	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
)

// State stages the stream's cursor: a JSON object, or null (nil) to forget it.
// The host commits it when the run ends well. Records batched so far are sent
// first, so the cursor may cover everything emitted before the call. No-op for
// a stream outside the scope.
func (h *Host) State(stream string, cursor []byte) error {
	return h.state(stream, "", cursor)
}

// Slice is State for a unit that is complete: a file, a page, a day. The host
// commits the cursor as soon as the slice's records are durable, so that a
// later crash costs one slice and not the run (PB-D8). id names the slice. Call
// it between units, never inside one.
func (h *Host) Slice(stream, id string, cursor []byte) error {
	if id == "" {
		return abi.NewError(abi.CodeEnvelope, "a slice without an id", "name the file, page or range").WithDetail(stream)
	}
	return h.state(stream, id, cursor)
}

func (h *Host) state(stream, slice string, cursor []byte) error {
	s := h.stream(stream)
	if s == nil {
		return undeclared(stream)
	}
	// Before the scope is looked at: a connector may rely on State to send.
	if err := h.Flush(); err != nil || !s.wanted {
		return err
	}
	if len(cursor) == 0 {
		cursor = []byte("null")
	} else if cursor[0] != '{' && string(cursor) != "null" {
		return abi.NewError(abi.CodeEnvelope, "a cursor is neither a JSON object nor null",
			"wrap the cursor in an object").WithDetail(stream)
	}
	b := beginMessage(h.message, abi.TypeState)
	b = textMember(b, "stream", stream)
	b = appendLine(jsonappend.Name(b, "cursor"), cursor)
	if slice != "" {
		b = append(jsonappend.Name(b, "slice"), '{')
		b = textMember(b, "id", slice)
		b = append(jsonappend.Bool(jsonappend.Name(b, "complete"), true), '}')
		b = h.sliceCoverage(b, stream)
	}
	if len(b) >= abi.MaxStateBytes {
		return abi.NewError(abi.CodeCallTooLarge, "a cursor is larger than a STATE may be",
			"keep less in the cursor: forget what vanished, store counts instead of lists").WithDetail(stream)
	}
	return h.sendMessage(link.State, b)
}
