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
	"testing/synctest"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/host/collector/client"
	"github.com/pdpp-host/pdpp-host/storage"
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

func (h *publicHost) ingest(body []byte) (int, string) {
	var b device.Batch
	var records []device.Record
	if json.Unmarshal(body, &b) != nil || json.Unmarshal(b.Records, &records) != nil || len(records) == 0 {
		return 400, refusal("invalid_request", "records")
	}
	if sum, err := device.Hash(b.Records); err != nil || sum != b.BodyHash {
		return 400, refusal("device_batch_hash_mismatch", "body_hash")
	}
	for i, r := range records {
		var data map[string]any
		if json.Unmarshal(r.Data, &data) != nil || data["id"] == nil {
			return 400, refusal("invalid_request", fmt.Sprintf("records[%d] has no key in its data", i))
		}
		if r.Op == device.OpDelete {
			h.deleted = append(h.deleted, r.Stream+" "+r.Key)
			continue
		}
		h.records[r.Stream+" "+r.Key] = r.Data
	}
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

// A run is delivered to a host that knows the public protocol alone, a deletion with
// its key, and the next one goes on from what it committed.
func TestDeliversToAPublicHost(t *testing.T) {
	t.Parallel()
	w := newWorld(t).guest()
	h := w.onPublicHost()
	gone := `emit {"type":"RECORD","stream":"notes","key":"notes-1","op":"delete","emitted_at":"2026-02-03T04:05:06Z"}` + "\n"
	res := w.run(records("notes", 0, 3) + gone + slice("notes", `{"at":1}`) + state("notes", `{"at":2,"9":1,"10":2}`) + done(4))
	w.same(res.Outcome, OutcomeComplete, "outcome")
	w.same(string(h.state["notes"]), `{"at":2,"9":1,"10":2}`, "the cursor")
	w.same(len(h.records), 3, "records")
	w.same(h.deleted, []string{"notes notes-1"}, "deleted")
	w.same(w.counts().DeadLetter+w.counts().Pending, 0, "rows that wait")
	res = w.run(state("notes", `{"at":3}`) + done(0))
	w.same(res.Outcome, OutcomeComplete, "outcome of the second run")
	w.same(string(h.state["notes"]), `{"at":3}`, "the cursor after the second run")
	if got := strings.Join(h.calls, ", "); strings.Contains(got, "terminal-run-commits") {
		t.Errorf("calls %s, want no commit: nothing was said of the stores", got)
	}
}

// A run that fails leaves nothing behind that such a host would refuse, and its gaps
// go out under reasons that it knows.
func TestAFailedRunHoldsNothingUpAtAPublicHost(t *testing.T) {
	t.Parallel()
	w := newWorld(t).guest()
	h := w.onPublicHost()
	gap := `gap {"type":"DETAIL_GAP","stream":"messages","parent_stream":"chats","record_key":"b","reason":"temporary_unavailable","retryable":true,"status":"pending","detail_locator":{"id":"b"}}` + "\n"
	res, err := w.collector().Run(t.Context(), w.script(records("notes", 0, 2)+gap+
		`done {"type":"DONE","status":"failed","records_emitted":2,"error":{"code":"broken","message":"broken"}}`))
	w.ok(err)
	w.same(res.Outcome, OutcomeFailed, "outcome")
	w.same(len(h.records), 2, "records")
	w.same(w.counts().DeadLetter, 0, "dead letters")
	w.same(len(h.gaps), 1, "gaps")
	for _, g := range h.gaps {
		w.same(g["reason"], "connector_child_failure", "the gap's reason")
		w.same(g["details"], "temporary_unavailable", "the gap's details")
	}
	w.same(w.run(done(0)).Outcome == OutcomeDeadLetter, false, "the next run is held up")
}

// The end of a run that accounted for its stores goes out with the ten members of the
// public protocol, and the host's hash of them is believed.
func TestCommitsToAPublicHost(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	h := w.onPublicHost()
	c := w.collector()
	payload := func(status string) *storage.OutboxItem {
		return &storage.OutboxItem{Kind: storage.KindRunCommit, Payload: []byte(`{"version":1,"collection_boundary":"unscoped","commit_id":"c_1","run_id":"r_1",` +
			`"connector_id":"scripted","source_instance_id":"src_1","state_delta":{"notes":{"9":1,"10":2}},` +
			`"terminal_facts":[{"stream":"notes","coverage_statuses":["missing","collected"]}],"outcome":{"status":"` + status + `"}}`)}
	}
	for _, public := range []bool{true, false} {
		if c.lane.PublicOnly = public; !public {
			w.deps.Transport = w.host // one that takes outcomes
			c = w.collector()
		}
		if err := c.lane.Send(t.Context(), payload("succeeded")); err != nil {
			t.Errorf("to a public host %t: %v, want it to be taken", public, err)
		}
	}
	c.lane.PublicOnly = true
	if err := c.lane.Send(t.Context(), payload("failed")); err != client.ErrUnsaid { //nolint:errorlint // it is not wrapped
		t.Errorf("a failed run: %v, want nothing to be sent", err)
	}
	w.same(len(h.commits), 1, "commits")
}

// A host that is busy for a moment, while its state is asked for, costs no run.
func TestBusyStateIsAskedForAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		h := w.onPublicHost()
		c := w.collector()
		for busy, want := range map[int]int{0: 1, 1: 2, 3: 4, 99: 4} {
			h.busy["GET state"] = busy
			asked := 0
			state, err := c.lane.Client.AskAgain(t.Context(), func() (*device.State, error) {
				asked++
				return c.lane.State(t.Context())
			})
			if good := busy < 4; good != (err == nil && state != nil) || asked != want {
				t.Errorf("busy %d times: asked %d times, %v; want %d", busy, asked, err, want)
			}
		}
	})
}

