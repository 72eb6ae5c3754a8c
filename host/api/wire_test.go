package api

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/storage"
)

// installing makes the host one that has the connector installed.
func (h *host) installing() *host {
	h.installed = func(context.Context, string) ([]byte, string, error) { return []byte(theManifest), theModule, nil }
	return h
}

// publicDevice is a device with the public collector: it puts no manifest, names no run
// before it commits, hashes envelopes, and reads the answers of enroll, GET state and
// a commit alone.
type publicDevice struct {
	*lane
	seq int64
	as  string // how it spells its connector
}

func (h *host) public(t *testing.T) *publicDevice {
	t.Helper()
	a := h.ask(http.MethodPost, device.PathEnroll, map[string]any{"enrollment_code": h.code("desk", time.Hour), "deviceLabel": "desk"})
	l := &lane{host: h}
	l.must(http.StatusCreated, a, &l.Enrollment)
	return &publicDevice{lane: l, as: "field-notes"}
}

func (p *publicDevice) beat(status string) {
	p.t.Helper()
	p.must(http.StatusOK, p.send(http.MethodPost, device.PathHeartbeat(p.DeviceID), map[string]any{
		"agent_version": "0.0.0+source", "connector_id": p.as, "records_pending": 0, "source_instance_id": p.SourceInstanceID, "status": status,
		"outbox": map[string]any{
			"backlog_open": 0, "dead_letter": 0, "leased": 0, "oldest_pending_at": nil, "oldest_retrying_at": nil, "pending": 0, "retrying": 0,
			"stale_leases": 0, "succeeded": 0, "total": 0,
		},
	}), nil)
}

// batchOf is a batch as the public collector makes it. Its texts need no escapes and
// its records' data is in canonical form already, so that the hash can be made here
// by hand.
func (p *publicDevice) batchOf(records ...[3]string) map[string]any {
	p.seq++
	sum := func(s string) string {
		h := sha256.Sum256([]byte(s))
		return hex.EncodeToString(h[:])
	}
	id := fmt.Sprintf("local-batch:%064d", p.seq)
	var sent []map[string]any
	var envelopes []string
	for _, r := range records {
		stream, key, data := r[0], r[1], r[2]
		sent = append(sent, map[string]any{"data": json.RawMessage(data), "emitted_at": "2026-02-03T04:05:06.000Z", "record_key": key, "stream": stream})
		of := fmt.Sprintf(`"connector_id":%q,"data":%s,`, p.as, data)
		rest := fmt.Sprintf(`"emitted_at":"2026-02-03T04:05:06.000Z","record_key":%q,`, key)
		body := sum("{" + of + rest + fmt.Sprintf(`"stream":%q}`, stream))
		envelopes = append(envelopes, fmt.Sprintf(`{"batch_id":%q,"batch_seq":%d,"body_hash":%q,`, id, p.seq, body)+of+
			fmt.Sprintf(`"device_id":%q,`, p.DeviceID)+rest+fmt.Sprintf(`"source_instance_id":%q,"stream":%q}`, p.SourceInstanceID, stream))
	}
	return map[string]any{
		"batch_id": id, "batch_seq": p.seq, "body_hash": sum("[" + strings.Join(envelopes, ",") + "]"), "connector_id": p.as,
		"device_id": p.DeviceID, "source_instance_id": p.SourceInstanceID, "records": sent,
	}
}

func (p *publicDevice) deliver(batch map[string]any) answered {
	p.t.Helper()
	return p.send(http.MethodPost, device.PathIngest(p.DeviceID), batch)
}

func (p *publicDevice) readState() device.State {
	p.t.Helper()
	var s device.State
	p.must(http.StatusOK, p.send(http.MethodGet, device.PathState(p.DeviceID, p.SourceInstanceID), nil), &s)
	return s
}

func (p *publicDevice) runs() []storage.Run {
	p.t.Helper()
	runs, err := p.store.Runs(context.Background(), "", 0)
	if err != nil {
		p.t.Fatal(err)
	}
	return runs
}

