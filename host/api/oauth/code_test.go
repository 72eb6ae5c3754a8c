package oauth

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/oauth2"

	"github.com/pdpp-host/pdpp-host/host/grant"
	"github.com/pdpp-host/pdpp-host/host/grant/desk"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/grants"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/pgtest"
)

const redirect = "https://app.example/back?of=pdpp"

// transport brings what a foreign client sends to the face.
type transport struct{ b *bed }

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	r.RemoteAddr = "192.0.2.9:999"
	t.b.check.Handler(t.b, t.b.face).ServeHTTP(w, r)
	return w.Result(), nil
}

// foreign is a context with which x/oauth2 asks the face.
func (b *bed) foreign() context.Context {
	return context.WithValue(b.Context(), oauth2.HTTPClient, &http.Client{Transport: transport{b}})
}

// redirects returns the id of a new client that is sent back.
func (b *bed) redirects(types ...string) string {
	b.Helper()
	got := b.posts(PathRegister, object{"client_name": "A web app", "redirect_uris": []string{redirect, "http://127.0.0.1/back"}, "grant_types": append([]string{typeCode}, types...)})
	if got.status != http.StatusCreated {
		b.Fatalf("registering is answered %d %s, want a client", got.status, got.text)
	}
	return got.string("client_id")
}

// opens has the owner's browser open an address, and returns the request that it leads to.
func (b *bed) opens(address string) string {
	b.Helper()
	path, found := strings.CutPrefix(address, origin)
	if !found {
		b.Fatalf("got the address %s, want one of %s", address, origin)
	}
	to := b.sends(http.MethodGet, path, "").head.Get("Location")
	page, err := url.Parse(to)
	b.ok(err)
	if page.Path != PathBegin || page.Query().Get("request_uri") == "" {
		b.Fatalf("opening %s leads to %s, want to the request's page", address, to)
	}
	request, err := grants.Find(b.Context(), b.owner, page.Query().Get("request_uri"))
	b.ok(err)
	return request
}

// answer is what an owner's browser brings a client.
func (b *bed) answer(back string) url.Values {
	b.Helper()
	rest, found := strings.CutPrefix(back, redirect+"&")
	if !found {
		b.Fatalf("the browser goes to %s, want to %s", back, redirect)
	}
	values, err := url.ParseQuery(rest)
	b.ok(err)
	return values
}

func configOf(client, redirect string) *oauth2.Config {
	return &oauth2.Config{ClientID: client, RedirectURL: redirect, Endpoint: oauth2.Endpoint{AuthURL: origin + PathAuthorize, TokenURL: origin + PathToken}}
}

// RD-45, RD-47, section 13.7: an OAuth client that knows nothing of this host goes the whole
// way with code and PKCE, reads what was approved, and renews its token.
func TestForeignClientGoesByCode(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	conf, verifier := configOf(b.redirects(typeRefresh), redirect), oauth2.GenerateVerifier()
	request := b.opens(conf.AuthCodeURL("a state & more", oauth2.S256ChallengeOption(verifier), oauth2.SetAuthURLParam("authorization_details", asks)))
	made := b.approves(request, Choices{})
	answer := b.answer(made.Back)
	if answer.Get("state") != "a state & more" || answer.Get("iss") != origin || len(answer.Get("code")) != 43 || made.Token != "" {
		t.Fatalf("got the answer %v and the token %q, want state, iss and code alone", answer, made.Token)
	}
	token, err := conf.Exchange(b.foreign(), answer.Get("code"), oauth2.VerifierOption(verifier))
	b.ok(err)
	if token.TokenType != "Bearer" || !strings.HasPrefix(token.AccessToken, "pdpp_ct_") || !strings.HasPrefix(token.RefreshToken, "pdpp_rt_") || token.ExpiresIn != 600 || token.Extra("grant_id") != made.GrantID {
		t.Errorf("got %+v, want a token of ten minutes with one to renew it", token)
	}
	details, err := json.Marshal(token.Extra("authorization_details"))
	b.ok(err)
	if !strings.Contains(string(details), `"fields":["id","title","at"]`) {
		t.Errorf("got the details %s, want what was granted", details)
	}
	text, err := b.reads(token.AccessToken)
	b.ok(err)
	if want := `{"id":"b","title":"new","at":"2026-02-01T00:00:00Z"}`; text != want {
		t.Errorf("got %s, want %s", text, want)
	}
	b.forward(10 * time.Minute)
	_, err = b.reads(token.AccessToken)
	b.code(err, desk.CodeTokenRefused)
	token.Expiry = time.Now().Add(-time.Hour) // the client's own clock says so as well
	next, err := conf.TokenSource(b.foreign(), token).Token()
	b.ok(err)
	if next.AccessToken == token.AccessToken || next.RefreshToken == token.RefreshToken {
		t.Error("got the same tokens again, want others")
	}
	if _, err := b.reads(next.AccessToken); err != nil {
		t.Errorf("the next token: got %v, want it to read", err)
	}
}

