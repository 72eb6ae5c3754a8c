package oauth

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/host/grant"
	"github.com/pdpp-host/pdpp-host/host/grant/desk"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/access"
	"github.com/pdpp-host/pdpp-host/storage"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/pgtest"
)

// Section 13, 10,000 registrations: whoever registers from one address is refused but for twenty,
// whatever the name. From addresses without end two thousand names are kept, and who has a grant or
// waits for one is among them (RD-39.2). None of it is a right.
func TestTenThousandRegistrations(t *testing.T) {
	t.Parallel()
	pgtest.OnFile(t) // exerciseGrants holds the bound against both
	b := newBed(t)
	token, _ := b.granted()
	const all, kept, registrations = 10_000, 2000, 20
	taken := map[int]int{}
	for i := range all {
		b.forward(time.Second / 10)
		same := func(r *http.Request) { r.RemoteAddr = fmt.Sprintf("[2001:db8::%x]:1", i+1) } // a /64 is one
		taken[b.posts(PathRegister, object{"client_name": fmt.Sprint("App ", i)}, same).status]++
	}
	// A thousand seconds bring back five or six registrations of an address's twenty an hour.
	if got := taken[http.StatusCreated]; got < registrations || got > registrations+6 || taken[http.StatusTooManyRequests] != all-got {
		t.Errorf("from one address: got %v, want %d that are taken and 429 for the others", taken, registrations)
	}
	polling, _ := b.connects(object{"client_name": "It waits"})
	var first string
	for i := range kept + 100 {
		c, err := b.desk.Register(t.Context(), desk.NewClient{Name: fmt.Sprint("Another ", i)})
		b.ok(err)
		if first == "" {
			first = c.ID
		}
		b.forward(time.Millisecond)
	}
	clients, err := b.store.Clients(t.Context())
	b.ok(err)
	if len(clients) != kept {
		t.Errorf("%d clients are kept, want %d", len(clients), kept)
	}
	if gone, err := b.store.ClientOf(t.Context(), first); err != nil || gone != nil {
		t.Errorf("the oldest that asks for nothing: got %+v, %v, want it forgotten", gone, err)
	}
	if _, err := b.reads(token); err != nil {
		t.Errorf("who has a grant: got %v, want it to read", err)
	}
	b.forward(desk.Interval)
	if got := b.polls(polling); got.status != http.StatusAccepted {
		t.Errorf("who waits: got %d %s, want it to wait on", got.status, got.text)
	}
}

// RD-39.2: a client that neither has a grant nor asks for one goes after seven days, and no other does.
func TestIdleClientsGo(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	idle := b.registers("Idle")
	granted := b.registers("Has a grant")
	_, request := b.connects(object{"client_id": granted, "request_uri": b.pushes(granted, asks)})
	b.approves(request, Choices{Expires: "never"})
	for _, c := range []struct {
		after time.Duration
		gone  bool
	}{{7*24*time.Hour - time.Second, false}, {2 * time.Second, true}} {
		b.forward(c.after)
		b.registers("Another")
		if client, err := b.store.ClientOf(t.Context(), idle); err != nil || (client == nil) != c.gone {
			t.Errorf("%s later: got %+v, %v, want it gone: %v", c.after, client, err, c.gone)
		}
	}
	if client, err := b.store.ClientOf(t.Context(), granted); err != nil || client == nil {
		t.Errorf("who has a grant: got %+v, %v, want it kept", client, err)
	}
}

