package ownerapi

import (
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/api/records"
	"github.com/pdpp-host/pdpp-host/host/owner/access"
	"github.com/pdpp-host/pdpp-host/host/owner/questions"
	"github.com/pdpp-host/pdpp-host/storage"
)

// OC-09.2: each route of the table answers as the document describes it.
func TestEveryRouteAnswersAsDescribed(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	asking(b)
	hash := strings.Trim(b.asks(read, "GET", "/v1/owner/connector-templates/credentialed/terms", "").member("sha256"), `"`)
	made := b.asks(manage, "POST", "/v1/owner/tokens", `{"name":"x","scope":"read"}`)
	token := strings.Trim(made.member("id"), `"`)
	b.want("a token", made, 201, "")
	link, err := access.OfferLink(b.Context(), b.owner)
	b.ok(err)
	session, err := access.Claim(b.Context(), b.owner, link.Code, "four plain words here", "Browser")
	b.ok(err)
	b.ok(b.store.AddPasskey(b.Context(), &storage.Passkey{ID: "pk_1", Credential: []byte("id"), PublicKey: []byte("key"), Party: "localhost", Name: "laptop"}))
	asked, _ := wants(b)
	unwanted, _ := wants(b)
	uri := pushes(b)
	other, _ := wants(b)
	granted, revision := grantOf(b, other), revisionOf(b, asked)
	answered := map[string]bool{"POST /v1/owner/tokens": true, "GET /v1/owner/connector-templates/{connector}/terms": true}
	for _, step := range []struct {
		route, path, body string
		status            int
	}{
		{"GET /v1/owner/control", "", "", 200},
		{"GET /v1/owner/status", "", "", 200},
		{"GET /v1/owner/doctor", "", "", 200},
		{"GET /v1/owner/settings", "", "", 200},
		{"POST /v1/owner/connections", "", `{"name":"yours","connector":"credentialed","accept_sha256":"` + hash + `"}`, 201},
		{"GET /v1/owner/connections", "", "", 200},
		{"POST /v1/owner/connections/intents", "", `{"connector_id":"credentialed"}`, 200},
		{"GET /v1/owner/connections/{connection}", "mine", "", 200},
		{"PATCH /v1/owner/connections/{connection}", "mine", `{"options":{"manner":"calm"}}`, 200},
		{"GET /v1/owner/connections/{connection}/health", "mine", "", 200},
		{"GET /v1/owner/connections/{connection}/schedule", "mine", "", 200},
		{"PUT /v1/owner/connections/{connection}/schedule", "mine", `{"mode":"manual"}`, 200},
		{"POST /v1/owner/connections/{connection}/schedule/pause", "mine", `{}`, 200},
		{"POST /v1/owner/connections/{connection}/schedule/resume", "mine", `{}`, 200},
		{"GET /v1/owner/connections/{connection}/credentials", "mine", "", 200},
		{"PUT /v1/owner/connections/{connection}/credentials/{field}", "mine token", `{"value":"hunter2"}`, 200},
		{"DELETE /v1/owner/connections/{connection}/credentials/{field}", "mine token", "", 200},
		{"DELETE /v1/owner/connections/{connection}/browser-session", "mine", "", 422}, // its connector uses no browser
		{"POST /v1/owner/connections/{connection}/run", "mine", `{}`, 202},
		{"GET /v1/owner/runs", "", "", 200},
		{"GET /v1/owner/runs/{run}", "run_0", "", 200},
		{"POST /v1/owner/runs/{run}/stop", "run_1", `{}`, 202},
		{"GET /v1/owner/streams", "", "", 200},
		{"GET /v1/owner/connections/{connection}/streams/{stream}/records", "mine notes", "", 200},
		{"GET /v1/owner/connections/{connection}/streams/{stream}/records/{record}", "mine notes a%2Fb", "", 200},
		{"DELETE /v1/owner/connections/{connection}/streams/{stream}/records/{record}", "mine notes a%2Fb", "", 200},
		{"POST /v1/owner/connections/{connection}/streams/{stream}/records/{record}/restore", "mine notes a%2Fb", `{}`, 200},
		{"GET /v1/owner/search?q=red", "", "", 200},
		{"GET /v1/owner/questions?open=true", "", "", 200},
		{"GET /v1/owner/interactions?open=true", "", "", 200},
		{"GET /v1/owner/questions/{question}", "q_declined", "", 200},
		{"POST /v1/owner/questions/{question}/decline", "q_declined", `{}`, 200},
		{"POST /v1/owner/questions/{question}/answer", "q_answered", `{"values":{"code":"123456"}}`, 200},
		{"GET /v1/owner/handoffs", "", "", 200},
		{"GET /v1/owner/handoffs/{handoff}", "none", "", 404},
		{"POST /v1/owner/handoffs/{handoff}/attach", "none", "", 403},
		{"POST /v1/owner/handoffs/{handoff}/input", "none", `[{"do":"back"}]`, 403},
		{"POST /v1/owner/handoffs/{handoff}/view", "none", "", 403},
		{"GET /v1/owner/grant-requests", "", "", 200},
		{"POST /v1/owner/device-codes", "", `{"user_code":"BBBB-BBBB"}`, 422},
		{"POST /v1/owner/grant-requests/{request}/approve-token", asked, `{"scope":"read"}`, 409},
		{"GET /v1/owner/grant-requests/{request}", asked, "", 200},
		{"POST /v1/owner/grant-requests/{request}/review", asked, `{"connections":["mine"]}`, 200},
		{"POST /v1/owner/grant-requests/{request}/approve", asked, `{"approval_review_revision":"` + revision + `"}`, 201},
		{"POST /v1/owner/grant-requests/{request}/deny", unwanted, `{}`, 200},
		{"POST /consent/review", "", `{"request_uri":"` + uri + `","selections":{"instance_ids":{"notes":["mine"]}}}`, 200},
		{"POST /consent/approve", "", `{"request_uri":"` + uri + `","approval_review_revision":"stale"}`, 409},
		{"POST /consent/deny", "", `{"request_uri":"` + uri + `"}`, 200},
		{"POST /v1/owner/grant-refusals", "", `{}`, 400},
		{"POST /v1/owner/grant-refusals", "", `{"client_id":"","until":"2026-03-01T12:00:00Z"}`, 400},
		{"POST /v1/owner/grant-refusals", "", `{"client_id":"none","until":"2026-03-01T12:00:00Z"}`, 200},
		{"DELETE /oauth/register/{client}", "none", "", 404},
		{"GET /v1/owner/grants", "", "", 200},
		{"GET /v1/owner/grants/{grant}", granted, "", 200},
		{"GET /v1/owner/grants/{grant}/reads", granted, "", 200},
		{"GET /v1/owner/disclosures", "", "", 200},
		{"PATCH /v1/owner/grants/{grant}", granted, `{"hourly_bytes_limit":1048576}`, 200},
		{"DELETE /v1/owner/grants/{grant}", granted, "", 200},
		{"GET /v1/owner/clients", "", "", 200},
		{"DELETE /v1/owner/clients/{client}", "none", "", 404},
		{"GET /v1/owner/notification-settings", "", "", 200},
		{"PATCH /v1/owner/notification-settings", "", `{"quiet_from":"22:00","quiet_until":"07:00"}`, 200},
		{"POST /v1/owner/notification-channels", "", `{"name":"phone","address":{"service":"ntfy://127.0.0.1/mine"}}`, 201},
		{"GET /v1/owner/notification-channels", "", "", 200},
		{"GET /v1/owner/notification-channels/{channel}", "phone", "", 200},
		{"POST /v1/owner/notification-channels/{channel}/test", "none", `{}`, 404},
		{"DELETE /v1/owner/notification-channels/{channel}", "phone", "", 200},
		{"GET /v1/owner/connector-templates", "", "", 200},
		{"GET /v1/owner/connector-templates/{connector}", "credentialed", "", 200},
		{"POST /v1/owner/connector-templates/{connector}/accept", "credentialed", `{"sha256":"` + hash + `","connection":"mine"}`, 200},
		{"GET /v1/owner/connector-templates/{connector}/connections", "credentialed", "", 200},
		{"DELETE /v1/owner/connector-templates/{connector}?confirm=credentialed", "credentialed", "", 200},
		{"POST /v1/owner/device-invitations", "", `{"connector_id":"notes","unknown_connector":true}`, 201},
		{"GET /v1/owner/devices", "", "", 200},
		{"GET /v1/owner/devices/{device}", "none", "", 404},
		{"POST /v1/owner/devices/{device}/accept", "none", `{}`, 404},
		{"DELETE /v1/owner/devices/{device}", "none", "", 404},
		{"GET /v1/owner/tokens", "", "", 200},
		{"DELETE /v1/owner/tokens/{token}", token, "", 200},
		{"GET /v1/owner/sessions", "", "", 200},
		{"DELETE /v1/owner/sessions/{session}", session.ID, "", 200},
		{"GET /v1/owner/passkeys", "", "", 200},
		{"DELETE /v1/owner/passkeys/{passkey}", "pk_1", "", 200},
		{"GET /v1/owner/connections/{connection}/files", "yours", "", 200},
		{"POST /v1/owner/connections/{connection}/files", "yours", `{"ignore":["*.bak"]}`, 200},
		{"POST /v1/owner/connections/{connection}/revoke", "yours", `{}`, 200},
		{"DELETE /v1/owner/connections/{connection}?confirm=yours", "yours", "", 200},
		{"GET /v1/owner/audit", "", "", 200},
		{"GET /v1/openapi.json", "", "", 200},
	} {
		method, path, _ := strings.Cut(step.route, " ")
		template, _, _ := strings.Cut(step.route, "?")
		answered[template] = true
		for value := range strings.FieldsSeq(step.path) {
			from, to := strings.Index(path, "{"), strings.Index(path, "}")
			path = path[:from] + value + path[to+1:]
		}
		if a := b.asks(manage, method, path, step.body); a.status != step.status {
			t.Errorf("%s: got %d %s, want %d", step.route, a.status, a.body, step.status)
		}
	}
	for _, rt := range b.api.table {
		if name := rt.method + " " + rt.path; !answered[name] && rt.path != Prefix+"/events" {
			t.Errorf("%s: got no answer, want one that is held against the document", name)
		}
	}
}

