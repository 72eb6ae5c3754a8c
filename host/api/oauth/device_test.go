package oauth

import (
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/oauth2"

	"github.com/pdpp-host/pdpp-host/host/grant"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/access"
	"github.com/pdpp-host/pdpp-host/host/owner/grants"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/pgtest"
)

func (b *bed) sendsForm(path string, form url.Values, change ...func(*http.Request)) *sent {
	b.Helper()
	return b.sends(http.MethodPost, path, form.Encode(), append(change, func(r *http.Request) { r.Header.Set("Content-Type", "application/x-www-form-urlencoded") })...)
}

func (b *bed) startsDevice(form url.Values) *sent {
	b.Helper()
	got := b.sendsForm(PathStartDevice, form)
	if got.status != http.StatusOK {
		b.Fatalf("beginning is answered %d %s, want a device's code", got.status, got.text)
	}
	return got
}

func (b *bed) asksAsDevice(client, code string) *sent {
	b.Helper()
	return b.sendsForm(PathToken, url.Values{"grant_type": {typeDevice}, "client_id": {client}, "device_code": {code}})
}

// allowsDevice has the owner allow a device a token of theirs, which it has not fetched yet.
func (b *bed) allowsDevice(client string) (code string) {
	b.Helper()
	got := b.startsDevice(url.Values{"client_id": {client}})
	id, err := grants.EnterCode(b.Context(), b.owner, got.string("user_code"))
	b.ok(err)
	b.ok(grants.ApproveOwnerToken(b.Context(), b.owner, grants.OwnerToken{RequestID: id, Scope: access.ScopeManage}))
	return got.string("device_code")
}

// RD-46, section 13.7: an OAuth client that knows nothing of this host goes the way of a
// device: for a grant with a token to renew it, and for a token of the owner's.
func TestForeignDevice(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	client := b.redirects(typeRefresh, typeDevice)
	conf := configOf(client, "")
	conf.Endpoint.DeviceAuthURL = origin + PathStartDevice
	start := func(options ...oauth2.AuthCodeOption) *oauth2.DeviceAuthResponse {
		t.Helper()
		a, err := conf.DeviceAuth(b.foreign(), options...)
		b.ok(err)
		if a.VerificationURI != origin+PathDevice || a.VerificationURIComplete != origin+PathDevice+"?user_code="+a.UserCode || a.Interval != 5 ||
			!regexp.MustCompile("^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$").MatchString(a.UserCode) {
			t.Fatalf("got %+v, want the page and the code (RD-46.1)", a)
		}
		a.Interval = 0 // the client would wait in earnest; it asks once here
		return a
	}
	a := start(oauth2.SetAuthURLParam("authorization_details", asks))
	id, err := grants.EnterCode(t.Context(), b.owner, " "+strings.ToLower(strings.ReplaceAll(a.UserCode, "-", "")))
	b.ok(err)
	made := b.approves(id, Choices{})
	token, err := conf.DeviceAccessToken(b.foreign(), a)
	b.ok(err)
	if token.Extra("grant_id") != made.GrantID || token.RefreshToken == "" || made.Token != "" {
		t.Errorf("got %+v, want a token of the grant that can be renewed", token)
	}
	if _, err := b.reads(token.AccessToken); err != nil {
		t.Errorf("got %v, want the token to read", err)
	}

	a = start()
	id, err = grants.EnterCode(t.Context(), b.owner, a.UserCode)
	b.ok(err)
	looked, err := grants.Look(t.Context(), b.owner, id)
	b.ok(err)
	if looked.Wants != grants.WantsOwnerToken || looked.Client != "A web app" || len(looked.Offers) != 0 {
		t.Errorf("got %+v, want a token of the owner's to be asked for (RD-46.2)", looked)
	}
	b.ok(grants.ApproveOwnerToken(t.Context(), b.owner, grants.OwnerToken{RequestID: id, Scope: access.ScopeRun}))
	token, err = conf.DeviceAccessToken(b.foreign(), a)
	b.ok(err)
	who, err := access.ByToken(t.Context(), b.owner, token.AccessToken)
	b.ok(err)
	if who.Scope != access.ScopeRun || !strings.HasPrefix(token.AccessToken, "pdpp_ot_") || token.RefreshToken != "" || token.ExpiresIn != 30*24*60*60 {
		t.Errorf("got %+v of scope %s, want the owner's for 30 days", token, who.Scope)
	}
	// RD-50: it is given back as well.
	b.sendsForm(PathRevokeToken, url.Values{"token": {token.AccessToken}})
	_, err = access.ByToken(t.Context(), b.owner, token.AccessToken)
	b.code(err, access.CodeTokenRefused)
}

