package oauth

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/grant"
	"github.com/pdpp-host/pdpp-host/host/grant/desk"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/grants"
	"github.com/pdpp-host/pdpp-host/host/read"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/pgtest"
)

// Choices is what an owner chooses.
type Choices = grant.Choices

// RD-38, RD-41, RD-44.1, RD-43: a client that knows the address alone finds the way, pushes
// what it wants, waits for its owner, and reads exactly what was approved.
func TestAClientConnectsAndReads(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	resource := b.sends(http.MethodGet, PathResource, "")
	if resource.status != http.StatusOK || resource.string("resource") != origin || resource.string("pdpp_core_query_base") != origin+"/v1" {
		t.Fatalf("got %d %s, want the resource %s", resource.status, resource.text, origin)
	}
	server := b.sends(http.MethodGet, PathServer, "")
	for name, path := range map[string]string{"pushed_authorization_request_endpoint": PathPush, "registration_endpoint": PathRegister, "agent_connect_endpoint": PathConnect} {
		if server.string(name) != origin+path {
			t.Errorf("got the %s %q, want %s", name, server.string(name), origin+path)
		}
	}
	client := b.registers("An app")
	uri := b.pushes(client, asks)
	got := b.posts(PathConnect, object{"resource": origin, "scope": "pdpp:read", "client_id": client, "request_uri": uri})
	if got.status != http.StatusCreated || got.body["interval_ms"] != 2000.0 || got.body["interval"] != 2.0 || got.body["expires_in"] != 600.0 || got.string("poll_url") != origin+PathPoll {
		t.Fatalf("got %d %s, want an attempt with interval_ms", got.status, got.text)
	}
	if !strings.HasPrefix(got.string("approval_url"), origin+PathConsent+"?request_uri="+url.QueryEscape(uri)) || got.head.Get("Pragma") != "no-cache" {
		t.Errorf("got the page %q and Pragma %q, want the request's and no-cache (RD-04.3)", got.string("approval_url"), got.head.Get("Pragma"))
	}
	polling := got.string("polling_code")
	if got := b.polls(polling); got.status != http.StatusAccepted || got.error() != "authorization_pending" {
		t.Errorf("before the owner decides: got %d %s, want 202", got.status, got.text)
	}
	all, err := grants.Requests(t.Context(), b.owner)
	b.ok(err)
	if len(all) != 1 || all[0].Client != "An app" || !all[0].Awaited || len(all[0].Code) != 9 {
		t.Fatalf("got the requests %+v, want the app's", all)
	}
	if r, err := grants.Look(t.Context(), b.owner, all[0].ID); err != nil || r.Asks == nil {
		t.Fatalf("got %+v, %v, want what the app asks for", r, err)
	}
	made := b.approves(all[0].ID, Choices{Streams: []grant.Choice{{Name: "notes", Fields: []string{"title"}}}, Expires: "1d"})
	if made.Token != "" {
		t.Error("the owner was shown the token of an app that waits, want nobody but the app to get it")
	}
	b.forward(desk.Interval)
	first := b.polls(polling)
	token := first.string("access_token")
	if first.status != http.StatusOK || first.string("token_type") != "Bearer" || first.string("grant_id") != made.GrantID || !strings.HasPrefix(token, "pdpp_ct_") || len(token) != 51 {
		t.Fatalf("got %d %s, want a token of %s", first.status, first.text, made.GrantID)
	}
	if first.string("expires_at") != "2026-03-02T12:00:00Z" {
		t.Errorf("the token ends %s, want it to end with its grant", first.string("expires_at"))
	}
	text, err := b.reads(token)
	b.ok(err)
	if want := `{"id":"b","title":"new"}`; text != want {
		t.Errorf("got %s, want %s: the fields and the time that were approved", text, want)
	}
	who, err := b.desk.Admit(t.Context(), token)
	b.ok(err)
	_, err = b.read.List(t.Context(), who.Scope, read.List{From: read.From{Stream: "diary"}})
	b.code(err, read.CodeNotGranted)
	shown, err := grants.Show(t.Context(), b.owner, made.GrantID)
	b.ok(err)
	if len(shown.Records) != 1 || shown.Records[0].Count == nil || *shown.Records[0].Count != 1 || shown.UsedAt == nil {
		t.Errorf("got %+v, used %v, want one record that the app can read, and its use", shown.Records, shown.UsedAt)
	}

	// RD-44.4: a lost answer comes again within a minute, and no longer.
	b.forward(59 * time.Second)
	if again := b.polls(polling); again.string("access_token") != token {
		t.Errorf("within a minute: got %d %s, want the same token", again.status, again.text)
	}
	b.forward(time.Minute)
	if late := b.polls(polling); late.status != http.StatusUnauthorized || late.error() != "invalid_grant" {
		t.Errorf("after it: got %d %s, want 401 invalid_grant", late.status, late.text)
	}
}

