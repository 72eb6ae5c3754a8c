package device

import (
	"bytes"
	"errors"
)

// ErrNotRecords reports a text that is not an array.
var ErrNotRecords = errors.New("not an array of records")

// RawRecord is a Record whose parts keep their original text. A missing part is nil.
// If a name occurs twice the last one counts, as it does for the hash.
type RawRecord struct{ Stream, Key, Data, EmittedAt, Op, MovedFrom []byte }

// Records calls each for the records of a batch in order; ok is false for an item that
// does not have the form of a record. It stops at the first error from each, and
// returns ErrNotRecords before any call if text is not an array.
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

// record reads the members of one record. A null has no members.
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
		case "moved_from":
			r.MovedFrom = text
		}
	}
	return true
}
