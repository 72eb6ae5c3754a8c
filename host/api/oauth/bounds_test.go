package oauth

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/host/grant/desk"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/grants"
	"github.com/pdpp-host/pdpp-host/storage"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/pgtest"
)

// from has a request come from an address.
func from(address string) func(*http.Request) {
	return func(r *http.Request) { r.RemoteAddr = "[" + address + "]:1" }
}

// RD-41: one address that asks without end, by many clients and by whatever route, keeps nobody from asking: its own
// requests give way, the oldest first, and not one of an app that asked before.
func TestOneAddressDoesNotFillTheRequests(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	honest := b.registers("Honest")
	var hogs []string
	for i := range 5 {
		got := b.posts(PathRegister, object{"client_name": fmt.Sprint("Hog ", i), "redirect_uris": []string{redirect}}, from("2001:db8::1"))
		hogs = append(hogs, got.string("client_id"))
	}
	const bound, more = 50, 5
	for _, route := range []struct {
		name string
		asks func(client string, from func(*http.Request)) *sent
	}{
		{"push", func(client string, from func(*http.Request)) *sent {
			return b.posts(PathPush, object{"client_id": client, "authorization_details": json.RawMessage(asks)}, from)
		}},
		{"authorize", func(client string, from func(*http.Request)) *sent {
			return b.sends(http.MethodGet, authorizeAddress(client), "", from)
		}},
		{"connect", func(client string, from func(*http.Request)) *sent {
			return b.posts(PathConnect, object{"client_id": client, "resource": origin}, from)
		}},
		{"connect as the known client", func(_ string, from func(*http.Request)) *sent {
			return b.posts(PathConnect, object{"client_id": desk.PreRegistered, "resource": origin}, from)
		}},
		{"device", func(client string, from func(*http.Request)) *sent {
			return b.sendsForm(PathStartDevice, url.Values{"client_id": {client}, "authorization_details": {asks}}, from)
		}},
		{"device without details", func(client string, from func(*http.Request)) *sent {
			return b.sendsForm(PathStartDevice, url.Values{"client_id": {client}}, from)
		}},
	} {
		b.forward(desk.RequestLife) // those of the route before are over
		before := b.pushes(honest, asks)
		var first, last string
		for i := range bound + more {
			b.forward(200 * time.Millisecond)
			if got := route.asks(hogs[i%len(hogs)], from(fmt.Sprintf("2001:db8::%x", i+1))); got.status >= http.StatusBadRequest {
				t.Fatalf("%s: request %d of one address: got %d %s, want it taken", route.name, i, got.status, got.text)
			}
			if i == 0 || i == bound+more-1 {
				all, err := b.store.WaitingRequests(t.Context())
				b.ok(err)
				first, last = cmp.Or(first, all[0].ID), all[0].ID
			}
		}
		all, err := b.store.WaitingRequests(t.Context())
		b.ok(err)
		if len(all) != bound+1 {
			t.Errorf("%s: %d wait, want the app's and %d of one address", route.name, len(all), bound)
		}
		for id, want := range map[string]bool{last: true, first: false} {
			if is := slices.ContainsFunc(all, func(r storage.GrantRequest) bool { return r.ID == id }); is != want {
				t.Errorf("%s: got a request of the address waiting: %v, want %v", route.name, is, want)
			}
		}
		if _, err := b.desk.Find(t.Context(), before); err != nil {
			t.Errorf("%s: got %v for the app that asked before, want its request", route.name, err)
		}
	}
}

// RD-41, RD-39.2: a client that connects without an id is registered with the address that it came from, and so is its request.
func TestConnectingIsOfAnAddress(t *testing.T) {
	t.Parallel()
	pgtest.OnFile(t) // no rule of a database's
	b := newBed(t)
	if got := b.posts(PathConnect, object{"client_name": "A hog", "resource": origin}, from("2001:db8::1")); got.status != http.StatusCreated {
		t.Fatalf("got %d %s, want an attempt", got.status, got.text)
	}
	clients, err := b.store.Clients(t.Context())
	b.ok(err)
	requests, err := b.store.WaitingRequests(t.Context())
	b.ok(err)
	if len(clients) != 1 || len(requests) != 1 || clients[0].From != "2001:db8::/64" || requests[0].From != clients[0].From {
		t.Errorf("got the clients %+v and the requests %+v, want one of 2001:db8::/64 each", clients, requests)
	}
}

