package boundary

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
)

// For any bytes a Gate returns valid records or a typed violation, and the same result
// twice.
func FuzzRecords(f *testing.F) {
	g := gate(f, allStreams())
	f.Add([]byte(ordinary))
	for _, s := range []string{
		record("log", `"a"`, `{"id":"a"}`) + "\n" + record("tops", `["a","b"]`, `{"id":"a","range":"b"}`),
		record("messages", `"a"`, `{"id":"a","created_at":1}`), record("log", `"1"`, `{"id":1}`),
		`{"type":"RECORD","stream":"messages","key":"a","op":"delete"}`, `{"type":"RECORD","stream":"messages","key":"a","moved_from":"b","emitted_at":"t","data":{"id":"a"}}`, "\n", `{}`,
		`{"type":"RECORD","stream":"log","key":"a","emitted_at":"\u0000","data":{"id":"a"}}`, `{"type":"RECORD","stream":"log"}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		first, err := records(g, string(payload))
		codeOf(t, err)
		second, again := records(g, string(payload))
		if len(first) != len(second) || codeOf(t, err) != codeOf(t, again) {
			t.Fatalf("%d records, %v; then %d, %v, want len(first) == len(second) && codeOf(t, err) == codeOf(t, again)", len(first), err, len(second), again)
		}
		for i, r := range first {
			if r != second[i] {
				t.Fatalf("%+v, then %+v", r, second[i])
			}
			if r.key == "" || r.stream < 0 || r.deleted != (r.data == "") || !r.deleted && r.emittedAt == "" {
				t.Fatalf(`accepted %+v, want r.key != "" && r.stream >= 0 && r.deleted == (r.data == "") && (r.deleted || r.emittedAt != "")`, r)
			}
			if strings.ContainsRune(r.key+r.movedFrom+r.emittedAt, 0) || r.movedFrom != "" && (r.deleted || r.movedFrom == r.key) {
				t.Fatalf("accepted %+v, want no NUL in what a column holds, and another key of records alone", r)
			}
			if !r.deleted {
				var data map[string]any
				if err := json.Unmarshal([]byte(r.data), &data); err != nil {
					t.Fatalf("accepted data %q: %v, want no error", r.data, err)
				}
			}
		}
	})
}

// The messages' readers never panic, and what they accept is JSON again.
func FuzzMessages(f *testing.F) {
	g := gate(f, allStreams())
	for _, s := range []string{
		`{"type":"STATE","stream":"log","cursor":{},"slice":{"id":"f","complete":true}}`,
		`{"type":"DETAIL_COVERAGE","stream":"log","state_stream":"log","required_keys":["a",["b","c"]],"hydrated_keys":["a"],"gap_keys":[["b","c"]]}`,
		`{"type":"DETAIL_GAP","stream":"log","record_key":"a","reason":"rate_limited","retryable":true,"status":"pending","detail_locator":{},"last_error":{"http_status":429}}`,
		`{"type":"DETAIL_GAP_ATTEMPTED","gap_id":"g","lease_id":"l","stream":"log"}`,
		`{"type":"STATE","stream":"log","cursor":{},"slice":{"id":"\u0000","complete":false}}`,
		`{"type":"DETAIL_GAP","stream":"log","record_key":"a","reason":"rate_limited","retryable":true,"status":"pending","detail_locator":{},"last_error":{"class":"\u0000"},"gap_id":"g"}`,
		`{"type":"DETAIL_GAP","stream":"log","record_key":["a","\u0000"],"reason":"rate_limited","retryable":true,"status":"pending","detail_locator":{},"lease_id":"\u0000"}`,
		`{"type":"DETAIL_GAP_ATTEMPTED","gap_id":"g\u0000","lease_id":"l","stream":"log"}`,
		`{"type":"ENUMERATION","stream":"log","part":"p","status":"met","keys":["a",["b","c"]]}`,
		`{"type":"ENUMERATION","stream":"messages","part":"\u0000","status":"open","begun_by":"r"}`,
		`{"stream":"messages","part":"p","after":"k"}`,
		`{"type":"SKIP_RESULT","recovery_hint":{"action":"unknown"},"time_range":{"since":"x"},"resource_ids":["a"]}`,
		`{"type":"ACCOUNT","files":[{"root":"r","path":"a","as":"read","entries":{"count":1,"unknown":1,"names":["x"]}}],"streams":[{"stream":"log","met":1,"cut":1,"emitted":1}]}`,
		`{"type":"PROGRESS","message":"m","count":1,"collection_rate":{}}`,
		`{"type":"DONE","status":"failed","records_emitted":1,"error":{"message":"m","retryable":true}}`,
		`{"type":"INTERACTION","request_id":"1","kind":"otp","message":"m","timeout_seconds":1.5}`,
		`{"type":"INTERACTION","request_id":"1","kind":"manual_action","message":"m","browser":{"page":1,"reason":"captcha","done_when":{"selector":"a"}}}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		for call, read := range readers {
			got, err := read(g, payload)
			codeOf(t, err)
			if (got == nil) != (err != nil) {
				t.Fatalf("%s: (got == nil): got %v, %v, want %v", call, got, err, (err != nil))
			}
			for _, text := range columns(t, got) {
				if strings.ContainsRune(text, 0) {
					t.Fatalf("%s: accepted %q, which no column can hold, want !strings.ContainsRune(text, 0)", call, text)
				}
			}
			if cov, ok := got.(*abi.DetailCoverage); ok {
				for _, k := range cov.RequiredKeys {
					if _, err := KeyText(k); err != nil {
						t.Fatalf("accepted key %q: %v, want no error", k, err)
					}
				}
			}
			if got != nil {
				if _, err := json.Marshal(got); err != nil {
					t.Fatalf("%s: got %v, want no error", call, err)
				}
			}
		}
	})
}

// columns are the texts of an accepted message that the store keeps, or looks for,
// as they are and not inside of JSON.
func columns(t *testing.T, got any) []string {
	t.Helper()
	switch m := got.(type) {
	case *abi.State:
		if m.Slice != nil {
			return []string{m.Stream, m.Slice.ID}
		}
		return []string{m.Stream}
	case *abi.DetailGap:
		key, err := KeyText(m.RecordKey)
		if err != nil {
			t.Fatalf("accepted key %q: %v, want no error", m.RecordKey, err)
		}
		list := []string{m.Stream, m.ParentStream, key, m.Reason, m.GapID, m.LeaseID}
		if m.LastError != nil {
			list = append(list, m.LastError.Class, m.LastError.Said)
		}
		return list
	case *abi.GapOutcome:
		return []string{m.Stream, m.GapID, m.LeaseID}
	case *abi.DetailCoverage:
		return []string{m.Stream}
	case *abi.SkipResult:
		return []string{m.Stream}
	case *abi.Progress:
		return []string{m.Stream}
	case *abi.Interaction:
		return []string{m.Stream}
	}
	return nil
}
