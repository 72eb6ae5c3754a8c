package access_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/host/owner/access"
)

// pages are the addresses that only the owner sees.
var pages = []string{"/", "/settings", "/audit", "/devices", "/devices/invite", "/devices/of/x", "/connectors", "/connectors/of/x", "/connectors/of/x/accept"}

// OC-03, OC-03.1: until the host is claimed there is nothing but the choice of a password;
// the link is good once, and for 15 minutes, and a look at it does not use it up.
func TestSetUp(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	v := b.visitor()
	for _, path := range append(pages, "/sign-in") {
		v.leads(v.get(path), "/set-up")
	}
	v.leads(v.post("/settings/tokens", "name", "x", "scope", "manage"), "/set-up")
	v.says(v.post("/sign-in", "password", ""), http.StatusForbidden, "not the owner")
	v.says(v.get("/set-up"), http.StatusOK, "This host has no owner yet")

	late := b.link()
	b.forward(15 * time.Minute)
	v.says(v.get("/set-up?code="+late), http.StatusForbidden, "owner.link_invalid")
	v.says(v.post("/set-up", "code", late, "password", password, "again", password), http.StatusForbidden, "owner.link_invalid")

	old, code := b.link(), b.link()
	v.says(v.get("/set-up?code="+old), http.StatusForbidden, "owner.link_invalid")
	for range 2 {
		v.says(v.get("/set-up?code="+code), http.StatusOK, "Choose how you sign in")
	}
	v.says(v.post("/set-up", "code", code, "password", "short", "again", "short"), http.StatusUnprocessableEntity, "fewer than 12")
	v.says(v.post("/set-up", "code", code, "password", password, "again", password+"x"), http.StatusUnprocessableEntity, "differ")
	v.leads(v.post("/set-up", "code", code, "password", password, "again", password), "/?done=password_set")
	v.says(v.get("/"), http.StatusOK, "Nothing is collected yet")
	v.says(v.post("/set-up", "code", code, "password", password, "again", password), http.StatusForbidden, "owner.link_invalid")
	other := b.visitor()
	for _, path := range pages {
		if a := other.get(path); a.status != http.StatusSeeOther || !strings.HasPrefix(a.header.Get("Location"), "/sign-in?next=") {
			t.Errorf("%s to a stranger: got %d %s, want a way to sign in", path, a.status, a.header.Get("Location"))
		}
	}
}

// OC-04.1: a browser that signs in has another session than before, whatever cookie it came
// with, and signing out ends it on the host.
func TestSessionChangesAtSignIn(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	v := b.owned()
	const cookie = "pdpp-8377"
	first := v.cookies[cookie]
	stranger := b.visitor()
	stranger.cookies[cookie] = "fixed by somebody else"
	stranger.leads(stranger.post("/sign-in", "password", password, "next", "/settings"), "/settings")
	second := stranger.cookies[cookie]
	if len(second) != 43 || second == first || second == "fixed by somebody else" {
		t.Errorf("the cookie is %q after sign-in, want one of its own", second)
	}
	// A new sign-in ends the session that the browser had: a copy of its cookie opens nothing.
	stranger.leads(stranger.post("/sign-in", "password", password), "/")
	copied := b.visitor()
	copied.cookies[cookie] = second
	copied.leads(copied.get("/settings"), "/sign-in?next=%2Fsettings")
	stranger.says(stranger.get("/settings"), http.StatusOK, "Settings")
	v.leads(v.post("/sign-out"), "/sign-in?done=signed_out")
	if _, has := v.cookies[cookie]; has {
		t.Error("the browser keeps its cookie, want none")
	}
	v.cookies[cookie] = first
	v.leads(v.get("/settings"), "/sign-in?next=%2Fsettings")

	// OC-04: a change of the password, or the owner's word, ends the others.
	third := b.visitor()
	third.leads(third.post("/sign-in", "password", password), "/")
	const next = "five other plain words"
	stranger.says(stranger.post("/settings/password", "was", "wrong", "password", next, "again", next), http.StatusForbidden, "not the owner")
	stranger.leads(stranger.post("/settings/password", "was", password, "password", next, "again", next), "/settings?done=password_changed")
	third.leads(third.get("/settings"), "/sign-in?next=%2Fsettings")
	third.leads(third.post("/sign-in", "password", next), "/")
	stranger.leads(stranger.post("/settings/sessions/end-others"), "/settings?done=others_ended")
	third.leads(third.get("/settings"), "/sign-in?next=%2Fsettings")
	stranger.says(stranger.get("/settings?done=others_ended"), http.StatusOK, "Every other browser is signed out.")

	// OC-03.2
	_, err := access.Reset(t.Context(), b.owner)
	b.ok(err)
	stranger.leads(stranger.get("/settings"), "/set-up")
}

// OC-04.2: ten wrong passwords slow sign-in down for their address, and lock out no session
// that is open.
func TestWrongPasswordsOverHTTP(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	v := b.owned()
	guess := b.visitor()
	for range 10 {
		guess.says(guess.post("/sign-in", "password", "wrong"), http.StatusForbidden, "not the owner")
	}
	a := guess.post("/sign-in", "password", password)
	guess.says(a, http.StatusTooManyRequests, "Too many attempts to sign in")
	if got := a.header.Get("Retry-After"); got == "" {
		t.Error("got no Retry-After, want one")
	}
	v.says(v.get("/settings"), http.StatusOK, "Settings")
	b.from = "192.0.2.8:1"
	guess.leads(guess.post("/sign-in", "password", password), "/")
	b.from = "192.0.2.7:2"
	b.forward(30 * time.Second)
	guess.leads(guess.post("/sign-in", "password", password), "/")
}

// OC-06: a token is shown on the page that made it and on no other, and opens no page.
func TestTokensOnPages(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	v := b.owned()
	v.says(v.post("/settings/tokens", "name", "", "scope", "read", "days", "30"), http.StatusUnprocessableEntity, "name is empty")
	v.says(v.post("/settings/tokens", "name", "x", "scope", "all", "days", "30"), http.StatusUnprocessableEntity, "not read, run, manage or introspect")
	v.says(v.get("/settings"), http.StatusOK, `<option value="introspect">Only ask what tokens stand for`)
	a := v.post("/settings/tokens", "name", "backup", "scope", "manage", "days", "30")
	_, rest, found := strings.Cut(a.body, `value="pdpp_ot_`)
	if !found || a.status != http.StatusOK {
		t.Fatalf("got %d without a token: %s", a.status, a.body)
	}
	secret := "pdpp_ot_" + rest[:43]
	for _, path := range []string{"/settings", "/audit"} {
		if a := v.get(path); strings.Contains(a.body, "pdpp_ot_") || !strings.Contains(a.body, "tok_") {
			t.Errorf("%s: got the secret, or no token", path)
		}
	}
	program := b.visitor()
	program.header.Set("Authorization", "Bearer "+secret)
	for _, path := range pages {
		if a := program.get(path); a.status != http.StatusSeeOther {
			t.Errorf("%s with a token: got %d, want that it opens no page", path, a.status)
		}
	}
	program.says(program.post("/settings/tokens", "name", "more", "scope", "manage", "days", "30"), http.StatusUnauthorized, "signed out")
	id := "tok_" + strings.Split(v.get("/settings").body, `value="tok_`)[1][:16]
	v.leads(v.post("/settings/tokens/revoke", "token", id), "/settings?done=token_revoked")
	v.says(v.post("/settings/tokens/revoke", "token", id), http.StatusNotFound, "tokens.unknown")
	program.says(program.get("/settings"), http.StatusUnauthorized, "tokens.refused")
}