// exchanges returns the answer to a client's form at the token endpoint.
func (b *bed) exchanges(form url.Values, change ...func(*http.Request)) *sent {
	b.Helper()
	asForm := func(r *http.Request) { r.Header.Set("Content-Type", "application/x-www-form-urlencoded") }
	return b.sends(http.MethodPost, PathToken, form.Encode(), append(change, asForm)...)
}

const goodVerifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk" // of RFC 7636, appendix B

func challengeFor(verifier string) string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

func authorizeAddress(client string, change ...string) string {
	q := url.Values{
		"client_id": {client}, "response_type": {"code"}, "redirect_uri": {redirect}, "state": {"s"}, "authorization_details": {asks},
		"code_challenge": {challengeFor(goodVerifier)}, "code_challenge_method": {"S256"},
	}
	for i := 0; i < len(change); i += 2 {
		q.Set(change[i], change[i+1])
	}
	return PathAuthorize + "?" + q.Encode()
}

// coded goes the way to a code.
func (b *bed) coded(client string) (code, grantID string) {
	b.Helper()
	made := b.approves(b.opens(origin+authorizeAddress(client)), Choices{})
	return b.answer(made.Back).Get("code"), made.GrantID
}

func redemption(client, code string) url.Values {
	return url.Values{"grant_type": {typeCode}, "client_id": {client}, "code": {code}, "redirect_uri": {redirect}, "code_verifier": {goodVerifier}}
}

// RD-45.2, RD-47.3: a code is for who asked, is used once and lives a minute; shown by another
// or shown again, it ends what came of it, and its owner's record says so.
func TestCodesAreBound(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	client, other := b.redirects(), b.redirects()
	for name, change := range map[string]func(url.Values){
		"another client":   func(f url.Values) { f.Set("client_id", other) },
		"no such client":   func(f url.Values) { f.Set("client_id", "cl_none") },
		"another redirect": func(f url.Values) { f.Set("redirect_uri", "http://127.0.0.1/back") },
		"another port":     func(f url.Values) { f.Set("redirect_uri", redirect+"/") },
		"another verifier": func(f url.Values) { f.Set("code_verifier", strings.Repeat("a", 43)) },
		"the challenge":    func(f url.Values) { f.Set("code_verifier", challengeFor(goodVerifier)) },
	} {
		code, id := b.coded(client)
		wrong := redemption(client, code)
		change(wrong)
		if got := b.exchanges(wrong); got.status != http.StatusBadRequest || got.error() != codeGrant {
			t.Errorf("%s: got %d %s, want invalid_grant", name, got.status, got.text)
		}
		if got := b.exchanges(redemption(client, code)); got.error() != codeGrant {
			t.Errorf("after %s: got %d %s, want the code to be spent", name, got.status, got.text)
		}
		b.ended(id, "grants.code_refused")
	}

	// An incomplete form spends nothing.
	code, id := b.coded(client)
	for _, name := range []string{"grant_type", "client_id", "code_verifier"} {
		form := redemption(client, code)
		form.Del(name)
		if got := b.exchanges(form); got.status != http.StatusBadRequest {
			t.Errorf("without %s: got %d %s, want 400", name, got.status, got.text)
		}
	}
	twice := redemption(client, code)
	twice.Add("code", code)
	for name, got := range map[string]*sent{
		"a code twice":      b.exchanges(twice),
		"another kind":      b.exchanges(url.Values{"grant_type": {"password"}, "client_id": {client}}),
		"a client's secret": b.exchanges(redemption(client, code), func(r *http.Request) { r.SetBasicAuth(client, "") }),
		"a short verifier":  b.exchanges(url.Values{"grant_type": {typeCode}, "client_id": {client}, "code": {code}, "redirect_uri": {redirect}, "code_verifier": {"x"}}),
	} {
		if got.status != http.StatusBadRequest || got.error() == codeGrant {
			t.Errorf("%s: got %d %s, want 400", name, got.status, got.text)
		}
	}
	got := b.exchanges(redemption(client, code))
	if got.status != http.StatusOK || got.head.Get("Pragma") != "no-cache" || got.string("refresh_token") != "" || got.body["expires_in"] != 2592000.0 {
		t.Fatalf("got %d %s, want a token of 30 days, and none to renew it (RD-47.1)", got.status, got.text)
	}
	if _, err := b.reads(got.string("access_token")); err != nil {
		t.Errorf("got %v, want the token to read", err)
	}
	if again := b.exchanges(redemption(client, code)); again.error() != codeGrant {
		t.Errorf("shown again: got %d %s, want invalid_grant", again.status, again.text)
	}
	_, err := b.reads(got.string("access_token"))
	b.code(err, desk.CodeRevoked)
	b.ended(id, "grants.code_replayed")

	code, _ = b.coded(client)
	b.forward(time.Minute)
	if got := b.exchanges(redemption(client, code)); got.error() != codeGrant {
		t.Errorf("after a minute: got %d %s, want invalid_grant", got.status, got.text)
	}
}