// A run of the public collector that ends with PUT state: no manifest, no run id, the
// hash of envelopes, and integer-like names in their own order.
func TestPublicCollectorDelivers(t *testing.T) {
	t.Parallel()
	p := newHost(t).installing().public(t)
	p.beat("starting")
	s := p.readState()
	if got := string(s.State[device.ScopeKey]); !strings.Contains(got, `"fingerprint":"unscoped"`) || !strings.Contains(got, `"scope":null`) {
		t.Errorf("the scope is %s, want one that is the whole source", got)
	}
	if s.ConnectorInstanceID == "" || len(s.State) != 1 {
		t.Errorf("the state of connection %q has %d members, want the scope alone", s.ConnectorInstanceID, len(s.State))
	}
	p.beat("starting")
	first := p.batchOf([3]string{"notes", "n-1", `{"9":true,"10":false,"id":"n-1","text":"one"}`}, [3]string{"log", "l-1", `{"id":"l-1"}`})
	p.must(http.StatusCreated, p.deliver(first), nil)
	p.must(http.StatusCreated, p.deliver(first), nil) // the answer was lost
	p.must(http.StatusCreated, p.deliver(p.batchOf([3]string{"notes", "n-2", `{"id":"n-2"}`})), nil)
	put := func(state map[string]any) device.State {
		var s device.State
		p.must(http.StatusOK, p.send(http.MethodPut, device.PathState(p.DeviceID, p.SourceInstanceID), map[string]any{"state": state}), &s)
		return s
	}
	put(map[string]any{"notes": map[string]any{"n": 2}, "log": map[string]any{"n": 1}})
	merged := put(map[string]any{"notes": map[string]any{"n": 3}})
	if string(merged.State["log"]) != `{"n":1}` || string(merged.State["notes"]) != `{"n":3}` || len(merged.State[device.ScopeKey]) == 0 {
		t.Errorf("the state is %v, want both cursors and the scope", merged.State)
	}
	if runs := p.runs(); len(runs) != 1 || runs[0].Status != "running" {
		t.Fatalf("runs while it delivers: %+v, want one that runs", runs)
	}
	p.beat("healthy")
	runs := p.runs()
	if len(runs) != 1 || runs[0].Status != "succeeded" || strings.Join(runs[0].Streams, " ") != "log notes" || runs[0].Counts["notes"].New != 2 {
		t.Fatalf("runs: %+v, want one that succeeded with the streams log and notes", runs)
	}
	p.must(http.StatusCreated, p.deliver(p.batchOf([3]string{"notes", "n-1", `{"id":"n-1","text":"new"}`})), nil)
	p.beat("healthy")
	if runs := p.runs(); len(runs) != 2 {
		t.Errorf("%d runs after the second, want 2", len(runs))
	}
}

// A run of the public collector that ends with a commit of ten members.
func TestPublicCollectorCommits(t *testing.T) {
	t.Parallel()
	p := newHost(t).installing().public(t)
	s := p.readState()
	p.must(http.StatusCreated, p.deliver(p.batchOf([3]string{"notes", "n-1", `{"id":"n-1"}`})), nil)
	commit := map[string]any{
		"collection_boundary": "unscoped", "commit_id": "terminal-commit:" + strings.Repeat("7", 64), "connector_id": p.as,
		"connector_instance_id": s.ConnectorInstanceID, "device_id": p.DeviceID, "run_id": "11111111-2222-4333-8444-555555555555",
		"source_instance_id": p.SourceInstanceID, "state_delta": map[string]any{"notes": map[string]any{"n": 1}}, "version": 1,
		"terminal_facts": []any{
			map[string]any{"coverage_statuses": []string{"missing", "collected", "missing"}, "stream": "notes", "note": "dropped"},
			map[string]any{"coverage_statuses": []string{"collected"}, "stream": "log", "scoped": false},
		},
	}
	send := func() answered {
		return p.send(http.MethodPost, device.PathRunCommits(p.DeviceID, p.SourceInstanceID), commit)
	}
	var got device.RunCommitAnswer
	p.must(http.StatusOK, send(), &got)
	body := fmt.Sprintf(`{"collection_boundary":"unscoped","commit_id":%q,"connector_id":%q,"connector_instance_id":%q,"device_id":%q,"run_id":%q,`+
		`"source_instance_id":%q,"state_delta":{"notes":{"n":1}},"terminal_facts":[{"coverage_statuses":["collected"],"scoped":false,"stream":"log"},`+
		`{"coverage_statuses":["collected","missing"],"stream":"notes"}],"version":1}`,
		commit["commit_id"], p.as, s.ConnectorInstanceID, p.DeviceID, commit["run_id"], p.SourceInstanceID)
	if want := device.Sum256([]byte(body)); got.EnvelopeHash != want || got.CommitID != commit["commit_id"] || got.RunID != commit["run_id"] || got.TerminalEventID == "" {
		t.Errorf("answered %+v, want the envelope_hash %s", got, want)
	}
	var again device.RunCommitAnswer
	if p.must(http.StatusOK, send(), &again); again != got {
		t.Errorf("the same commit was answered %+v, then %+v", got, again)
	}
	commit["state_delta"] = map[string]any{}
	p.refuses(http.StatusConflict, device.CodeRunConflict, send())
	commit["commit_id"] = "another"
	p.refuses(http.StatusConflict, device.CodeRunConflict, send())
	runs := p.runs()
	if len(runs) != 1 || runs[0].Status != "succeeded" || strings.Join(runs[0].Streams, " ") != "log notes" {
		t.Errorf("runs: %+v, want one that succeeded with the streams log and notes", runs)
	}
	if s := p.readState(); string(s.State["notes"]) != `{"n":1}` {
		t.Errorf("the cursor is %s, want the commit's", s.State["notes"])
	}
}

