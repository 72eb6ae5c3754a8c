package boundary

import (
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
)

// ordinary is one record of about 500 bytes and 12 properties.
const ordinary = `{"type":"RECORD","stream":"messages","key":"0193b3f2-7c1e-7d4a-9b1e-2f6c8a5d4e3b","emitted_at":"2026-03-01T12:00:00.123Z","data":{"id":"0193b3f2-7c1e-7d4a-9b1e-2f6c8a5d4e3b","session_id":"9b1e2f6c-8a5d-4e3b-8c1d-7e6f5a4b3c2d","parent_id":null,"role":"assistant","kind":"text","content":"The quick brown fox jumps over the lazy dog, again and again, until the record is about five hundred bytes.","created_at":"2026-03-01T11:59:58.001Z","model":"some-model-1","input_tokens":1834,"output_tokens":212,"cost":0.0123,"is_sidechain":false}}`

// An accepted record costs no allocation, whatever the scope asks.
func TestRecordsAllocateNothing(t *testing.T) {
	narrow := allStreams()
	narrow.Streams[0].Resources = []string{"0193b3f2-7c1e-7d4a-9b1e-2f6c8a5d4e3b"}
	narrow.Streams[0].TimeRange = &abi.TimeRange{Since: "2026-01-01T00:00:00Z", Until: "2027-01-01T00:00:00Z"}
	narrow.Streams[0].Fields = strings.Fields("id session_id parent_id role kind content created_at model input_tokens output_tokens cost is_sidechain")
	for name, c := range map[string]struct {
		scope   abi.Scope
		payload string
	}{
		"one":       {allStreams(), ordinary},
		"batch":     {allStreams(), strings.Repeat(ordinary+"\n", 100)},
		"narrow":    {narrow, ordinary},
		"escaped":   {allStreams(), strings.NewReplacer("quick", `qu\u0069ck\n`, `"kind"`, `"k\u0069nd"`, `"0193`, `"\u0030193`).Replace(ordinary)},
		"composite": {allStreams(), record("tops", `["a\n","b"]`, `{"id":"a\u000a","range":"b"}`)},
		"deletion":  {allStreams(), `{"type":"RECORD","stream":"messages","key":"a","op":"delete",` + at + `}`},
	} {
		g := gate(t, c.scope)
		payload := []byte(c.payload)
		seen := 0
		fn := func(r *Record) error {
			if r.Rejected == nil {
				seen++
			}
			return nil
		}
		if n := testing.AllocsPerRun(200, func() {
			if err := g.Records(payload, fn); err != nil {
				t.Fatal(err)
			}
		}); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
		if seen == 0 {
			t.Errorf("%s: nothing accepted, want seen != 0", name)
		}
	}
}

func BenchmarkRecord(b *testing.B) {
	g := gate(b, allStreams())
	payload := []byte(ordinary)
	fn := func(*Record) error { return nil }
	b.SetBytes(int64(len(payload)))
	b.ReportAllocs()
	for b.Loop() {
		if err := g.Records(payload, fn); err != nil {
			b.Fatal(err)
		}
	}
}

// The same through the library: what a schema with other keywords costs.
func BenchmarkRecordByLibrary(b *testing.B) {
	m := manifest()
	m.Streams[0].Schema = abi.Raw(strings.Replace(messageSchema, `"minLength":1`, `"pattern":"."`, 1))
	g, err := New(m, allStreams())
	if err != nil {
		b.Fatal(err)
	}
	payload := []byte(ordinary)
	fn := func(*Record) error { return nil }
	b.ReportAllocs()
	for b.Loop() {
		if err := g.Records(payload, fn); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkNew(b *testing.B) {
	m := manifest()
	for b.Loop() {
		if _, err := New(m, scope("messages")); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCheckSchemas(b *testing.B) {
	m := manifest()
	m.Streams = m.Streams[:1]
	for b.Loop() {
		if err := CheckSchemas(m); err != nil {
			b.Fatal(err)
		}
	}
}
