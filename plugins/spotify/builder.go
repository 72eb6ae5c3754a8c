package main

import (
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/fingerprint"
	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// builder builds a record's data. A value of a type that the schema does not allow is
// passed on as it is, so that the host reports it, and sets mismatched.
type builder struct {
	b          []byte
	steady     int // where the fields end that decide whether a record is new
	mismatched bool
}

func (d *builder) reset() {
	d.b, d.steady, d.mismatched = append(d.b[:0], '{'), 0, false
}

// volatile marks the fields from here on as changing all the time.
func (d *builder) volatile() { d.steady = len(d.b) }

// end returns the data and its fingerprint, 0 for data that the host may reject, so
// that every run emits it again.
func (d *builder) end() (data []byte, sum uint64) {
	if d.steady == 0 {
		d.volatile()
	}
	sum = fingerprint.Sum48(d.b[:d.steady])
	d.b = append(d.b, '}')
	if d.mismatched || len(d.b) > abi.MaxRecordBytes-1024 {
		sum = 0
	}
	return d.b, sum
}

// value appends a field; fits reports whether it has the declared type.
func (d *builder) value(name string, v jsonvalue.Value, fits bool) {
	d.mismatched = d.mismatched || !fits && !v.IsNull()
	d.b = v.AppendJSON(jsonappend.Name(d.b, name))
}

func (d *builder) text(name string, v jsonvalue.Value) {
	d.value(name, v, v.Kind() == jsonvalue.String)
}

// needed is text for a field that must not be null.
func (d *builder) needed(name string, v jsonvalue.Value) {
	d.mismatched = d.mismatched || v.IsNull()
	d.text(name, v)
}

func (d *builder) flag(name string, v jsonvalue.Value) {
	d.value(name, v, v.Kind() == jsonvalue.True || v.Kind() == jsonvalue.False)
}

func (d *builder) number(name string, v jsonvalue.Value) {
	_, ok := v.IntOK()
	d.value(name, v, ok)
}

func (d *builder) instant(name string, v jsonvalue.Value) {
	_, err := time.Parse(time.RFC3339, v.View())
	d.value(name, v, err == nil)
}

// textOrNull appends a text that was put together.
func (d *builder) textOrNull(name, text string) {
	d.b = jsonappend.String(jsonappend.Name(d.b, name), text)
}

// texts appends a member of each element of an array, or the elements
// themselves.
func (d *builder) texts(name string, v jsonvalue.Value, member string) {
	if v.Kind() != jsonvalue.Array {
		d.value(name, v, false)
		return
	}
	d.b = append(jsonappend.Name(d.b, name), '[')
	for it := v.Children(); it.Next(); {
		one := it.Value()
		if member != "" {
			one = one.Get(member)
		}
		d.mismatched = d.mismatched || one.Kind() != jsonvalue.String && (member == "" || !one.IsNull())
		d.b = one.AppendJSON(jsonappend.Elem(d.b))
	}
	d.b = append(d.b, ']')
}

// track appends the fields that saved tracks and plays share.
func (d *builder) track(v jsonvalue.Value) {
	album := v.Get("album")
	d.texts("artist_names", v.Get("artists"), "name")
	d.texts("artist_ids", v.Get("artists"), "id")
	d.text("album_id", album.Get("id"))
	d.text("album_name", album.Get("name"))
	d.text("album_release_date", album.Get("release_date"))
	d.number("duration_ms", v.Get("duration_ms"))
	d.number("disc_number", v.Get("disc_number"))
	d.number("track_number", v.Get("track_number"))
	d.flag("explicit", v.Get("explicit"))
	d.flag("is_local", v.Get("is_local"))
	d.text("isrc", v.Get("external_ids").Get("isrc"))
	d.text("uri", v.Get("uri"))
	d.text("url", v.Get("external_urls").Get("spotify"))
}

// rank appends a row's place in its list.
func (d *builder) rank(n int) {
	d.b = jsonappend.Int(jsonappend.Name(d.b, "rank"), int64(n))
}
