package oauth

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
)

// RD-38.1, RD-38.2: both documents and the index name paths that answer, in the words of RFC
// 8414 and 9728, and are the same for everybody, whatever the owner has.
func TestDiscovery(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	before := map[string]string{}
	paths := []string{PathResource, PathResourceMCP, PathServer}
	for _, path := range paths {
		before[path] = b.sends(http.MethodGet, path, "").text
	}
	b.accept("another", strings.Replace(manifest, "notes", "other", 2))
	b.granted()
	for _, path := range paths {
		if got := b.sends(http.MethodGet, path, "", func(r *http.Request) { r.Header.Set("Authorization", "Bearer x") }); got.text != before[path] {
			t.Errorf("%s: got %s, want what it was before: %s", path, got.text, before[path])
		}
	}
	server := b.sends(http.MethodGet, PathServer, "")
	for name, value := range server.body {
		address, is := value.(string)
		if path := strings.TrimPrefix(address, origin); is && path != "" {
			if got := b.sends(http.MethodPut, path, "{}"); got.status != http.StatusMethodNotAllowed {
				t.Errorf("%s %s: got %d %s, want a path that answers", name, address, got.status, got.text)
			}
		}
	}
	for name, want := range map[string]any{
		"issuer": origin, "code_challenge_methods_supported": []any{"S256"}, "response_types_supported": []any{"code"}, "token_endpoint_auth_methods_supported": []any{"none"},
		"grant_types_supported": []any{typeCode, typeRefresh, typeDevice}, "authorization_response_iss_parameter_supported": true,
	} {
		if got := server.body[name]; !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
	hints, _ := b.sends(http.MethodGet, PathResource, "").body["pdpp_discovery_hints"].(map[string]any)
	if hints["schema_endpoint"] != "/v1/schema" || hints["connectors_endpoint"] != "/v1/connectors" || hints["streams_endpoint_template"] != "/v1/streams/{stream}" || hints["blob_indirection"] != "data.blob_ref.fetch_url" {
		t.Errorf("got the hints %v, want where readers begin", hints)
	}
	for path, want := range map[string]string{PathResource: origin, PathResourceMCP: origin + PathMCP} {
		got := b.sends(http.MethodGet, path, "")
		if got.string("resource") != want || !reflect.DeepEqual(got.body["authorization_servers"], []any{origin}) {
			t.Errorf("%s: got %s, want the resource %s (RFC 9728, section 3.3)", path, got.text, want)
		}
	}

	pages := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	for accept, want := range map[string]int{"application/json": 200, "application/json, text/html": 418, "text/html,*/*": 418, "": 418} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, origin+"/", nil)
		r.Header.Set("Accept", accept)
		w := httptest.NewRecorder()
		b.face.Index(pages).ServeHTTP(w, r)
		if want == http.StatusOK {
			b.check.Answer(t, r, w.Code, w.Header(), w.Body.Bytes())
		}
		var got startingPoint
		if w.Code == http.StatusOK {
			b.ok(json.Unmarshal(w.Body.Bytes(), &got))
		}
		if w.Code != want || want == http.StatusOK && got.Links["well_known"] != origin+PathResource {
			t.Errorf("%q: got %d %s, want %d", accept, w.Code, w.Body, want)
		}
	}
}