// A run's end whose facts cannot be hashed is refused before anything of it is kept:
// its collector would send it for ever.
func TestACommitWithoutAHashIsNotKept(t *testing.T) {
	t.Parallel()
	p := newHost(t).installing().public(t)
	s := p.readState()
	p.must(http.StatusCreated, p.deliver(p.batchOf([3]string{"notes", "n-1", `{"id":"n-1"}`})), nil)
	for name, fact := range map[string]map[string]any{
		"no statuses":          {"stream": "notes"},
		"null":                 {"stream": "notes", "coverage_statuses": nil},
		"stream in capitals":   {"Stream": "notes", "coverage_statuses": []string{"collected"}},
		"statuses in capitals": {"stream": "notes", "Coverage_Statuses": []string{"collected"}},
	} {
		a := p.send(http.MethodPost, device.PathRunCommits(p.DeviceID, p.SourceInstanceID), map[string]any{
			"collection_boundary": "unscoped", "commit_id": "commit-" + strings.ReplaceAll(name, " ", "-"), "connector_id": p.as,
			"connector_instance_id": s.ConnectorInstanceID, "device_id": p.DeviceID, "run_id": "11111111-2222-4333-8444-555555555555",
			"source_instance_id": p.SourceInstanceID, "state_delta": map[string]any{"notes": map[string]any{"n": 1}}, "version": 1,
			"terminal_facts": []any{fact},
		})
		p.refuses(http.StatusBadRequest, device.CodeBadRequest, a)
		if cursor := string(p.readState().State["notes"]); cursor != "" {
			t.Errorf("%s: the cursor is %s after the refusal, want none", name, cursor)
		}
		for _, r := range p.runs() {
			if r.Status != "running" {
				t.Errorf("%s: a run ended %s, want none that ended", name, r.Status)
			}
		}
	}
}

// A connector goes by its key in either spelling, or by its URL, in whatever a device
// sends.
func TestConnectorsGoByTheirAliases(t *testing.T) {
	t.Parallel()
	p := newHost(t).installing().public(t)
	for i, as := range []string{"field_notes", "Field-Notes", "https://connectors.example.org/field-notes"} {
		p.as = as
		p.beat("starting")
		key := fmt.Sprintf("n-%d", i)
		p.must(http.StatusCreated, p.deliver(p.batchOf([3]string{"notes", key, fmt.Sprintf(`{"id":%q}`, key)})), nil)
	}
	p.as = "other"
	p.refuses(http.StatusBadRequest, device.CodeBadRequest, p.deliver(p.batchOf([3]string{"notes", "x", `{"id":"x"}`})))
}