// asking has the connection store a note, and a run of it ask for two codes.
func asking(b *bed) {
	b.Helper()
	conn, err := b.store.Connection(b.Context(), "mine")
	b.ok(err)
	w, err := b.store.BeginRun(b.Context(), storage.NewRun{
		RunID: "run_0", ConnectionID: conn.ID, Connector: conn.Connector, Mode: abi.ModeIncremental, Bookmark: storage.BookmarkIncremental, Holder: "a test",
		Streams: []string{"notes"}, LeaseTTL: time.Hour,
	})
	b.ok(err)
	batch := w.NewBatch()
	batch.Add(0, []byte("a/b"), []byte(`{"id":"a/b"}`), []byte("2026-03-01T12:00:00Z"), false)
	b.ok(w.Write(b.Context(), batch))
	for _, id := range []string{"q_answered", "q_declined"} {
		b.ok(b.store.OpenQuestion(b.Context(), storage.Question{
			ID: id, RunID: "run_0", ConnectionID: conn.ID, Kind: abi.InteractionOTP, Message: "type the code",
		}))
	}
}

// OC-01.1, OC-18: what a program reads, answers and adds by the API is what the owner's
// operations say, and no answer has a secret that was sent.
func TestQuestionsChannelsAndRecordsByTheAPI(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	asking(b)
	if got := b.asks(read, "GET", "/v1/owner/questions?open=true&limit=1", "").member("has_more"); got != "true" {
		t.Errorf("two questions by one: got has_more %s, want true", got)
	}
	b.want("an answer of a token that reads", b.asks(read, "POST", "/v1/owner/questions/q_answered/answer", `{}`), 403, string(access.CodeScope))
	done := b.asks(manage, "POST", "/v1/owner/questions/q_answered/answer", `{"values":{"code":"hunter2"}}`)
	if got := done.member("state"); got != `"answered"` || strings.Contains(done.body, "hunter2") {
		t.Errorf("an answer: got %s, want it answered, and not repeated", done.body)
	}
	if got, want := b.audited(), "questions.answer done token"; got != want {
		t.Errorf("the audit event: got %q, want %q", got, want)
	}
	b.want("a second answer", b.asks(manage, "POST", "/v1/owner/questions/q_answered/answer", `{"values":{"code":"1"}}`), 409, string(questions.CodeAnswered))
	b.want("a question that there is none of", b.asks(read, "GET", "/v1/owner/questions/none", ""), 404, string(questions.CodeUnknown))

	added := b.asks(manage, "POST", "/v1/owner/notification-channels", `{"address":{"service":"ntfy://127.0.0.1/hunter2"}}`)
	if added.status != 201 || strings.Contains(added.body, "hunter2") {
		t.Errorf("a channel: got %d %s, want it made, without its address", added.status, added.body)
	}
	if got, want := b.audited(), "notifications.add done token"; got != want {
		t.Errorf("the audit event: got %q, want %q", got, want)
	}

	if got, want := b.asks(read, "GET", "/v1/owner/connections/mine/streams/notes/records", "").member("data"), `"key":"a/b"`; !strings.Contains(got, want) {
		t.Errorf("the records: got %s, want %s in them", got, want)
	}
	b.want("a stream that there is none of", b.asks(read, "GET", "/v1/owner/connections/mine/streams/none/records", ""), 404, "stream.unknown")
	b.want("a record that there is none of", b.asks(read, "GET", "/v1/owner/connections/mine/streams/notes/records/none", ""), 404, "record.unknown")
	b.want("a foreign cursor", b.asks(read, "GET", "/v1/owner/connections/mine/streams/notes/records?cursor=x", ""), 400, "read.invalid_cursor")
	b.want("a search for nothing", b.asks(read, "GET", "/v1/owner/search", ""), 400, "invalid_request")
}

