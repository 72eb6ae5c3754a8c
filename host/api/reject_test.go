package api

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Invariant 3: one record that a local run would not store refuses the whole
// batch, and the refusal names its place and its stream and no value.
func TestABadRecordRefusesTheBatch(t *testing.T) {
	t.Parallel()
	l := ready(t)
	for name, tc := range map[string]struct{ record, says string }{
		"schema":            {`{"stream":"notes","record_key":"canary","data":{"id":"canary","n":"canary"},"emitted_at":"t"}`, `stream "notes": its data fails the schema at "/n" (type)`},
		"missing member":    {`{"stream":"notes","record_key":"canary","data":{"text":"canary"},"emitted_at":"t"}`, "boundary.key_mismatch"},
		"another key":       {`{"stream":"notes","record_key":"canary","data":{"id":"canary2"},"emitted_at":"t"}`, "boundary.key_mismatch"},
		"key of two":        {`{"stream":"tops","record_key":"canary","data":{"id":"canary","range":"canary"},"emitted_at":"t"}`, "is not a JSON array"},
		"key of three":      {`{"stream":"tops","record_key":"[\"a\",\"b\",\"canary\"]","data":{"id":"a","range":"b"},"emitted_at":"t"}`, "boundary.key_invalid"},
		"key with space":    {`{"stream":"tops","record_key":"[\"canary\", \"b\"]","data":{"id":"canary","range":"b"},"emitted_at":"t"}`, "not the canonical text"},
		"key with escape":   {`{"stream":"tops","record_key":"[\"canar\\u0079\",\"b\"]","data":{"id":"canary","range":"b"},"emitted_at":"t"}`, "not the canonical text"},
		"no key":            {`{"stream":"notes","record_key":"","data":{"id":""},"emitted_at":"t"}`, "boundary.key_invalid"},
		"NUL in the key":    {`{"stream":"notes","record_key":"canary\u0000","data":{"id":"canary\u0000"},"emitted_at":"t"}`, "boundary.key_invalid"},
		"key of a number":   {`{"stream":"notes","record_key":7,"data":{"id":"7"},"emitted_at":"t"}`, "must be strings"},
		"unknown stream":    {`{"stream":"canary","record_key":"a","data":{"id":"a"},"emitted_at":"t"}`, "no such stream"},
		"no stream":         {`{"record_key":"a","data":{"id":"a"},"emitted_at":"t"}`, "must be strings"},
		"data of a list":    {`{"stream":"notes","record_key":"a","data":["canary"],"emitted_at":"t"}`, "boundary.envelope"},
		"no data":           {`{"stream":"notes","record_key":"canary","emitted_at":"t"}`, "boundary.envelope"},
		"no time":           {`{"stream":"notes","record_key":"canary","data":{"id":"canary"},"emitted_at":""}`, "boundary.envelope"},
		"time of a number":  {`{"stream":"notes","record_key":"canary","data":{"id":"canary"},"emitted_at":7}`, "boundary.envelope"},
		"unknown op":        {`{"stream":"notes","record_key":"canary","data":{"id":"canary"},"emitted_at":"t","op":"canary"}`, "neither upsert nor delete"},
		"delete of the log": {`{"stream":"log","record_key":"canary","emitted_at":"t","op":"delete"}`, "boundary.delete_on_append_only"},
		"no record":         {`"canary"`, "its form"},
		"null":              {`null`, "must be strings"},
		"too large":         {note("canary", strings.Repeat("canary ", 150_000)), "boundary.too_large"},
		"broken line":       {`{"stream":"notes","record_key":"canary","data":{"id":"canary"},"emitted_at":"t\",\"op\":\"delete"}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := l.in(t)
			a := l.ingest(l.batch("run_1", 1, note("good", "fine"), tc.record))
			if tc.says == "" { // a text that looks like two members is one member
				l.must(http.StatusCreated, a, nil)
				return
			}
			f := l.refuses(http.StatusUnprocessableEntity, device.CodeRecordsRejected, a)
			if f.Param != "records[1]" || !strings.Contains(f.Message, tc.says) {
				t.Errorf("%q of %q does not say %q", f.Message, f.Param, tc.says)
			}
			if strings.Contains(string(a.body), "canary") {
				t.Errorf("%s holds a value", a.body)
			}
		})
	}
}

// A refused batch leaves nothing, not even the records before the bad one.
func TestARefusedBatchLeavesNothing(t *testing.T) {
	t.Parallel()
	l := ready(t)
	l.must(http.StatusCreated, l.ingest(l.batch("run_1", 1, note("first", "x"))), nil)
	l.must(http.StatusUnprocessableEntity, l.ingest(l.batch("run_1", 2, note("second", "x"), `{}`)), nil)
	conn, err := l.store.Connection(context.Background(), l.ConnectorInstanceID)
	if err != nil {
		t.Fatal(err)
	}
	all, err := l.store.Records(context.Background(), conn.Name, "notes", storage.RecordQuery{})
	if err != nil || len(all) != 1 || all[0].Key != "first" {
		t.Errorf("%v %v", all, err)
	}
}

func TestNothingIsTakenWithoutAManifest(t *testing.T) {
	t.Parallel()
	l := newHost(t).enroll("laptop")
	l.refuses(http.StatusConflict, device.CodeManifestMissing, l.ingest(l.batch("run_1", 1, note("a", "x"))))
	l.refuses(http.StatusConflict, device.CodeManifestMissing,
		l.send(http.MethodPut, device.PathState(l.DeviceID, l.SourceInstanceID), device.StateCommit{RunID: "run_1", State: map[string]json.RawMessage{"notes": nil}}))
	l.refuses(http.StatusConflict, device.CodeManifestMissing,
		l.send(http.MethodPost, device.PathRunCommits(l.DeviceID, l.SourceInstanceID), l.commit("run_1", "c", nil)))
}

func TestManifestOfTheEnrolledConnectorAlone(t *testing.T) {
	t.Parallel()
	l := newHost(t).enroll("laptop")
	path := device.PathManifest(l.DeviceID, l.SourceInstanceID)
	for says, edit := range map[string]func(*device.Manifest){
		"connector_id":  func(m *device.Manifest) { m.ConnectorID = "another" },
		"module_sha256": func(m *device.Manifest) { m.ModuleSHA256 = strings.ToUpper(theModule) },
		"connector_key": func(m *device.Manifest) {
			m.Manifest = []byte(strings.Replace(theManifest, `"connector_key": "field_notes"`, `"connector_key": "another"`, 1))
		},
		"is not valid":  func(m *device.Manifest) { m.Manifest = []byte(`{"streams":[]}`) },
		"schema":        func(m *device.Manifest) { m.Manifest = []byte(strings.Replace(theManifest, `"integer"`, `"whole"`, 1)) },
		"must be there": func(m *device.Manifest) { m.Manifest = nil },
	} {
		m := l.manifest()
		edit(&m)
		if f := l.refuses(http.StatusBadRequest, device.CodeBadRequest, l.send(http.MethodPut, path, m)); !strings.Contains(f.Message, says) {
			t.Errorf("%q does not say %q", f.Message, says)
		}
	}
	var first, again device.ManifestAnswer
	l.must(http.StatusOK, l.send(http.MethodPut, path, l.manifest()), &first)
	l.must(http.StatusOK, l.send(http.MethodPut, path, l.manifest()), &again)
	if !first.Changed || again.Changed || first.SHA256 != again.SHA256 {
		t.Errorf("%+v, then %+v", first, again)
	}
	if log := l.log.String(); !strings.Contains(log, "a source has said what it runs") || strings.Contains(log, "another manifest") {
		t.Errorf("of the first manifest the log says %s", log)
	}
	other := l.manifest()
	other.Manifest = []byte(strings.Replace(theManifest, `"0.1.0"`, `"0.1.1"`, 1))
	l.must(http.StatusOK, l.send(http.MethodPut, path, other), nil)
	if log := l.log.String(); !strings.Contains(log, "a source runs another manifest") {
		t.Errorf("of another manifest the log says %s", log)
	}
}

// The gates over a manifest are made once, and only so many are kept.
func TestGatesAreKeptAndBounded(t *testing.T) {
	t.Parallel()
	g := new(gates)
	text := func(n int) []byte {
		return []byte(strings.Replace(theManifest, `"0.1.0"`, `"0.1.`+strings.Repeat("1", n+1)+`"`, 1))
	}
	first, err := g.lookUp(text(0))
	if err != nil {
		t.Fatal(err)
	}
	for n := range maxGates {
		if again, err := g.lookUp(text(0)); err != nil || again != first {
			t.Fatalf("read twice: %v", err)
		}
		if _, err := g.lookUp(text(n)); err != nil {
			t.Fatal(err)
		}
	}
	for n := maxGates; n < maxGates+3; n++ {
		if _, err := g.lookUp(text(n)); err != nil {
			t.Fatal(err)
		}
	}
	if len(g.kept) != maxGates {
		t.Errorf("%d are kept", len(g.kept))
	}
	if g.kept[device.Sum256(text(0))] != first || g.kept[device.Sum256(text(1))] != nil {
		t.Error("not the one that was used longest ago was forgotten")
	}
	one, err := g.take(first)
	two, err2 := g.take(first)
	if err != nil || err2 != nil || one == two {
		t.Fatal("one gate for two requests")
	}
	for range 5 {
		g.give(first, one)
	}
	if len(first.idle) != idleGates {
		t.Errorf("%d are idle", len(first.idle))
	}
}
