package tape

import "testing"

func BenchmarkScan(b *testing.B) {
	text := []byte(`{"type":"RECORD","stream":"messages","key":"0193b3f2-7c1e-7d4a-9b1e-2f6c8a5d4e3b","emitted_at":"2026-03-01T12:00:00.123Z","data":{"id":"0193b3f2-7c1e-7d4a-9b1e-2f6c8a5d4e3b","session_id":"9b1e2f6c-8a5d-4e3b-8c1d-7e6f5a4b3c2d","parent_id":null,"role":"assistant","kind":"text","content":"The quick brown fox jumps over the lazy dog, again and again, until the record is about five hundred bytes.","created_at":"2026-03-01T11:59:58.001Z","model":"some-model-1","input_tokens":1834,"output_tokens":212,"cost":0.0123,"is_sidechain":false}}`)
	var t Tape
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if err := t.Scan(text); err != nil {
			b.Fatal(err)
		}
	}
}
