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
// whatever the name. From addresses without end a thousand names are kept, and who has a grant or
// waits for one is among them (RD-39.2). None of it is a right.
func TestTenThousandRegistrations(t *testing.T) {
	t.Parallel()
	pgtest.OnFile(t) // exerciseGrants holds the bound against both
	b := newBed(t)
	token, _ := b.granted()
	const all, kept = 10_000, 1000
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

// RD-39: the address of a document is no client here, since no such document is fetched.
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
