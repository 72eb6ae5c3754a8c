package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/host/boundary"
	"github.com/pdpp-host/pdpp-host/storage"
)

// maxRecords bounds a batch, ten times above what a collector puts into one.
const maxRecords = 10_000

// wireRecord is a device.Record whose parts keep their own text, so that what is
// stored is what the connector wrote.
type wireRecord struct {
	Stream    json.RawMessage `json:"stream"`
	Key       json.RawMessage `json:"record_key"`
	Data      json.RawMessage `json:"data"`
	EmittedAt json.RawMessage `json:"emitted_at"`
	Op        string          `json:"op"`
}

// accept holds the records of a batch to the manifest, each in the form in which a
// local run's guest emits it, through the same gate. One that a local run would
// not store refuses the batch: the device's own gate has let it pass, so the two
// do not agree on the manifest, or the device lies.
//
// Invariant 3: what a device delivers reaches storage through the boundary alone.
//
// streams are those that the batch has records of, which its records name by index.
func (a *API) accept(h *held, records []byte) (batch *storage.Batch, streams []string, err error) {
	gate, err := a.gates.take(h)
	if err != nil {
		return nil, nil, err
	}
	defer a.gates.give(h, gate)
	d := json.NewDecoder(bytes.NewReader(records))
	if t, err := d.Token(); err != nil || t != json.Delim('[') {
		return nil, nil, wrong("records", "must be an array")
	}
	in := &intake{batch: new(storage.Batch), index: map[string]int{}}
	var line []byte
	for i := 0; d.More(); i++ {
		if i == maxRecords {
			return nil, nil, wrong("records", fmt.Sprintf("are more than %d", maxRecords))
		}
		var r wireRecord
		if err := d.Decode(&r); err != nil {
			return nil, nil, rejected(i, "", "its form is none of a record's")
		}
		var key, stream string
		if json.Unmarshal(r.Key, &key) != nil || json.Unmarshal(r.Stream, &stream) != nil {
			return nil, nil, rejected(i, "", "stream and record_key must be strings")
		}
		decl := h.manifest.Stream(stream)
		if decl == nil {
			return nil, nil, rejected(i, "", "the manifest has no such stream")
		}
		if line, err = r.line(line[:0], len(decl.PrimaryKey) > 1, key); err != nil {
			return nil, nil, rejected(i, stream, err.Error())
		}
		if err := in.add(gate, line, key, i, stream); err != nil {
			return nil, nil, err
		}
	}
	return in.batch, in.streams, nil
}

// intake is a batch while its records come in.
type intake struct {
	batch   *storage.Batch
	streams []string
	index   map[string]int
}

func (in *intake) add(gate *boundary.Gate, line []byte, key string, i int, stream string) error {
	err := gate.Records(line, func(r *boundary.Record) error {
		switch {
		case r.Rejected != nil:
			return rejected(i, stream, "its data fails the schema at "+quoted(r.Rejected.Path)+" ("+r.Rejected.Keyword+")")
		case string(r.Key) != key:
			return rejected(i, stream, "record_key is not the canonical text of its key")
		}
		at, known := in.index[stream]
		if !known {
			at = len(in.streams)
			in.index[stream] = at
			in.streams = append(in.streams, stream)
		}
		in.batch.Add(at, r.Key, r.Data, r.EmittedAt, r.Delete)
		return nil
	})
	if e, ok := errors.AsType[*abi.Error](err); ok {
		return rejected(i, stream, string(e.Code)) // its message may quote a key
	}
	return err
}

// line writes the RECORD that a guest would have emitted. Of a composite key the
// canonical text is an array already; of a single one it is the string's value.
func (r *wireRecord) line(b []byte, composite bool, key string) ([]byte, error) {
	b = append(append(b, `{"type":"RECORD","stream":`...), r.Stream...)
	b = append(b, `,"key":`...)
	if composite {
		if !json.Valid([]byte(key)) {
			return nil, errors.New("record_key is not a JSON array")
		}
		b = append(b, key...)
	} else {
		b = append(b, r.Key...)
	}
	if len(r.Data) > 0 {
		b = append(append(b, `,"data":`...), r.Data...)
	}
	switch r.Op {
	case "", device.OpUpsert:
	case device.OpDelete:
		b = append(b, `,"op":"delete"`...)
	default:
		return nil, errors.New("its op is neither upsert nor delete")
	}
	// A deletion may have been emitted without its time (RT-07.1).
	if len(r.EmittedAt) > 0 && (r.Op != device.OpDelete || string(r.EmittedAt) != `""`) {
		b = append(append(b, `,"emitted_at":`...), r.EmittedAt...)
	}
	b = append(b, '}')
	if bytes.IndexByte(b, '\n') < 0 {
		return b, nil
	}
	// A line feed between values would end the line. A guest's text has none.
	var one bytes.Buffer
	if err := json.Compact(&one, b); err != nil {
		return nil, errors.New("it is not valid JSON")
	}
	return one.Bytes(), nil
}

// rejected refuses a batch for one record. It names the record by its place and
// its stream, which is one of the manifest's.
func rejected(i int, stream, why string) *refusal {
	at := fmt.Sprintf("records[%d]", i)
	message := at
	if stream != "" {
		message += " of stream " + quoted(stream)
	}
	return &refusal{status: http.StatusUnprocessableEntity, code: device.CodeRecordsRejected, message: message + ": " + why, param: at}
}