// RD-57: strangers are bounded by address and in all, and are told when to come again.
func TestRates(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	same := func(r *http.Request) { r.RemoteAddr = "198.51.100.7:1" }
	const ofOne, again, inAll, registered = 20, 5, 50, 20
	for range ofOne {
		if got := b.polls("x"); got.status != http.StatusUnauthorized {
			t.Fatalf("an address of its own: got %d %s, want 401", got.status, got.text)
		}
	}
	b.forward(time.Second)
	var got *sent
	for range ofOne + 1 {
		got = b.posts(PathPoll, object{"polling_code": "x"}, same)
	}
	if got.status != http.StatusTooManyRequests || got.error() != "rate_limit_exceeded" || got.head.Get("Retry-After") == "" {
		t.Errorf("one address: got %d %s, want 429 with Retry-After", got.status, got.text)
	}
	if got := b.sends(http.MethodGet, PathResource, "", same); got.status != http.StatusOK {
		t.Errorf("what everybody may know: got %d, want 200", got.status)
	}
	b.forward(time.Second)
	for i := range again + 1 {
		got = b.posts(PathPoll, object{"polling_code": "x"}, same)
		if want := i == again; (got.status == http.StatusTooManyRequests) != want {
			t.Errorf("one address, a second later: got %d for request %d, want %d of them", got.status, i, again)
		}
	}
	b.forward(time.Second)
	b.onlyAtOnce(inAll)
	for i := range inAll {
		if got = b.polls("x"); got.status != http.StatusUnauthorized {
			t.Errorf("all addresses: got %d for request %d, want %d of them", got.status, i, inAll)
		}
	}
	if got = b.polls("x"); got.status != http.StatusTooManyRequests {
		t.Errorf("all addresses: got %d, want 429", got.status)
	}
	b.forward(time.Minute)
	for i := range registered + 1 {
		b.forward(time.Second)
		got = b.posts(PathRegister, object{}, same)
		if want := i == registered; (got.status == http.StatusTooManyRequests) != want {
			t.Errorf("registration %d of an address: got %d %s", i, got.status, got.text)
		}
	}
}

// RD-39: the address of a document is no client of a host that reads none.
func TestAnAddressIsNoClient(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	got := b.sends(http.MethodPost, PathPush, `{"client_id":"https://app.example/client.json","authorization_details":`+asks+`}`)
	if got.status != http.StatusBadRequest || got.error() != "invalid_client client_id" {
		t.Errorf("got %d %s, want 400 invalid_client", got.status, got.text)
	}
	if text := b.sends(http.MethodGet, PathServer, "").text; strings.Contains(text, "client_id_metadata_document") {
		t.Errorf("got %s, want no such documents in it", text)
	}
}

// RD-38.1: what this host is, is told without its store.
func TestDiscoveryAsksNoStore(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.ok(b.store.Close())
	for _, path := range []string{PathResource, PathResourceMCP, PathServer} {
		if got := b.sends(http.MethodGet, path, ""); got.status != http.StatusOK {
			t.Errorf("%s with a store that is closed: got %d %s, want 200", path, got.status, got.text)
		}
	}
}

// RD-38.2: whatever is served here is named, in one of the documents or in the answer that leads to
// it, or is a page of the owner's.
func TestEachPathIsNamed(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	named := b.sends(http.MethodGet, PathServer, "").text + b.posts(PathConnect, object{"resource": origin, "client_name": "An app"}).text
	for i := range table {
		path := table[i].Path
		if path == PathRevoke || strings.HasPrefix(path, "/.well-known/") { // of a grant that its client knows, and the documents themselves
			continue
		}
		if !strings.Contains(named, `"`+origin+path+`"`) {
			t.Errorf("%s is served, and nothing names it", path)
		}
	}
}

// RD-48.2: what a token begins with decides nothing: one that looks like the owner's is an app's
// where it was made for one, and one that looks like an app's speaks for the owner.
func TestPrefixesDecideNothing(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	_, id := b.granted()
	expires := b.desk.Now().Add(time.Hour)
	for i, secret := range []string{"pdpp_ot_looks-like-the-owners", "pdpp_rt_looks-like-another-kind", "looks-like-nothing"} {
		b.ok(b.store.AddGrantToken(t.Context(), storage.GrantToken{ID: fmt.Sprint("gtk_", i), SHA256: grant.Hash([]byte(secret)), GrantID: id, Expires: expires}))
		if who, err := b.desk.Admit(t.Context(), secret); err != nil || who.Grant.GrantID != id {
			t.Errorf("%s: got %+v, %v, want the grant %s", secret, who, err, id)
		}
		_, err := access.ByToken(t.Context(), b.owner, secret)
		b.code(err, access.CodeTokenRefused)
	}
	for i, secret := range []string{"pdpp_ct_looks-like-an-apps", "looks-like-no-token"} {
		b.ok(b.store.NewToken(t.Context(), storage.Token{ID: fmt.Sprint("tok_", i), SHA256: grant.Hash([]byte(secret)), Name: "x", Scope: string(access.ScopeManage), Expires: expires}))
		if who, err := access.ByToken(t.Context(), b.owner, secret); err != nil || who.Actor.Face != owner.APIToken {
			t.Errorf("%s: got %+v, %v, want the owner", secret, who, err)
		}
		_, err := b.desk.Admit(t.Context(), secret)
		b.code(err, desk.CodeTokenRefused)
	}
}
