package oauth

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

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
