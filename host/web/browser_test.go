package web_test

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/owner/access"
	"github.com/pdpp-host/pdpp-host/host/web"
)

// BR-15, OC-05: a session's cookie alone says which browser asks, and a change needs its proof
// whatever stands in Authorization, which elsewhere is a proof by itself.
func TestABrowserIsNoBearer(t *testing.T) {
	t.Parallel()
	b := newBed(t, &web.Guard{})
	secret := b.session()
	token, err := access.CreateToken(t.Context(), b.owner, access.NewToken{Name: "x", Scope: access.ScopeManage})
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		cookie, site, authorization string
		want                        abi.Code
	}{
		"its own page":              {secret, "same-origin", "Handoff x", ""},
		"without the header":        {secret, "same-origin", "", ""},
		"another site":              {secret, "cross-site", "Handoff x", web.CodeForeignRequest},
		"nothing says from where":   {secret, "", "Handoff x", web.CodeForeignRequest},
		"a token without a session": {"", "same-origin", "Bearer " + token.Secret, access.CodeSignedOut},
		"nobody":                    {"", "same-origin", "Handoff x", access.CodeSignedOut},
		"a session that has ended":  {"none", "same-origin", "Handoff x", access.CodeSignedOut},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://127.0.0.1:8377/", nil)
		for header, value := range map[string]string{"Sec-Fetch-Site": tt.site, "Authorization": tt.authorization} {
			if value != "" {
				r.Header.Set(header, value)
			}
		}
		if tt.cookie != "" {
			r.Header.Set("Cookie", "pdpp-8377="+tt.cookie)
		}
		by, err := b.guard.Browser(r)
		var got abi.Code
		if err != nil {
			got = abi.CodeOf(err)
		}
		if got != tt.want {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
		if err == nil && (web.CallerOf(by.Context()) == nil || by.Header.Get("Authorization") != tt.authorization) {
			t.Errorf("%s: got a request without its caller or its header, want both", name)
		}
	}
}

// BR-15 (7.9): keys cross no network in the clear, and the advice names a place where they do not.
func TestKeysCrossNoNetworkInTheClear(t *testing.T) {
	t.Parallel()
	const here, there = "127.0.0.1:5", "192.0.2.7:5"
	for name, tt := range map[string]struct {
		guard      *web.Guard
		from, host string
		private    bool
		advice     string
	}{
		"this machine":                      {&web.Guard{}, here, "127.0.0.1:8377", true, ""},
		"this machine by name":              {&web.Guard{}, "[::1]:5", "localhost:8377", true, ""},
		"another machine":                   {&web.Guard{}, there, "192.0.2.9:8377", false, "through SSH"},
		"another machine as this one":       {&web.Guard{}, there, "127.0.0.1:8377", false, "through SSH"},
		"a proxy with TLS":                  {&web.Guard{Origin: "https://pdpp.example", BehindProxy: true}, here, "pdpp.example", true, ""},
		"a proxy without TLS":               {&web.Guard{Origin: "http://pdpp.example", BehindProxy: true}, here, "pdpp.example", false, "over TLS"},
		"a proxy that nobody told of":       {&web.Guard{Origin: "http://pdpp.example"}, here, "pdpp.example", false, "over TLS"},
		"a proxy that says it is loopback":  {&web.Guard{Origin: "https://pdpp.example", BehindProxy: true}, here, "127.0.0.1:8377", false, "https://pdpp.example"},
		"a proxy with TLS, by another name": {&web.Guard{Origin: "https://pdpp.example"}, there, "192.0.2.9:8377", false, "https://pdpp.example"},
	} {
		tt.guard.Listening = netip.MustParseAddrPort("127.0.0.1:8377")
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+tt.host+"/", nil)
		r.RemoteAddr = tt.from
		err := tt.guard.CheckPrivate(r)
		if (err == nil) != tt.private {
			t.Errorf("%s: got %v, want it let through: %v", name, err, tt.private)
		}
		if e, ok := err.(*abi.Error); ok && (e.Code != web.CodeInTheClear || !strings.Contains(e.Hint, tt.advice)) { //nolint:errorlint // it is wrapped in nothing
			t.Errorf("%s: got %s with the advice %q, want %s with %q", name, e.Code, e.Hint, web.CodeInTheClear, tt.advice)
		}
	}
}