var curlLine = regexp.MustCompile("(?m)^curl -H \"\\$AUTH\" (?:--json '([^']*)' )?\"\\$HOST([^\"]+)\"$")

// OC-09: the requests that docs/api.md shows are answered as it says.
func TestDocumentedRequests(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	asking(b)
	page, err := os.ReadFile("../../../docs/api.md")
	b.ok(err)
	shown := curlLine.FindAllStringSubmatch(string(page), -1)
	if got, want := len(shown), strings.Count(string(page), "\ncurl -H"); got != want || want == 0 {
		t.Fatalf("docs/api.md: got %d lines that can be read, want each of %d", got, want)
	}
	for _, line := range shown {
		method := "GET"
		if line[1] != "" {
			method = "POST"
		}
		if a := b.asks(run, method, line[2], line[1]); a.status < 200 || a.status > 299 {
			t.Errorf("%s: got %d %s, want a success", line[0], a.status, a.body)
		}
	}
}

// OC-06.1: each route takes the tokens of its scope and those above it, and no other.
func TestScopesAreHeldByEveryRoute(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	ranks := []access.Scope{read, run, manage}
	for _, rt := range b.api.table {
		for _, scope := range ranks {
			if rt.browser || rt.open {
				continue // it takes no token of any scope
			}
			allowed := slices.Index(ranks, scope) >= slices.Index(ranks, rt.scope)
			if allowed && rt.stream != nil {
				continue // it does not end
			}
			path := strings.NewReplacer("{", "", "}", "").Replace(rt.path) + "?none=1" // which nothing takes: nothing is done
			a := b.asks(scope, rt.method, path, "")
			if got := a.code() != string(access.CodeScope); got != allowed {
				t.Errorf("%s %s with %s: got %d %s, want it allowed: %v", rt.method, rt.path, scope, a.status, a.code(), allowed)
			}
		}
	}
}

