package oauth

import (
	"context"
	"net/http"
	"net/netip"
	"net/url"
	"testing"
	"time"
)

// RD-57: wrong codes and tokens have the store asked by turns, so that a flood of them keeps no right one waiting: an address that
// showed a right one does not stand in line with strangers. A polling code is no right one, since anybody gets it.
func TestWrongTokensKeepNoRightOneWaiting(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	l := &b.face.shares.looks
	l.strangers.Patience = time.Millisecond
	client := b.redirects(typeCode, typeRefresh)
	code, _ := b.coded(client)
	known, polls := from("2001:db8:1::1"), from("2001:db8:2::1")
	renewed := b.exchanges(redemption(client, code), known)
	polling, _ := b.connects(object{"client_name": "It waits"})
	if got := b.posts(PathPoll, object{"polling_code": polling}, polls); got.status != http.StatusAccepted {
		t.Fatalf("got %d %s, want it to wait on", got.status, got.text)
	}
	full := func() (empty func()) {
		var leaves []func()
		for i := range looksAtOnce {
			leave, _, err := l.strangers.Enter(t.Context(), netip.PrefixFrom(netip.AddrFrom4([4]byte{192, 0, 2, byte(i)}), 32), b.face.Now)
			b.ok(err)
			leaves = append(leaves, leave)
		}
		return func() {
			for _, leave := range leaves {
				leave()
			}
		}
	}
	renew := func(token string, from func(*http.Request)) *sent {
		return b.exchanges(url.Values{"grant_type": {typeRefresh}, "client_id": {client}, "refresh_token": {token}}, from)
	}
	empty := full()
	if renewed = renew(renewed.string("refresh_token"), known); renewed.status != http.StatusOK {
		t.Errorf("an address that showed a right one: got %d %s, want its token renewed", renewed.status, renewed.text)
	}
	for name, from := range map[string]func(*http.Request){"a new address": from("2001:db8:3::1"), "one with a polling code": polls} {
		if got := renew("wrong", from); got.status != http.StatusTooManyRequests || got.error() != "rate_limit_exceeded" {
			t.Errorf("%s: got %d %s, want it to wait for a turn", name, got.status, got.text)
		}
	}
	for range burstOfKnown {
		l.known.Take(netip.MustParsePrefix("2001:db8:1::/64"), b.face.Now())
	}
	if got := renew("wrong", known); got.status != http.StatusTooManyRequests || got.error() != "rate_limit_exceeded" {
		t.Errorf("an address that sends very many: got %d %s, want it to wait for a turn", got.status, got.text)
	}
	empty()
	if got := renew("wrong", from("2001:db8:3::1")); got.status != http.StatusBadRequest || got.error() != codeGrant {
		t.Errorf("when there is a turn: got %d %s, want the token looked at", got.status, got.text)
	}
	for i := range mostKnown + 1 {
		l.showed(netip.PrefixFrom(netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)}), 32))
	}
	if len(l.right) > mostKnown {
		t.Errorf("got %d addresses remembered, want at most %d", len(l.right), mostKnown)
	}
}

// RD-57: a host that has an owner looks for one once a second, and not for each request. One that has none looks each time.
func TestTheOwnerIsLookedForNowAndThen(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	looks, claimed := 0, false
	b.face.Claimed = func(context.Context) (bool, error) {
		looks++
		return claimed, nil
	}
	asks := func(want, most int) {
		t.Helper()
		before := looks
		for i := range 3 {
			if got := b.exchanges(url.Values{"grant_type": {typeRefresh}, "refresh_token": {"wrong"}}); got.status != want {
				t.Errorf("request %d: got %d %s, want %d", i, got.status, got.text, want)
			}
		}
		if got := looks - before; got != most {
			t.Errorf("got %d looks in three requests, want %d", got, most)
		}
	}
	asks(http.StatusServiceUnavailable, 3)
	claimed = true
	asks(http.StatusBadRequest, 1)
	asks(http.StatusBadRequest, 0)
	b.forward(time.Second)
	asks(http.StatusBadRequest, 1)
	claimed = false // `owner reset`
	b.forward(time.Second)
	asks(http.StatusServiceUnavailable, 3)
}
