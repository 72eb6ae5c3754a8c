package outbox

import (
	"encoding/json"
	"slices"
	"unicode/utf8"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/storage/record"
)

// laneBatch is a written batch on its way to the outbox, in parts that are each
// one delivery. It is made on the writer's caller, so that hashing one batch goes
// on while another one is written.
type laneBatch struct {
	parts  []batchPart
	counts []record.StreamCounts // by index of the run's streams
}

type batchPart struct {
	records []byte // []device.Record
	hash    string
	streams []string // of the records
	n       int
}

// badRecord reports a record that no delivery may hold: it would be read as something else
// than it is. The boundary lets none through.
func badRecord(runID string) error {
	return abi.NewError(abi.CodeInternal, "a record is not JSON, or not UTF-8",
		"report this: the boundary should have refused it").WithDetail("run " + runID)
}

// deliveries cuts a batch into deliveries. The records' data stays byte for byte as
// the guest wrote it.
func (r *LaneRun) deliveries(b *record.Batch) (*laneBatch, error) {
	out := &laneBatch{counts: make([]record.StreamCounts, len(r.to.Streams))}
	var part batchPart
	var record []byte
	for i := range b.Records() {
		row := b.Row(i)
		stream := r.to.Streams[row.Stream].Name
		var ok bool
		if record, ok = appendRecord(record[:0], &row, stream); !ok {
			return nil, badRecord(r.RunID)
		}
		if part.n > 0 && (part.n >= r.MaxBatchRecords || len(part.records)+len(record)+2 > r.MaxBatchBytes) {
			out.parts = append(out.parts, part)
			part = batchPart{}
		}
		part.add(record, stream)
		if row.Deleted {
			out.counts[row.Stream].Deleted++
		} else {
			out.counts[row.Stream].New++
			r.noteCoverage(stream, row.Data)
		}
	}
	if part.n > 0 {
		out.parts = append(out.parts, part)
	}
	for i := range out.parts {
		p := &out.parts[i]
		p.records = append(p.records, ']')
		hash, err := device.Hash(p.records)
		if err != nil {
			return nil, badRecord(r.RunID)
		}
		p.hash = hash
	}
	return out, nil
}

func (p *batchPart) add(record []byte, stream string) {
	if p.n == 0 {
		p.records = append(p.records, '[')
	} else {
		p.records = append(p.records, ',')
	}
	p.records = append(p.records, record...)
	p.n++
	if !slices.Contains(p.streams, stream) {
		p.streams = append(p.streams, stream)
	}
}

// appendRecord writes one record as device.Record. It returns false for one
// whose parts would not come out as they went in.
func appendRecord(to []byte, r *record.Row, stream string) ([]byte, bool) {
	if !utf8.Valid(r.Key) || !utf8.Valid(r.When) || !utf8.Valid(r.Data) || !r.Deleted && !json.Valid(r.Data) {
		return to, false
	}
	to = appendJSONText(append(to, `{"stream":`...), stream)
	to = appendJSONText(append(to, `,"record_key":`...), r.Key)
	if !r.Deleted {
		to = append(append(to, `,"data":`...), r.Data...)
	}
	to = appendJSONText(append(to, `,"emitted_at":`...), r.When)
	if r.Deleted {
		to = append(to, `,"op":"`+device.OpDelete+`"`...)
	}
	return append(to, '}'), true
}

// appendJSONText writes valid UTF-8 as a JSON text. Only what has to be escaped
// is.
func appendJSONText[T string | []byte](to []byte, text T) []byte {
	const digits = "0123456789abcdef"
	to = append(to, '"')
	from := 0
	for i := range len(text) {
		c := text[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		to = append(to, text[from:i]...)
		from = i + 1
		if c == '"' || c == '\\' {
			to = append(to, '\\', c)
		} else {
			to = append(to, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
		}
	}
	return append(append(to, text[from:]...), '"')
}
