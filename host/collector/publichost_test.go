package collector

import (
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

	"github.com/pdpp-host/pdpp-host/abi/device"
)

// publicHost speaks the public protocol and nothing else: it takes no manifest, no
// outcome and no run with a cursor, knows two reasons of gaps, and answers in the
// words that were recorded.
type publicHost struct {
	t  *testing.T
	mu sync.Mutex

	calls   []string
	scope   string // the member of its state
	state   map[string]json.RawMessage
	records map[string]json.RawMessage // by stream and key
	deleted []string
	commits []map[string]json.RawMessage
	gaps    []map[string]any
	busy    map[string]int // how often a call is answered 503 first
	lacks   string         // a stream that its connector does not declare
	bad     string         // how the stream and key begin of records that it refuses
}

func newPublicHost(t *testing.T) *publicHost {
	return &publicHost{
		t: t, state: map[string]json.RawMessage{}, records: map[string]json.RawMessage{}, busy: map[string]int{},
		scope: `{"declared_at":"2026-02-03T04:05:06.789Z","fingerprint":"unscoped","scope":null}`,
	}
}

func (h *publicHost) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		body, _ = io.ReadAll(r.Body)
		_ = r.Body.Close()
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	what := r.Method + " " + r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]
	h.calls = append(h.calls, what)
	status, text := http.StatusServiceUnavailable, refusal("device_ingest_retryable", "busy")
	if h.busy[what] == 0 {
		status, text = h.answer(r, body)
	} else {
		h.busy[what]--
	}
	w := httptest.NewRecorder()
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text)
	res := w.Result()
	res.Request = r
	return res, nil
}

func refusal(code, message string) string {
	return fmt.Sprintf(`{"error":{"code":%q,"message":%q,"type":"invalid_request_error","request_id":"req_0123456789abcdef"}}`, code, message)
}

// names are the members of an object.
func names[T any](of map[string]T) string { return strings.Join(slices.Sorted(maps.Keys(of)), " ") }

func (h *publicHost) answer(r *http.Request, body []byte) (int, string) {
	var members map[string]json.RawMessage
	if r.Header.Get("Content-Type") == "application/json" && len(body) > 0 && json.Unmarshal(body, &members) != nil {
		return 400, refusal("invalid_request", "no JSON")
	}
	switch r.Method + " " + r.URL.Path {
	case "POST " + device.PathHeartbeat(testDevice):
		return 200, `{"device_id":"dev_1","object":"device_exporter_heartbeat","received_at":"2026-02-03T04:05:06.789Z","status":"accepted"}`
	case "GET " + device.PathState(testDevice, testSource):
		return 200, h.stateText()
	case "PUT " + device.PathState(testDevice, testSource):
		var state map[string]json.RawMessage
		if names(members) != "state" || json.Unmarshal(members["state"], &state) != nil {
			return 400, refusal("invalid_request", "unknown members: "+names(members))
		}
		maps.Copy(h.state, state)
		return 200, h.stateText()
	case "POST " + device.PathIngest(testDevice):
		return h.ingest(body)
	case "POST " + device.PathGaps(testDevice, testSource), "POST " + device.PathGapsRecovered(testDevice, testSource):
		return h.gap(r.URL.Path, body)
	case "POST " + device.PathRunCommits(testDevice, testSource):
		return h.commit(members, body)
	}
	return 404, fmt.Sprintf(`{"message":"Route %s:%s not found","error":"Not Found","statusCode":404}`, r.Method, r.URL.Path)
}

func (h *publicHost) stateText() string {
	all := maps.Clone(h.state)
	all[device.ScopeKey] = json.RawMessage(h.scope)
	text, err := json.Marshal(map[string]any{
		"connector_instance_id": "conn_1", "device_id": testDevice, "object": "device_source_instance_state", "source_instance_id": testSource,
		"state": all, "updated_at": nil,
	})
	if err != nil {
		h.t.Error(err)
	}
	return string(text)
}

// publicRecord is a record as a public host reads it: a key of several fields is a list.
type publicRecord struct {
	Stream string          `json:"stream"`
	Op     string          `json:"op"`
	Key    any             `json:"record_key"`
	Data   json.RawMessage `json:"data"`
	Moved  json.RawMessage `json:"moved_from"` // which the public protocol does not have
}

