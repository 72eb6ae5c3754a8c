package sdk

import (
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/internal/link"
	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
)

// Bounds on the text of one message, in bytes. The host keeps less.
const (
	maxProgressText = 500
	maxSkipText     = 2000
)

// progressEvery is the least time between two PROGRESS messages.
const progressEvery = 250 * time.Millisecond

// Skip reports to the host that something was not collected (SKIP_RESULT). The host
// keeps it as a known gap of the run. Skip fills in Type, and does nothing for a stream
// outside the scope.
func (h *Host) Skip(m abi.SkipResult) error {
	if m.Stream != "" {
		switch s := h.stream(m.Stream); {
		case s == nil:
			return undeclared(m.Stream)
		case !s.wanted:
			return nil
		}
	}
	b := beginMessage(h.message, abi.TypeSkipResult)
	b = textMember(b, "stream", m.Stream)
	b = textMember(b, "reason", m.Reason)
	b = textMember(b, "message", clip(m.Message, maxSkipText))
	b = rawMember(b, "recovery_hint", m.RecoveryHint)
	b = rawMember(b, "diagnostics", m.Diagnostics)
	if len(m.ResourceIDs) > 0 {
		b = jsonappend.Strings(jsonappend.Name(b, "resource_ids"), m.ResourceIDs)
	}
	if m.TimeRange != nil {
		b = append(jsonappend.Name(b, "time_range"), '{')
		b = textMember(b, "since", m.TimeRange.Since)
		b = append(textMember(b, "until", m.TimeRange.Until), '}')
	}
	return h.sendMessage(link.Skip, b)
}

// Progress shows the owner how far the run is: count of total, in unit ("bytes",
// "records" or "files"; "" is records). A negative total is unknown. Call it as often
// as you like: at most four messages a second go out.
func (h *Host) Progress(message string, count, total int64, unit string) error {
	now := h.Now()
	if !h.progressed.IsZero() && now.Sub(h.progressed) < progressEvery && !now.Before(h.progressed) {
		return h.failed
	}
	h.progressed = now
	if message == "" {
		message = "collecting"
	}
	b := beginMessage(h.message, abi.TypeProgress)
	b = textMember(b, "message", clip(message, maxProgressText))
	if count >= 0 {
		b = jsonappend.Int(jsonappend.Name(b, "count"), count)
	}
	if total >= 0 {
		b = jsonappend.Int(jsonappend.Name(b, "total"), total)
	}
	b = textMember(b, "unit", unit)
	return h.sendMessage(link.Progress, b)
}

// SendAccount sends one finished ACCOUNT message. Package accounts makes them.
func (h *Host) SendAccount(message []byte) error {
	return h.settled(link.Account, account(h.link, message))
}

// Level is the importance of a log line; the numbers equal those of log/slog.
type Level int32

// The levels.
const (
	Debug Level = -4
	Info  Level = 0
	Warn  Level = 4
	Error Level = 8
)

// Log writes one line to the host's log, for the connector's developer. Never log a
// secret or a record's content. A line is cut at abi.MaxLogBytes.
func (h *Host) Log(level Level, text string) {
	h.link.Log(int32(level), []byte(clip(text, abi.MaxLogBytes)))
}

// done sends DONE and returns the result of pdpp_collect.
func (h *Host) done(err error) int32 {
	status, e := outcome(err)
	b := beginMessage(h.message, abi.TypeDone)
	b = textMember(b, "status", status)
	b = jsonappend.Int(jsonappend.Name(b, "records_emitted"), h.sent)
	if e != nil {
		b = append(jsonappend.Name(b, "error"), '{')
		b = textMember(b, "code", e.Code)
		b = textMember(b, "message", e.Message)
		b = jsonappend.Bool(jsonappend.Name(b, "retryable"), e.Retryable)
		b = append(rawMember(b, "recovery_hint", e.RecoveryHint), '}')
	}
	if h.sendMessage(link.Done, b) != nil {
		return 1
	}
	return 0
}

// beginMessage starts a message in the room of b.
func beginMessage(b []byte, kind string) []byte {
	return jsonappend.String(jsonappend.Name(append(b[:0], '{'), "type"), kind)
}

