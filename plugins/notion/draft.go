package main

import (
	"time"

	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// draft builds a record's data. A value of a type that the schema does not
// know is passed on as it is, so that the host reports it; drifted says so.
type draft struct {
	b       []byte
	drifted bool
	cut     bool     // a property has more values than the API lists
	unknown []string // types of properties that are not understood
	scratch []byte
}

func (d *draft) reset() {
	d.b = append(d.b[:0], '{')
	d.drifted, d.cut, d.unknown = false, false, d.unknown[:0]
}

func (d *draft) end() []byte {
	d.b = append(d.b, '}')
	return d.b
}

// value appends a field; fits says whether it is of the declared type.
func (d *draft) value(name string, v jsonvalue.Value, fits bool) {
	d.drifted = d.drifted || !fits && !v.IsNull()
	d.b = v.AppendJSON(jsonappend.Name(d.b, name))
}

func (d *draft) text(name string, v jsonvalue.Value) {
	d.value(name, v, v.Kind() == jsonvalue.String)
}

func (d *draft) flag(name string, v jsonvalue.Value) {
	d.value(name, v, v.Kind() == jsonvalue.True || v.Kind() == jsonvalue.False)
}

func (d *draft) instant(name string, v jsonvalue.Value) {
	_, err := time.Parse(time.RFC3339, v.View())
	d.value(name, v, err == nil)
}

// made appends a text that was put together, null when there is none.
func (d *draft) made(name, text string) {
	d.b = jsonappend.Name(d.b, name)
	if text == "" {
		d.b = jsonappend.Null(d.b)
		return
	}
	d.b = jsonappend.String(d.b, text)
}

// rich appends the plain text of a rich text array.
func (d *draft) rich(name string, v jsonvalue.Value) {
	d.drifted = d.drifted || v.Exists() && v.Kind() != jsonvalue.Array && !v.IsNull()
	if v.Kind() != jsonvalue.Array && !v.IsNull() {
		d.b = v.AppendJSON(jsonappend.Name(d.b, name))
		return
	}
	d.scratch = appendPlain(d.scratch[:0], v)
	d.made(name, string(d.scratch))
}

// appendPlain appends the plain text of a rich text array.
func appendPlain(b []byte, v jsonvalue.Value) []byte {
	for it := v.Children(); it.Next(); {
		b = it.Value().Get("plain_text").AppendText(b)
	}
	return b
}
