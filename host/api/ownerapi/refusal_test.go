package ownerapi

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/access"
	"github.com/pdpp-host/pdpp-host/host/owner/live"
)

// OC-05.1, OC-05.2, RD-01.2, RD-02, RD-03: who asks without right, or for what there is not,
// gets the envelope with the code of why.
func TestRefusalsHaveTheirCodes(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	bearer := []string{"Authorization", "Bearer " + b.tokens[manage]}
	link, err := access.OfferLink(b.Context(), b.owner)
	b.ok(err)
	session, err := access.Claim(b.Context(), b.owner, link.Code, "four plain words here", "Browser")
	b.ok(err)
	for _, tt := range []struct {
		name, method, path, body string
		header                   []string
		status                   int
		code                     string
	}{
		{"no token", "GET", "/v1/owner/status", "", nil, 401, "authentication_error"},
		{"a cookie is no caller", "GET", "/v1/owner/status", "", []string{"Cookie", "pdpp-8377=" + session.Secret}, 401, "authentication_error"},
		{"an unknown token", "GET", "/v1/owner/status", "", []string{"Authorization", "Bearer x"}, 401, "tokens.refused"},
		{"a password", "GET", "/v1/owner/status", "", []string{"Authorization", "Basic eDp5"}, 401, "tokens.refused"},
		{"a token in the query", "GET", "/v1/owner/status?access_token=x", "", nil, 401, "authentication_error"},
		{"another version", "GET", "/v1/owner/status", "", append([]string{"PDPP-Version", "2020-01-01"}, bearer...), 400, "unsupported_version"},
		{"a foreign origin", "POST", "/v1/owner/tokens", `{"name":"x","scope":"read"}`, append([]string{"Origin", "https://evil.example"}, bearer...), 403, "web.foreign_request"},
		{"an unknown path", "GET", "/v1/owner/none", "", bearer, 404, "not_found"},
		{"a path in another spelling", "GET", "/v1/owner/../owner/status", "", bearer, 404, "not_found"},
		{"a wrong method", "DELETE", "/v1/owner/status", "", bearer, 405, "method_not_allowed"},
		{"an unknown parameter", "GET", "/v1/owner/status?none=1", "", bearer, 400, "invalid_request"},
		{"limit 0", "GET", "/v1/owner/runs?limit=0", "", bearer, 400, "invalid_request"},
		{"limit 201", "GET", "/v1/owner/runs?limit=201", "", bearer, 400, "invalid_request"},
		{"a cursor of another list", "GET", "/v1/owner/runs?cursor=eyJsIjoieCIsImEiOiJ5In0", "", bearer, 400, "invalid_cursor"},
		{"no moment", "GET", "/v1/owner/audit?since=yesterday", "", bearer, 400, "invalid_request"},
		{"no face", "GET", "/v1/owner/audit?actor=god", "", bearer, 400, "invalid_request"},
		{"no JSON", "POST", "/v1/owner/tokens", `{`, bearer, 400, "invalid_request"},
		{"no body", "POST", "/v1/owner/tokens", "", bearer, 415, "unsupported_media_type"},
		{"too large", "POST", "/v1/owner/tokens", strings.Repeat(" ", 70<<10), bearer, 413, "too_large"},
		{"an unknown member", "POST", "/v1/owner/tokens", `{"name":"x","scope":"read","admin":true}`, bearer, 400, "invalid_request"},
		{"an unknown scope", "POST", "/v1/owner/tokens", `{"name":"x","scope":"all"}`, bearer, 422, "usage.invalid"},
		{"an unknown connection", "GET", "/v1/owner/connections/none", "", bearer, 404, "connection.unknown"},
		{"an unknown run", "GET", "/v1/owner/runs/none", "", bearer, 404, "run.unknown"},
		{"an unknown device", "GET", "/v1/owner/devices/none", "", bearer, 404, "connection.device_unknown"},
		{"an unknown connector", "GET", "/v1/owner/connector-templates/none", "", bearer, 404, "plugin.unknown"},
		{"a path as a connector", "GET", "/v1/owner/connector-templates/%2Fetc%2Fpasswd", "", bearer, 400, "invalid_request"},
		{"a module by its file", "POST", "/v1/owner/connections", `{"name":"x","connector":"credentialed.wasm"}`, bearer, 400, "invalid_request"},
		{"a folder without its whole path", "PATCH", "/v1/owner/connections/mine", `{"roots":{"a":"b"}}`, bearer, 400, "invalid_request"},
		{"a connection that is there", "POST", "/v1/owner/connections", `{"name":"mine","connector":"credentialed"}`, bearer, 409, "connection.invalid"},
		{"another module than was shown", "POST", "/v1/owner/connector-templates/credentialed/accept", `{"sha256":"abc"}`, bearer, 409, "plugin.changed"},
		{"a removal without its name", "DELETE", "/v1/owner/connections/mine", "", bearer, 400, "invalid_request"},
		{"a removal with another name", "DELETE", "/v1/owner/connections/mine?confirm=yours", "", bearer, 400, "invalid_request"},
		{"an empty credential", "PUT", "/v1/owner/connections/mine/credentials/token", `{"value":""}`, bearer, 400, "invalid_request"},
		{"an unknown credential", "PUT", "/v1/owner/connections/mine/credentials/none", `{"value":"x"}`, bearer, 404, "connection.credential_unknown"},
		{"a mode that is none", "PUT", "/v1/owner/connections/mine/schedule", `{"mode":"never"}`, bearer, 400, "invalid_request"},
		{"an interval by hand", "PUT", "/v1/owner/connections/mine/schedule", `{"mode":"manual","every_seconds":60}`, bearer, 400, "invalid_request"},
		{"an unknown token's end", "DELETE", "/v1/owner/tokens/none", "", bearer, 404, "tokens.unknown"},
		{"an unknown session's end", "DELETE", "/v1/owner/sessions/none", "", bearer, 404, "owner.session_unknown"},
		{"a key for no POST", "PUT", "/v1/owner/connections/mine/schedule", `{"mode":"manual"}`, append([]string{"Idempotency-Key", "a"}, bearer...), 400, "invalid_request"},
		{"a key that is none", "POST", "/v1/owner/connections/mine/run", `{}`, append([]string{"Idempotency-Key", "a b"}, bearer...), 400, "invalid_request"},
	} {
		a := b.send(b.request(tt.method, tt.path, tt.body, tt.header...))
		b.want(tt.name, a, tt.status, tt.code)
		if id := a.head.Get("Request-Id"); !strings.HasPrefix(id, "req_") || id != a.head.Get("X-Request-ID") {
			t.Errorf("%s: got request id %q, want one", tt.name, id)
		}
		for name := range a.head {
			if strings.HasPrefix(name, "Access-Control-") {
				t.Errorf("%s: got the header %s, want CORS closed", tt.name, name)
			}
		}
		if want := tt.status == 401; (a.head.Get("WWW-Authenticate") == "Bearer") != want {
			t.Errorf("%s: got WWW-Authenticate %q, want one: %v", tt.name, a.head.Get("WWW-Authenticate"), want)
		}
	}
	intents := b.send(b.request("PUT", "/v1/owner/connections/intents", "", bearer...))
	b.want("a method that no path of two takes", intents, 405, "method_not_allowed")
	if got, want := intents.head.Get("Allow"), "DELETE, GET, PATCH, POST"; got != want {
		t.Errorf("the path of intents: got %s allowed, want %s", got, want)
	}
	r := b.request("GET", "/v1/owner/status", "", bearer...)
	r.Host = "evil.example"
	b.want("a name that the host was not told of", b.send(r), 421, "web.unknown_host")
	b.runs.fails = errOfRuns
	b.want("a run that goes on", b.asks(run, "POST", "/v1/owner/connections/mine/run", `{}`), 409, "run_already_active")
}

