package replay

import (
	"bytes"
	"encoding/json"
	"slices"
	"unicode/utf8"

	"github.com/pdpp-host/pdpp-host/abi"
)

// The kinds of event other than the calls that carry a message, which have their names
// from abi.Calls.
const (
	kindSubmit  = "submit"
	kindEmit    = "emit"
	kindLog     = "log"
	kindAnswer  = "answer"
	kindRefused = "refused"
	kindEnd     = "end"
)

var outputs = []string{kindEmit, "state", "gap", "coverage", "enumerate", "skip", "account", "progress", "done"}

// event is one line of a recording after the first.
//
//	submit           a request of the guest: Request counts from 1, Op, payload
//	emit ... done    a call that carries a message: payload
//	log              Level, payload
//	answer           to Request: payload; in the order in which wait hands them out; Seconds that
//	                 the owner took over a page, of which nothing else is kept
//	refused          the host refused what came before: Request when it was a submit, Error
//	end              how the guest ended: Returned and Code, or Error
type event struct {
	Kind    string `json:"event"`
	Request int    `json:"request,omitempty"`
	Op      string `json:"op,omitempty"`
	Level   int32  `json:"level,omitempty"`
	// A payload is stored as Text, or as Base64 if it is not valid UTF-8.
	Text     *string `json:"text,omitempty"`
	Base64   []byte  `json:"base64,omitempty"`
	Error    *fault  `json:"error,omitempty"`
	Returned bool    `json:"returned,omitempty"`
	Code     int32   `json:"code,omitempty"`
	Seconds  int64   `json:"seconds,omitempty"`
}

// fault is the part of an *abi.Error that a guest can read.
type fault struct {
	Code    abi.Code `json:"code"`
	Message string   `json:"message,omitempty"`
	Detail  string   `json:"detail,omitempty"`
}

func (f *fault) err() error { return &abi.Error{Code: f.Code, Message: f.Message, Detail: f.Detail} }

// carrying returns e with a payload.
func carrying(e event, payload []byte) event {
	if utf8.Valid(payload) {
		text := string(payload)
		e.Text = &text
	} else {
		e.Base64 = payload
	}
	return e
}

func (e *event) payload() []byte {
	if e.Text != nil {
		return []byte(*e.Text)
	}
	return e.Base64
}

// wellFormed reports whether e has exactly the members of its kind.
func (e *event) wellFormed() bool {
	carries := (e.Text != nil) != (len(e.Base64) > 0)
	empty := e.Text == nil && len(e.Base64) == 0
	ended := e.Returned || e.Code != 0
	switch {
	case e.Seconds < 0 || e.Seconds > 0 && e.Kind != kindAnswer:
		return false
	case e.Kind == kindSubmit:
		_, known := operation(e.Op)
		return known && e.Request > 0 && carries && e.Level == 0 && e.Error == nil && !ended
	case e.Kind == kindAnswer:
		return e.Op == "" && e.Request > 0 && carries && e.Level == 0 && e.Error == nil && !ended
	case e.Kind == kindLog:
		return e.Op == "" && e.Request == 0 && carries && e.Error == nil && !ended
	case e.Kind == kindRefused:
		return e.Op == "" && e.Request >= 0 && empty && e.Level == 0 && e.faulty() && !ended
	case e.Kind == kindEnd:
		return e.Op == "" && e.Request == 0 && empty && e.Level == 0 && e.faulty() != e.Returned && (e.Error == nil || e.faulty())
	case slices.Contains(outputs, e.Kind):
		return e.Op == "" && e.Request == 0 && carries && e.Level == 0 && e.Error == nil && !ended
	default:
		return false
	}
}

func (e *event) faulty() bool { return e.Error != nil && e.Error.Code != "" }

// operation looks up an operation by its name.
func operation(name string) (abi.Operation, bool) {
	for _, row := range abi.Operations {
		if row.Name == name {
			return row.Op, true
		}
	}
	return 0, false
}

func operationName(op abi.Operation) string {
	for _, row := range abi.Operations {
		if row.Op == op {
			return row.Name
		}
	}
	return ""
}

// encode appends v as a line to dst. It is the only way to write a line, by which
// decode recognizes an invalid one.
func encode(dst *bytes.Buffer, v any) error {
	enc := json.NewEncoder(dst)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// decode reads a line, with its line end, into v, and reports whether it equals
// encode's output: no name that is unknown, duplicate or in another case, and no other
// spelling.
func decode(line []byte, v any) bool {
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if d.Decode(v) != nil {
		return false
	}
	var again bytes.Buffer
	again.Grow(len(line))
	return encode(&again, v) == nil && bytes.Equal(again.Bytes(), line)
}
