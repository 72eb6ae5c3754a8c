package device

import (
	"bytes"
	"errors"
)

// ErrNotRecords is of a text that is not an array.
var ErrNotRecords = errors.New("not an array of records")

// RawRecord is a Record whose parts keep their own text. A part that is not there
// is nil; of a name that stands twice the last one counts, as it does for the hash.
type RawRecord struct{ Stream, Key, Data, EmittedAt, Op []byte }

// Records gives the records of a batch one after another, as they came, and ok as
// false for what is no record in form. It ends with the first error of each, or
// with ErrNotRecords before any.
func Records(text []byte, each func(i int, r *RawRecord, ok bool) error) error {
	o, err := outlined(text)
	if err != nil || o.nodes[0].kind != '[' {
		return ErrNotRecords
	}
	var r RawRecord
	for i, at := 0, int32(1); at < o.nodes[0].next; i, at = i+1, o.nodes[at].next {
		if err := each(i, &r, o.record(at, &r)); err != nil {
			return err
		}
	}
	return nil
}

// record reads the members of one record. A null has none.
func (o *outline) record(at int32, r *RawRecord) bool {
	*r = RawRecord{}
	n := o.nodes[at]
	if n.kind != '{' {
		return bytes.Equal(o.text[n.from:n.to], []byte("null"))
	}
	for name := at + 1; name < n.next; name = o.nodes[name+1].next {
		value := o.nodes[name+1]
		text := o.text[value.from:value.to]
		switch string(o.name(name)) {
		case "stream":
			r.Stream = text
		case "record_key":
			r.Key = text
		case "data":
			r.Data = text
		case "emitted_at":
			r.EmittedAt = text
		case "op":
			r.Op = text
		}
	}
	return true
}
