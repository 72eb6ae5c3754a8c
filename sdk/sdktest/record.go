package sdktest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/pdpp-host/pdpp-host/abi"
)

// scope is one stream in scope, and its schema as far as it is checked.
type scope struct {
	abi.StreamScope
	stream       *abi.Stream
	since, until time.Time
	required     []string
	types        map[string][]string // the schema's types, by property
	closed       bool                // additionalProperties is false
}

func (h *host) scope(list []abi.StreamScope) error {
	h.streams = make(map[string]*scope)
	for _, one := range list {
		s := &scope{StreamScope: one, stream: h.manifest.Stream(one.Name)}
		if s.stream == nil {
			return fmt.Errorf("the scope names stream %q, which the manifest does not declare", one.Name)
		}
		s.Resources = nil
		for _, text := range one.Resources {
			if canonical := keyText([]byte(text)); len(s.stream.PrimaryKey) > 1 && canonical != "" {
				text = canonical
			}
			s.Resources = append(s.Resources, text)
		}
		if r := one.TimeRange; r != nil {
			s.since, _ = time.Parse(time.RFC3339, r.Since)
			s.until, _ = time.Parse(time.RFC3339, r.Until)
		}
		if err := s.schema(); err != nil {
			return fmt.Errorf("stream %s: %w", one.Name, err)
		}
		h.streams[one.Name] = s
	}
	return nil
}

func (s *scope) schema() error {
	var schema struct {
		Required   []string `json:"required"`
		Properties map[string]struct {
			Type json.RawMessage `json:"type"`
		} `json:"properties"`
		Additional json.RawMessage `json:"additionalProperties"`
	}
	if len(s.stream.Schema) == 0 {
		return nil
	}
	if err := json.Unmarshal(s.stream.Schema, &schema); err != nil {
		return err
	}
	s.required, s.closed = schema.Required, string(schema.Additional) == "false"
	s.types = make(map[string][]string)
	for name, p := range schema.Properties {
		var one string
		var list []string
		if json.Unmarshal(p.Type, &one) == nil {
			list = []string{one}
		} else {
			_ = json.Unmarshal(p.Type, &list) // no type at all: anything goes
		}
		s.types[name] = list
	}
	return nil
}

// emit takes a batch.
func (h *host) emit(payload []byte) (abi.Code, string) {
	if len(payload) == 0 || payload[len(payload)-1] != '\n' {
		return abi.CodeEnvelope, "a batch that does not end in a line feed"
	}
	var list []Record
	for line := range bytes.Lines(payload) {
		if len(line) > abi.MaxRecordBytes {
			return abi.CodeCallTooLarge, "a record above abi.MaxRecordBytes"
		}
		rec, code, problem := h.record(bytes.TrimSuffix(line, []byte("\n")))
		if problem != "" {
			return code, problem
		}
		h.met(&rec)
		list = append(list, rec)
		h.gaps.arrived(rec.Stream, rec.Key)
	}
	h.res.All = append(h.res.All, list...)
	h.sent += int64(len(list))
	return "", ""
}

func (h *host) record(line []byte) (rec Record, code abi.Code, problem string) {
	if problem := strict(line); problem != "" {
		return rec, abi.CodeSyntax, problem + ": " + quote(string(line))
	}
	var m struct {
		Type      string          `json:"type"`
		Stream    string          `json:"stream"`
		Key       json.RawMessage `json:"key"`
		Data      json.RawMessage `json:"data"`
		Op        string          `json:"op"`
		EmittedAt string          `json:"emitted_at"`
		MovedFrom json.RawMessage `json:"moved_from"`
	}
	if err := json.Unmarshal(line, &m); err != nil || m.Type != abi.TypeRecord {
		return rec, abi.CodeEnvelope, "no RECORD: " + quote(string(line))
	}
	s := h.streams[m.Stream]
	if s == nil {
		return rec, abi.CodeStreamOutOfScope, "a record of stream " + quote(m.Stream) + ", which is not in scope"
	}
	at := "stream " + m.Stream + ": "
	if _, err := time.Parse(time.RFC3339, m.EmittedAt); err != nil {
		return rec, abi.CodeEnvelope, at + "emitted_at is no time"
	}
	rec = Record{Stream: m.Stream, Data: m.Data, Delete: m.Op == "delete", EmittedAt: m.EmittedAt}
	if rec.Key = keyText(m.Key); rec.Key == "" {
		return rec, abi.CodeKeyInvalid, at + "no key: " + string(m.Key)
	}
	if len(s.Resources) > 0 && !slices.Contains(s.Resources, rec.Key) {
		return rec, abi.CodeKeyOutsideResource, at + "key " + quote(rec.Key) + " is outside the resources"
	}
	if len(m.MovedFrom) > 0 {
		if rec.MovedFrom = keyText(m.MovedFrom); rec.MovedFrom == "" || rec.MovedFrom == rec.Key || rec.Delete {
			return rec, abi.CodeEnvelope, at + "moved_from is no other key of a record that stays"
		}
	}
	if rec.Delete {
		if s.stream.AppendOnly() {
			return rec, abi.CodeDeleteOnAppendOnly, at + "a tombstone on an append-only stream"
		}
		return rec, "", ""
	}
	d := json.NewDecoder(bytes.NewReader(m.Data))
	d.UseNumber()
	if d.Decode(&rec.Fields) != nil || rec.Fields == nil {
		return rec, abi.CodeEnvelope, at + "data is no object"
	}
	if want := dataKey(s.stream.PrimaryKey, rec.Fields); want != rec.Key {
		return rec, abi.CodeKeyMismatch, at + "key " + quote(rec.Key) + " is not that of the data, " + quote(want)
	}
	code, problem = s.data(rec)
	if problem != "" {
		problem = at + "record " + quote(rec.Key) + ": " + problem
	}
	return rec, code, problem
}

