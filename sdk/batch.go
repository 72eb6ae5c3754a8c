package sdk

import (
	"bytes"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/internal/link"
	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// stampNow makes emitted_at for the batch that starts: one clock call for 64
// KiB of records instead of one for each.
func (h *Host) stampNow() {
	h.stamp = jsonappend.Time(h.stamp[:0], h.Now())
}

// record appends one RECORD with the key (as JSON) and the data (an object) to
// the batch, and sends the batch when it is full. The record had the key was until now, nil for none.
func (h *Host) record(s *stream, key, data []byte, was []string) error {
	if h.pending == 0 {
		h.stampNow()
	}
	from := len(h.batch)
	h.batch = append(h.batch, s.prefix...)
	h.batch = append(h.batch, key...)
	h.batch = append(h.batch, `,"data":`...)
	h.batch = append(h.batch, data...)
	h.batch = append(h.batch, `,"emitted_at":`...)
	h.batch = append(h.batch, h.stamp...)
	if was != nil {
		var err error
		if h.batch, err = s.appendMoved(h.batch, key, was); err != nil {
			h.batch = h.batch[:from]
			return err
		}
	}
	h.batch = append(h.batch, '}', '\n')
	if len(h.batch)-from > abi.MaxRecordBytes {
		s.given.Withheld++
	} else {
		s.given.Sent++
	}
	return h.appended(s, key, from)
}

// appendMoved appends the key that a record had, but for one that no record can have had, and the record's own.
func (s *stream) appendMoved(dst, key []byte, was []string) ([]byte, error) {
	from, err := s.textKey(nil, was)
	if err != nil || !goodKey(from) || bytes.Equal(from, key) {
		return dst, err
	}
	return append(append(dst, `,"moved_from":`...), from...), nil
}

// appended counts the line that starts at from, or takes it back when it is
// larger than a record may be.
func (h *Host) appended(s *stream, key []byte, from int) error {
	if size := len(h.batch) - from; size > abi.MaxRecordBytes {
		h.batch = h.batch[:from]
		return h.withhold(s, withheldTooLarge, key, int64(size))
	}
	h.pending++
	if len(h.batch) >= abi.EmitFlushBytes {
		return h.Flush()
	}
	return h.failed
}

// Flush sends the batched records. State, Slice, the lane, each wait for an answer
// and the end of the run do it by themselves.
func (h *Host) Flush() error {
	if h.pending == 0 {
		return h.failed
	}
	err := h.send(link.Emit, h.batch)
	if err == nil {
		h.sent += h.pending
	}
	h.batch, h.pending = h.batch[:0], 0
	if err == nil {
		err = h.failed
	}
	return err
}

// send makes one call with a payload. It remembers a refusal: the run lacks the message
// that the host refused, so it cannot succeed even if the connector ignores the error.
func (h *Host) send(c link.Call, payload []byte) error {
	return h.settled(c, h.link.Call(c, payload))
}

// settled returns the error of a call's result.
func (h *Host) settled(c link.Call, result int32) error {
	if result < 0 {
		err := h.refusal(link.Names[c])
		if h.failed == nil {
			h.failed = err
		}
		return err
	}
	if result == abi.ResultStop {
		h.stopping = true
	}
	return nil
}

// refusal reads why the host refused the last call.
func (h *Host) refusal(call string) error {
	buf := make([]byte, abi.MaxErrorBytes)
	n := h.link.LastError(buf)
	e := &abi.Error{Code: abi.CodeInternal, Message: "the host refused the call", Detail: call,
		Hint: "this is a fault of the connector; report it with this message"}
	if n <= 0 || int(n) > len(buf) {
		return e
	}
	v, err := jsonvalue.Parse(buf[:n])
	if err != nil {
		return e
	}
	if code := v.Get("code").Str(); code != "" {
		e.Code = abi.Code(code)
	}
	if message := v.Get("message").Str(); message != "" {
		e.Message = message
	}
	return e
}
