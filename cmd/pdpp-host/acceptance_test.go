package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/testplugins/rig/described/whole"
)

const (
	acceptanceManifest = `{"connector_id":"https://example.org/notes","connector_key":"notes","display_name":"Notes","version":"1.0.0","streams":[
{"name":"notes","primary_key":["id"],"cursor_field":"at","consent_time_field":"at","schema":{"required":["id"],"properties":{"id":{"type":"string"},"title":{"type":"string"},
"body":{"type":"string"},"n":{"type":"integer"},"at":{"type":"string","format":"date-time"},"secret":{"type":"string"}}},
"query":{"range_filters":{"n":["gte","lte"]},"search":{"lexical_fields":["title","body","secret"]},"aggregations":{"sum":["n"],"group_by":["title"]}}}]}`
	// hiddenWord stands in a field that is not granted.
	hiddenWord = "canary"
)

// foreignClient sends what the clients of the protocol's reference were seen to send, byte for
// byte: path, query, body, and the head that their runtime adds.
type foreignClient struct {
	*testing.T

	base, token string
	inner       http.RoundTripper
}

// reply is an answer to it.
type reply struct {
	status int
	text   string
	body   map[string]any
}

// sends asks once. Each answer is one of the OpenAPI document, names its request, and
// has nothing in it that is hidden.
func (f *foreignClient) sends(method, path, body string, headers ...string) *reply {
	f.Helper()
	r, err := http.NewRequestWithContext(f.Context(), method, f.base+path, strings.NewReader(body))
	if err != nil {
		f.Fatal(err)
	}
	for name, value := range map[string]string{"Accept": "application/json", "Accept-Language": "*", "Sec-Fetch-Mode": "cors", "User-Agent": "node"} {
		r.Header.Set(name, value)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if f.token != "" {
		r.Header.Set("Authorization", "Bearer "+f.token)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	answer, err := f.inner.RoundTrip(r)
	if err != nil {
		f.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		f.Fatal(err)
	}
	got := &reply{status: answer.StatusCode, text: string(text)}
	if len(text) > 0 && json.Unmarshal(text, &got.body) != nil {
		f.Fatalf("%s %s: got %d %s, want JSON", method, path, got.status, text)
	}
	if !regexp.MustCompile("^req_[a-z2-7]{26}$").MatchString(answer.Header.Get("X-Request-ID")) {
		f.Errorf("%s %s: got the id %q, want one", method, path, answer.Header.Get("X-Request-ID"))
	}
	if strings.Contains(got.text, hiddenWord) {
		f.Errorf("%s %s: got %s, want nothing that is hidden", method, path, got.text)
	}
	return got
}

// wants sends a request that is answered with that status and with a part.
func (f *foreignClient) wants(status int, part, method, path, body string) *reply {
	f.Helper()
	got := f.sends(method, path, body)
	if got.status != status || !strings.Contains(got.text, part) {
		f.Errorf("%s %s: got %d %s, want %d and %s", method, path, got.status, got.text, status, part)
	}
	return got
}

func (r *reply) string(name string) string {
	text, _ := r.body[name].(string)
	return text
}

// connects is how the reference's command line gets its token, once the owner has decided.
func (f *foreignClient) connects(decide func()) {
	f.Helper()
	resource := f.wants(http.StatusOK, `"pdpp_token_kinds_supported":["owner","client"]`, http.MethodGet, "/.well-known/oauth-protected-resource", "")
	if resource.string("resource") != f.base {
		f.Errorf("got the resource %s, want %s: the command line compares them", resource.string("resource"), f.base)
	}
	server := f.wants(http.StatusOK, `"pdpp_registration_modes_supported":["dynamic","pre_registered_public"]`, http.MethodGet, "/.well-known/oauth-authorization-server", "")
	client := f.wants(http.StatusCreated, "client_id_issued_at", http.MethodPost, strings.TrimPrefix(server.string("registration_endpoint"), f.base),
		`{"client_name":"PDPP CLI","token_endpoint_auth_method":"none"}`).string("client_id")
	attempt := f.wants(http.StatusCreated, `"interval_ms":`, http.MethodPost, strings.TrimPrefix(server.string("agent_connect_endpoint"), f.base),
		`{"resource":"`+f.base+`","scope":"pdpp:read","client_name":"PDPP CLI","client_id":"`+client+`"}`)
	poll, sent := strings.TrimPrefix(attempt.string("poll_url"), f.base), `{"polling_code":"`+attempt.string("polling_code")+`"}`
	f.wants(http.StatusAccepted, `"error":"authorization_pending"`, http.MethodPost, poll, sent)
	decide()
	given := f.wants(http.StatusOK, `"expires_at":`, http.MethodPost, poll, sent)
	f.token = given.string("access_token")
	f.wants(http.StatusOK, `"object":"schema"`, http.MethodGet, "/v1/schema", "")
}

// reads are the reads of the reference's command line and of its server for models.
func (f *foreignClient) reads(connection string) {
	f.Helper()
	record := "/v1/streams/notes/records/https%3A%2F%2Fx%2F..%2Fy"
	for _, c := range []struct {
		path   string
		status int
		part   string
	}{
		{"/v1/schema?view=compact", 200, `"title":"t=text,lex,a=group_by"`},
		{"/v1/schema?view=compact&stream=notes", 200, `"detail":"compact"`},
		{"/v1/streams", 200, `"name":"notes"`},
		{"/v1/streams/notes/records?limit=2&sort=-at&count=exact&fields=id&fields=title", 200, `"count":{"kind":"exact","value":3}`},
		{"/v1/streams/notes/records?limit=2&changes_since=beginning", 200, `"has_more":true`},
		{record + "?fields=title", 200, `"data":{"id":"https://x/../y","title":"Third"}`},
		{record + "/field-window?connection_id=" + connection + "&field=title&cursor=1", 200, `"text":"hird","start_chars":1`},
		{record + "/field-window?connection_id=" + connection + "&field=title&offset_chars=1&limit_chars=2", 200, `"text":"hi"`},
		{"/v1/search?q=common&streams=notes&streams=notes", 200, `"object":"search_result"`},
		{"/v1/search?q=common&streams=notes&streams=none", 403, `"code":"grant_stream_not_allowed"`},
		{"/v1/streams/notes/aggregate?metric=count", 200, `"value":3`},
		{"/v1/streams/notes/records?filter%5Bn%5D%5Bgte%5D=3", 400, `"code":"invalid_request"`},
		{"/v1/streams/notes/records?view=all", 400, `"code":"invalid_request"`},
		{"/v1/streams/notes/records/none", 404, `"code":"not_found"`},
		{"/v1/streams/none/records", 403, `"type":"permission_error"`},
		{"/v1/streams/notes/records?fields=secret", 403, `"code":"field_not_granted"`},
	} {
		f.wants(c.status, c.part, http.MethodGet, c.path, "")
	}
	token := f.token
	f.token = "pdpp_ct_of-nobody"
	f.wants(http.StatusUnauthorized, `"resource_metadata":"`+f.base+`/.well-known/oauth-protected-resource"`, http.MethodGet, "/v1/streams", "")
	f.token = token
}

// models is what a host of models sends, with every tool.
func (f *foreignClient) models(connection string) {
	f.Helper()
	id := connection + "/notes:1"
	for i, c := range []struct{ message, part string }{
		{`"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}`, `"protocolVersion":"2025-06-18"`},
		{`"method":"tools/list"`, `"read_record_field"`},
		{`"method":"tools/call","params":{"name":"schema","arguments":{}}`, `"detail":"compact"`},
		{`"method":"tools/call","params":{"name":"schema","arguments":{"stream":"notes"}}`, `"stream_count":1`},
		{`"method":"tools/call","params":{"name":"query_records","arguments":{"stream":"notes","limit":2,"count":"exact"}}`, `"value":3`},
		{`"method":"tools/call","params":{"name":"query_records","arguments":{"stream":"notes","filter":{"n":{"gte":3}}}}`, `"isError":true`},
		{`"method":"tools/call","params":{"name":"aggregate","arguments":{"stream":"notes","metric":"count"}}`, `"value":3`},
		{`"method":"tools/call","params":{"name":"search","arguments":{"q":"common"}}`, `"results":[`},
		{`"method":"tools/call","params":{"name":"fetch","arguments":{"id":"` + id + `"}}`, `First common`},
		{`"method":"tools/call","params":{"name":"read_record_field","arguments":{"id":"` + id + `","field_path":"title","cursor":"2"}}`, `"start_chars":2`},
	} {
		got := f.sends(http.MethodPost, "/mcp", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,%s}`, i, c.message), "Accept", "application/json, text/event-stream")
		if got.status != http.StatusOK || !strings.Contains(got.text, c.part) || got.body["error"] != nil {
			f.Errorf("%s: got %d %s, want %s", c.message, got.status, got.text, c.part)
		}
		if strings.Contains(c.message, "tools/call") && !strings.Contains(got.text, `"request_id":"req_`) {
			f.Errorf("%s: got %s, want the id of its request", c.message, got.text)
		}
	}
}

// The contract's wire script (reads, section 13, 1 to 3): the reference's clients connect,
// read and speak for a model, byte for byte, and are answered as they need it.
func TestTheWireScript(t *testing.T) {
	t.Parallel()
	_, o, p := servesNotes(t, acceptanceManifest, `{"id":"1","title":"First common","n":1,"at":"2026-01-01T00:00:00Z","secret":"canary"}`,
		`{"id":"2","title":"Second","body":"common","n":2,"at":"2026-01-02T00:00:00Z","secret":"canary common"}`, `{"id":"https://x/../y","title":"Third","n":3,"at":"2026-01-03T00:00:00Z","secret":"canary"}`)
	f := &foreignClient{T: t, base: o.base, inner: whole.Transport(t, http.DefaultTransport)}
	f.connects(func() {
		var waiting struct {
			Data []struct {
				ID string `json:"request_id"`
			} `json:"data"`
		}
		o.asks(http.MethodGet, "/v1/owner/grant-requests", o.token, "", &waiting)
		if len(waiting.Data) != 1 {
			t.Fatalf("got %d requests, want the command line's", len(waiting.Data))
		}
		request := "/v1/owner/grant-requests/" + url.PathEscape(waiting.Data[0].ID)
		var review struct {
			Revision string `json:"approval_review_revision"`
		}
		o.asks(http.MethodPost, request+"/review", o.token, `{"connector":"notes","streams":[{"name":"notes","fields":["title","body","n","at"]}]}`, &review)
		o.asks(http.MethodPost, request+"/approve", o.token, `{"approval_review_revision":"`+review.Revision+`"}`, nil)
	})
	rows, _ := f.sends(http.MethodGet, "/v1/streams", "").body["data"].([]any)
	row, _ := rows[0].(map[string]any)
	connection, _ := row["connection_id"].(string)
	f.reads(connection)
	f.models(connection)
	if code, log := p.end(t); code != 0 || strings.Contains(log, f.token) {
		t.Errorf("got the exit code %d and the log %s, want 0 and no token", code, log)
	}
}