// ended fails the test unless a grant has ended, and its owner is told why.
func (b *bed) ended(id, operation string) {
	b.Helper()
	shown, err := grants.Show(b.Context(), b.owner, id)
	b.ok(err)
	page, err := b.owner.AuditEvents(b.Context(), owner.AuditQuery{Operation: operation})
	b.ok(err)
	page.Events = slices.DeleteFunc(page.Events, func(e owner.AuditEvent) bool { return e.Subject != id })
	if shown.State != grants.Revoked || len(page.Events) != 1 || page.Events[0].Actor != "client" {
		b.Errorf("%s: got %s with the events %+v, want it revoked with one event %s", id, shown.State, page.Events, operation)
	}
}

// RD-47: the tokens of a grant are for the resource that its owner was asked for, by its code and by each
// refresh token; a request that names another resource spends nothing. The address that the code was
// brought to is compared where it is sent (OAuth 2.1, section 4.1.3).
func TestTokensAreForTheirResource(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	client := b.redirects(typeRefresh)
	for asked, refused := range map[string]string{"": "", origin: origin + PathMCP, origin + PathMCP: origin} {
		code := b.answer(b.approves(b.opens(origin+authorizeAddress(client, "resource", asked)), Choices{}).Back).Get("code")
		form := redemption(client, code)
		form.Del("redirect_uri")
		renewal := url.Values{"grant_type": {typeRefresh}, "client_id": {client}}
		for _, form := range []url.Values{form, renewal} {
			for _, other := range []string{"https://evil.example", refused} {
				form.Set("resource", other)
				if got := b.exchanges(form); other != "" && (got.status != http.StatusBadRequest || got.error() != codeTarget) {
					t.Errorf("asked for %q, %s for %q: got %d %s, want invalid_target", asked, form.Get("grant_type"), other, got.status, got.text)
				} else if other == "" {
					renewal.Set("refresh_token", got.string("refresh_token"))
				}
			}
			if refused == "" { // it took the token above
				continue
			}
			form.Set("resource", strings.ToUpper(asked[:7])+asked[7:]+"/") // equal, and written otherwise
			got := b.exchanges(form)
			if got.status != http.StatusOK {
				t.Fatalf("asked for %q, %s: got %d %s, want tokens", asked, form.Get("grant_type"), got.status, got.text)
			}
			renewal.Set("refresh_token", got.string("refresh_token"))
		}
	}
}

// RFC 6749, section 3.1.2.3: a client that has registered one address need not send it.
func TestTheOneAddressOfAClient(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	got := b.posts(PathRegister, object{"client_name": "A web app", "redirect_uris": []string{redirect}})
	client := got.string("client_id")
	code := b.answer(b.approves(b.opens(origin+authorizeAddress(client, "redirect_uri", "")), Choices{}).Back).Get("code")
	if got := b.exchanges(redemption(client, code)); got.status != http.StatusOK {
		t.Errorf("got %d %s, want tokens", got.status, got.text)
	}
}