// RD-03.1: what failed within is told by its id alone, and what an error wraps is not told.
func TestFailuresSayNothingOfWhatTheyWrap(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	for err, want := range map[error]struct {
		status int
		code   string
	}{
		errors.New("/secret/path"):                          {500, "api_error"},
		abi.NewError(abi.CodeInternal, "SELECT secret", ""): {500, "api_error"},
		context.DeadlineExceeded:                            {503, "store_busy"},
		abi.NewError(live.CodeFull, "too many", ""):         {503, "serve.too_many_watchers"},
		abi.NewError(abi.CodeStoreLocked, "locked", "wait").WithDetail("/secret/path").Wrap(errors.New("SELECT secret")): {503, "storage.locked"},
	} {
		b.runs.fails = err
		a := b.asks(run, "POST", "/v1/owner/connections/mine/run", `{}`)
		b.want(err.Error(), a, want.status, want.code)
		if strings.Contains(a.body+b.log.String(), "secret") {
			t.Errorf("got %s and the log %s, want nothing of what the error wraps", a.body, b.log)
		}
	}
	if a := b.asks(run, "POST", "/v1/owner/connections/mine/run", `{}`); a.status >= 500 && !strings.Contains(b.log.String(), strings.Trim(a.head.Get("Request-Id"), `"`)) {
		t.Errorf("got the log %s, want the request's id", b.log)
	}
}

// OC-01.1: the same operation leaves the same event and the same code, by whatever face.
func TestFacesLeaveTheSameEvent(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	change := owner.ConnectionChange{Connection: "mine", Options: map[string]string{"token": "x"}}
	_, err := b.owner.ChangeConnection(b.Context(), change)
	byCommand, event := string(abi.CodeOf(err)), b.audited()
	a := b.asks(manage, "PATCH", "/v1/owner/connections/mine", `{"options":{"token":"x"}}`)
	if a.code() != byCommand || a.status != http.StatusUnprocessableEntity {
		t.Errorf("got %d %s, want 422 and %s, as on the command line", a.status, a.code(), byCommand)
	}
	if got, want := b.audited(), strings.Replace(event, "command_line", "token", 1); got != want {
		t.Errorf("got the event %q, want %q", got, want)
	}
	b.want("a change", b.asks(manage, "PATCH", "/v1/owner/connections/mine", `{"options":{"manner":"calm"}}`), 200, "")
	if got, want := b.audited(), "connections.set done token"; got != want {
		t.Errorf("got the event %q, want %q", got, want)
	}
}
