package call

import (
	"net/http"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/send/egress"
)

// Beside a slot a guest brings no credential of its own: it would send the owner's
// secret into an account of the guest's.
func TestNoSecondCredential(t *testing.T) {
	t.Parallel()
	b := newBed(t, nil)
	for _, name := range []string{
		"authorization", "X-Auth-Token", "x-api-key", "Api_Key", "PRIVATE-TOKEN", "DD-APPLICATION-KEY", "X-Amz-Security-Token", "X-Shopify-Access-Token",
		"Ocp-Apim-Subscription-Key", "X-Session-Id", "X-Auth-Email", "X-Client-Secret", "X-Hub-Signature", "X-JWT-Assertion",
	} {
		if r := b.do(abi.HTTPRequest{URL: api, Credential: "query", Headers: map[string]string{name: "mine"}}, ""); r.Error.Code != CodeCredentialConflict {
			t.Errorf("header %s: %+v, want %s", name, r.Error, CodeCredentialConflict)
		}
	}
	for _, query := range []string{
		"access_token=x", "a=1&Access%5FToken=x", "a=1;token=x", "key=x", "private_token=x", "X-Amz-Signature=x", "oauth_consumer_key=x", "sig=", "api-key[]=x", "client_secret",
	} {
		if r := b.get(api+"?"+query, "bearer"); r.Error.Code != CodeCredentialConflict {
			t.Errorf("%s: %+v, want %s", query, r.Error, CodeCredentialConflict)
		}
	}
	for name, code := range map[string]abi.Code{"Cookie": egress.CodeHeaderReserved, "Range": egress.CodeHeaderReserved, "if-range": egress.CodeHeaderReserved} {
		if r := b.do(abi.HTTPRequest{URL: api, Credential: "bearer", Headers: map[string]string{name: "bytes=0-3"}}, ""); r.Error.Code != code {
			t.Errorf("header %s: %+v, want %s", name, r.Error, code)
		}
	}
	if len(b.seen) > 0 {
		t.Fatalf("%d requests were sent, want none", len(b.seen))
	}
	fine := map[string]string{
		"Accept": "a/b", "If-None-Match": "x", "X-GitHub-Api-Version": "1", "Notion-Version": "1", "Idempotency-Key": "1", "Prefer": "x", "Content-Type": "a/b",
	}
	for _, query := range []string{"page_token=1&pageToken=2&cursor=3&sort_keys=4&author=5", "access_token=[redacted]", "access_token=%5Bredacted%5D"} {
		if r := b.do(abi.HTTPRequest{URL: api + "?" + query, Credential: "bearer", Headers: fine}, ""); r.Status != http.StatusOK {
			t.Errorf("%s: %+v, want an answer", query, r.Error)
		}
	}
	// Without a slot all of it is the guest's own.
	if r := b.do(abi.HTTPRequest{URL: api + "?access_token=x", Headers: map[string]string{"Range": "bytes=0-3", "X-Api-Key": "mine"}}, ""); r.Status != http.StatusOK {
		t.Errorf("%+v, want an answer", r.Error)
	}
}

// A redirect that adds a credential to the address is followed without the secret.
func TestRedirectToASecondCredential(t *testing.T) {
	t.Parallel()
	b := newBed(t, nil)
	b.script(says{status: http.StatusFound, headers: []string{"Location: /2?access_token=of-another"}}, says{})
	b.get(api, "bearer")
	if len(b.seen) != 2 || !holds(b.seen[0], "CANARY") || holds(b.seen[1], "CANARY") {
		t.Errorf("%d requests, want 2 and the secret in the first alone", len(b.seen))
	}
}

// A secret in a query or a body goes with a request that writes to the token endpoint
// alone, unless the owner accepted the slot by its name.
func TestSecretsInContent(t *testing.T) {
	t.Parallel()
	form := map[string]string{"Content-Type": "application/x-www-form-urlencoded"}
	const token = "https://login.example.com/token"
	for _, test := range []struct {
		method, url, slot, accepted string
		want                        abi.Code
	}{
		{http.MethodPost, api, "body", "", CodeCredentialNotAccepted},
		{http.MethodPost, api, "query", "", CodeCredentialNotAccepted},
		{http.MethodDelete, api, "query", "body", CodeCredentialNotAccepted},
		{http.MethodPut, api, "body", "body", ""},
		{http.MethodPost, api, "bearer", "", ""},
		{http.MethodGet, api, "query", "", ""},
		{http.MethodHead, api, "query", "", ""},
		{http.MethodGet, api, "body", "", ""},
		{http.MethodPost, token, "body", "", ""},
		{http.MethodPost, token + "s", "body", "", CodeCredentialNotAccepted},
	} {
		b := newBed(t, func(o *Options) {
			for i := range o.Network.Credentials {
				o.Network.Credentials[i].Hosts = append(o.Network.Credentials[i].Hosts, "login.example.com")
			}
			o.Accepted = func(slot string) bool { return slot == test.accepted }
		})
		r := b.do(abi.HTTPRequest{Method: test.method, URL: test.url, Credential: test.slot, Headers: form}, "")
		if r.Error.Code != test.want || len(b.seen) > 0 == (test.want != "") {
			t.Errorf("%+v: %+v after %d requests", test, r.Error, len(b.seen))
		}
		if test.want != "" && !strings.Contains(r.Error.Hint, "--allow slot="+test.slot) {
			t.Errorf("%+v: the hint %q does not say how it is accepted", test, r.Error.Hint)
		}
	}
}

// The cookies of an account that the guest signed in to do not go beside a secret,
// and not with a renewal; those of the owner's account do.
func TestCookiesBesideASecret(t *testing.T) {
	t.Parallel()
	for _, accepted := range []bool{false, true} {
		b := newBed(t, func(o *Options) {
			o.Accepted = func(string) bool { return accepted }
			o.Network.Credentials[6].OAuth.TokenURL = "https://api.example.com/token"
		})
		delete(b.vault.values, "access")
		set := ""
		b.answer = func(_ int, r got) says {
			if r.URL.Path == "/token" {
				return says{body: `{"access_token":"at-2"}`}
			}
			return says{headers: []string{"Set-Cookie: " + set + "=1; Path=/"}}
		}
		step := func(slot, sets, want string) {
			t.Helper()
			set = sets
			b.get(api, slot)
			if got := b.seen[len(b.seen)-1].Header.Get("Cookie"); got != want {
				t.Errorf("accepted %v, slot %q: cookies %q, want %q", accepted, slot, got, want)
			}
		}
		want := ""
		if accepted {
			want = "guest=1"
		}
		step("", "guest", "")
		step("bearer", "owner", want)
		step("", "guest", "guest=1; owner=1")
		if accepted {
			want = "guest=1; owner=1"
		} else {
			want = "owner=1"
		}
		step("query", "owner", want)
		b.get(api, "oauth")
		for _, r := range b.seen {
			if r.URL.Path == "/token" && strings.Contains(r.Header.Get("Cookie"), "guest") {
				t.Errorf("accepted %v: the renewal carries %q", accepted, r.Header.Get("Cookie"))
			}
		}
	}
}

// A token endpoint with a credential in its address would be the guest's account.
func TestTokenEndpointWithACredential(t *testing.T) {
	t.Parallel()
	n := network()
	n.Credentials[6].OAuth.TokenURL = "https://login.example.com/notes?access_token=mine"
	if _, err := Open(Options{Network: n, Connector: "github"}); abi.CodeOf(err) != CodeSlotInvalid {
		t.Errorf("%v, want %s", err, CodeSlotInvalid)
	}
}
