package oauth

import (
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/host/grant"
	"github.com/pdpp-host/pdpp-host/host/grant/desk"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/grants"
)

// RD-43.3: of one review that is approved many times at once, from several faces, one grant
// comes with one token, and each is told of it.
func TestApprovalsAtOnce(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	client := b.registers("An app")
	for range 8 {
		request, err := grants.Find(t.Context(), b.owner, b.pushes(client, asks))
		b.ok(err)
		r, err := grants.Review(t.Context(), b.owner, request, Choices{})
		b.ok(err)
		var mu sync.Mutex
		ids, tokens := map[string]bool{}, 0
		won := race(func() bool {
			made, err := grants.Approve(t.Context(), b.owner.As(owner.Actor{Face: owner.APIToken}, nil), grants.Approval{RequestID: request, Revision: r.Revision, Shows: true})
			if err != nil {
				t.Errorf("got %v, want the same grant", err)
				return false
			}
			mu.Lock()
			defer mu.Unlock()
			ids[made.GrantID] = true
			if made.Token != "" {
				tokens++
			}
			return true
		})
		if won != 16 || len(ids) != 1 || tokens != 1 {
			t.Errorf("got %d answers with %d grants and %d tokens, want 16, 1 and 1", won, len(ids), tokens)
		}
	}
}

// RD-39.3, RD-54: a client that its owner forgets has no access any more, asks for nothing, and
// registers again; one that is known without registration asks again.
func TestClientsAreForgotten(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	client := b.redirects(typeRefresh)
	code, id := b.coded(client)
	got := b.exchanges(redemption(client, code))
	pending, _ := b.connects(object{"client_id": client})
	b.pushes("pdpp_cli", asks)
	all, err := grants.Clients(t.Context(), b.owner)
	b.ok(err)
	if len(all) != 1 || all[0].ID != client || all[0].Holds != 1 || len(all[0].Redirects) != 2 {
		t.Errorf("got %+v, want the one that has registered, with its grant", all)
	}
	b.ok(grants.RemoveClient(t.Context(), b.owner, client))
	b.code(grants.RemoveClient(t.Context(), b.owner, client), grants.CodeClientUnknown)
	_, err = b.reads(got.string("access_token"))
	b.code(err, desk.CodeRevoked)
	if again := b.exchanges(url.Values{"grant_type": {typeRefresh}, "client_id": {client}, "refresh_token": {got.string("refresh_token")}}); again.error() != codeGrant {
		t.Errorf("renewed: got %d %s, want invalid_grant", again.status, again.text)
	}
	if poll := b.polls(pending); poll.error() != codeDenied {
		t.Errorf("what it asked for: got %d %s, want it refused", poll.status, poll.text)
	}
	if ask := b.sends(http.MethodGet, authorizeAddress(client), ""); ask.head.Get("Location") != PathBegin+"?refused=invalid_client" {
		t.Errorf("asking again: got %d to %s, want it unknown", ask.status, ask.head.Get("Location"))
	}
	shown, err := grants.Show(t.Context(), b.owner, id)
	b.ok(err)
	requests, err := grants.Requests(t.Context(), b.owner)
	b.ok(err)
	if shown.State != grants.Revoked || len(requests) != 1 || requests[0].ClientID != "pdpp_cli" {
		t.Errorf("got %s and the requests %+v, want it revoked and the other's alone", shown.State, requests)
	}
	page, err := b.owner.AuditEvents(t.Context(), owner.AuditQuery{Operation: "clients.remove"})
	b.ok(err)
	if len(page.Events) != 1 || page.Events[0].Subject != client {
		t.Errorf("got the events %+v, want one", page.Events)
	}
}