// RD-44.2, RD-44.5: a client that asks for nothing gets what its owner chooses, and nothing
// is chosen for it.
func TestOpenConnect(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	polling, request := b.connects(object{"client_name": "Another app"})
	for _, c := range []Choices{{}, {Connector: "notes"}, {Connector: "notes", Streams: []grant.Choice{{Name: "gone"}}}} {
		_, err := grants.Review(t.Context(), b.owner, request, c)
		b.code(err, grants.CodeChoice)
	}
	b.approves(request, Choices{Connections: []string{"mine"}, Streams: []grant.Choice{{Name: "notes", Fields: []string{"title"}}}})
	got := b.polls(polling)
	if got.string("expires_at") != "2026-03-31T12:00:00Z" {
		t.Errorf("got %d %s, want a token of 30 days", got.status, got.text)
	}
	text, err := b.reads(got.string("access_token"))
	b.ok(err)
	if want := `{"id":"b","title":"new"} {"id":"a","title":"old"}`; text != want {
		t.Errorf("got %s, want %s", text, want)
	}
}

// RD-02.3, RD-02.5, RD-36, RD-48.3: what ended is refused at the next request, with why, and
// a token that there is none of as one that was never made.
func TestEndedGrants(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	token, id := b.granted()
	other, _ := b.granted()
	for _, wrong := range []string{"", "x", token + "x", token[:len(token)-1], strings.ToUpper(token), strings.Repeat("a", 1<<16)} {
		_, err := b.desk.Admit(t.Context(), wrong)
		b.code(err, desk.CodeTokenRefused)
	}
	b.ok(grants.Revoke(t.Context(), b.owner, id))
	b.ok(grants.Revoke(t.Context(), b.owner, id))
	_, err := b.reads(token)
	b.code(err, desk.CodeRevoked)
	if _, err := b.reads(other); err != nil {
		t.Errorf("another grant: got %v, want it to hold", err)
	}
	b.code(grants.Revoke(t.Context(), b.owner, "grt_none"), grants.CodeUnknown)
	b.forward(30*24*time.Hour - time.Second)
	if _, err := b.reads(other); err != nil {
		t.Errorf("before its end: got %v, want the grant to hold", err)
	}
	b.forward(time.Second)
	_, err = b.reads(other)
	b.code(err, desk.CodeExpired)
	states := ""
	all, err := grants.List(t.Context(), b.owner)
	b.ok(err)
	for i := range all {
		states += all[i].State + ";"
	}
	if states != "expired;revoked;" && states != "revoked;expired;" {
		t.Errorf("got the states %s, want one revoked and one expired", states)
	}
}

// RD-50: a client ends its own grant, as often as it asks, and no other.
func TestClientRevokesItsOwn(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	token, id := b.granted()
	other, otherID := b.granted()
	as := func(token string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token) }
	}
	for _, c := range []struct {
		token, grant string
		status       int
	}{{"", id, 401}, {"pdpp_ct_x", id, 401}, {other, id, 404}, {other, "grt_none", 404}, {token, id, 200}, {token, id, 200}} {
		if got := b.posts("/grants/"+c.grant+"/revoke", object{}, as(c.token)); got.status != c.status {
			t.Errorf("%s of %s: got %d %s, want %d", c.token, c.grant, got.status, got.text, c.status)
		}
	}
	page, err := b.owner.AuditEvents(t.Context(), owner.AuditQuery{Operation: "grants.revoke"})
	b.ok(err)
	if events := page.Events; len(events) != 1 || events[0].Subject != id || events[0].Actor != "client" || !strings.HasPrefix(events[0].Address, "192.0.") || events[0].Outcome != "done" {
		t.Errorf("got the events %+v, want one of the client's", page.Events)
	}
	_, err = b.reads(token)
	b.code(err, desk.CodeRevoked)
	if strings.Contains(err.Error(), "owner has") {
		t.Errorf("got %v, want nothing of the owner: the client did it", err)
	}
	if _, err := b.reads(other); err != nil {
		t.Errorf("the grant %s: got %v, want it to hold", otherID, err)
	}
}

