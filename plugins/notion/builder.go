package main

import (
	"time"

	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// builder builds a record's data. A value of a type that the schema does not allow is
// passed on as it is, so that the host reports it, and sets mismatched.
type builder struct {
	b          []byte
	mismatched bool
	cut        bool     // a property has more values than the API lists
	unknown    []string // types of properties that are not understood
	scratch    []byte
}

func (d *builder) reset() {
	d.b = append(d.b[:0], '{')
	d.mismatched, d.cut, d.unknown = false, false, d.unknown[:0]
}

func (d *builder) end() []byte {
	d.b = append(d.b, '}')
	return d.b
}

// value appends a field; fits reports whether it has the declared type.
func (d *builder) value(name string, v jsonvalue.Value, fits bool) {
	d.mismatched = d.mismatched || !fits && !v.IsNull()
	d.b = v.AppendJSON(jsonappend.Name(d.b, name))
}

func (d *builder) text(name string, v jsonvalue.Value) {
	d.value(name, v, v.Kind() == jsonvalue.String)
}

func (d *builder) flag(name string, v jsonvalue.Value) {
	d.value(name, v, v.Kind() == jsonvalue.True || v.Kind() == jsonvalue.False)
}

func (d *builder) instant(name string, v jsonvalue.Value) {
	_, err := time.Parse(time.RFC3339, v.View())
	d.value(name, v, err == nil)
}

// textOrNull appends a composed text, null when it is empty.
func (d *builder) textOrNull(name, text string) {
	d.b = jsonappend.Name(d.b, name)
	if text == "" {
		d.b = jsonappend.Null(d.b)
		return
	}
	d.b = jsonappend.String(d.b, text)
}

// rich appends the plain text of a rich text array.
func (d *builder) rich(name string, v jsonvalue.Value) {
	d.mismatched = d.mismatched || v.Exists() && v.Kind() != jsonvalue.Array && !v.IsNull()
	if v.Kind() != jsonvalue.Array && !v.IsNull() {
		d.b = v.AppendJSON(jsonappend.Name(d.b, name))
		return
	}
	d.scratch = appendPlain(d.scratch[:0], v)
	d.textOrNull(name, string(d.scratch))
}

// appendPlain appends the plain text of a rich text array.
func appendPlain(b []byte, v jsonvalue.Value) []byte {
	for it := v.Children(); it.Next(); {
		b = it.Value().Get("plain_text").AppendText(b)
	}
	return b
}