// race runs do 16 times at once, and counts those that win.
func race(do func() bool) (won int) {
	var wg sync.WaitGroup
	var mu sync.Mutex
	for range 16 {
		wg.Go(func() {
			if do() {
				mu.Lock()
				won++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return won
}

// RD-47.2: a refresh token is used once. Used again, and not because its answer was lost, it ends the grant with all
// its tokens, whoever of the two was the thief; the client is told to ask its owner.
func TestRefreshTokensAreUsedOnce(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	client := b.redirects(typeRefresh)
	renew := func(client, token string) *sent {
		return b.exchanges(url.Values{"grant_type": {typeRefresh}, "client_id": {client}, "refresh_token": {token}})
	}
	begin := func() (first *sent, id string) {
		code, id := b.coded(client)
		first = b.exchanges(redemption(client, code))
		if first.string("refresh_token") == "" {
			t.Fatalf("got %d %s, want a refresh token", first.status, first.text)
		}
		return first, id
	}
	first, id := begin()
	if got := renew(b.redirects(typeRefresh), first.string("refresh_token")); got.error() != codeGrant || got.body["fresh_authorization_required"] != nil {
		t.Errorf("another client: got %d %s, want invalid_grant", got.status, got.text)
	}
	for scope, want := range map[string]string{"pdpp:owner": "invalid_scope", "pdpp:read pdpp:owner": "invalid_scope"} {
		got := b.exchanges(url.Values{"grant_type": {typeRefresh}, "client_id": {client}, "refresh_token": {first.string("refresh_token")}, "scope": {scope}})
		if got.status != http.StatusBadRequest || got.error() != want {
			t.Errorf("scope %q: got %d %s, want %s", scope, got.status, got.text, want)
		}
	}
	second := b.exchanges(url.Values{"grant_type": {typeRefresh}, "client_id": {client}, "refresh_token": {first.string("refresh_token")}, "scope": {scopeRead}})
	third := renew(client, second.string("refresh_token"))
	if third.status != http.StatusOK {
		t.Fatalf("got %d %s, want another client's attempt to change nothing", third.status, third.text)
	}
	page, err := b.owner.AuditEvents(t.Context(), owner.AuditQuery{Operation: "grants.refresh"}) // RD-56
	b.ok(err)
	if len(page.Events) != 2 || page.Events[0].Subject != id {
		t.Errorf("got the events %+v, want one of each renewal", page.Events)
	}
	if got := renew(client, first.string("refresh_token")); got.status != http.StatusBadRequest || got.error() != codeGrant || got.body["fresh_authorization_required"] != true {
		t.Errorf("used again: got %d %s, want invalid_grant and a fresh authorization", got.status, got.text)
	}
	b.ended(id, "grants.refresh_replayed")
	for _, got := range []*sent{second, third} {
		_, err := b.reads(got.string("access_token"))
		b.code(err, desk.CodeRevoked)
	}
	if got := renew(client, third.string("refresh_token")); got.error() != codeGrant {
		t.Errorf("the newest one: got %d %s, want it to have ended too", got.status, got.text)
	}

	// Several at once: the last answer alone is good, and whoever has another ends the grant by its use.
	first, id = begin()
	var mu sync.Mutex
	var answers []*desk.Issued
	race(func() bool {
		issued, err := b.desk.Refresh(t.Context(), b.face.witnessOf("192.0.2.1"), client, first.string("refresh_token"), "")
		mu.Lock()
		defer mu.Unlock()
		answers = append(answers, issued)
		return err == nil
	})
	var stale *desk.Issued
	good := 0
	for _, issued := range answers {
		if issued == nil {
			t.Fatal("got no tokens, want some for each that asks at once")
		}
		if _, err := b.reads(issued.Token); err == nil {
			good++
		} else {
			stale = issued
		}
	}
	if good != 1 {
		t.Errorf("got %d tokens that are good, want 1", good)
	}
	_, err = b.desk.Refresh(t.Context(), b.face.witnessOf("192.0.2.1"), client, stale.Refresh, "")
	b.code(err, desk.CodeReplayed)
	b.ended(id, "grants.refresh_replayed")

	// It lasts as long as the grant.
	first, _ = begin()
	b.forward(29*24*time.Hour + 23*time.Hour)
	second = renew(client, first.string("refresh_token"))
	if second.status != http.StatusOK || second.body["expires_in"] != 600.0 {
		t.Errorf("before the grant's end: got %d %s, want it renewed", second.status, second.text)
	}
	b.forward(time.Hour)
	if got := renew(client, second.string("refresh_token")); got.error() != codeGrant || got.string("error_description") != "the grant has ended" {
		t.Errorf("after the grant's end: got %d %s, want invalid_grant and why", got.status, got.text)
	}
	if got := renew(client, "pdpp_rt_none"); got.error() != codeGrant {
		t.Errorf("an unknown one: got %d %s, want invalid_grant", got.status, got.text)
	}
}

// RD-48: of a grant without an end a refresh token lasts 90 days unused, and each use gives 90 more.
func TestRefreshTokensEndUnused(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	client := b.redirects(typeRefresh)
	made := b.approves(b.opens(origin+authorizeAddress(client, "authorization_details", asks)), Choices{Expires: "never"})
	got := b.exchanges(redemption(client, b.answer(made.Back).Get("code")))
	for _, c := range []struct {
		unused time.Duration
		want   int
	}{{refreshIdle - time.Minute, http.StatusOK}, {refreshIdle - time.Minute, http.StatusOK}, {refreshIdle, http.StatusBadRequest}} {
		b.forward(c.unused)
		got = b.exchanges(url.Values{"grant_type": {typeRefresh}, "client_id": {client}, "refresh_token": {got.string("refresh_token")}})
		if got.status != c.want || c.want == http.StatusBadRequest && got.error() != codeGrant {
			t.Fatalf("unused for %s: got %d %s, want %d", c.unused, got.status, got.text, c.want)
		}
	}
	if g, err := grants.Show(t.Context(), b.owner, made.GrantID); err != nil || g.State != grants.Holds {
		t.Errorf("got %+v, %v, want the grant to hold: nobody has used a token twice", g, err)
	}
}

const refreshIdle = 90 * 24 * time.Hour

// RD-48, RD-44.5, RD-35.1: a token that nothing renews lasts 30 days, and of a grant that is read once a
// day, whatever longer its owner lets the grant last.
func TestTokensLast(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	for mode, want := range map[string]time.Duration{grant.Continuous: 30 * 24 * time.Hour, grant.SingleUse: 24 * time.Hour} {
		for _, end := range []string{"never", "90d"} {
			client := b.registers("An app")
			uri := b.pushes(client, strings.Replace(asks, grant.Continuous, mode, 1))
			polling, request := b.connects(object{"client_id": client, "request_uri": uri})
			b.approves(request, Choices{Expires: end})
			got := b.polls(polling)
			if at, err := time.Parse(time.RFC3339, got.string("expires_at")); err != nil || !at.Equal(b.desk.Now().Add(want)) {
				t.Errorf("%s, %s: got %d %s, want a token of %s", mode, end, got.status, got.text, want)
			}
		}
	}
}

// RD-35.1, RD-47.1: a grant that is read once has no refresh token, and lasts a day.
func TestReadOnceIsNotRenewed(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	client := b.redirects(typeRefresh)
	once := strings.Replace(asks, "continuous", "single_use", 1)
	made := b.approves(b.opens(origin+authorizeAddress(client, "authorization_details", once)), Choices{})
	got := b.exchanges(redemption(client, b.answer(made.Back).Get("code")))
	if got.status != http.StatusOK || got.string("refresh_token") != "" || got.body["expires_in"] != 86400.0 {
		t.Errorf("got %d %s, want a token of a day and none to renew it", got.status, got.text)
	}
}

// RD-50: a token that is given back ends its grant; whether there was one is not told.
func TestTokensAreGivenBack(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	client := b.redirects(typeRefresh)
	give := func(form url.Values) *sent {
		return b.sendsForm(PathRevokeToken, form)
	}
	for _, name := range []string{"access_token", "refresh_token"} {
		code, id := b.coded(client)
		got := b.exchanges(redemption(client, code))
		for _, form := range []url.Values{{"token": {"none"}}, {"token": {got.string(name)}, "client_id": {"pdpp_cli"}}} {
			if got := give(form); got.status != http.StatusOK {
				t.Errorf("got %d %s, want 200", got.status, got.text)
			}
		}
		if _, err := b.reads(got.string("access_token")); err != nil {
			t.Errorf("got %v, want another's attempt to change nothing", err)
		}
		for range 2 {
			if got := give(url.Values{"token": {got.string(name)}, "token_type_hint": {"access_token"}, "client_id": {client}}); got.status != http.StatusOK {
				t.Errorf("got %d %s, want 200", got.status, got.text)
			}
		}
		b.ended(id, "grants.revoke")
		if again := b.exchanges(url.Values{"grant_type": {typeRefresh}, "client_id": {client}, "refresh_token": {got.string("refresh_token")}}); again.error() != codeGrant {
			t.Errorf("renewed after it was given back: got %d %s, want invalid_grant", again.status, again.text)
		}
	}
	if got := give(url.Values{}); got.status != http.StatusBadRequest {
		t.Errorf("without a token: got %d %s, want 400", got.status, got.text)
	}
	code, id := b.coded(client)
	token := b.exchanges(redemption(client, code)).string("access_token")
	basic := func(id string) *sent {
		return b.sends(http.MethodPost, PathRevokeToken, url.Values{"token": {token}}.Encode(), func(r *http.Request) {
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			r.SetBasicAuth(id, "")
		})
	}
	if got := basic(escaped("pdpp_cli")); got.status != http.StatusOK {
		t.Errorf("another's name by HTTP Basic: got %d %s, want 200", got.status, got.text)
	}
	if _, err := b.reads(token); err != nil {
		t.Errorf("got %v, want another's attempt to change nothing", err)
	}
	if got := basic(escaped(client)); got.status != http.StatusOK {
		t.Errorf("by HTTP Basic: got %d %s, want 200", got.status, got.text)
	}
	b.ended(id, "grants.revoke")
}
