package mcp

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/pdpp-host/pdpp-host/host/api/wire"
)

// arguments are those of one call.
type arguments struct {
	sent   map[string]jsontext.Value
	texts  map[string]string
	values url.Values // as the readers' routes take them
}

// mostArguments bounds what a call brings, in bytes.
const mostArguments = wire.MaxBody

// read reads the arguments of a call. It refuses what the tool does not take. An
// argument is what any client sends to the same route, and shows no more (Invariant 9).
func (t *tool) read(raw []byte) (*arguments, error) {
	a := &arguments{sent: map[string]jsontext.Value{}, texts: map[string]string{}, values: url.Values{}}
	if len(raw) > mostArguments {
		return nil, wire.Invalid("", "has arguments above 64 KiB")
	}
	if raw = bytes.TrimSpace(raw); len(raw) > 0 && string(raw) != "null" {
		if err := wire.Decode(raw, &a.sent); err != nil {
			return nil, err
		}
	}
	for name := range a.sent {
		if !slices.ContainsFunc(t.args, func(one arg) bool { return one.name == name }) {
			return nil, wire.Invalid(wire.Cut(name), "is no argument of "+t.name)
		}
	}
	for i := range t.args {
		one := &t.args[i]
		raw, has := a.sent[one.name]
		if !has || string(raw) == "null" {
			if one.needed {
				return nil, wire.Invalid(one.name, "is needed")
			}
			continue
		}
		if err := a.add(one, raw); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// add reads one argument. Its bounds and words are refused by the routes, as they refuse them
// of anybody.
func (a *arguments) add(one *arg, raw jsontext.Value) error {
	switch one.kind {
	case number:
		n, ok := whole(raw)
		if !ok {
			return wire.Invalid(one.name, "is no whole number")
		}
		a.set(one.name, strconv.FormatInt(n, 10))
	case list:
		var all []string
		if raw.Kind() != '[' || json.Unmarshal(raw, &all) != nil {
			return wire.Invalid(one.name, "is no list of texts")
		}
		if len(all) == 0 {
			all = []string{""} // which is refused: nothing defaults because it could not be meant
		}
		a.values[one.name] = all
	case mapping:
		var all map[string]jsontext.Value
		if raw.Kind() != '{' || json.Unmarshal(raw, &all) != nil {
			return wire.Invalid(one.name, "is no object")
		}
		a.values.Set(one.name, "") // refused under a grant, whatever is in it (RD-59.1)
	default:
		var s string
		if raw.Kind() != '"' || json.Unmarshal(raw, &s) != nil {
			return wire.Invalid(one.name, "is no text")
		}
		a.set(one.name, s)
	}
	return nil
}

// whole reads a whole number, which models also write as a text or with a fraction of zeros.
func whole(raw jsontext.Value) (int64, bool) {
	text := string(raw)
	if raw.Kind() == '"' {
		if json.Unmarshal(raw, &text) != nil {
			return 0, false
		}
		text = strings.TrimSpace(text)
	}
	if before, after, cut := strings.Cut(text, "."); cut && after != "" && strings.Trim(after, "0") == "" {
		text = before
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil
}

func (a *arguments) set(name, value string) {
	a.texts[name] = value
	a.values.Set(name, value)
}

// take returns an argument that is no parameter of a route by its own name.
func (a *arguments) take(name string) string {
	a.values.Del(name)
	return a.texts[name]
}

// rename gives an argument the name of its parameter.
func (a *arguments) rename(from, to string) {
	if a.values.Has(from) {
		a.values.Set(to, a.values.Get(from))
		a.values.Del(from)
	}
}

// question is what a call asks of the readers' routes.
type question struct {
	path  []string
	query url.Values
	of    *handle // the record that is asked for; nil: none
	args  map[string]any

	before int // fields of the record that are passed over
}

func (a *arguments) asks(path ...string) *question {
	args := map[string]any{}
	for name, raw := range a.sent {
		args[name] = json.RawMessage(raw)
	}
	return &question{path: append([]string{"v1"}, path...), query: a.values, args: args}
}

func askSchema(a *arguments) (*question, error) {
	if a.texts["detail"] == "" && a.texts["stream"] == "" {
		a.values.Set("detail", "compact")
	}
	return a.asks("schema"), nil
}

func askRecords(a *arguments) (*question, error) {
	return a.asks("streams", a.take("stream"), "records"), nil
}

func askAggregate(a *arguments) (*question, error) {
	return a.asks("streams", a.take("stream"), "aggregate"), nil
}

func askSearch(a *arguments) (*question, error) {
	if mode := a.take("mode"); mode != "" && mode != "lexical" {
		return a.asks("search", mode), nil // which there is not, and says so (RD-28)
	}
	return a.asks("search"), nil
}

func askRecord(a *arguments) (*question, error) {
	h, err := readID(a.take("id"))
	if err != nil {
		return nil, err
	}
	before, err := a.passed()
	if err != nil {
		return nil, err
	}
	q, err := a.about(h, "streams", h.Stream, "records", h.Record)
	if err == nil {
		q.before = before
	}
	return q, err
}

// fieldsBefore is an argument that no route has: the fields of a record come in parts.
const fieldsBefore = "offset_fields"

func (a *arguments) passed() (int, error) {
	sent := a.take(fieldsBefore)
	if sent == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(sent)
	if err != nil || n < 0 {
		return 0, wire.Invalid(fieldsBefore, "is no number of fields")
	}
	return n, nil
}

func askField(a *arguments) (*question, error) {
	_, named := a.sent["id"]
	_, apart := a.sent["record_id"]
	stream, record := a.take("stream"), a.take("record_id")
	h := &handle{Connection: a.texts["connection_id"], Stream: stream, Record: record}
	if named == apart || named && stream != "" {
		return nil, wire.Invalid("id", "or connection_id, stream and record_id say which record is meant")
	}
	if id := a.take("id"); named {
		var err error
		if h, err = readID(id); err != nil {
			return nil, err
		}
	}
	a.rename("field_path", "field")
	return a.about(h, "streams", h.Stream, "records", h.Record, "field-window")
}

// about asks for one record.
func (a *arguments) about(h *handle, path ...string) (*question, error) {
	if other := a.texts["connection_id"]; other != "" && h.Connection != "" && other != h.Connection {
		return nil, wire.Invalid("connection_id", "is not that of the id")
	}
	if connection := cmp.Or(h.Connection, a.texts["connection_id"]); connection != "" {
		a.values.Set("connection_id", connection)
	}
	q := a.asks(path...)
	q.of = h
	return q, nil
}