// RD-39.2: more than a thousand registrations, of some sixty addresses with a full share of each, forget none of an app
// at another address that registered a minute before.
func TestRegistrationsGiveWayByAddress(t *testing.T) {
	t.Parallel()
	pgtest.OnFile(t) // exerciseClientsGiveWay holds the rule against both
	b := newBed(t)
	honest := b.registers("Honest")
	for i := range 1150 {
		b.forward(50 * time.Millisecond)
		got := b.posts(PathRegister, object{}, from(fmt.Sprintf("2001:db8:0:%x::1", i%58+1)))
		if got.status != http.StatusCreated {
			t.Fatalf("registration %d: got %d %s, want it taken", i, got.status, got.text)
		}
	}
	if c, err := b.store.ClientOf(t.Context(), honest); err != nil || c == nil {
		t.Errorf("got %+v, %v, want the app known", c, err)
	}
}

// RD-43.3: apps whose requests are refused at once are told so when they ask next, as by a single refusal; one that the
// owner did not see waits on.
func TestAppsAreRefusedAtOnce(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	client := b.registers("An app")
	refuses := func(client string, until time.Time, want int) {
		t.Helper()
		n, err := grants.RefuseAll(t.Context(), b.owner, client, until)
		b.ok(err)
		if n != want {
			t.Errorf("of %q: got %d refused, want %d", client, n, want)
		}
	}
	refuses("", time.Now().AddDate(99, 0, 0), 0)
	device := b.startsDevice(url.Values{"client_id": {"pdpp_cli"}, "authorization_details": {asks}}).string("device_code")
	polling, _ := b.connects(object{"client_id": client, "request_uri": b.pushes(client, asks)})
	browser := b.redirects()
	request := b.opens(origin + authorizeAddress(browser))
	waiting, err := grants.Requests(t.Context(), b.owner)
	b.ok(err)
	seen := waiting[0].CreatedAt
	b.forward(time.Second)
	late, _ := b.connects(object{"client_id": client, "request_uri": b.pushes(client, asks)})

	refuses(client, seen, 1)
	if got := b.polls(polling); got.status != http.StatusForbidden || got.error() != codeDenied {
		t.Errorf("an app of which all is refused: got %d %s, want 403 %s", got.status, got.text, codeDenied)
	}
	if got := b.asksAsDevice("pdpp_cli", device); got.error() != "authorization_pending" {
		t.Errorf("a device of another app: got %d %s, want it to wait", got.status, got.text)
	}
	b.forward(10 * time.Second)
	refuses("", seen, 2)
	if got := b.asksAsDevice("pdpp_cli", device); got.error() != codeDenied {
		t.Errorf("a device, when all is refused: got %d %s, want %s", got.status, got.text, codeDenied)
	}
	r, err := grants.Look(t.Context(), b.owner, request)
	b.ok(err)
	if r.State != "denied" {
		t.Errorf("a request by browser: got it %s, want it denied", r.State)
	}
	if got := b.polls(late); got.error() != "authorization_pending" {
		t.Errorf("one that came later: got %d %s, want it to wait", got.status, got.text)
	}
	page, err := b.owner.AuditEvents(t.Context(), owner.AuditQuery{Operation: "grants.deny_all"})
	b.ok(err)
	var said []string
	for _, e := range page.Events {
		said = append(said, e.Subject+" "+e.Outcome)
	}
	if want := []string{"all 2 done", client + " 1 done"}; !slices.Equal(said, want) {
		t.Errorf("got the events %q, want %q", said, want)
	}
}
