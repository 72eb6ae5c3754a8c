package ownerapi

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/host/owner"
)

// events are the audit events so far, the newest first, as "operation subject outcome".
func (b *bed) events() (all []string) {
	b.Helper()
	page, err := b.owner.AuditEvents(b.Context(), owner.AuditQuery{Limit: 200})
	b.ok(err)
	for _, e := range page.Events {
		all = append(all, e.Operation+" "+e.Subject+" "+e.Outcome)
	}
	return all
}

func (b *bed) read(path string, into any) {
	b.Helper()
	a := b.asks(read, "GET", path, "")
	if a.status != 200 {
		b.Fatalf("%s: got %d %s, want 200", path, a.status, a.body)
	}
	b.ok(json.Unmarshal([]byte(a.body), into))
}

// RD-53.1: the control document has each route, and calls supported what answers, under its
// whole address.
func TestControlSaysWhatAnswers(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	var got control
	b.read("/v1/owner/control", &got)
	const origin = "http://" + at
	if got.Object != "owner_agent_control_surface" || got.Scope != "reference_implementation" || got.Entrypoint != origin+"/v1/owner/control" || !got.RefusesMCP {
		t.Errorf("got %+v, want the members of the contract", got)
	}
	if len(got.Actions) != len(b.api.table) {
		t.Errorf("got %d actions, want one for each of %d routes", len(got.Actions), len(b.api.table))
	}
	known := map[string]bool{}
	for i, a := range got.Actions {
		known[a.Family] = true
		if rt := &b.api.table[i]; rt.browser {
			if a.Status != "owner_mediated" || a.Method != nil || a.URL != nil || a.Reason == "" {
				t.Errorf("%s: got %+v, want it to be done in a browser", rt.path, a)
			}
			continue
		}
		if a.Status != "supported" || a.Method == nil || a.URL == nil || a.Reason == "" {
			t.Errorf("got %+v, want a method and an address", a)
			continue
		}
		path, whole := strings.CutPrefix(*a.URL, origin)
		answer := b.asks(manage, *a.Method, strings.NewReplacer("{", "", "}", "").Replace(path)+"?none=1", "") // which nothing takes: nothing is done
		if !whole || answer.code() == "not_found" || answer.status == 405 {
			t.Errorf("%s %s: got %d %s, want it to answer", *a.Method, *a.URL, answer.status, answer.code())
		}
	}
	for _, family := range families {
		if !known[family] {
			t.Errorf("got no action %s, want one", family)
		}
	}
}

// RD-53.2: a connection has the members by which other hosts' programs know it, its schedule, and
// the verdict of the status, in the list and by itself.
func TestConnectionsAsOtherHostsKnowThem(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	_, err := b.store.EnsureConnection(t.Context(), "other", "other")
	b.ok(err)
	var list struct{ Data []connection }
	b.read("/v1/owner/connections?connector_id=credentialed", &list)
	if len(list.Data) != 1 {
		t.Fatalf("got %d connections of the connector, want 1", len(list.Data))
	}
	var one connection
	b.read("/v1/owner/connections/mine", &one)
	var page struct {
		Data []struct {
			Name    string
			Verdict json.RawMessage
		}
	}
	b.read("/v1/owner/status", &page)
	for name, got := range map[string]connection{"in the list": list.Data[0], "by itself": one} {
		if got.Object != "owner_connection" || got.ConnectionID != got.OldID || len(got.ConnectionID) != 32 || got.ConnectorID != "credentialed" || got.ConnectorKey != "credentialed" ||
			got.DisplayName != "mine" || got.LabelStatus != "owner_set" || got.Status != "active" || got.RevokedAt != nil || got.CreatedAt.IsZero() {
			t.Errorf("%s: got %+v, want the members of the contract", name, got)
		}
		if got.Schedule == nil || got.Schedule.Mode == "" || got.Schedule.Revision == "" {
			t.Errorf("%s: got the schedule %+v, want it", name, got.Schedule)
		}
		text, err := json.Marshal(got.Verdict)
		b.ok(err)
		for _, s := range page.Data {
			if s.Name == "mine" && string(s.Verdict) != string(text) {
				t.Errorf("%s: got the verdict %s, want that of the status, %s", name, text, s.Verdict)
			}
		}
		seen := ""
		for _, a := range got.SupportedActions {
			seen += a.Family + " "
			if a.Status != "supported" || !strings.Contains(*a.URL, "/connections/"+got.ConnectionID) {
				t.Errorf("%s: got %+v, want an address of the connection", name, a)
			}
		}
		for _, family := range []string{"rename_connection", "run_connection", "manage_schedule", "inspect_diagnostics", "delete_connection", "revoke_connection"} {
			if !strings.Contains(seen, family) {
				t.Errorf("%s: got the actions %s, want %s among them", name, seen, family)
			}
		}
	}
	b.read("/v1/owner/connections?connector_id=other", &list)
	if len(list.Data) != 1 || list.Data[0].LabelStatus != "fallback" || list.Data[0].Status != "waiting" {
		t.Errorf("got %+v, want one that is called after its connector and waits for its owner", list.Data)
	}
}

