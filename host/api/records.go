package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/host/boundary"
	"github.com/pdpp-host/pdpp-host/storage"
)

// maxRecords bounds a batch, ten times above what a collector puts into one.
const maxRecords = 10_000

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
	in := &intake{batch: new(storage.Batch), index: map[string]int{}, manifest: h.manifest, gate: gate}
	err = device.Records(records, in.record)
	switch {
	case errors.Is(err, device.ErrNotRecords):
		return nil, nil, wrong("records", "must be an array")
	case err != nil:
		return nil, nil, err
	}
	return in.batch, in.streams, nil
}

// intake is a batch while its records come in.
type intake struct {
	manifest *abi.Manifest
	gate     *boundary.Gate
	batch    *storage.Batch
	streams  []string
	index    map[string]int
	line     []byte // of the record at hand
}

// record takes the record at i as it stands in the batch.
func (in *intake) record(i int, r *device.RawRecord, ok bool) error {
	if i == maxRecords {
		return wrong("records", fmt.Sprintf("are more than %d", maxRecords))
	}
	var op, key, stream string
	if !ok || len(r.Op) > 0 && json.Unmarshal(r.Op, &op) != nil {
		return rejected(i, "", "its form is none of a record's")
	}
	if json.Unmarshal(r.Key, &key) != nil || json.Unmarshal(r.Stream, &stream) != nil {
		return rejected(i, "", "stream and record_key must be strings")
	}
	decl := in.manifest.Stream(stream)
	if decl == nil {
		return rejected(i, "", "the manifest has no such stream")
	}
	var err error
	if in.line, err = emission(in.line[:0], r, op, len(decl.PrimaryKey) > 1, key); err != nil {
		return rejected(i, stream, err.Error())
	}
	return in.add(key, i, stream)
}

func (in *intake) add(key string, i int, stream string) error {
	err := in.gate.Records(in.line, func(r *boundary.Record) error {
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

// emission writes the RECORD that a guest would have emitted. Of a composite key the
// canonical text is an array already; of a single one it is the string's value.
func emission(b []byte, r *device.RawRecord, op string, composite bool, key string) ([]byte, error) {
	b = append(append(b, `{"type":"RECORD","stream":`...), r.Stream...)
	b = append(b, `,"key":`...)
	if composite {
		if !json.Valid([]byte(key)) {
			return nil, errors.New("record_key is not a JSON array")
		}
		b = append(b, key...)
	} else {
		b = appendShortest(b, r.Key)
	}
	if len(r.Data) > 0 {
		b = append(append(b, `,"data":`...), r.Data...)
	}
	switch op {
	case "", device.OpUpsert:
	case device.OpDelete:
		b = append(b, `,"op":"delete"`...)
	default:
		return nil, errors.New("its op is neither upsert nor delete")
	}
	// A deletion may have been emitted without its time (RT-07.1).
	if len(r.EmittedAt) > 0 && (op != device.OpDelete || string(r.EmittedAt) != `""`) {
		b = appendShortest(append(b, `,"emitted_at":`...), r.EmittedAt)
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

// appendShortest writes a JSON string in as few bytes as it can take, as its guest may have:
// escapes that a device writes at more length must not make a record larger than one may be.
// The gate refuses anything that is not a string.
func appendShortest(b, raw []byte) []byte {
	var text string
	if bytes.IndexByte(raw, '\\') < 0 || json.Unmarshal(raw, &text) != nil {
		return append(b, raw...)
	}
	b = append(b, '"')
	for i := range len(text) {
		switch c, at := text[i], strings.IndexByte("\b\f\n\r\t", text[i]); {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case at >= 0:
			b = append(b, '\\', "bfnrt"[at])
		case c < ' ':
			b = fmt.Appendf(b, `\u%04x`, c)
		default:
			b = append(b, c)
		}
	}
	return append(b, '"')
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