// RD-45.2: of many who show one code at once, one gets tokens, and then the grant has ended.
func TestCodeRace(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	client := b.redirects(typeRefresh)
	code, id := b.coded(client)
	won := race(func() bool {
		issued, err := b.desk.RedeemCode(t.Context(), b.face.witnessOf("192.0.2.1"), desk.CodeShown{Code: code, ClientID: client, Redirect: redirect, Verifier: goodVerifier})
		return err == nil && issued.Token != ""
	})
	if won != 1 {
		t.Errorf("got %d winners, want 1", won)
	}
	b.ended(id, "grants.code_replayed")
}

// RD-45.3: a client that says nothing of what it wants gets what its owner chooses, and
// nothing is chosen for it.
func TestOpenRequestByBrowser(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	conf := configOf(b.redirects(), redirect)
	request := b.opens(conf.AuthCodeURL("s", oauth2.S256ChallengeOption(goodVerifier), oauth2.SetAuthURLParam("resource", origin+PathMCP)))
	_, err := grants.Review(t.Context(), b.owner, request, Choices{})
	b.code(err, grants.CodeChoice)
	made := b.approves(request, Choices{Connector: "notes", Streams: []grant.Choice{{Name: "notes", Fields: []string{"id"}}}})
	token, err := conf.Exchange(b.foreign(), b.answer(made.Back).Get("code"), oauth2.VerifierOption(goodVerifier))
	b.ok(err)
	text, err := b.reads(token.AccessToken)
	b.ok(err)
	if want := `{"id":"b"} {"id":"a"}`; text != want {
		t.Errorf("got %s, want %s", text, want)
	}
}

// RD-45.1: no browser is sent anywhere but to a page of this host before its owner has
// decided; the page is told a code, and nothing that a stranger wrote.
func TestNobodyIsSentElsewhere(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	client := b.redirects()
	for want, address := range map[string]string{
		"invalid_client":                authorizeAddress("cl_none"),
		"invalid_redirect_uri":          authorizeAddress(client, "redirect_uri", "https://evil.example/"),
		"invalid_request":               PathAuthorize + "?client_id=" + client + "&request_uri=urn:pdpp:pending-consent:x",
		"unsupported_response_type":     authorizeAddress(client, "response_type", "token"),
		"invalid_authorization_details": authorizeAddress(client, "authorization_details", "[]"),
		"invalid_target":                authorizeAddress(client, "resource", "https://evil.example"),
		"invalid_scope":                 authorizeAddress(client, "scope", "everything"),
	} {
		got := b.sends(http.MethodGet, address, "")
		if to := got.head.Get("Location"); got.status != http.StatusSeeOther || to != PathBegin+"?refused="+want {
			t.Errorf("got %d to %s, want a page that tells %s", got.status, to, want)
		}
	}
	if got := b.sends(http.MethodGet, authorizeAddress(client, "redirect_uri", ""), ""); got.head.Get("Location") != PathBegin+"?refused=invalid_redirect_uri" {
		t.Errorf("without an address, of a client that has two: got %d to %s, want a page", got.status, got.head.Get("Location"))
	}
	for _, address := range []string{
		authorizeAddress(client, "code_challenge", ""),
		authorizeAddress(client, "code_challenge_method", "plain"), authorizeAddress(client, "code_challenge", goodVerifier+"x"), authorizeAddress(client) + "&state=again",
		authorizeAddress(client, "state", strings.Repeat("s", 1025)), PathAuthorize, PathAuthorize + "?%zz",
	} {
		if got := b.sends(http.MethodGet, address, ""); got.head.Get("Location") != PathBegin+"?refused=invalid_request" {
			t.Errorf("%.80s: got %d to %s, want a page", address, got.status, got.head.Get("Location"))
		}
	}
	image := func(r *http.Request) { r.Header.Set("Sec-Fetch-Dest", "image") }
	if got := b.sends(http.MethodGet, authorizeAddress(client), "", image); got.head.Get("Location") != PathBegin+"?refused=invalid_request" {
		t.Errorf("an image of another page's: got %d to %s, want nothing to be asked", got.status, got.head.Get("Location"))
	}
	all, err := grants.Requests(t.Context(), b.owner)
	b.ok(err)
	if len(all) != 0 {
		t.Errorf("got %d requests, want none of what was refused", len(all))
	}
	b.opens(origin + authorizeAddress(client, "more", "is passed over", "resource", origin+PathMCP, "scope", scopeRead))
	b.opens(origin + authorizeAddress(client, "redirect_uri", "http://127.0.0.1:5555/back")) // a port that the system chose

	// A request that was pushed is found by its own client alone, and by a browser.
	q, err := url.ParseQuery(strings.TrimPrefix(authorizeAddress(client), PathAuthorize+"?"))
	b.ok(err)
	pushed := b.sends(http.MethodPost, PathPush, q.Encode(), func(r *http.Request) { r.Header.Set("Content-Type", "application/x-www-form-urlencoded") })
	uri := url.QueryEscape(pushed.string("request_uri"))
	b.opens(origin + PathAuthorize + "?client_id=" + client + "&request_uri=" + uri)
	if got := b.sends(http.MethodGet, PathAuthorize+"?client_id=pdpp_cli&request_uri="+uri, ""); got.head.Get("Location") != PathBegin+"?refused=invalid_request" {
		t.Errorf("another client's: got %d to %s, want a page", got.status, got.head.Get("Location"))
	}
	if got := b.posts(PathConnect, object{"resource": origin, "client_id": client, "request_uri": pushed.string("request_uri")}); got.status != http.StatusBadRequest {
		t.Errorf("waiting for a request that a browser answers: got %d %s, want 400", got.status, got.text)
	}
}

