package oauth

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/api/wire"
	"github.com/pdpp-host/pdpp-host/host/owner/access"
	"github.com/pdpp-host/pdpp-host/host/owner/grants"
)

// escaped writes each byte as a form may, as a client that encodes the parts of HTTP Basic may do (RFC 6749 2.3.1).
func escaped(text string) string {
	var b strings.Builder
	for i := range len(text) {
		fmt.Fprintf(&b, "%%%02X", text[i])
	}
	return b.String()
}

// RD-49: a resource server that the owner made a token for learns what a token stands for; of
// one that is no good it learns nothing, whatever became of it. Nobody else learns anything.
func TestIntrospection(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	made := func(scope access.Scope) *access.MadeToken {
		m, err := access.CreateToken(t.Context(), b.owner, access.NewToken{Name: "test", Scope: scope, Expires: 24 * time.Hour})
		b.ok(err)
		return m
	}
	server, owners := made(access.ScopeIntrospect), made(access.ScopeRead)
	asks := func(id, secret, form string) *sent {
		return b.sends(http.MethodPost, PathIntrospect, form, func(r *http.Request) {
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			r.SetBasicAuth(id, secret)
			r.RemoteAddr = "192.0.2.77:1"
		})
	}
	of := func(token string) *sent {
		got := asks(server.ID, server.Secret, url.Values{"token": {token}, "token_type_hint": {"access_token"}}.Encode())
		if got.status != http.StatusOK || got.head.Get("Pragma") != "no-cache" {
			t.Fatalf("got %d %s, want an answer that no cache keeps", got.status, got.text)
		}
		return got
	}
	if _, err := access.ByToken(t.Context(), b.owner, server.Secret); abi.CodeOf(err) != access.CodeTokenRefused {
		t.Errorf("got %v, want a token that introspects to speak for nobody", err)
	}
	token, grantID := b.granted()
	client := of(token)
	for name, want := range map[string]any{"active": true, "pdpp_token_kind": "client", "subject_id": "owner_local", "grant_id": grantID, "iss": origin, "aud": origin} {
		if client.body[name] != want {
			t.Errorf("%s: got %v, want %v", name, client.body[name], want)
		}
	}
	if !strings.Contains(client.text, `"fields":["id","title","at"]`) || client.body["grant"] == nil || client.body["exp"] == nil {
		t.Errorf("got %s, want the grant, its details and its end", client.text)
	}
	if got := of(owners.Secret); got.body["active"] != true || got.body["pdpp_token_kind"] != "owner" || got.body["grant"] != nil {
		t.Errorf("a token of the owner's: got %s", got.text)
	}
	if got := asks(escaped(server.ID), escaped(server.Secret), url.Values{"token": {token}}.Encode()); got.body["active"] != true {
		t.Errorf("encoded as a form: got %d %s, want the same", got.status, got.text)
	}
	const inactive = `{"active":false}` + "\n"
	b.ok(grants.Revoke(t.Context(), b.owner, grantID))
	for name, none := range map[string]string{"revoked": token, "unknown": "pdpp_ct_none", "its own": server.Secret} {
		if got := of(none); got.text != inactive {
			t.Errorf("%s: got %s, want %s alone", name, got.text, inactive)
		}
	}
	if got := asks(server.ID, server.Secret, ""); got.status != http.StatusUnsupportedMediaType && got.status != http.StatusBadRequest {
		t.Errorf("no token: got %d %s, want it refused", got.status, got.text)
	}
	for name, c := range map[string][2]string{
		"a token that reads": {owners.ID, owners.Secret}, "another's name": {owners.ID, server.Secret}, "no secret": {server.ID, ""}, "a client's": {"x", token},
	} {
		if got := asks(c[0], c[1], "token=x"); got.status != http.StatusUnauthorized || !strings.HasPrefix(got.head.Get("WWW-Authenticate"), "Basic ") {
			t.Errorf("%s: got %d %s, want 401", name, got.status, got.text)
		}
	}
	for range wire.MostGuesses {
		asks("x", "y", "token=x")
	}
	if got := asks("x", "z", "token=x"); got.status != http.StatusTooManyRequests {
		t.Errorf("after many guesses: got %d %s, want 429", got.status, got.text)
	}
	of(token) // a server that is known is not shut out by who guesses beside it
	b.ok(access.RevokeToken(t.Context(), b.owner, server.ID))
	if got := asks(server.ID, server.Secret, "token=x"); got.status != http.StatusUnauthorized {
		t.Errorf("a server whose token was revoked: got %d %s, want 401", got.status, got.text)
	}
}
