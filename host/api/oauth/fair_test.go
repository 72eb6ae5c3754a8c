package oauth

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/host/grant/desk"
)

// onlyAtOnce leaves so many turns at once to those that show nothing, and has nobody wait for one: the clock stands.
func (b *bed) onlyAtOnce(n int) {
	b.face.shares.strangers.Burst, b.face.shares.strangers.Patience = float64(n), 0
}

// strangersAsk has strangers take all turns of those that show nothing.
func (b *bed) strangersAsk() {
	b.Helper()
	const all = 50
	b.onlyAtOnce(all)
	for range all {
		b.polls("a code that is none")
	}
	if got := b.polls("a code that is none"); got.status != http.StatusTooManyRequests || strings.Contains(got.text, "this address") {
		b.Errorf("one stranger more: got %d %s, want 429 that blames no address", got.status, got.text)
	}
}

// RD-57, invariant of shares: strangers who ask as much as they may keep nobody waiting who shows what this host gave
// out: a code, a device's code, a refresh token, a polling code, an address of a request, a token that is given back.
func TestWhoShowsProofPassesStrangers(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	client := b.redirects(typeRefresh, typeDevice)
	code, _ := b.coded(client)
	renewable, _ := b.coded(client)
	refresh := b.exchanges(redemption(client, renewable)).string("refresh_token")
	token, _ := b.granted()
	polling, _ := b.connects(object{"client_name": "It waits"})
	asked, err := url.ParseQuery(strings.TrimPrefix(authorizeAddress(client), PathAuthorize+"?"))
	b.ok(err)
	uri := b.sendsForm(PathPush, asked).string("request_uri")
	device := b.startsDevice(url.Values{"client_id": {client}}).string("device_code")
	b.forward(desk.DeviceInterval)
	b.strangersAsk()
	for name, c := range map[string]struct {
		ask  func() *sent
		want int
	}{
		"a code": {func() *sent { return b.exchanges(redemption(client, code)) }, http.StatusOK},
		"a refresh token": {func() *sent {
			return b.exchanges(url.Values{"grant_type": {typeRefresh}, "client_id": {client}, "refresh_token": {refresh}})
		}, http.StatusOK},
		"a device's code": {func() *sent { return b.asksAsDevice(client, device) }, http.StatusBadRequest},
		"a polling code":  {func() *sent { return b.polls(polling) }, http.StatusAccepted},
		"a token":         {func() *sent { return b.sendsForm(PathRevokeToken, url.Values{"token": {token}}) }, http.StatusOK},
		"a request's page": {func() *sent {
			return b.sends(http.MethodGet, PathAuthorize+"?client_id="+client+"&request_uri="+url.QueryEscape(uri), "")
		}, http.StatusSeeOther},
	} {
		got := c.ask()
		if got.status != c.want || strings.Contains(got.head.Get("Location"), "refused") {
			t.Errorf("%s: got %d %s to %q, want %d", name, got.status, got.text, got.head.Get("Location"), c.want)
		}
	}
}

// RD-57: whoever shows the same proof again and again is told to wait, and nobody else is.
func TestProofIsBounded(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	client := b.redirects(typeRefresh, typeDevice)
	one := b.startsDevice(url.Values{"client_id": {client}}).string("device_code")
	another := b.startsDevice(url.Values{"client_id": {client}}).string("device_code")
	var last *sent
	for range 30 {
		last = b.asksAsDevice(client, one)
	}
	if last.status != http.StatusTooManyRequests {
		t.Errorf("the same code thirty times at once: got %d %s, want 429", last.status, last.text)
	}
	if got := b.asksAsDevice(client, another); got.error() != "authorization_pending" {
		t.Errorf("another code: got %d %s, want it to wait for its owner", got.status, got.text)
	}
}
