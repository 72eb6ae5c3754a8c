package collector

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi/device"
)

const (
	testToken  = "ldt_c4n4ryc4n4ryc4n4ryc4n4ry"
	testDevice = "dev_1"
	testSource = "src_1"
)

// answer is what a scripted host says instead of its usual answer.
type answer struct {
	status int
	header http.Header
	body   string
}

// fakeHost is a small host that keeps what it is sent. It is a RoundTripper, so
// that no socket is in the way of a test's clock.
type fakeHost struct {
	t  *testing.T
	mu sync.Mutex
	// fault may answer, or fail, a request in the host's place.
	fault func(r *http.Request, body []byte) (*answer, error)

	calls     []string // "POST ingest-batches"
	batches   map[string]device.Batch
	order     []string // batch ids, as they were accepted
	state     map[string]json.RawMessage
	commits   []device.RunCommit
	gaps      []device.Gap
	recovered []device.GapRecovered
	beats     []device.Heartbeat
	manifest  []byte
	puts      int // of the manifest
	revoked   bool
	redirects int
	pages     bool // it knows cursors in pages, of one each
}

func newFakeHost(t *testing.T) *fakeHost {
	return &fakeHost{t: t, batches: map[string]device.Batch{}, state: map[string]json.RawMessage{}}
}

func (h *fakeHost) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	var body []byte
	if r.Body != nil {
		body, _ = io.ReadAll(r.Body)
		_ = r.Body.Close()
	}
	if r.URL.Host != "127.0.0.1:7" {
		h.mu.Lock()
		h.redirects++
		h.mu.Unlock()
	}
	what := r.Method + " " + r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]
	h.mu.Lock()
	h.calls = append(h.calls, what)
	fault := h.fault
	h.mu.Unlock()
	if fault != nil {
		a, err := fault(r, body)
		if err != nil {
			return nil, err
		}
		if a != nil {
			return a.response(r), nil
		}
	}
	w := httptest.NewRecorder()
	h.serve(w, r, body)
	res := w.Result()
	res.Request = r
	return res, nil
}

func (a *answer) response(r *http.Request) *http.Response {
	header := a.header
	if header == nil {
		header = http.Header{}
	}
	return &http.Response{
		StatusCode: a.status, Status: fmt.Sprint(a.status), Header: header, Request: r, ProtoMajor: 1, ProtoMinor: 1,
		Body: io.NopCloser(strings.NewReader(a.body)), ContentLength: int64(len(a.body)),
	}
}

func (h *fakeHost) serve(w http.ResponseWriter, r *http.Request, body []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	reply := func(status int, v any) {
		text, err := json.Marshal(v)
		if err != nil {
			h.t.Error(err)
		}
		w.WriteHeader(status)
		_, _ = w.Write(text)
	}
	refuse := func(status int, code string) {
		reply(status, device.Failure{Error: device.FailureDetail{Code: code, Message: "refused", Type: "error"}})
	}
	if r.Header.Get(device.HeaderProtocol) != device.ProtocolVersion {
		refuse(409, device.CodeProtocolMismatch)
		return
	}
	if r.URL.Path != device.PathEnroll && (r.Header.Get("Authorization") != "Bearer "+testToken || h.revoked) {
		refuse(401, device.CodeUnauthorized)
		return
	}
	switch r.Method + " " + r.URL.Path {
	case "POST " + device.PathEnroll:
		reply(201, device.Enrollment{
			Object: "device_exporter_enrollment", DeviceID: testDevice, DeviceToken: testToken, SourceInstanceID: testSource,
			ConnectorInstanceID: "conn_1", ConnectorID: "scripted", LocalBindingName: "laptop",
		})
	case "POST " + device.PathHeartbeat(testDevice):
		var b device.Heartbeat
		h.read(body, &b)
		h.beats = append(h.beats, b)
		reply(200, device.HeartbeatAnswer{Object: "device_exporter_heartbeat", DeviceID: testDevice, ReceivedAt: time.Now(), Status: "accepted"})
	case "POST " + device.PathIngest(testDevice):
		h.ingest(body, reply, refuse)
	case "GET " + device.PathState(testDevice, testSource):
		reply(200, h.stateIn(r, slices.Sorted(maps.Keys(h.state))))
	case "PUT " + device.PathState(testDevice, testSource):
		var c device.StateCommit
		h.read(body, &c)
		maps.Copy(h.state, c.State)
		s := h.stateNow()
		if h.pages && r.URL.Query().Has(device.StateAfter) {
			s.State = c.State
		}
		reply(200, s)
	case "PUT " + device.PathManifest(testDevice, testSource):
		var m device.Manifest
		h.read(body, &m)
		h.manifest = m.Manifest
		h.puts++
		reply(200, device.ManifestAnswer{Object: "device_source_instance_manifest", SourceInstanceID: testSource, SHA256: device.Sum256(m.Manifest), Changed: true})
	case "POST " + device.PathGaps(testDevice, testSource):
		var g device.Gap
		h.read(body, &g)
		h.gaps = append(h.gaps, g)
		reply(201, device.GapAnswer{Object: "device_local_collector_gap", GapID: "gap_1", Status: "pending", AttemptCount: 1, Stream: g.Stream})
	case "POST " + device.PathGapsRecovered(testDevice, testSource):
		var g device.GapRecovered
		h.read(body, &g)
		h.recovered = append(h.recovered, g)
		reply(200, device.GapAnswer{Object: "device_local_collector_gap", GapID: "gap_1", Status: "recovered", Stream: g.Stream})
	case "POST " + device.PathRunCommits(testDevice, testSource):
		var c device.RunCommit
		h.read(body, &c)
		if c.ConnectorInstanceID == "" {
			refuse(400, device.CodeBadRequest)
			return
		}
		h.commits = append(h.commits, c)
		maps.Copy(h.state, c.StateDelta)
		hash, _ := device.CommitHash(body)
		reply(201, device.RunCommitAnswer{Object: "device_terminal_run_commit", CommitID: c.CommitID, RunID: c.RunID, EnvelopeHash: hash, TerminalEventID: "e"})
	case "POST " + device.PathSelfRevoke(testDevice):
		h.revoked = true
		reply(200, device.Revocation{Object: "device_exporter_revocation", DeviceID: testDevice, RevokedAt: time.Now()})
	default:
		if strings.Contains(r.URL.Path, "/blobs/") {
			reply(201, device.BlobAnswer{Object: "device_blob", SHA256: device.Sum256(body), Bytes: int64(len(body))})
			return
		}
		refuse(404, device.CodeNotFound)
	}
}

