package main

import (
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/fingerprint"
	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// draft builds a record's data. A value of a type that the schema does not
// know is passed on as it is, so that the host reports it; drifted says so.
type draft struct {
	b       []byte
	steady  int // where the fields end that decide whether a record is new
	drifted bool
}

func (d *draft) reset() {
	d.b, d.steady, d.drifted = append(d.b[:0], '{'), 0, false
}

// volatile says that the fields from here on change all the time.
func (d *draft) volatile() { d.steady = len(d.b) }

// end returns the data and its fingerprint, 0 for data that the host may not
// take: it is told of it again in every run.
func (d *draft) end() (data []byte, sum uint64) {
	if d.steady == 0 {
		d.volatile()
	}
	sum = fingerprint.Sum48(d.b[:d.steady])
	d.b = append(d.b, '}')
	if d.drifted || len(d.b) > abi.MaxRecordBytes-1024 {
		sum = 0
	}
	return d.b, sum
}

// value appends a field; fits says whether it is of the declared type.
func (d *draft) value(name string, v jsonvalue.Value, fits bool) {
	d.drifted = d.drifted || !fits && !v.IsNull()
	d.b = v.AppendJSON(jsonappend.Name(d.b, name))
}

func (d *draft) text(name string, v jsonvalue.Value) {
	d.value(name, v, v.Kind() == jsonvalue.String)
}

// needed is text for a field that must not be null.
func (d *draft) needed(name string, v jsonvalue.Value) {
	d.drifted = d.drifted || v.IsNull()
	d.text(name, v)
}

func (d *draft) flag(name string, v jsonvalue.Value) {
	d.value(name, v, v.Kind() == jsonvalue.True || v.Kind() == jsonvalue.False)
}

func (d *draft) number(name string, v jsonvalue.Value) {
	_, ok := v.IntOK()
	d.value(name, v, ok)
}

func (d *draft) instant(name string, v jsonvalue.Value) {
	_, err := time.Parse(time.RFC3339, v.View())
	d.value(name, v, err == nil)
}

// made appends a text that was put together.
func (d *draft) made(name, text string) {
	d.b = jsonappend.String(jsonappend.Name(d.b, name), text)
}

// texts appends a member of each element of an array, or the elements
// themselves.
func (d *draft) texts(name string, v jsonvalue.Value, member string) {
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
		d.drifted = d.drifted || one.Kind() != jsonvalue.String && (member == "" || !one.IsNull())
		d.b = one.AppendJSON(jsonappend.Elem(d.b))
	}
	d.b = append(d.b, ']')
}

// track appends what saved tracks and plays have alike of a track.
func (d *draft) track(v jsonvalue.Value) {
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
func (d *draft) rank(n int) {
	d.b = jsonappend.Int(jsonappend.Name(d.b, "rank"), int64(n))
}
