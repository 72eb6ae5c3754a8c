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