// RD-54: with a client that its owner forgets, the owner's tokens that it holds end. It is
// listed as long as it holds one.
func TestForgottenDevicesHoldNothing(t *testing.T) {
	t.Parallel()
	for _, client := range []string{"registered", "pdpp_cli"} {
		b := newBed(t)
		if client != "pdpp_cli" {
			client = b.redirects(typeDevice)
		}
		token := b.asksAsDevice(client, b.allowsDevice(client)).string("access_token")
		_, err := access.ByToken(t.Context(), b.owner, token)
		b.ok(err)
		b.forward(8 * 24 * time.Hour)
		b.registers("another") // forgets those that hold nothing
		all, err := grants.Clients(t.Context(), b.owner)
		b.ok(err)
		if !slices.ContainsFunc(all, func(c grants.Client) bool { return c.ID == client }) {
			t.Errorf("got %+v, want %s, which has a token, among them", all, client)
		}
		b.ok(grants.RemoveClient(t.Context(), b.owner, client))
		_, err = access.ByToken(t.Context(), b.owner, token)
		b.code(err, access.CodeTokenRefused)
	}
}

// An owner's token that was approved and not fetched is refused once its client is forgotten.
func TestForgottenDevicesFetchNothing(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	client := b.redirects(typeDevice)
	code := b.allowsDevice(client)
	b.ok(grants.RemoveClient(t.Context(), b.owner, client))
	if late := b.asksAsDevice(client, code); late.error() != codeDenied {
		t.Errorf("got %d %s, want it denied", late.status, late.text)
	}
}

// RD-46.3: a device is told in the words of RFC 8628 what became of its code, and gets its
// token once.
func TestDeviceWaits(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	const client = "pdpp_cli"
	form := url.Values{"client_id": {client}, "authorization_details": {asks}}
	got := b.startsDevice(form)
	code := got.string("device_code")
	says := func(when, want string) *sent {
		t.Helper()
		got := b.asksAsDevice(client, code)
		if got.error() != want || want != "" && got.status != http.StatusBadRequest {
			t.Errorf("%s: got %d %s, want %q", when, got.status, got.text, want)
		}
		return got
	}
	says("at first", "authorization_pending")
	b.forward(4 * time.Second)
	says("too early", "slow_down")
	b.forward(9 * time.Second)
	says("too early again", "slow_down")
	b.forward(15 * time.Second)
	says("after the longer interval", "authorization_pending")
	if other := b.asksAsDevice(b.registers("another"), code); other.error() != codeGrant {
		t.Errorf("another client: got %d %s, want invalid_grant", other.status, other.text)
	}
	if poll := b.polls(code); poll.error() != codeGrant {
		t.Errorf("at the poll of others: got %d %s, want invalid_grant", poll.status, poll.text)
	}
	id, err := grants.EnterCode(t.Context(), b.owner, got.string("user_code"))
	b.ok(err)
	b.approves(id, Choices{})
	if first := says("approved", ""); first.status != http.StatusOK || first.string("access_token") == "" {
		t.Errorf("got %d %s, want a token", first.status, first.text)
	}
	b.forward(2 * time.Minute)
	says("again", codeGrant)

	got = b.startsDevice(form)
	code = got.string("device_code")
	id, err = grants.EnterCode(t.Context(), b.owner, got.string("user_code"))
	b.ok(err)
	back, err := grants.Refuse(t.Context(), b.owner, id)
	b.ok(err)
	if back != "" {
		t.Errorf("got sent to %q, want a device's owner to stay", back)
	}
	says("refused", "access_denied")

	got = b.startsDevice(form)
	code = got.string("device_code")
	b.forward(10 * time.Minute)
	says("too late", "expired_token")
	_, err = grants.EnterCode(t.Context(), b.owner, got.string("user_code"))
	b.code(err, grants.CodeUserCode)
	if got := b.asksAsDevice(client, "none"); got.error() != codeGrant {
		t.Errorf("an unknown code: got %d %s, want invalid_grant", got.status, got.text)
	}
	for _, name := range []string{"ｐｄｐｐ", "a\u3164b", "e\u0301"} {
		got := b.sendsForm(PathStartDevice, url.Values{"client_id": {client}, "client_display": {name}})
		if got.status != http.StatusBadRequest || got.error() != "invalid_request" || !strings.Contains(got.text, "client's name") {
			t.Errorf("the name %+q: got %d %s, want a refusal of the name", name, got.status, got.text)
		}
	}
	for want, form := range map[string]url.Values{"invalid_request": {}, "invalid_client": {"client_id": {"cl_none"}}, "invalid_target": {"client_id": {client}, "resource": {"https://evil.example"}}} {
		if got := b.sendsForm(PathStartDevice, form); got.status != http.StatusBadRequest || got.error() != want {
			t.Errorf("got %d %s, want %s", got.status, got.text, want)
		}
	}
}

