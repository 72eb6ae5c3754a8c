package device_test

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi/device"
)

// compact is a JSON text without white space.
func compact(t *testing.T, text []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := json.Compact(&out, text); err != nil {
		t.Fatalf("%q has a hash and is no JSON: %v, want no error", text, err)
	}
	return out.Bytes()
}

// Records that mean the same have the same envelopes hash, however they are written.
func FuzzEnvelopesHash(f *testing.F) {
	f.Add([]byte(`[{"record_key":"a","stream":"notes","data":{"10":1,"9":[]},"emitted_at":"2026-01-01T00:00:00Z"}]`), "b_1", int64(1))
	f.Add([]byte(`[ {"key":["a",1],"key":2 , "op":"delete"}, {"record_key":null} ]`), "\xff\u2028", int64(-1))
	f.Add([]byte(`[]`), "", int64(0))
	f.Add([]byte(`[{"stream":"notes"}]`), "", int64(0))
	f.Add([]byte(`{"0":1}`), "", int64(0))
	f.Fuzz(func(t *testing.T, records []byte, id string, seq int64) {
		b := &device.Batch{BatchID: id, BatchSeq: seq, DeviceID: id, SourceInstanceID: id, ConnectorID: id, Records: records}
		sum, err := device.EnvelopesHash(b)
		if err != nil {
			return
		}
		b.BodyHash, b.Records = sum, compact(t, records)
		if again, err := device.EnvelopesHash(b); err != nil || again != sum || !b.Intact() {
			t.Errorf("got %s and %v for the same records without white space, want %s", again, err, sum)
		}
	})
}

// The hash of a run's end covers its ten members in any order, and ignores all others.
func FuzzCommitHash(f *testing.F) {
	f.Add([]byte(`{"version":1,"commit_id":"c","terminal_facts":[{"stream":"b-1","coverage_statuses":["x","a","x"],"scoped":true},{"stream":"b_1","coverage_statuses":[]}]}`))
	f.Add([]byte(`{ "state_delta": {"notes":{"9":1,"10":2}}, "outcome":{}, "terminal_facts": null }`))
	f.Add([]byte(`{"terminal_facts":[{"stream":null,"coverage_statuses":null}]}`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, text []byte) {
		sum, err := device.CommitHash(text)
		if err != nil {
			return
		}
		var members map[string]json.RawMessage
		if err := json.Unmarshal(text, &members); err != nil {
			t.Fatalf("%q has a hash and is no object: %v, want no error", text, err)
		}
		if members == nil {
			members = map[string]json.RawMessage{}
		}
		members["of_ours"] = json.RawMessage(`{"status":"succeeded"}`)
		ordered, err := json.Marshal(members)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := device.CommitHash(ordered); err != nil || again != sum {
			t.Errorf("got %s and %v for the same members in order, with one of ours, want %s", again, err, sum)
		}
	})
}

// A scope that is taken survives its way through a state.
func FuzzParseScope(f *testing.F) {
	for _, seed := range []string{
		`null`, `{}`, `{"since":"2026-01-01T00:00:00Z"}`, `{"source_roots":["/b","/a"],"since":"2026-01-01T00:00:00.5+02:00"}`, `{"source_roots":[""]}`, `{"since":1}`, ``, `[]`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		scope, err := device.ParseScope(text)
		if err != nil {
			return
		}
		member, err := device.DeclaredScope(text, time.Unix(0, 0))
		if err != nil {
			t.Fatalf("%q is a scope and cannot be declared: %v, want no error", text, err)
		}
		back, err := device.ScopeOf(member)
		if err != nil || back.Fingerprint() != scope.Fingerprint() {
			t.Errorf("got %q and %v back from %s, want %q", back.Fingerprint(), err, member, scope.Fingerprint())
		}
		if back != nil && back.Since != "" {
			if _, err := time.Parse(time.RFC3339, back.Since); err != nil {
				t.Errorf("since is %q: %v, want no error", back.Since, err)
			}
		}
	})
}