// An artifact goes to no host that knows the public protocol alone: it is given up
// after a few attempts, and doctor says why.
func TestAPublicHostTakesNoArtifacts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		h := w.onPublicHost()
		s := w.open()
		w.ok(s.EnqueueBlob(t.Context(), "text/plain", []byte("an artifact")))
		w.ok(s.Close())
		for range 9 {
			w.over(func(e *execution) {
				e.lane.PublicOnly = true
				w.ok(e.deliverFirst(t.Context()))
			})
			time.Sleep(time.Hour)
		}
		c, tried := w.counts(), 0
		w.same([]any{c.DeadLetter, c.DeadLetterClasses}, []any{1, []device.ErrorClass{{Count: 1, Class: "http_404:" + client.CodeNoArtifacts}}}, "given up")
		for _, call := range h.calls {
			if strings.HasPrefix(call, "PUT ") {
				tried++
			}
		}
		w.same(tried, w.collector().policy.MaxAttempts, "attempts")
		d, err := w.collector().Doctor(t.Context())
		w.ok(err)
		if i := slices.IndexFunc(d.Checks, func(c Check) bool { return c.Name == "delivery" }); i < 0 || !strings.Contains(d.Checks[i].Remedy, "takes no artifacts") {
			t.Errorf("doctor says %+v, want that the host takes no artifacts", d.Checks)
		}
	})
}

// When the host wants another part of the source than before, cursors that were
// committed for the former part are not begun from, however often it takes until new
// ones are.
func TestAnotherScopeCollectsAnew(t *testing.T) {
	t.Parallel()
	const note = `emit {"type":"RECORD","stream":"notes","key":"n","data":{"id":"n","at":"2026-03-01T00:00:00Z"},"emitted_at":"2026-03-01T00:00:00Z"}` + "\n"
	w := newWorld(t).guest()
	h := w.onPublicHost()
	all := h.scope
	h.scope = `{"declared_at":"2026-02-03T04:05:06.789Z","fingerprint":"x","scope":{"since":"2026-02-03T04:05:06Z"}}`
	well := note + state("notes", `{"at":2}`) + done(1)
	for i, c := range []struct {
		scope, expect, then, since string
		outcome                    string
	}{
		{h.scope, `"state":null`, well, "2026-02-03T04:05:06Z", OutcomeComplete},
		{h.scope, `"state":{"notes":{"at":2}}`, well, "2026-02-03T04:05:06Z", OutcomeComplete},
		{all, `"state":null`, `done {"type":"DONE","status":"failed","records_emitted":0,"error":{"message":"x"}}`, "", OutcomeFailed},
		{all, `"state":null`, well, "", OutcomeComplete},
		{all, `"state":{"notes":{"at":2}}`, well, "", OutcomeComplete},
		{h.scope, `"state":null`, well, "2026-02-03T04:05:06Z", OutcomeComplete},
	} {
		h.scope = c.scope
		res, err := w.collector().Run(t.Context(), w.script("expect "+c.expect+"\n"+c.then))
		w.ok(err)
		if res.Outcome != c.outcome || res.Since != c.since {
			t.Errorf("run %d: outcome %s since %q, want %s since %q: %+v", i+1, res.Outcome, res.Since, c.outcome, c.since, res.Run.Error)
		}
		s, err := w.collector().Status(t.Context())
		w.ok(err)
		w.same(s.Since, c.since, "what the status says")
	}
}

// A host's declared scope is kept to: what is older than its since is not collected,
// it is no cursor of the connector's, and what cannot be kept to is refused.
func TestTheHostsScopeIsKept(t *testing.T) {
	t.Parallel()
	const since = "2026-02-03T04:05:06Z"
	const note = `emit {"type":"RECORD","stream":"notes","key":"n","data":{"id":"n","at":"2026-03-01T00:00:00Z"},"emitted_at":"2026-03-01T00:00:00Z"}` + "\n"
	scope := func(scope string) string {
		return `{"declared_at":"2026-02-03T04:05:06.789Z","fingerprint":"x","scope":` + scope + `}`
	}
	for name, c := range map[string]struct {
		scope, expect string
		code          abi.Code
	}{
		"all of it":     {scope("null"), `"state":{"notes":{"at":1}}`, ""},
		"since":         {scope(`{"since":"` + since + `"}`), `"since":"` + since, ""},
		"folders":       {scope(`{"source_roots":["/home/ana/notes"]}`), "", abi.CodeRootInvalid},
		"since no time": {scope(`{"since":"yesterday"}`), "", client.CodeAnswer},
		"no object":     {`{"scope":[]}`, "", client.CodeAnswer},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t).guest()
			h := w.onPublicHost()
			h.scope, h.state["notes"] = c.scope, json.RawMessage(`{"at":1}`)
			res, err := w.collector().Run(t.Context(), w.script("expect "+c.expect+"\n"+note+state("notes", `{"at":2}`)+done(1)))
			if c.code != "" {
				w.same(abi.CodeOf(err), c.code, "code")
				w.same(len(h.records), 0, "records at the host")
				return
			}
			w.ok(err)
			if res.Outcome != OutcomeComplete {
				t.Errorf("outcome %s, want %s: %+v", res.Outcome, OutcomeComplete, res.Run.Error)
			}
			w.same(string(h.state["notes"]), `{"at":2}`, "the cursor")
			if _, taken := h.state[device.ScopeKey]; taken {
				t.Error("the scope was sent back as a cursor")
			}
		})
	}
}