// RD-46.1, RD-46.2: nothing of a device is approved before its code was typed, in whatever
// face its request is found, and guessing ends after ten codes, until an hour is over.
func TestDeviceCodesAreTyped(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	shown := b.startsDevice(url.Values{"client_id": {"pdpp_cli"}, "authorization_details": {asks}})
	all, err := grants.Requests(t.Context(), b.owner)
	b.ok(err)
	if len(all) != 1 || !all[0].NeedsCode || all[0].Code != "" {
		t.Fatalf("got %+v, want a request that tells no code", all)
	}
	r, err := grants.Review(t.Context(), b.owner, all[0].ID, Choices{})
	b.ok(err)
	_, err = grants.Approve(t.Context(), b.owner, grants.Approval{RequestID: all[0].ID, Revision: r.Revision, Shows: true})
	b.code(err, grants.CodeNeeded)
	b.startsDevice(url.Values{"client_id": {"pdpp_cli"}})
	all, err = grants.Requests(t.Context(), b.owner)
	b.ok(err)
	for i := range all {
		if all[i].Wants == grants.WantsOwnerToken {
			b.code(grants.ApproveOwnerToken(t.Context(), b.owner, grants.OwnerToken{RequestID: all[i].ID, Scope: access.ScopeRead}), grants.CodeNeeded)
			_, err := grants.Review(t.Context(), b.owner, all[i].ID, Choices{Connector: "notes", Streams: []grant.Choice{{Name: "notes"}}})
			if err == nil {
				_, err = grants.Approve(t.Context(), b.owner, grants.Approval{RequestID: all[i].ID, Revision: "x"})
			}
			if err == nil {
				t.Error("a request for a token of the owner's became a grant, want it refused")
			}
		}
	}
	for range 10 {
		_, err := grants.EnterCode(t.Context(), b.owner, "BBBB-BBBB")
		b.code(err, grants.CodeUserCode)
	}
	_, err = grants.EnterCode(t.Context(), b.owner, shown.string("user_code"))
	b.code(err, grants.CodeUserCodes)
	b.forward(time.Hour)
	again := b.startsDevice(url.Values{"client_id": {"pdpp_cli"}})
	if _, err = grants.EnterCode(t.Context(), b.owner, again.string("user_code")); err != nil {
		t.Errorf("after an hour: got %v, want the code to be taken", err)
	}
}

// RD-48.1: neither a device's code nor the one that its owner types is in the store, in the
// log or in an event.
func TestDeviceCodesAreNowhere(t *testing.T) {
	t.Parallel()
	pgtest.OnFile(t)
	b := newBed(t)
	shown := b.startsDevice(url.Values{"client_id": {"pdpp_cli"}})
	id, err := grants.EnterCode(t.Context(), b.owner, shown.string("user_code"))
	b.ok(err)
	_, err = grants.EnterCode(t.Context(), b.owner, "HHHH-HHHH")
	b.code(err, grants.CodeUserCode)
	b.ok(grants.ApproveOwnerToken(t.Context(), b.owner, grants.OwnerToken{RequestID: id, Scope: access.ScopeRead}))
	token := b.asksAsDevice("pdpp_cli", shown.string("device_code")).string("access_token")
	if token == "" {
		t.Fatal("got no token, want one")
	}
	events, err := b.owner.AuditEvents(t.Context(), owner.AuditQuery{})
	b.ok(err)
	told, err := json.Marshal(events)
	b.ok(err)
	kept := b.keptText()
	if !strings.Contains(kept, id) || !strings.Contains(string(told), "tokens.approve") {
		t.Fatal("the store's text does not have the request, or no event tells of it: want all of it to be looked at")
	}
	for name, secret := range map[string]string{
		"the device's code": shown.string("device_code"), "the typed code": shown.string("user_code"), "a wrong code": "HHHH-HHHH", "the token": strings.TrimPrefix(token, "pdpp_ot_"),
	} {
		for place, text := range map[string]string{"the store": kept, "the log": b.log.String(), "an event": string(told)} {
			if strings.Contains(text, secret) {
				t.Errorf("%s stands in %s, want it nowhere", name, place)
			}
		}
	}
}