// Each route has a status, a summary, and an operation or a reason to have none.
func TestTheTableIsWhole(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	without := []string{Prefix + "/control", Prefix + "/events", PathDocument}
	for _, rt := range b.api.table {
		if rt.summary == "" || !rt.scope.Valid() || rt.status < 200 || rt.status > 299 {
			t.Errorf("%s %s: got %q, scope %q and %d, want all of them", rt.method, rt.path, rt.summary, rt.scope, rt.status)
		}
		if rt.operation == "" && !slices.Contains(without, rt.path) {
			t.Errorf("%s %s: got no operation, want one", rt.method, rt.path)
		}
		if changes := rt.method != http.MethodGet; changes && rt.scope == read {
			t.Errorf("%s %s: got a change with scope read, want run or manage", rt.method, rt.path)
		}
	}
}

// The document describes the readers' routes beside the owner's, each once.
func TestTheDocumentHasTheReaders(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	text, err := b.api.document()
	b.ok(err)
	var doc struct {
		Paths map[string]map[string]any `json:"paths"`
	}
	b.ok(json.Unmarshal(text, &doc))
	for _, rt := range records.Routes() {
		if doc.Paths[rt.Path]["get"] == nil || rt.Summary == "" {
			t.Errorf("%s: got %v, want a description", rt.Path, doc.Paths[rt.Path])
		}
	}
}