// A delivery of a collector that puts a manifest, and has not done so, is refused, and the owner learns why until one is
// taken.
func TestRefusedDeliveriesAreKeptForTheOwner(t *testing.T) {
	t.Parallel()
	p := newHost(t).public(t)
	refused := func() *storage.RefusedDelivery {
		src, err := p.store.SourceInstance(context.Background(), p.DeviceID, p.SourceInstanceID)
		if err != nil {
			t.Fatal(err)
		}
		return src.Refused
	}
	good := p.batchOf([3]string{"notes", "n-1", `{"id":"n-1"}`})
	good["run_id"] = "r-1"
	p.refuses(http.StatusConflict, device.CodeManifestMissing, p.deliver(good))
	open := func() (all []string) {
		src, err := p.store.SourceInstance(context.Background(), p.DeviceID, p.SourceInstanceID)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range src.Refusals {
			all = append(all, r.Stream+" "+r.Code)
		}
		return all
	}
	if got, want := open(), []string{"notes " + device.CodeManifestMissing}; !slices.Equal(got, want) {
		t.Errorf("open: got %q, want %q", got, want)
	}
	if r := refused(); r == nil || r.Code != device.CodeManifestMissing || !strings.Contains(r.Message, "put it first") {
		t.Errorf("kept %+v, want %s and what to do", r, device.CodeManifestMissing)
	}
	p.must(http.StatusOK, p.send(http.MethodPut, device.PathManifest(p.DeviceID, p.SourceInstanceID), p.manifest()), nil)
	bad := p.batchOf([3]string{"notes", "n-1", `{"id":7}`})
	bad["run_id"] = "r-1"
	p.refuses(http.StatusUnprocessableEntity, device.CodeRecordsRejected, p.deliver(bad))
	if r := refused(); r == nil || r.Code != device.CodeRecordsRejected || !strings.Contains(r.Message, "records[0]") {
		t.Errorf("kept %+v, want %s with the record's place", r, device.CodeRecordsRejected)
	}
	strange := p.batchOf([3]string{"brand_new", "n-1", `{"id":"n-1"}`})
	strange["run_id"] = "r-1"
	p.refuses(http.StatusUnprocessableEntity, device.CodeRecordsRejected, p.deliver(strange))
	if got, want := open(), []string{"brand_new " + device.CodeRecordsRejected, "notes " + device.CodeRecordsRejected}; !slices.Equal(got, want) {
		t.Errorf("open: got %q, want %q", got, want)
	}
	p.must(http.StatusCreated, p.deliver(good), nil)
	if got, want := open(), []string{"brand_new " + device.CodeRecordsRejected}; !slices.Equal(got, want) {
		t.Errorf("open after a batch of notes was taken: got %q, want %q", got, want)
	}
	if r := refused(); r != nil {
		t.Errorf("kept %+v after a delivery was taken, want nothing", r)
	}
}

// A device may narrow what it collects when it enrolls; its state says so from then on.
func TestDeclaredScopeIsKept(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	l := &lane{host: h}
	body := map[string]any{"enrollment_code": h.code("desk", time.Hour), "collection_scope": map[string]any{"since": "yesterday"}}
	l.refuses(http.StatusBadRequest, device.CodeBadRequest, h.ask(http.MethodPost, device.PathEnroll, body))
	body["collection_scope"] = map[string]any{"since": "2026-01-10T00:00:00Z", "source_roots": []string{"/b", "/a"}}
	l.must(http.StatusCreated, h.ask(http.MethodPost, device.PathEnroll, body), &l.Enrollment)
	p := &publicDevice{lane: l}
	var got device.ScopeState
	if err := json.Unmarshal(p.readState().State[device.ScopeKey], &got); err != nil {
		t.Fatal(err)
	}
	if want := "since=2026-01-10T00:00:00Z;roots=/a,/b"; got.Fingerprint != want || got.Scope == nil || got.DeclaredAt == "" {
		t.Errorf("the scope is %+v, want the fingerprint %s", got, want)
	}
	l.refuses(http.StatusConflict, device.CodeManifestMissing, l.send(http.MethodPut, device.PathState(l.DeviceID, l.SourceInstanceID),
		map[string]any{"state": map[string]any{device.ScopeKey: map[string]any{"scope": nil}}}))
}