// refused returns the text of a record's key, or why the host refuses the record.
func (r *publicRecord) refused() (key, why string) {
	var data map[string]any
	if len(r.Data) > 0 && json.Unmarshal(r.Data, &data) != nil {
		return "", ".data must be an object for upsert"
	}
	if r.Moved != nil {
		return "", ".moved_from is not of the protocol"
	}
	if r.Op == device.OpDelete && len(data) > 0 {
		return "", ".data must be omitted or {} for delete"
	}
	parts, several := r.Key.([]any)
	if !several {
		parts = []any{r.Key}
	}
	for i, field := range map[string][]string{"ranked": {"id", "range"}}[r.Stream] {
		if data[field] != nil && (i >= len(parts) || fmt.Sprint(data[field]) != fmt.Sprint(parts[i])) {
			return "", " has invalid record identity"
		}
	}
	if data["id"] != nil && data["id"] != parts[0] || r.Op != device.OpDelete && data["id"] == nil {
		return "", " has invalid record identity"
	}
	return fmt.Sprint(r.Key), ""
}

func (h *publicHost) ingest(body []byte) (int, string) {
	var b device.Batch
	var records []publicRecord
	if json.Unmarshal(body, &b) != nil || json.Unmarshal(b.Records, &records) != nil || len(records) == 0 {
		return 400, refusal("invalid_request", "records")
	}
	if sum, err := device.Hash(b.Records); err != nil || sum != b.BodyHash {
		return 400, refusal("device_batch_hash_mismatch", "body_hash")
	}
	taken, gone := map[string]json.RawMessage{}, []string(nil)
	for i, r := range records {
		text, refused := r.refused()
		switch {
		case r.Stream == h.lacks:
			refused = ".stream is not declared by the connector manifest"
		case h.bad != "" && strings.HasPrefix(r.Stream+" "+text, h.bad):
			refused = " has invalid record identity"
		}
		if refused != "" {
			return 400, refusal("invalid_request", fmt.Sprintf("records[%d]", i)+refused)
		}
		if r.Op == device.OpDelete {
			gone = append(gone, r.Stream+" "+text)
			continue
		}
		taken[r.Stream+" "+text] = r.Data
	}
	maps.Copy(h.records, taken)
	h.deleted = append(h.deleted, gone...)
	return 201, fmt.Sprintf(`{"accepted_record_count":%d,"batch_id":%q,"body_hash":%q,"connector_instance_id":"conn_1","device_id":"dev_1",`+
		`"object":"device_ingest_batch_result","rejected_record_count":0,"source_instance_id":"src_1","status":"accepted"}`, len(records), b.BatchID, b.BodyHash)
}

func (h *publicHost) gap(path string, body []byte) (int, string) {
	var g map[string]any
	if json.Unmarshal(body, &g) != nil {
		return 400, refusal("invalid_request", "a gap")
	}
	reason, _ := g["reason"].(string)
	if reason != "policy_budget" && reason != "connector_child_failure" {
		return 400, refusal("invalid_request", "reason must be one of: policy_budget, connector_child_failure")
	}
	h.gaps = append(h.gaps, g)
	status, code := "pending", 201
	if strings.HasSuffix(path, "/recovered") {
		status, code = "recovered", 200
	}
	return code, fmt.Sprintf(`{"attempt_count":0,"gap_id":"gap_1","object":"device_local_collector_gap","status":%q,"stream":"local-collector/%s/notes"}`, status, reason)
}

func (h *publicHost) commit(members map[string]json.RawMessage, body []byte) (int, string) {
	const ten = "collection_boundary commit_id connector_id connector_instance_id device_id run_id source_instance_id state_delta terminal_facts version"
	if names(members) != ten || string(members["terminal_facts"]) == "[]" {
		return 400, refusal("invalid_request", "terminal run commit body or binding is invalid")
	}
	hash, err := device.CommitHash(body)
	if err != nil {
		return 400, refusal("invalid_request", "facts")
	}
	h.commits = append(h.commits, members)
	return 201, fmt.Sprintf(`{"commit_id":%s,"envelope_hash":%q,"object":"device_terminal_run_commit","run_id":%s,"terminal_event_id":"evt_1"}`,
		members["commit_id"], hash, members["run_id"])
}

// onPublicHost has the world deliver to a public host.
func (w *world) onPublicHost() *publicHost {
	h := newPublicHost(w.T)
	w.deps.Transport = h
	return h
}