// The description has nothing of an owner's, so that a program reads it before it has a token. An address
// that reads it over and over is slowed.
func TestTheDocumentIsOpen(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	for n := range strangersBurst {
		if a := b.send(b.request(http.MethodGet, PathDocument, "")); a.status != http.StatusOK {
			t.Fatalf("request %d without a token: got %d %s, want 200", n+1, a.status, a.body)
		}
	}
	if a := b.send(b.request(http.MethodGet, PathDocument, "")); a.status != http.StatusTooManyRequests {
		t.Errorf("request %d within a second: got %d, want 429", strangersBurst+1, a.status)
	}
	other := b.request(http.MethodGet, PathDocument, "")
	other.RemoteAddr = "198.51.100.7:4444"
	if a := b.send(other); a.status != http.StatusOK {
		t.Errorf("from another address: got %d, want 200", a.status)
	}
}

// Generators of clients and linters read of the document what they need: a server, tags and operations that
// say what they are, and schemas that are objects.
func TestTheDocumentIsReadByGenerators(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	text, err := b.api.document()
	b.ok(err)
	var doc struct {
		Servers []struct {
			URL string `json:"url"`
		} `json:"servers"`
		Info struct {
			License map[string]string `json:"license"`
			Contact map[string]string `json:"contact"`
		} `json:"info"`
		Tags []struct {
			Name        string `json:"name"`
			Description string `json:"description"`
		} `json:"tags"`
		Components struct {
			Headers map[string]struct {
				Schema object `json:"schema"`
			} `json:"headers"`
		} `json:"components"`
		Paths map[string]map[string]struct {
			Summary     string         `json:"summary"`
			Description string         `json:"description"`
			Tags        []string       `json:"tags"`
			Responses   map[string]any `json:"responses"`
			Parameters  []struct {
				Name   string `json:"name"`
				Style  string `json:"style"`
				Schema object `json:"schema"`
			} `json:"parameters"`
		} `json:"paths"`
	}
	b.ok(json.Unmarshal(text, &doc))
	if len(doc.Servers) != 1 || doc.Servers[0].URL != "/" || doc.Info.License["identifier"] == "" || doc.Info.Contact["url"] == "" {
		t.Errorf("got servers %v, license %v, contact %v, want one of each", doc.Servers, doc.Info.License, doc.Info.Contact)
	}
	described := map[string]bool{}
	for _, tag := range doc.Tags {
		if described[tag.Name] = tag.Description != ""; !described[tag.Name] {
			t.Errorf("the tag %s: got no description, want one in tagDescriptions", tag.Name)
		}
	}
	for name, h := range doc.Components.Headers {
		if h.Schema["type"] == nil {
			t.Errorf("the header %s: got the schema %v, want its type, without which a client in Go reads no answer", name, h.Schema)
		}
	}
	for path, methods := range doc.Paths {
		for method, op := range methods {
			for _, p := range op.Parameters {
				if p.Style == "deepObject" && p.Schema["additionalProperties"] == nil {
					t.Errorf("%s %s: %s has the schema %v, want one that allows members", method, path, p.Name, p.Schema)
				}
			}
			succeeds := slices.ContainsFunc(slices.Collect(maps.Keys(op.Responses)), func(status string) bool { return status[0] == '2' || status[0] == '3' })
			if len(op.Tags) != 1 || !described[op.Tags[0]] || len(op.Description) <= len(op.Summary) || !succeeds {
				t.Errorf("%s %s: got tags %v, description %q, a success: %v, want all three", method, path, op.Tags, op.Description, succeeds)
			}
		}
	}
	var plain object
	b.ok(json.Unmarshal(text, &plain))
	if at := findTrue(plain, ""); at != "" {
		t.Errorf("got the schema true at %s, want {}", at)
	}
}

// findTrue returns a place where a schema is the word true, or "".
func findTrue(v any, at string) string {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			if found := findTrue(item, at+"[]"); found != "" {
				return found
			}
		}
	case object:
		properties, _ := v["properties"].(object)
		for name, value := range properties {
			if value == true {
				return at + ".properties." + name
			}
		}
		for name, value := range v {
			if value == true && slices.Contains([]string{"items", "additionalProperties", "not", "schema"}, name) {
				return at + "." + name
			}
			if found := findTrue(value, at+"."+name); found != "" {
				return found
			}
		}
	}
	return ""
}
