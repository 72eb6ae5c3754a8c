package device

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/host/public"
)

// publicClient is a device with the public collector, as ../shared/samples/device-wire has recorded it: it puts no manifest,
// hashes envelopes, and sends the same bytes again until an answer says that they were taken.
type publicClient struct {
	*way
	device.Enrollment

	as   string // how it spells its connector
	seq  int
	runs int
	want map[string]any // what the host has to hold in the end: "stream key" to data
}

// publicDevice enrolls a device for a connector.
func (s *host) publicDevice(w *way, connector string) *publicClient {
	s.t.Helper()
	p := &publicClient{way: w, as: strings.ReplaceAll(connector, "_", "-"), want: map[string]any{}}
	code := s.inviteFor(connector, "--name", "of_"+connector)
	p.must(http.MethodPost, device.PathEnroll, map[string]any{"enrollment_code": code, "deviceLabel": "desk"}, &p.Enrollment)
	return p
}

// textOf is a value as the public collector writes and hashes it: members in the order of their names, without spaces. The
// records of this package have no text and no number that JavaScript writes in another way.
func textOf(v any) []byte {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err)
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}

// once sends a request and returns the status and the answer; the status is 0 if no answer came.
func (p *publicClient) once(method, path string, body []byte) (int, []byte) {
	p.t.Helper()
	r, err := http.NewRequestWithContext(p.t.Context(), method, p.server.URL+path, bytes.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	r.Header.Set("Accept", "application/json")
	r.Header.Set(device.HeaderProtocol, device.ProtocolVersion)
	if len(body) > 0 {
		r.Header.Set("Content-Type", "application/json")
	}
	if p.DeviceToken != "" {
		r.Header.Set("Authorization", "Bearer "+p.DeviceToken)
	}
	got, err := p.client.Do(r)
	if err != nil {
		return 0, nil
	}
	defer func() { _ = got.Body.Close() }()
	text, err := io.ReadAll(got.Body)
	if err != nil {
		return 0, nil
	}
	return got.StatusCode, text
}

// must sends a request until it is taken, as often as a collector with its defaults does before it gives up.
func (p *publicClient) must(method, path string, body, into any) {
	p.t.Helper()
	var sent []byte
	if body != nil {
		sent = textOf(body)
	}
	for try := 1; ; try++ {
		status, text := p.once(method, path, sent)
		if status/100 == 2 {
			if into != nil {
				if err := json.Unmarshal(text, into); err != nil {
					p.t.Fatalf("%s %s: %v in %s", method, path, err, text)
				}
			}
			return
		}
		if again := status == 0 || status == http.StatusServiceUnavailable; !again || try == 5 {
			p.t.Fatalf("%s: %s %s: got %d %s after %d times, want it taken", p.as, method, path, status, text, try)
		}
	}
}

// sent is a record as it is sent. A deletion has no data.
type sent map[string]any

func recordOf(stream, key string, data any) sent {
	return sent{"data": data, "emitted_at": "2026-02-03T04:05:06.000Z", "record_key": key, "stream": stream}
}

func deletionOf(stream, key string) sent {
	return sent{"emitted_at": "2026-02-03T04:05:06.000Z", "op": "delete", "record_key": key, "stream": stream}
}

// deliver sends a batch of records, and notes what the host has to hold from then on.
func (p *publicClient) deliver(records ...sent) {
	p.t.Helper()
	p.seq++
	var named []any
	deletes := false
	for _, r := range records {
		of := map[string]any{"emitted_at": r["emitted_at"], "key": r["record_key"], "stream": r["stream"]}
		at := fmt.Sprint(r["stream"], " ", r["record_key"])
		if r["op"] == nil {
			of["data"] = r["data"]
			p.want[at] = r["data"]
		} else {
			deletes = true
			delete(p.want, at)
		}
		named = append(named, of)
	}
	id := "local-batch:" + device.Sum256(textOf(map[string]any{"batch_seq": p.seq, "connector_id": p.as, "records": named, "source_instance_id": p.SourceInstanceID}))
	body := map[string]any{
		"batch_id": id, "batch_seq": p.seq, "connector_id": p.as, "device_id": p.DeviceID, "source_instance_id": p.SourceInstanceID, "records": records,
	}
	if deletes { // the hash of the records as they are sent, which a host takes as well
		body["body_hash"] = device.Sum256(textOf(records))
	} else {
		body["body_hash"] = p.hashOfEnvelopes(id, records)
	}
	p.must(http.MethodPost, device.PathIngest(p.DeviceID), body, nil)
}

// hashOfEnvelopes is the one hash that the public collector makes.
func (p *publicClient) hashOfEnvelopes(batch string, records []sent) string {
	var envelopes []any
	for _, r := range records {
		e := map[string]any{"connector_id": p.as}
		maps.Copy(e, r)
		e["body_hash"] = device.Sum256(textOf(e))
		e["batch_id"], e["batch_seq"], e["device_id"], e["source_instance_id"] = batch, p.seq, p.DeviceID, p.SourceInstanceID
		envelopes = append(envelopes, e)
	}
	return device.Sum256(textOf(envelopes))
}

// beat sends a heartbeat.
func (p *publicClient) beat(status string) {
	p.t.Helper()
	p.must(http.MethodPost, device.PathHeartbeat(p.DeviceID), map[string]any{
		"agent_version": "0.0.0+source", "connector_id": p.as, "records_pending": 0, "source_instance_id": p.SourceInstanceID, "status": status,
		"outbox": map[string]any{
			"backlog_open": 0, "dead_letter": 0, "leased": 0, "oldest_pending_at": nil, "oldest_retrying_at": nil, "pending": 0, "retrying": 0,
			"stale_leases": 0, "succeeded": p.seq, "total": p.seq,
		},
	}, nil)
}

// collect is a run: what it delivers, between the requests that the collector makes around it. One that has a stream of coverage
// ends with a commit, another one with its cursors.
func (p *publicClient) collect(streams []public.Stream, deliver func()) {
	p.t.Helper()
	p.runs++
	p.beat("starting")
	var before struct {
		State map[string]json.RawMessage `json:"state"`
	}
	p.must(http.MethodGet, device.PathState(p.DeviceID, p.SourceInstanceID), nil, &before)
	p.beat("starting")
	deliver()
	cursors, facts := map[string]any{}, []any{}
	covered := false
	for _, s := range slices.SortedFunc(slices.Values(streams), func(a, b public.Stream) int { return strings.Compare(a.Name, b.Name) }) {
		cursors[s.Name] = map[string]any{"n": p.runs}
		facts = append(facts, map[string]any{"coverage_statuses": []string{"collected"}, "stream": s.Name})
		covered = covered || s.Name == device.CoverageStream
	}
	if covered {
		p.commit(cursors, facts)
	} else {
		p.must(http.MethodPut, device.PathState(p.DeviceID, p.SourceInstanceID), map[string]any{"state": cursors}, nil)
	}
	p.beat("healthy")
	p.must(http.MethodGet, device.PathState(p.DeviceID, p.SourceInstanceID), nil, &before)
	for name, cursor := range cursors {
		if got, want := string(before.State[name]), string(textOf(cursor)); got != want {
			p.t.Errorf("%s: the cursor of %s is %s, want %s", p.as, name, got, want)
		}
	}
}

func (p *publicClient) commit(cursors map[string]any, facts []any) {
	p.t.Helper()
	c := map[string]any{
		"collection_boundary": "unscoped", "connector_id": p.as, "connector_instance_id": p.ConnectorInstanceID, "device_id": p.DeviceID,
		"run_id": fmt.Sprintf("00000000-0000-4000-8000-%012d", p.runs), "source_instance_id": p.SourceInstanceID, "state_delta": cursors,
		"terminal_facts": facts, "version": 1,
	}
	c["commit_id"] = "terminal-commit:" + device.Sum256(textOf(c))
	var got device.RunCommitAnswer
	p.must(http.MethodPost, device.PathRunCommits(p.DeviceID, p.SourceInstanceID), c, &got)
	if want := device.Sum256(textOf(c)); got.EnvelopeHash != want || got.CommitID != c["commit_id"] || got.RunID != c["run_id"] || got.TerminalEventID == "" {
		p.t.Errorf("%s: a commit was answered with %+v, want the hash %s", p.as, got, want)
	}
}