// RD-45: a refusal is brought to the client by the browser, and an approval that is sent
// twice within its minute brings a code that works.
func TestAnswersByBrowser(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	client := b.redirects()
	back, err := grants.Refuse(t.Context(), b.owner, b.opens(origin+authorizeAddress(client)))
	b.ok(err)
	if got := b.answer(back); got.Get("error") != "access_denied" || got.Get("state") != "s" || got.Get("iss") != origin || got.Get("code") != "" {
		t.Errorf("got the answer %v, want access_denied", got)
	}
	request := b.opens(origin + authorizeAddress(client, "state", ""))
	r, err := grants.Review(t.Context(), b.owner, request, Choices{})
	b.ok(err)
	approve := func() url.Values {
		made, err := grants.Approve(t.Context(), b.owner, grants.Approval{RequestID: request, Revision: r.Revision})
		b.ok(err)
		return b.answer(made.Back)
	}
	first, second := approve(), approve()
	if first.Has("state") || first.Get("code") == second.Get("code") {
		t.Errorf("got %v and %v, want another code and no state", first, second)
	}
	if got := b.exchanges(redemption(client, first.Get("code"))); got.error() != codeGrant {
		t.Errorf("the former code: got %d %s, want invalid_grant", got.status, got.text)
	}
	if got := b.exchanges(redemption(client, second.Get("code"))); got.status != http.StatusOK {
		t.Errorf("the newest code: got %d %s, want a token", got.status, got.text)
	}
	made, err := grants.Approve(t.Context(), b.owner, grants.Approval{RequestID: request, Revision: r.Revision})
	b.ok(err)
	if made.Back != "" {
		t.Errorf("after it was used: got %s, want no further code", made.Back)
	}
}

// RD-48.1: neither a code nor a refresh token is in the store or a copy of it, in the log or in an event.
func TestCodesAreNowhere(t *testing.T) {
	t.Parallel()
	pgtest.OnFile(t)
	b := newBed(t)
	client := b.redirects(typeRefresh)
	code, id := b.coded(client)
	got := b.exchanges(redemption(client, code))
	again := b.exchanges(url.Values{"grant_type": {typeRefresh}, "client_id": {client}, "refresh_token": {got.string("refresh_token")}})
	events, err := b.owner.AuditEvents(t.Context(), owner.AuditQuery{})
	b.ok(err)
	told, err := json.Marshal(events)
	b.ok(err)
	kept, copied := b.keptText(), b.backedUp()
	if !strings.Contains(kept, id) || !strings.Contains(string(told), "grants.redeem") {
		t.Fatal("the store's text does not have the grant, or no event tells of it: want all of it to be looked at")
	}
	secrets := map[string]string{"the code": code, "the verifier": goodVerifier}
	for _, s := range []*sent{got, again} {
		for _, name := range []string{"access_token", "refresh_token"} {
			secrets[name] = s.string(name)[len("pdpp_ct_"):]
			for what, secret := range secrets {
				for place, text := range map[string]string{"the store": kept, "a copy": copied, "the log": b.log.String(), "an event": string(told)} {
					if secret == "" || strings.Contains(text, secret) {
						t.Errorf("%s stands in %s, want it nowhere", what, place)
					}
				}
			}
		}
	}
}
