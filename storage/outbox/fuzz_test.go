package outbox

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/storage/record"
)

// FuzzBatchPayload makes deliveries of hostile records: whatever a record holds,
// it is refused, or it arrives as the one record that it was, byte for byte.
func FuzzBatchPayload(f *testing.F) {
	f.Add("k", []byte(`{"n":12345678901234567890.10, "t":"\u003c<"}`), "2026-01-02T03:04:05Z", "s", false)
	f.Add(`k","op":"delete`, []byte(`1},{"stream":"b"`), "\"", "a\\", false)
	f.Add("\x00\x01\u2028\"\\", []byte(` [ 1 ] `), "\n", "\x7f", true)
	f.Add("\xff", []byte("\"\xff\""), "", "", false)
	f.Add("k", []byte(strings.Repeat("[", 20000)+strings.Repeat("]", 20000)), "", "", false)
	f.Fuzz(func(t *testing.T, key string, data []byte, when, stream string, del bool) {
		if key == "" || strings.ContainsRune(key, 0) || !utf8.ValidString(stream) {
			return // Write refuses the key; the stream comes from a manifest
		}
		if n := bytes.Count(data, []byte("[")) + bytes.Count(data, []byte("{")); n > 9000 && n < 11000 {
			return // about as deep as can be read at all; the boundary allows far less
		}
		b := &record.Batch{}
		b.Add(0, []byte(key), data, []byte(when), del)
		b.AddMoved(1, []byte("before"), []byte("after"), []byte("1"), nil)
		b.Add(1, []byte("last"), []byte("1"), nil, false)
		l := &Lane{SourceInstanceID: "s\"rc", ConnectorID: "c\\", MaxBatchRecords: 3, MaxBatchBytes: 1 << 20}
		run := &LaneRun{lane: &lane{Lane: *l}, RunID: "r", to: &record.Target{Streams: []record.Stream{{Name: stream}, {Name: "other"}}}}
		cut, err := run.deliveries(b)
		good := utf8.ValidString(key) && utf8.ValidString(when) && (del || utf8.Valid(data) && json.Valid(data))
		if err != nil {
			if good {
				t.Fatalf("a good record was refused: %v", err)
			}
			return
		}
		if !good || len(cut.parts) != 1 {
			t.Fatalf("got %d parts of a record that is good: %v, want 1 of a good one", len(cut.parts), good)
		}
		item := Item{Kind: KindRecordBatch, Payload: cut.parts[0].payload(l, "run\n", "id", 7)}
		var got device.Batch
		if err := json.Unmarshal(item.Body("dev\"ice", ""), &got); err != nil {
			t.Fatal(err)
		}
		var records []device.Record
		if err := json.Unmarshal(got.Records, &records); err != nil || len(records) != 3 {
			t.Fatal(len(records), err)
		}
		r := records[0]
		if r.Stream != stream || r.Key != key || r.EmittedAt != when || (r.Op == device.OpDelete) != del || r.MovedFrom != "" || records[1].Key != "after" || records[1].MovedFrom != "before" || records[2].MovedFrom != "" {
			t.Fatalf("%+v: got %+v, want it as it was", key, r)
		}
		if !del && !bytes.Equal(r.Data, bytes.TrimSpace(data)) || del && r.Data != nil {
			t.Fatalf("%q: got %q, want it as it was, and none of a deletion", data, r.Data)
		}
		if hash, err := device.Hash(got.Records); err != nil || hash != got.BodyHash || got.BatchSeq != 7 || got.DeviceID != "dev\"ice" || got.RunID != "run\n" {
			t.Fatalf("got %+v %s %v, want its own hash, number, device and run", got, hash, err)
		}
	})
}
