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

// The slot's own parameter, field or member is the host's in every spelling that a
// service may read as it: a second one could be the one that counts.
func TestTheSlotsKeyIsGivenOnce(t *testing.T) {
	t.Parallel()
	b := newBed(t, acceptSlots)
	for _, query := range []string{"x=1;api_key=mine", "x=1;api%5Fkey=mine", "API_KEY=mine", "api-key=mine", "a=1&api_key[]=mine", "api_key+=mine", "api_key=[redacted];api_key=mine"} {
		if r := b.get(api+"?"+query, "query"); r.Error.Code != CodeCredentialConflict {
			t.Errorf("%s: %+v, want %s", query, r.Error, CodeCredentialConflict)
		}
	}
	for body, media := range map[string]string{
		"x=1;secret=mine": "application/x-www-form-urlencoded", "SECRET=mine": "application/x-www-form-urlencoded",
		"x=1&secret[]=mine": "application/x-www-form-urlencoded", `{"Secret":"mine"}`: "application/json",
	} {
		r := b.do(abi.HTTPRequest{Method: http.MethodPost, URL: api, Credential: "body", Headers: map[string]string{"Content-Type": media}}, body)
		if r.Error.Code != CodeCredentialConflict {
			t.Errorf("%s: %+v, want %s", body, r.Error, CodeCredentialConflict)
		}
	}
	if len(b.seen) > 0 {
		t.Fatalf("%d requests were sent, want none", len(b.seen))
	}
	// A redirect that repeats it after a semicolon repeats it in vain.
	b.script(says{status: http.StatusFound, headers: []string{"Location: /2?&a=1;api_key=of-another;b=2"}}, says{})
	b.get(api, "query")
	if len(b.seen) != 2 {
		t.Fatalf("%d requests, want 2", len(b.seen))
	}
	if got, want := b.seen[1].URL.RawQuery, "&a=1;b=2&api_key="; !strings.HasPrefix(got, want) || strings.Contains(got, "of-another") {
		t.Errorf("the redirect asks for %q, want %q and the secret", got, want)
	}
}

// Beside a secret in a query or a body, which is content to whoever reads it as such,
// goes nothing but what reading takes, until the owner accepts the slot by its name.
func TestContentGoesWithPlainRequests(t *testing.T) {
	t.Parallel()
	for _, accepted := range []bool{false, true} {
		b := newBed(t, func(o *Options) { o.Accepted = func(string) bool { return accepted } })
		judge := func(what string, in abi.HTTPRequest, body string) {
			t.Helper()
			r := b.do(in, body)
			switch {
			case accepted && r.Status != http.StatusOK:
				t.Errorf("accepted, %s: %+v, want an answer", what, r.Error)
			case !accepted && (r.Error.Code != CodeCredentialNotAccepted || !strings.Contains(r.Error.Hint, "--allow slot="+in.Credential)):
				t.Errorf("%s: %+v, want %s and how the slot is accepted", what, r.Error, CodeCredentialNotAccepted)
			}
		}
		for _, name := range []string{
			"X-Pass", "X-Pwd", "X-Sid", "X-Pat", "X-Ticket", "X-Otp", "X-User", "From", "X-HTTP-Method-Override", "X-Method-Override", "X-HTTP-Method", "X-Anything",
		} {
			judge(name, abi.HTTPRequest{URL: api, Credential: "query", Headers: map[string]string{name: "POST"}}, "")
			judge(name, abi.HTTPRequest{URL: api, Credential: "body", Headers: map[string]string{name: "POST", "Content-Type": "application/json"}}, "{}")
		}
		for _, query := range []string{"u=me&p=pw", "user=me&t=1&s=2", "pat=1", "ticket=2", "PHPSESSID=1", "otp=1", "_method=POST", "_METHOD=DELETE", "_HttpMethod=PUT", "x-http-method-override=POST", "$method=POST"} {
			judge(query, abi.HTTPRequest{URL: api + "?" + query, Credential: "query"}, "")
		}
	}
	b := newBed(t, nil)
	fine := map[string]string{
		"Accept": "a/b", "Accept-Language": "de", "Content-Type": "application/json", "If-None-Match": "x", "If-Modified-Since": "x", "User-Agent": "x/1",
		"X-GitHub-Api-Version": "1", "Notion-Version": "1", "Api-Version": "1", "Prefer": "x", "X-Request-Id": "1", "Idempotency-Key": "1", "Cache-Control": "no-cache",
	}
	for _, query := range []string{"p=2", "page=2&per_page=3&cursor=4&since=5&sort=asc", "user=me&method=user.getrecenttracks&format=json", "t=week"} {
		if r := b.do(abi.HTTPRequest{URL: api + "?" + query, Credential: "query", Headers: fine}, ""); r.Status != http.StatusOK {
			t.Errorf("%s: %+v, want an answer", query, r.Error)
		}
	}
	// A redirect that adds such a parameter is followed without the secret.
	sent := len(b.seen)
	b.answer = func(_ int, r got) says {
		if r.URL.Path == "/2" {
			return says{}
		}
		return says{status: http.StatusFound, headers: []string{"Location: /2?_method=POST"}}
	}
	b.get(api, "query")
	if got := b.seen[sent:]; len(got) != 2 || !holds(got[0], "CANARY") || holds(got[1], "CANARY") {
		t.Errorf("%d requests, want 2 and the secret in the first alone", len(got))
	}
	// In a header a secret is no content, and any header goes with it.
	if r := b.do(abi.HTTPRequest{Method: http.MethodPost, URL: api + "?_method=PUT&p=1&u=2", Credential: "bearer", Headers: map[string]string{"X-Anything": "1"}}, ""); r.Error.Code != "" {
		t.Errorf("a header slot: %+v, want an answer", r.Error)
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
			t.Errorf(`%+v: %+v after %d requests, want r.Error.Code == test.want && len(b.seen) > 0 != (test.want != "")`, test, r.Error, len(b.seen))
		}
		if test.want != "" && !strings.Contains(r.Error.Hint, "--allow slot="+test.slot) {
			t.Errorf(`%+v: the hint %q does not say how it is accepted, want test.want == "" || strings.Contains(r.Error.Hint, "--allow slot="+test.slot)`, test, r.Error.Hint)
		}
	}
}

