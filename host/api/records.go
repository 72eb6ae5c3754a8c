package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
	"github.com/pdpp-host/pdpp-host/host/boundary"
	"github.com/pdpp-host/pdpp-host/host/public"
	"github.com/pdpp-host/pdpp-host/storage"
)

// maxRecords bounds a batch, ten times above what a collector puts into one.
const maxRecords = 10_000

// accept holds the records of a batch to the manifest, each in the form in which a
// local run's guest emits it, through the same gate. One that a local run would
// not store refuses the batch: the device's own gate has let it pass, so the two
// do not agree on the manifest, or the device lies. A public device has no gate, and
// cannot deliver the rest of a batch by itself: what is wrong is set aside and counted.
//
// Invariant 3: what a device delivers reaches storage through the boundary alone.
//
// The records name their streams by index.
func (a *API) accept(h *held, lenient bool, records []byte) (*intake, error) {
	gate, err := a.gates.take(h)
	if err != nil {
		return nil, err
	}
	defer a.gates.give(h, gate)
	in := &intake{batch: new(storage.Batch), index: map[string]int{}, manifest: h.manifest, gate: gate, lenient: lenient}
	err = device.Records(records, in.record)
	switch {
	case errors.Is(err, device.ErrNotRecords):
		return nil, wrong("records", "must be an array")
	case err != nil:
		return nil, err
	}
	return in, nil
}

var errEnough = errors.New("more records than a batch may have")

// seeRecords learns from the records of a public source. A record that cannot be read teaches nothing, and is refused later.
func (a *API) seeRecords(records []byte) func(*public.Manifest) {
	at := a.now()
	return func(m *public.Manifest) {
		_ = device.Records(records, func(i int, r *device.RawRecord, ok bool) error {
			if i == maxRecords {
				return errEnough
			}
			stream, named := textOf(r.Stream)
			if !ok || !named || !m.Name(stream) {
				m.Name(public.Nameless)
				return nil
			}
			if key, keyed := textOf(r.Key); keyed {
				m.Record(stream, key, r.Data, at)
			}
			return nil
		})
	}
}

// intake is a batch while its records come in.
type intake struct {
	manifest *abi.Manifest
	gate     *boundary.Gate
	lenient  bool
	batch    *storage.Batch
	streams  []string // that the batch has records of
	index    map[string]int
	rejected []storage.RejectedRecords // of a public device
	line     []byte                    // of the record at hand
}

// record takes the record at i as it stands in the batch, or sets it aside.
func (in *intake) record(i int, r *device.RawRecord, ok bool) error {
	if i == maxRecords {
		return wrong("records", fmt.Sprintf("are more than %d", maxRecords))
	}
	err := in.take(i, r, ok)
	if why, is := errors.AsType[*refusal](err); is && in.lenient && why.code == device.CodeRecordsRejected {
		in.setAside(r, why.message)
		return nil
	}
	return err
}

// setAside counts a record of a public device that breaks a rule, and remembers its key until it is delivered again.
func (in *intake) setAside(r *device.RawRecord, why string) {
	key, keyed := textOf(r.Key)
	if !keyed {
		key = string(r.Key)
	}
	stream, _ := textOf(r.Stream)
	if in.manifest.Stream(stream) == nil {
		stream = public.Nameless
	}
	in.batch.Reject(in.at(stream), storage.HashKey([]byte(key)))
	_, rule, _ := strings.Cut(why, ": ")
	at := slices.IndexFunc(in.rejected, func(o storage.RejectedRecords) bool {
		_, other, _ := strings.Cut(o.Why, ": ")
		return o.Stream == stream && other == rule
	})
	if at < 0 {
		in.rejected = append(in.rejected, storage.RejectedRecords{Stream: stream, Count: 1, Why: why})
		return
	}
	in.rejected[at].Count++
}

// at returns the place of a stream among those of the batch.
func (in *intake) at(stream string) int {
	at, known := in.index[stream]
	if !known {
		at = len(in.streams)
		in.index[stream] = at
		in.streams = append(in.streams, stream)
	}
	return at
}