// RD-39: what a client registers is what it is told, with what decides nothing left out; an
// address that its owner cannot be sent back to is refused, and a host whose owner wants no
// more clients knows no such path (RD-39.2).
func TestRegistration(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	got := b.posts(PathRegister, object{
		"client_name": "An app", "redirect_uris": []string{"https://app.example/b", "com.example.app:/b"}, "logo_uri": "https://app.example/l.png",
		"grant_types": []string{"authorization_code", "refresh_token", "implicit"}, "response_types": []string{"code"}, "application_type": "web", "jwks": object{},
	})
	for name, want := range map[string]any{
		"redirect_uris": []any{"https://app.example/b", "com.example.app:/b"}, "grant_types": []any{"authorization_code", "refresh_token"}, "response_types": []any{"code"},
		"token_endpoint_auth_method": "none", "logo_uri": nil, "jwks": nil, "client_secret": nil,
	} {
		if got := got.body[name]; !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
	many := make([]string, mostRedirects+1)
	for i := range many {
		many[i] = "https://app.example/" + strings.Repeat("x", i)
	}
	for i, c := range []struct {
		body object
		want string
	}{
		{object{"redirect_uris": []string{"http://app.example/"}}, codeRedirect},
		{object{"redirect_uris": []string{"https://app.example/", "javascript:alert(1)"}}, codeRedirect},
		{object{"redirect_uris": many}, codeRedirect},
		{object{"grant_types": []string{"authorization_code"}}, codeRedirect},
		{object{"redirect_uris": "https://app.example/"}, "invalid_client_metadata"},
		{object{"grant_types": []string{"implicit"}}, "invalid_client_metadata"},
		{object{"grant_types": []string{}}, "invalid_client_metadata"},
		{object{"redirect_uris": []string{"https://app.example/"}, "response_types": []string{"token"}}, "invalid_client_metadata"},
	} {
		if got := b.posts(PathRegister, c.body); got.status != http.StatusBadRequest || got.error() != c.want {
			t.Errorf("%d: got %d %s, want %s", i, got.status, got.text, c.want)
		}
	}

	d := b.face.Deps
	d.NoRegistration = true
	b.face = New(d)
	if got := b.posts(PathRegister, object{}); got.status != http.StatusNotFound {
		t.Errorf("switched off: got %d %s, want 404", got.status, got.text)
	}
	if got := b.posts(PathConnect, object{"resource": origin, "client_name": "An app"}); got.status != http.StatusBadRequest {
		t.Errorf("an attempt of a client that is not known: got %d %s, want 400", got.status, got.text)
	}
	server := b.sends(http.MethodGet, PathServer, "")
	if server.body["registration_endpoint"] != nil || !reflect.DeepEqual(server.body["pdpp_registration_modes_supported"], []any{"pre_registered_public"}) {
		t.Errorf("got %s, want no registration in it", server.text)
	}
	if got := b.pushes("pdpp_cli", asks); got == "" {
		t.Error("got no request, want the client that is known without registration to ask")
	}
}

// RD-39.1, RFC 7591, section 3.2.1: of the addresses that a client registers those are taken that an owner may be
// sent back to, and the answer names them; what it asks for of secrets is answered with none.
func TestWhatOfAClientIsTaken(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	const cursor, other = "cursor://anysphere.cursor-mcp/oauth/callback", "https://app.example/back"
	for name, c := range map[string]struct {
		sent []string
		want []any
	}{
		"a known editor's alone":      {[]string{cursor}, []any{cursor}},
		"with two others":             {[]string{cursor, other, "http://localhost:8787/callback"}, []any{cursor, other, "http://localhost:8787/callback"}},
		"one that nobody is sent to":  {[]string{"http://app.example/back", other, "ftp://app.example/back"}, []any{other}},
		"none that anybody is":        {[]string{"http://app.example/back", "myapp:/back"}, nil},
		"one that is not an editor's": {[]string{"cursors://anysphere.cursor-mcp/oauth/callback"}, nil},
	} {
		got := b.posts(PathRegister, object{"client_name": name, "redirect_uris": c.sent})
		if c.want == nil {
			if got.status != http.StatusBadRequest || !strings.Contains(got.text, codeRedirect) {
				t.Errorf("%s: got %d %s, want it refused", name, got.status, got.text)
			}
			continue
		}
		if got.status != http.StatusCreated || !reflect.DeepEqual(got.body["redirect_uris"], c.want) {
			t.Errorf("%s: got %d %s, want the addresses %v", name, got.status, got.text, c.want)
		}
	}
	for _, method := range []string{"client_secret_post", "client_secret_basic", "none"} {
		got := b.posts(PathRegister, object{"client_name": "An app", "redirect_uris": []string{other}, "token_endpoint_auth_method": method})
		if got.status != http.StatusCreated || got.string("token_endpoint_auth_method") != "none" || strings.Contains(got.text, "client_secret") {
			t.Errorf("%s: got %d %s, want a client without a secret", method, got.status, got.text)
		}
	}
}

// RD-44.3: a resource is this host's however its address is written.
func TestAResourceMayBeWrittenOtherwise(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	client := b.redirects()
	shout := strings.ToUpper(origin)
	for resource, want := range map[string]bool{
		origin + "/": true, shout: true, shout + "/": true, origin + PathMCP + "/": true, strings.Replace(origin, "http", "HTTP", 1) + PathMCP: true,
		origin + "/other": false, origin + ".evil.example": false, origin + PathMCP + "/x": false,
	} {
		to := b.sends(http.MethodGet, authorizeAddress(client, "resource", resource), "").head.Get("Location")
		if got := strings.Contains(to, "request_uri="); got != want {
			t.Errorf("authorize for %s leads to %s, want to a request: %v", resource, to, want)
		}
		if strings.Contains(strings.ToLower(resource), PathMCP) || !want {
			continue
		}
		if got := b.posts(PathConnect, object{"resource": resource, "client_name": "An app"}); got.status >= http.StatusBadRequest {
			t.Errorf("connect for %s: got %d %s, want an attempt", resource, got.status, got.text)
		}
	}
}
