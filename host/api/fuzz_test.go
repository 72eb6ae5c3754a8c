package api

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/host/public"
)

// decodes sends whatever bytes as the body of one route. Whatever they are, the
// answer is JSON, it is never the host's own failure, and a refusal is a whole one.
func decodes(f *testing.F, method, path string, seeds ...any) {
	l := ready(f)
	tick := time.Now()
	l.attempts.now = func() time.Time { tick = tick.Add(attemptsEvery); return tick } // each is the first of its window
	path = strings.NewReplacer("DEVICE", l.DeviceID, "SOURCE", l.SourceInstanceID).Replace(path)
	for _, s := range seeds {
		text, err := json.Marshal(s)
		if err != nil {
			f.Fatal(err)
		}
		f.Add([]byte(strings.NewReplacer("DEVICE", l.DeviceID, "SOURCE", l.SourceInstanceID, "CONNECTION", l.ConnectorInstanceID).Replace(string(text))))
	}
	f.Add([]byte(`{"a":{"a":[1e400,"\u0000"]}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		body = []byte(strings.NewReplacer("DEVICE", l.DeviceID, "SOURCE", l.SourceInstanceID, "CONNECTION", l.ConnectorInstanceID).Replace(string(body)))
		l := l.in(t)
		a := l.send(method, path, body)
		if a.status >= http.StatusInternalServerError {
			t.Fatalf("%d %s", a.status, a.body)
		}
		if a.status >= http.StatusBadRequest {
			a.failure(t)
		}
	})
}

const (
	fuzzedDevice = device.Prefix + "/DEVICE"
	fuzzedSource = fuzzedDevice + "/source-instances/SOURCE"
)

func FuzzEnroll(f *testing.F) {
	decodes(f, http.MethodPost, device.PathEnroll, device.EnrollRequest{Code: "lde" + strings.Repeat("0", 64), DeviceLabel: "a"})
}

func FuzzHeartbeat(f *testing.F) {
	n := int64(1)
	decodes(f, http.MethodPost, fuzzedDevice+"/heartbeat", device.Heartbeat{
		ConnectorID: theConnector, SourceInstanceID: "SOURCE", Status: "blocked", RecordsPending: &n, Outbox: &device.Outbox{Pending: 1},
		LastError: &device.LastError{Kind: device.ErrorDeadLetters, Classes: []device.ErrorClass{{Count: 1, Class: "http_400"}}},
	})
}

func FuzzIngest(f *testing.F) {
	decodes(f, http.MethodPost, fuzzedDevice+"/ingest-batches", device.Batch{
		DeviceID: "DEVICE", SourceInstanceID: "SOURCE", ConnectorID: theConnector, RunID: "r", BatchID: "b", BodyHash: strings.Repeat("0", 64),
		Records: json.RawMessage("[" + note("a", "b") + "]"),
	})
}

// The records themselves, behind the hash that no mutation finds.
func FuzzRecords(f *testing.F) {
	l := ready(f)
	m, err := l.gates.lookUp([]byte(theManifest))
	if err != nil {
		f.Fatal(err)
	}
	for _, s := range []string{
		note("a", "b"), `{"stream":"tops","record_key":"[\"a\",\"b\"]","data":{"id":"a","range":"b"},"emitted_at":"t"}`,
		`{"stream":"notes","record_key":"a","emitted_at":"","op":"delete"}`, `{"stream":"notes","record_key":"a","moved_from":"b","data":{"id":"a","text":"b"},"emitted_at":"t"}`, "null", `{"stream":"log","record_key":"a","data":` + "\n" + `{"id":"a"},"emitted_at":"t"}`,
	} {
		f.Add([]byte("[" + s + "]"))
	}
	f.Fuzz(func(t *testing.T, records []byte) {
		if !json.Valid(records) {
			return // the body would have been refused before
		}
		var sent []json.RawMessage
		list := json.Unmarshal(records, &sent) == nil
		in, err := l.accept(m, false, records)
		switch {
		case err != nil:
			if r := refusalOf(err); r.status >= http.StatusInternalServerError {
				t.Fatal(err)
			}
		case !list || in.batch.Len() != len(sent) || len(in.streams) > 3:
			t.Fatalf("%d records of %d, streams %v", in.batch.Len(), len(sent), in.streams)
		}
		// A public device delivers whatever is a list, and each record is taken or set aside.
		known := public.New(theConnector, m.manifest)
		l.seeRecords(records)(known)
		text, err := known.Text()
		if err != nil {
			t.Fatal(err)
		}
		learned, err := new(gates).lookUp(text)
		if err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		if in, err = l.accept(learned, true, records); (err == nil) != (list && sent != nil) || err == nil && in.batch.Len() != len(sent) {
			t.Fatalf("%d records of %d: %v", in.batch.Len(), len(sent), err)
		}
	})
}

func FuzzState(f *testing.F) {
	decodes(f, http.MethodPut, fuzzedSource+"/state", device.StateCommit{RunID: "r", State: map[string]json.RawMessage{"notes": json.RawMessage(`{"a":1}`)}})
}

func FuzzManifest(f *testing.F) {
	decodes(f, http.MethodPut, fuzzedSource+"/manifest", device.Manifest{ConnectorID: theConnector, ModuleSHA256: theModule, Manifest: json.RawMessage(theManifest)})
}

func FuzzGap(f *testing.F) {
	decodes(f, http.MethodPost, fuzzedSource+"/local-collector-gaps", device.Gap{ConnectorID: theConnector, SourceInstanceID: "SOURCE", Reason: "missing_file", Stream: "notes", Boundary: "a"})
}

func FuzzGapRecovered(f *testing.F) {
	decodes(f, http.MethodPost, fuzzedSource+"/local-collector-gaps/recovered", device.GapRecovered{ConnectorID: theConnector, SourceInstanceID: "SOURCE", Reason: "missing_file", Stream: "notes"})
}

func FuzzRunCommit(f *testing.F) {
	decodes(f, http.MethodPost, fuzzedSource+"/terminal-run-commits", device.RunCommit{
		Version: 1, CommitID: "c", RunID: "r", DeviceID: "DEVICE", ConnectorID: theConnector, ConnectorInstanceID: "CONNECTION", SourceInstanceID: "SOURCE",
		Outcome: device.Outcome{Status: "succeeded", Mode: "incremental", Connector: theConnector, ModuleSHA256: theModule},
	})
}
