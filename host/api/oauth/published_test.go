package oauth

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/host/owner/grants"
)

const publisher = "https://app.example.com/oauth/client.json"

// documented are the addresses that a bed's face asks for, and what each answers.
func (b *bed) documented(answers map[string]string) (asked *[]string) {
	asked = &[]string{}
	b.face.Document = func(_ context.Context, address string) ([]byte, error) {
		*asked = append(*asked, address)
		if text, there := answers[address]; there {
			return []byte(text), nil
		}
		return nil, fmt.Errorf("canary: %s answers from 10.0.0.7", address)
	}
	return asked
}

// A client whose id is the address of its document asks without a registration, by browser, device and
// pushed request, and gets its tokens. The host reads a document of ten minutes ago again.
func TestClientByItsDocument(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	answers := map[string]string{publisher: `{"client_id":"` + publisher + `","client_name":"An app","client_uri":"https://app.example.com","redirect_uris":["` + redirect + `"],"grant_types":["authorization_code","refresh_token"]}`}
	asked := b.documented(answers)
	if got := b.sends(http.MethodGet, PathServer, ""); !strings.Contains(got.text, `"client_id_metadata_document_supported":true`) {
		t.Errorf("got %s, want it advertised", got.text)
	}
	request := b.opens(origin + authorizeAddress(publisher))
	shown, err := grants.Look(t.Context(), b.owner, request)
	b.ok(err)
	if shown.ClientID != publisher || shown.Client != "An app" {
		t.Errorf("got %+v, want the app by its name and address", shown.Request)
	}
	code := b.answer(b.approves(request, Choices{}).Back).Get("code")
	if got := b.exchanges(redemption(publisher, code)); got.status != http.StatusOK || got.string("refresh_token") == "" {
		t.Errorf("got %d %s, want both tokens", got.status, got.text)
	}
	b.pushes(publisher, asks)
	if len(*asked) != 1 {
		t.Errorf("got the documents %v read, want it once within ten minutes", *asked)
	}
	b.forward(11 * time.Minute)
	answers[publisher] = strings.Replace(answers[publisher], redirect, "https://app.example.com/other", 1)
	if got := b.sends(http.MethodGet, authorizeAddress(publisher), ""); !strings.Contains(got.head.Get("Location"), "refused=invalid_redirect_uri") || len(*asked) != 2 {
		t.Errorf("got %d %s after %v, want the address refused that the document has no more", got.status, got.head, *asked)
	}
	delete(answers, publisher)
	b.forward(11 * time.Minute)
	if got := b.sends(http.MethodGet, authorizeAddress(publisher, "redirect_uri", "https://app.example.com/other"), ""); !strings.Contains(got.head.Get("Location"), "refused=invalid_client") || strings.Contains(got.text+got.head.Get("Location"), "canary") {
		t.Errorf("got %d %s, want a client refused whose document is gone, and no word of why", got.status, got.text)
	}
}

// Each of these is no client, and what is no address of a document is not asked for.
func TestNoClientByItsDocument(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	good := func(more string) string {
		return `{"client_id":"` + publisher + `","client_name":"An app","redirect_uris":["` + redirect + `"]` + more + `}`
	}
	answers := map[string]string{}
	asked := b.documented(answers)
	for name, c := range map[string]struct{ text, want string }{
		"another id":       {strings.Replace(good(""), publisher, publisher+"x", 1), "another client_id"},
		"no id":            {strings.Replace(good(""), `"client_id"`, `"client"`, 1), "another client_id"},
		"a secret":         {good(`,"client_secret":"x"`), "client_secret"},
		"a key":            {good(`,"token_endpoint_auth_method":"private_key_jwt"`), "token_endpoint_auth_method"},
		"no name":          {strings.Replace(good(""), "An app", "", 1), "client_name"},
		"the host's name":  {strings.Replace(good(""), "An app", "PDPP", 1), "name of this host"},
		"a script":         {strings.Replace(good(""), redirect, "javascript:alert(1)", 1), "redirect_uris"},
		"a list":           {`[]`, "JSON object"},
		"no JSON":          {`<html>`, "JSON"},
		"a member twice":   {good(`,"client_id":"` + publisher + `"`), "JSON"},
		"another spelling": {good(`,"CLIENT_ID":"` + publisher + `x"`), "another client_id"},
	} {
		answers[publisher] = c.text
		b.forward(time.Hour) // for the bound of registrations
		if got := b.posts(PathPush, object{"client_id": publisher, "authorization_details": json.RawMessage(asks)}); got.status != http.StatusBadRequest || !strings.Contains(got.text, c.want) {
			t.Errorf("%s: got %d %s, want %q", name, got.status, got.text, c.want)
		}
	}
	*asked = nil
	for _, id := range []string{
		"http://app.example.com/client.json", "https://app.example.com", "https://app.example.com/", "https://u:p@app.example.com/c", "https://app.example.com/c?x", "https://app.example.com/c#x",
		"https://app.example.com/a/../c", "https://app.example.com/%2e%2e/c", "HTTPS://app.example.com/c", "https://app.example.com/" + strings.Repeat("a", 500), "file:///etc/passwd", "https:///c",
	} {
		if got := b.posts(PathPush, object{"client_id": id, "authorization_details": json.RawMessage(asks)}); got.status != http.StatusBadRequest {
			t.Errorf("%s: got %d %s, want it refused", id, got.status, got.text)
		}
	}
	if len(*asked) > 0 {
		t.Errorf("got %q asked for, want nothing", *asked)
	}
	answers[publisher] = good("")
	b.face.NoRegistration = true
	if got := b.posts(PathPush, object{"client_id": publisher, "authorization_details": json.RawMessage(asks)}); got.status != http.StatusBadRequest || len(*asked) > 0 {
		t.Errorf("got %d %s after %v, want no client where none is registered", got.status, got.text, *asked)
	}
}