func (in *intake) take(i int, r *device.RawRecord, ok bool) error {
	op, known := textOf(r.Op)
	if !ok || len(r.Op) > 0 && !known {
		return rejected(i, "", "its form is none of a record's")
	}
	key, keyed := textOf(r.Key)
	stream, named := textOf(r.Stream)
	if !keyed || !named {
		return rejected(i, "", "stream and record_key must be strings")
	}
	decl := in.manifest.Stream(stream)
	if decl == nil {
		refused := rejected(i, "", "the manifest has no such stream")
		refused.stream = streamName(r) // for the owner; the answer names no stream that the manifest lacks
		return refused
	}
	var err error
	from, moved := textOf(r.MovedFrom)
	if !moved && len(r.MovedFrom) > 0 {
		return rejected(i, stream, "moved_from must be a string")
	}
	if in.line, err = emission(in.line[:0], r, op, len(decl.PrimaryKey) > 1, key, from); err != nil {
		return rejected(i, stream, err.Error())
	}
	return in.add(key, from, i, stream)
}

func (in *intake) add(key, from string, i int, stream string) error {
	err := in.gate.Records(in.line, func(r *boundary.Record) error {
		switch {
		case r.Rejected != nil:
			return rejected(i, stream, failing(r.Rejected))
		case string(r.Key) != key:
			return rejected(i, stream, "record_key is not the canonical text of its key")
		case string(r.MovedFrom) != from:
			return rejected(i, stream, "moved_from is not the canonical text of a key")
		}
		if r.MovedFrom != nil {
			in.batch.AddMoved(in.at(stream), r.MovedFrom, r.Key, r.Data, r.EmittedAt)
		} else {
			in.batch.Add(in.at(stream), r.Key, r.Data, r.EmittedAt, r.Delete)
		}
		return nil
	})
	if e, ok := errors.AsType[*abi.Error](err); ok {
		return rejected(i, stream, string(e.Code)) // its message may quote a key
	}
	return err
}

// textOf reads a JSON string; ok is false for anything else.
func textOf(raw []byte) (text string, ok bool) {
	ok = json.Unmarshal(raw, &text) == nil
	return text, ok
}

// emission writes the RECORD that a guest would have emitted. Of a composite key the
// canonical text is an array already; of a single one it is the string's value.
func emission(b []byte, r *device.RawRecord, op string, composite bool, key, from string) ([]byte, error) {
	b = append(append(b, `{"type":"RECORD","stream":`...), r.Stream...)
	for _, part := range []struct {
		name, is, text string
		raw            []byte
	}{{`,"key":`, "record_key", key, r.Key}, {`,"moved_from":`, "moved_from", from, r.MovedFrom}} {
		switch {
		case part.raw == nil:
		case !composite:
			b = appendShortest(append(b, part.name...), part.raw)
		case !json.Valid([]byte(part.text)):
			return nil, errors.New(part.is + " is not a JSON array")
		default:
			b = append(append(b, part.name...), part.text...)
		}
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
	return &refusal{status: http.StatusUnprocessableEntity, code: device.CodeRecordsRejected, message: message + ": " + why, param: at, stream: stream}
}

// failing says where a record's data fails its schema. A member that the schema does not have is named as what it lacks:
// whoever reads it then knows which of the two is older.
func failing(r *boundary.Rejection) string {
	if name := strings.TrimPrefix(r.Path, "/"); r.Keyword == "additionalProperties" && name != "" && !strings.ContainsAny(name, "/*") {
		return "the host's schema has no " + quoted(name)
	}
	return "its data fails the schema at " + quoted(r.Path) + " (" + r.Keyword + ")"
}

// streamName is the name of a record's stream; "" if no stream may have it.
func streamName(r *device.RawRecord) string {
	name, ok := textOf(r.Stream)
	if !ok || !manifest.IsStreamName(name) {
		return ""
	}
	return name
}