// data checks scope and schema.
func (s *scope) data(rec Record) (abi.Code, string) {
	if s.TimeRange != nil {
		at, err := time.Parse(time.RFC3339, rec.Text(s.stream.ConsentTimeField))
		if err != nil || at.Before(s.since) || !s.until.IsZero() && !at.Before(s.until) {
			return abi.CodeOutsideTimeRange, s.stream.ConsentTimeField + " is outside the time range"
		}
	}
	for name := range rec.Fields {
		if len(s.Fields) > 0 && !slices.Contains(s.Fields, name) && !slices.Contains(s.stream.PrimaryKey, name) {
			return abi.CodeFieldOutOfScope, "field " + name + " is out of scope"
		}
	}
	for _, name := range s.required {
		if _, ok := rec.Fields[name]; !ok {
			return abi.CodeSchemaMismatch, "required field " + name + " is missing"
		}
	}
	for name, value := range rec.Fields {
		types, ok := s.types[name]
		if !ok && s.closed {
			return abi.CodeSchemaMismatch, "field " + name + " is not in the schema"
		}
		if kind := jsonType(value); len(types) > 0 && !slices.Contains(types, kind) &&
			(kind != "integer" || !slices.Contains(types, "number")) {
			return abi.CodeSchemaMismatch, fmt.Sprintf("field %s is of type %s, the schema wants %v", name, kind, types)
		}
	}
	return "", ""
}

func jsonType(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case []any:
		return "array"
	case json.Number:
		if f, err := v.Float64(); err == nil && f == math.Trunc(f) {
			return "integer"
		}
		return "number"
	}
	return "object"
}

// keyText returns the canonical text of a JSON key, "" for an invalid one.
func keyText(raw []byte) string {
	var one string
	if json.Unmarshal(raw, &one) == nil {
		return one
	}
	var list []string
	if json.Unmarshal(raw, &list) != nil || len(list) == 0 || slices.Contains(list, "") {
		return ""
	}
	return arrayText(list)
}

func arrayText(list []string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(list) // a list of strings encodes
	return string(bytes.TrimSpace(b.Bytes()))
}

// dataKey is the canonical key text that the data gives.
func dataKey(primaryKey []string, fields map[string]any) string {
	var parts []string
	for _, name := range primaryKey {
		switch v := fields[name].(type) {
		case string:
			parts = append(parts, v)
		case json.Number:
			parts = append(parts, v.String())
		case bool:
			parts = append(parts, fmt.Sprint(v))
		default:
			return ""
		}
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return arrayText(parts)
}

// strict checks the rules that encoding/json does not: UTF-8, repeated names, nesting.
func strict(text []byte) string {
	if !utf8.Valid(text) {
		return "not UTF-8"
	}
	type level struct {
		names map[string]bool // nil: an array
		value bool            // the next token is a value
	}
	var open []level
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	for {
		token, err := d.Token()
		if err == io.EOF && len(open) == 0 {
			return ""
		}
		if err != nil {
			return "not JSON"
		}
		if n := len(open); n > 0 && open[n-1].names != nil {
			name, isName := token.(string)
			top := &open[n-1]
			if !top.value && isName {
				if top.names[name] {
					return "the name " + quote(name) + " twice in one object"
				}
				top.names[name], top.value = true, true
				continue
			}
			top.value = false
		}
		switch token {
		case json.Delim('{'):
			open = append(open, level{names: make(map[string]bool)})
		case json.Delim('['):
			open = append(open, level{})
		case json.Delim('}'), json.Delim(']'):
			open = open[:len(open)-1]
		}
		if len(open) > abi.MaxNesting {
			return "nested too deep"
		}
	}
}