// Beside a secret in a header go the cookies of answers to the same slot, beside one
// in a query or a body none, and with a renewal none: any other may be of an account
// that the guest signed in to. An owner who accepts the slot by its name lets all go.
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
				return says{body: `{"access_token":"at-2"}`, headers: []string{"Set-Cookie: renewal=1; Path=/"}}
			}
			return says{headers: []string{"Set-Cookie: " + set + "=1; Path=/"}}
		}
		step := func(in abi.HTTPRequest, sets, want, wantAccepted string) {
			t.Helper()
			if accepted {
				want = wantAccepted
			}
			in.URL, set = api, sets
			b.do(in, "user=guest&password=guest")
			if got := b.seen[len(b.seen)-1].Header.Get("Cookie"); got != want {
				t.Errorf("accepted %v, slot %q: cookies %q, want %q", accepted, in.Credential, got, want)
			}
		}
		form := map[string]string{"Content-Type": "application/x-www-form-urlencoded"}
		step(abi.HTTPRequest{}, "guest", "", "")
		// A guest that signs in beside a harmless slot gets a cookie of its own account.
		step(abi.HTTPRequest{Method: http.MethodPost, Credential: "raw", Headers: form}, "raw", "", "guest=1")
		step(abi.HTTPRequest{Credential: "query"}, "query", "", "guest=1; raw=1")
		step(abi.HTTPRequest{Credential: "query"}, "query", "", "guest=1; raw=1; query=1")
		step(abi.HTTPRequest{Credential: "body", Headers: form}, "body", "", "guest=1; raw=1; query=1")
		step(abi.HTTPRequest{Credential: "bearer"}, "bearer", "", "guest=1; raw=1; query=1; body=1")
		step(abi.HTTPRequest{Credential: "bearer"}, "bearer", "bearer=1", "guest=1; raw=1; query=1; body=1; bearer=1")
		step(abi.HTTPRequest{Credential: "raw"}, "raw", "raw=1", "guest=1; raw=1; query=1; body=1; bearer=1")
		step(abi.HTTPRequest{}, "guest", "guest=1; raw=1; query=1; body=1; bearer=1", "guest=1; raw=1; query=1; body=1; bearer=1")
		b.get(api, "oauth")
		for _, r := range b.seen {
			if got := r.Header.Get("Cookie"); r.URL.Path == "/token" && got != "" {
				t.Errorf("accepted %v: the renewal carries %q, want none", accepted, got)
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

// Names are compared by their letters and digits.
func TestNormalizedName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"azAZ09": "azaz09", "api-key_1": "apikey1", "client[secret]": "clientsecret", "tokén@`{/:": "tokn", "": ""} {
		if got := normalizedName(name); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}