// RD-53.3, RD-53.4: connectors, runs and what runs ask have the members of other hosts, too.
func TestTemplatesRunsAndInteractions(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	asking(b)
	plugins := b.owner.Config.PluginsDir()
	module, err := os.ReadFile(filepath.Join(plugins, "credentialed.wasm"))
	b.ok(err)
	b.ok(os.WriteFile(filepath.Join(plugins, "misnamed.wasm"), module, 0o600))
	var templates struct{ Data []connectorTemplate }
	b.read("/v1/owner/connector-templates", &templates)
	if len(templates.Data) != 2 {
		t.Fatalf("got %+v, want two", templates.Data)
	}
	if bad := templates.Data[1]; bad.Name != "misnamed" || bad.ConnectorID != "credentialed" || bad.Problem == nil || len(bad.Actions) != 0 {
		t.Errorf("a module under another name: got %+v, want its key, its problem, and nothing to do with it", bad)
	}
	got := templates.Data[0]
	if got.Object != "owner_connector_template" || got.ConnectorID != "credentialed" || got.Streams == 0 || got.Version == "" || got.Count != 1 || len(got.Connections) != 1 ||
		got.Connections[0].DisplayName != "mine" || got.Connections[0].Status != "active" || got.Plan.Step != "capture_static_secret" || got.Plan.Support != "supported" ||
		len(got.Actions) != 1 || got.Actions[0].Family != "initiate_connection" {
		t.Errorf("got %+v, want the members of the contract", got)
	}
	for path, want := range map[string][]string{
		"/v1/owner/runs":                   {`"run_id":"run_0"`, `"status":"running"`, `"failure_reason":null`},
		"/v1/owner/runs/run_0":             {`"checkpoints_committed"`, `"checkpoints_withheld"`, `"run_id":"run_0"`},
		"/v1/owner/interactions?open=true": {`"q_answered"`, `"q_declined"`, `"run_id":"run_0"`},
	} {
		for _, part := range want {
			if a := b.asks(read, "GET", path, ""); !strings.Contains(a.body, part) {
				t.Errorf("%s: got %s, want %s in it", path, a.body, part)
			}
		}
	}
}

// RD-55: a program of the owner's pauses, resumes, renames, revokes and removes a connection, and
// wishes for another; each is one audit event, a refused one as well, and the wish sets no secret.
func TestEachActIsOneEvent(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	const mine, job = "/v1/owner/connections/mine", "/v1/owner/connections/job"
	for _, step := range []struct {
		method, path, body string
		status             int
		says, event        string
	}{
		{"POST", mine + "/schedule/pause", `{}`, 200, `"paused":true`, "connections.schedule mine done"},
		{"POST", mine + "/schedule/resume", `{}`, 200, `"paused":false`, "connections.schedule mine done"},
		{"POST", "/v1/owner/connections/intents", `{"connector_id":"credentialed","display_name":"mine"}`, 200, `"connection_active":false`, "connections.intend credentialed done"},
		{"POST", mine + "/files", `{"ignore":["*.bak"]}`, 200, `"ignored":["*.bak"]`, "connections.ignore mine done"},
		{"POST", mine + "/files", `{"ignore":["*"]}`, 422, "a pattern cannot be used", "connections.ignore mine usage.invalid"},
		{"PATCH", mine, `{"display_name":"a/b"}`, 409, "connection.invalid", "connections.set mine connection.invalid"},
		{"PATCH", mine, `{"display_name":"job"}`, 200, `"name":"job"`, "connections.set mine done"},
		{"GET", mine, "", 404, "connection.unknown", ""},
		{"POST", job + "/revoke", `{}`, 200, `"status":"revoked"`, "connections.revoke job done"},
		{"POST", job + "/revoke", `{}`, 200, `"revoked_at":"20`, ""},
		{"GET", job, "", 200, `"pinned_sha256":""`, ""},
		{"DELETE", job, "", 400, `"param":"confirm"`, ""},
		{"DELETE", job + "?confirm=mine", "", 400, `"param":"confirm"`, ""},
		{"DELETE", job + "?confirm=job", "", 200, `"connection":"job"`, "connections.remove job done"},
	} {
		before := len(b.events())
		a := b.asks(manage, step.method, step.path, step.body)
		if a.status != step.status || !strings.Contains(a.body, step.says) {
			t.Errorf("%s %s: got %d %s, want %d with %s", step.method, step.path, a.status, a.body, step.status, step.says)
		}
		after := b.events()
		switch more := len(after) - before; {
		case step.event == "" && more != 0:
			t.Errorf("%s %s: got the event %s, want none", step.method, step.path, after[0])
		case step.event != "" && (more != 1 || after[0] != step.event):
			t.Errorf("%s %s: got %d events, the last %s, want %s", step.method, step.path, more, after[0], step.event)
		}
	}
}

// RD-55: a wish is answered with what the owner does where.
func TestAnIntentSaysWhatTheOwnerDoes(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	a := b.asks(manage, "POST", "/v1/owner/connections/intents", `{"connector_id":"credentialed","display_name":"mine"}`)
	var got intended
	b.ok(json.Unmarshal([]byte(a.body), &got))
	if got.Object != "owner_connection_intent" || got.Active || got.DisplayName != "mine-2" || got.Next.Kind != "capture_static_secret" ||
		got.Next.URL != "http://"+at+"/add/credentialed" || got.Next.Command != "pdpp-host connections add mine-2 credentialed" || got.Next.Reason == "" {
		t.Errorf("got %+v, want where the owner types the credentials, and under which name", got)
	}
	if all, err := b.store.Connections(t.Context()); err != nil || len(all) != 1 {
		t.Errorf("got %d connections, %v, want the one that there was", len(all), err)
	}
	b.want("a connector that is not there", b.asks(manage, "POST", "/v1/owner/connections/intents", `{"connector_id":"none"}`), 404, "plugin.unknown")
	b.want("a path", b.asks(manage, "POST", "/v1/owner/connections/intents", `{"connector_id":"../x"}`), 400, "invalid_request")
}
