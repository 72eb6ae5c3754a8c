package api

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/storage"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/fresh"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// theManifest has a stream of each kind that a batch tells apart.
const theManifest = `{
	"connector_id": "https://connectors.example.org/field_notes", "connector_key": "field_notes", "display_name": "Field Notes",
	"version": "0.1.0", "protocol_version": "0.1.0",
	"streams": [
		{"name":"notes","semantics":"mutable_state","primary_key":["id"],"schema":{"type":"object","properties":{"id":{"type":"string"},"text":{"type":"string"},"n":{"type":"integer"}},"required":["id"]}},
		{"name":"tops","semantics":"mutable_state","primary_key":["id","range"],"schema":{"type":"object","properties":{"id":{"type":"string"},"range":{"type":"string"}}}},
		{"name":"log","semantics":"append_only","primary_key":["id"],"schema":{"type":"object","properties":{"id":{"type":"string"}}}}
	]}`

const (
	theConnector = "field_notes"
	theModule    = "00000000000000000000000000000000000000000000000000000000000000ab"
)

// host is a store and the API over it.
type host struct {
	*API
	t     testing.TB
	store *storage.Store
	log   *logged
}

// logged is a log that may be read while it is written.
type logged struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func newHost(t testing.TB) *host {
	t.Helper()
	store, err := storage.Open(context.Background(), storage.Options{Path: fresh.Store(t, filepath.Join(t.TempDir(), "pdpp.sqlite")), Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return hostOver(t, store, store)
}

func hostOver(t testing.TB, store *storage.Store, s Store) *host {
	log := new(logged)
	logger := slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	return &host{New(Deps{Store: s, Now: time.Now, Random: rand.Reader, Logger: logger}), t, store, log}
}

// code makes an enrollment code as the owner's command does.
func (h *host) code(binding string, lasts time.Duration) string {
	h.t.Helper()
	code, err := device.NewCode(rand.Reader)
	if err == nil {
		err = h.store.NewEnrollmentCode(context.Background(), storage.EnrollmentCode{
			CodeHash: device.SecretHash(code), ConnectorID: theConnector, Binding: binding, ExpiresAt: time.Now().Add(lasts),
		})
	}
	if err != nil {
		h.t.Fatal(err)
	}
	return code
}

// answered is one answer.
type answered struct {
	status int
	head   http.Header
	body   []byte
}

// failure returns the envelope of a refusal, which every answer but a success is.
func (a answered) failure(t testing.TB) device.FailureDetail {
	t.Helper()
	var f device.Failure
	if err := json.Unmarshal(a.body, &f); err != nil || f.Error.Code == "" || f.Error.Message == "" || f.Error.Type == "" {
		t.Fatalf("%d %s is no refusal: %v", a.status, a.body, err)
	}
	if id := a.head.Get(headerRequestID); id == "" || f.Error.RequestID != id {
		t.Errorf("the request's id is %q in the body and %q beside it", f.Error.RequestID, id)
	}
	return f.Error
}

// ask sends one request. body is bytes, or a value that is encoded.
func (h *host) ask(method, path string, body any, edit ...func(*http.Request)) answered {
	h.t.Helper()
	var text []byte
	switch b := body.(type) {
	case nil:
	case []byte:
		text = b
	case string:
		text = []byte(b)
	default:
		var err error
		if text, err = json.Marshal(b); err != nil {
			h.t.Fatal(err)
		}
	}
	r := httptest.NewRequest(method, path, bytes.NewReader(text))
	r.Header.Set(device.HeaderProtocol, device.ProtocolVersion)
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	for _, e := range edit {
		e(r)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	a := answered{w.Code, w.Header(), w.Body.Bytes()}
	if !json.Valid(a.body) || !strings.HasPrefix(a.head.Get("Content-Type"), "application/json") || a.head.Get("X-Content-Type-Options") != "nosniff" {
		h.t.Errorf("%s %s: %d %q with %v is no JSON", method, path, a.status, a.body, a.head)
	}
	return a
}

// lane is an enrolled device.
type lane struct {
	*host
	device.Enrollment
}

func (h *host) enroll(binding string) *lane {
	h.t.Helper()
	a := h.ask(http.MethodPost, device.PathEnroll, device.EnrollRequest{Code: h.code(binding, time.Hour), DeviceLabel: "ada's laptop"})
	l := &lane{host: h}
	if err := json.Unmarshal(a.body, &l.Enrollment); err != nil || a.status != http.StatusCreated {
		h.t.Fatalf("enrolled: %d %s %v", a.status, a.body, err)
	}
	return l
}

// ready is an enrolled device whose manifest the host has.
func ready(t testing.TB) *lane {
	t.Helper()
	l := newHost(t).enroll("laptop")
	l.must(http.StatusOK, l.send(http.MethodPut, device.PathManifest(l.DeviceID, l.SourceInstanceID), l.manifest()), nil)
	return l
}

func (l *lane) manifest() device.Manifest {
	return device.Manifest{ConnectorID: theConnector, ModuleSHA256: theModule, Manifest: json.RawMessage(theManifest)}
}

func (l *lane) credential(r *http.Request) { r.Header.Set("Authorization", "Bearer "+l.DeviceToken) }

func (l *lane) send(method, path string, body any, edit ...func(*http.Request)) answered {
	l.t.Helper()
	return l.ask(method, path, body, append([]func(*http.Request){l.credential}, edit...)...)
}

func (l *lane) must(status int, a answered, into any) {
	l.t.Helper()
	if a.status != status {
		l.t.Fatalf("%d %s, want %d", a.status, a.body, status)
	}
	if into != nil {
		if err := json.Unmarshal(a.body, into); err != nil {
			l.t.Fatal(err)
		}
	}
}

// in is the lane in a subtest.
func (l *lane) in(t testing.TB) *lane {
	h := *l.host
	h.t = t
	return &lane{&h, l.Enrollment}
}

// refuses holds an answer to a status and a code.
func (l *lane) refuses(status int, code string, a answered) device.FailureDetail {
	l.t.Helper()
	f := a.failure(l.t)
	if a.status != status || f.Code != code {
		l.t.Fatalf("%d %s, want %d %s", a.status, a.body, status, code)
	}
	return f
}

// batch is a delivery of records, given as their JSON.
func (l *lane) batch(run string, seq int64, records ...string) device.Batch {
	l.t.Helper()
	text := "[" + strings.Join(records, ",") + "]"
	sum, err := device.Hash([]byte(text))
	if err != nil {
		l.t.Fatal(err)
	}
	return device.Batch{
		DeviceID: l.DeviceID, SourceInstanceID: l.SourceInstanceID, ConnectorID: theConnector, RunID: run,
		BatchID: device.BatchID(theConnector, l.SourceInstanceID, seq, sum), BatchSeq: seq, BodyHash: sum, Records: json.RawMessage(text),
	}
}

func (l *lane) ingest(b device.Batch) answered {
	l.t.Helper()
	return l.send(http.MethodPost, device.PathIngest(l.DeviceID), b)
}

// note is a record of the stream notes.
func note(id, text string) string {
	return `{"stream":"notes","record_key":"` + id + `","data":{"id":"` + id + `","text":"` + text + `"},"emitted_at":"2026-03-01T10:00:00Z"}`
}

func (l *lane) commit(run, id string, state map[string]json.RawMessage) device.RunCommit {
	began := time.Now().Add(-time.Minute).UTC()
	return device.RunCommit{
		Version: 1, CommitID: id, RunID: run, DeviceID: l.DeviceID, ConnectorID: theConnector, ConnectorInstanceID: l.ConnectorInstanceID,
		SourceInstanceID: l.SourceInstanceID, StateDelta: state,
		Outcome: device.Outcome{
			Status: "succeeded", Mode: "incremental", Connector: theConnector, Version: "0.1.0", ModuleSHA256: theModule,
			Streams: []string{"notes", "tops", "log"}, StartedAt: began, FinishedAt: began.Add(30 * time.Second),
		},
	}
}