func (h *fakeHost) ingest(body []byte, reply func(int, any), refuse func(int, string)) {
	var b device.Batch
	h.read(body, &b)
	var records []device.Record
	h.read(b.Records, &records)
	if len(h.manifest) == 0 {
		refuse(409, device.CodeManifestMissing)
		return
	}
	if known, ok := h.batches[b.BatchID]; ok && !bytes.Equal(known.Records, b.Records) {
		refuse(409, device.CodeBatchConflict)
		return
	} else if !ok {
		h.batches[b.BatchID] = b
		h.order = append(h.order, b.BatchID)
	}
	reply(201, device.BatchAnswer{
		Object: "device_ingest_batch_result", Status: "accepted", Accepted: int64(len(records)), BatchID: b.BatchID, BodyHash: b.BodyHash,
		DeviceID: testDevice, SourceInstanceID: testSource, ConnectorInstanceID: "conn_1",
	})
}

func (h *fakeHost) read(body []byte, into any) {
	if err := json.Unmarshal(body, into); err != nil {
		h.t.Errorf("the collector sent %q: %v", body, err)
	}
}

func (h *fakeHost) stateNow() device.State {
	at := time.Now()
	s := device.State{
		Object: "device_source_instance_state", ConnectorInstanceID: "conn_1", DeviceID: testDevice, SourceInstanceID: testSource,
		State: maps.Clone(h.state), UpdatedAt: &at,
	}
	if len(h.manifest) > 0 {
		s.ManifestSHA256 = device.Sum256(h.manifest)
	}
	return s
}

// stateIn is the page that a request asks for, of a host that knows pages.
func (h *fakeHost) stateIn(r *http.Request, streams []string) device.State {
	s := h.stateNow()
	if !h.pages || !r.URL.Query().Has(device.StateAfter) {
		return s
	}
	s.State = map[string]json.RawMessage{}
	for _, stream := range streams {
		if stream <= r.URL.Query().Get(device.StateAfter) {
			continue
		}
		if len(s.State) == 1 {
			break
		}
		s.State[stream], s.Next = h.state[stream], stream
	}
	if s.Next == "" || s.Next == streams[len(streams)-1] {
		s.Next = ""
	}
	return s
}

// fail sets what answers in the host's place.
func (h *fakeHost) fail(f func(r *http.Request, body []byte) (*answer, error)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.fault = f
}

// on answers one kind of request, and leaves the others to the host.
func on(what string, a answer) func(*http.Request, []byte) (*answer, error) {
	return func(r *http.Request, _ []byte) (*answer, error) {
		if !strings.HasSuffix(r.Method+" "+r.URL.Path, what) {
			return nil, nil
		}
		return &a, nil
	}
}

// keys are the records that the host holds of a stream, as they came last.
func (h *fakeHost) keys(stream string) []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	held := map[string]bool{}
	for _, id := range h.order {
		var records []device.Record
		h.read(h.batches[id].Records, &records)
		for _, r := range records {
			if r.Stream == stream {
				held[r.Key] = r.Op != device.OpDelete
			}
		}
	}
	maps.DeleteFunc(held, func(_ string, live bool) bool { return !live })
	return slices.Sorted(maps.Keys(held))
}

func (h *fakeHost) cursor(stream string) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return string(h.state[stream])
}

// statuses are the heartbeats, in order.
func (h *fakeHost) statuses() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	var out []string
	for _, b := range h.beats {
		s := b.Status
		if b.LastError != nil {
			s += "(" + b.LastError.Kind + ")"
		}
		out = append(out, s)
	}
	return strings.Join(out, " ")
}

func (h *fakeHost) lastBeat() device.Heartbeat {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.beats) == 0 {
		h.t.Fatal("no heartbeat")
	}
	return h.beats[len(h.beats)-1]
}

func (h *fakeHost) count(what string) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	n := 0
	for _, c := range h.calls {
		if strings.HasSuffix(c, what) {
			n++
		}
	}
	return n
}