// RD-43.1, RD-43.3: only the last review can be approved, while its connections are as they
// were, once, and in time. The same approval sent twice gives one grant and one token.
func TestApprovals(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	ctx := t.Context()
	client := b.registers("An app")
	next := func() (polling, request string) {
		t.Helper()
		return b.connects(object{"client_id": client, "request_uri": b.pushes(client, asks)})
	}
	review := func(request string, c Choices) string {
		t.Helper()
		r, err := grants.Review(ctx, b.owner, request, c)
		b.ok(err)
		return r.Revision
	}
	approve := func(request, revision string, want abi.Code) {
		t.Helper()
		if _, err := grants.Approve(ctx, b.owner, grants.Approval{RequestID: request, Revision: revision, Shows: true}); abi.CodeOf(err) != want {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	polling, request := next()
	approve(request, "", grants.CodeApproval)
	approve(request, strings.Repeat("0", 64), grants.CodeApproval)
	stale := review(request, Choices{})
	now := review(request, Choices{Expires: "1d"})
	approve(request, stale, grants.CodeApproval) // a form of before
	b.accept("mine", strings.Replace(manifest, "1.0.0", "1.1.0 ", 1))
	approve(request, now, grants.CodeApproval) // another module since
	now = review(request, Choices{Expires: "1d"})
	first, err := grants.Approve(ctx, b.owner, grants.Approval{RequestID: request, Revision: now})
	b.ok(err)
	again, err := grants.Approve(ctx, b.owner, grants.Approval{RequestID: request, Revision: now, Shows: true})
	b.ok(err)
	if again.GrantID != first.GrantID || again.Token != "" {
		t.Errorf("sent twice: got %+v, want %s and no token", again, first.GrantID)
	}
	approve(request, stale, grants.CodeApproval)
	b.forward(time.Minute)
	approve(request, now, grants.CodeDecided)
	_, err = grants.Refuse(ctx, b.owner, request)
	b.code(err, grants.CodeDecided)
	if got := b.polls(polling); got.status != http.StatusOK {
		t.Errorf("got %d %s, want the token of the first approval", got.status, got.text)
	}

	// Between approval and the client's next question its owner changes their mind.
	polling, request = next()
	made := b.approves(request, Choices{})
	b.ok(grants.Revoke(ctx, b.owner, made.GrantID))
	if got := b.polls(polling); got.status != http.StatusUnauthorized {
		t.Errorf("revoked before it was asked for: got %d %s, want 401", got.status, got.text)
	}

	polling, request = next()
	_, err = grants.Refuse(ctx, b.owner, request)
	b.ok(err)
	if got := b.polls(polling); got.status != http.StatusForbidden || got.error() != "access_denied" {
		t.Errorf("refused: got %d %s, want 403 access_denied", got.status, got.text)
	}

	polling, request = next()
	now = review(request, Choices{})
	b.forward(desk.RequestLife)
	approve(request, now, grants.CodeExpired)
	if got := b.polls(polling); got.status != http.StatusBadRequest || got.error() != "expired_token" {
		t.Errorf("too late: got %d %s, want 400 expired_token", got.status, got.text)
	}

	// Nobody waits: the token is shown where it can be, and otherwise nothing is approved.
	request, err = grants.Find(ctx, b.owner, b.pushes(client, asks))
	b.ok(err)
	now = review(request, Choices{})
	if _, err := grants.Approve(ctx, b.owner, grants.Approval{RequestID: request, Revision: now}); abi.CodeOf(err) != desk.CodeNobodyWaits {
		t.Errorf("got %v, want %s", err, desk.CodeNobodyWaits)
	}
	shown, err := grants.Approve(ctx, b.owner, grants.Approval{RequestID: request, Revision: now, Shows: true})
	b.ok(err)
	if _, err := b.reads(shown.Token); err != nil {
		t.Errorf("the token that was shown: got %v, want it to read", err)
	}
}

// RD-44.4: who asks too quickly waits longer each time, and who asks far too often is refused.
func TestPollingPace(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	polling, _ := b.connects(object{"client_name": "An app"})
	for i, want := range []float64{2, 4, 8, 10, 10} {
		if got := b.polls(polling); got.body["interval"] != want || got.status != http.StatusAccepted {
			t.Errorf("question %d: got %d %s, want an interval of %v", i, got.status, got.text, want)
		}
		b.forward(time.Second)
	}
	last := 0
	for range 11 {
		last = b.polls(polling).status
	}
	if last != http.StatusTooManyRequests {
		t.Errorf("eleven within a second: got %d, want 429", last)
	}
	if got := b.polls("another"); got.status != http.StatusUnauthorized || got.error() != "invalid_grant" {
		t.Errorf("an unknown code: got %d %s, want 401 invalid_grant", got.status, got.text)
	}
}

// RD-48.1: no token, no polling code and no request's address is in the store, in the log or
// in an event, nor in a copy of the store, and what the store has leads to none of them.
func TestSecretsAreNowhere(t *testing.T) {
	t.Parallel()
	pgtest.OnFile(t)
	b := newBed(t)
	client := b.registers("An app")
	uri := b.pushes(client, asks)
	polling, request := b.connects(object{"client_id": client, "request_uri": uri})
	b.approves(request, Choices{})
	token := b.polls(polling).string("access_token")
	if token == "" {
		t.Fatal("got no token, want one")
	}
	events, err := b.owner.AuditEvents(t.Context(), owner.AuditQuery{})
	b.ok(err)
	told, err := json.Marshal(events)
	b.ok(err)
	kept := b.keptText()
	copied := b.backedUp()
	if !strings.Contains(kept, request) || !strings.Contains(copied, request) {
		t.Fatal("the store's text or that of its copy does not have the request, want all of it to be looked at")
	}
	for name, secret := range map[string]string{
		"the token": token, "its random part": strings.TrimPrefix(token, "pdpp_ct_"), "the polling code": polling, "the address": uri[strings.LastIndex(uri, ":")+1:],
	} {
		for place, text := range map[string]string{"the store": kept, "a copy": copied, "the log": b.log.String(), "an event": string(told)} {
			for _, written := range encoded(secret) {
				if strings.Contains(text, written) {
					t.Errorf("%s stands in %s, want it nowhere", name, place)
				}
			}
		}
	}
}