// textMember appends a member unless it is empty.
func textMember(b []byte, name, value string) []byte {
	if value == "" {
		return b
	}
	return jsonappend.String(jsonappend.Name(b, name), value)
}

// rawMember appends a member unless it is empty.
func rawMember(b []byte, name string, value []byte) []byte {
	if len(value) == 0 {
		return b
	}
	return append(jsonappend.Name(b, name), value...)
}

// sendMessage closes the message, sends it, and keeps its room for the next.
func (h *Host) sendMessage(c link.Call, b []byte) error {
	h.message = append(b, '}')
	err := h.send(c, h.message)
	if cap(h.message) > abi.MaxMessageBytes {
		h.message = nil // a large cursor is rare; release its room
	}
	return err
}

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

// Gap is a record whose detail could not be fetched now and is to be fetched
// later.
type Gap struct {
	Key        []string      // by primary_key of the lane's stream
	Reason     abi.Reason    // one of abi.GapReasons
	Locator    []byte        // a JSON object that finds the detail again; never a secret
	ListCursor []byte        // JSON, optional
	Err        *abi.GapError // optional
	// ID and Lease identify a served gap that stays open.
	ID, Lease string
}

// gap sends a DETAIL_GAP. key is the JSON of g.Key.
func (h *Host) gap(stream, parent string, key []byte, g Gap) error {
	if !g.Reason.Has(abi.GapReasons) {
		return abi.NewError(abi.CodeGapInvalid, "a gap's reason is not one of abi.GapReasons",
			"use one of abi.GapReasons, or Skip").WithDetail(stream + ": " + string(g.Reason))
	}
	if len(g.Locator) == 0 || g.Locator[0] != '{' {
		return abi.NewError(abi.CodeGapInvalid, "a gap without a locator", "give a JSON object").WithDetail(stream)
	}
	if err := h.Flush(); err != nil {
		return err
	}
	b := beginMessage(h.message, abi.TypeDetailGap)
	b = textMember(b, "stream", stream)
	b = textMember(b, "parent_stream", parent)
	b = rawMember(b, "record_key", key)
	b = textMember(b, "reason", string(g.Reason))
	b = jsonappend.Bool(jsonappend.Name(b, "retryable"), true)
	b = textMember(b, "status", "pending")
	b = appendLine(jsonappend.Name(b, "detail_locator"), g.Locator)
	if len(g.ListCursor) > 0 {
		b = appendLine(jsonappend.Name(b, "list_cursor"), g.ListCursor)
	}
	if e := g.Err; e != nil {
		b = append(jsonappend.Name(b, "last_error"), '{')
		b = textMember(b, "class", e.Class)
		if e.HTTPStatus != nil {
			b = jsonappend.Int(jsonappend.Name(b, "http_status"), int64(*e.HTTPStatus))
		}
		b = rawMember(b, "network_pressure", e.NetworkPressure)
		b = append(textMember(b, "said", e.Said), '}')
	}
	b = textMember(b, "gap_id", g.ID)
	b = textMember(b, "lease_id", g.Lease)
	return h.sendMessage(link.Gap, b)
}

// GapAttempted reports that the connector starts on a leased gap. Its ids come from the
// gap's entry in DetailGaps.
func (h *Host) GapAttempted(stream, gapID, leaseID string) error {
	return h.gapOutcome(abi.TypeGapAttempted, stream, gapID, leaseID)
}

// GapRecovered reports that the detail of a leased gap was emitted: its record, changed
// or not, or its tombstone. Without one of them the host ignores the report.
func (h *Host) GapRecovered(stream, gapID, leaseID string) error {
	return h.gapOutcome(abi.TypeGapRecovered, stream, gapID, leaseID)
}

func (h *Host) gapOutcome(kind, stream, gapID, leaseID string) error {
	if err := h.Flush(); err != nil {
		return err
	}
	b := beginMessage(h.message, kind)
	b = textMember(b, "gap_id", gapID)
	b = textMember(b, "lease_id", leaseID)
	b = textMember(b, "stream", stream)
	return h.sendMessage(link.Gap, b)
}
