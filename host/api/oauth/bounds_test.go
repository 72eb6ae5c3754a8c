package oauth

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/grants"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/pgtest"
)

// from has a request come from an address.
func from(address string) func(*http.Request) {
	return func(r *http.Request) { r.RemoteAddr = "[" + address + "]:1" }
}

// RD-41: one address that asks without end, by many clients, keeps nobody from asking: its own requests give way, the
// oldest first, and neither one of an app that asked before nor one that its owner looks at.
func TestOneAddressDoesNotFillTheRequests(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	honest := b.registers("Honest")
	before := b.pushes(honest, asks)
	var hogs []string
	for i := range 5 {
		got := b.posts(PathRegister, object{"client_name": fmt.Sprint("Hog ", i)}, from("2001:db8::1"))
		hogs = append(hogs, got.string("client_id"))
	}
	var first, last string
	for i := range 250 {
		b.forward(200 * time.Millisecond)
		got := b.posts(PathPush, object{"client_id": hogs[i%len(hogs)], "authorization_details": json.RawMessage(asks)}, from(fmt.Sprintf("2001:db8::%x", i+1)))
		if got.status != http.StatusCreated {
			t.Fatalf("request %d of one address: got %d %s, want it taken", i, got.status, got.text)
		}
		if last = got.string("request_uri"); first == "" {
			first = last
		}
	}
	for uri, want := range map[string]bool{before: true, last: true, first: false, b.pushes(honest, asks): true} {
		if _, err := b.desk.Find(t.Context(), uri); (err == nil) != want {
			t.Errorf("got %v, want the request found: %v", err, want)
		}
	}
	if all, err := b.store.WaitingRequests(t.Context()); err != nil || len(all) != 52 {
		t.Errorf("%d wait, %v, want 2 and 50 of one address", len(all), err)
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
