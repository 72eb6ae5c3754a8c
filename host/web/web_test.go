package web_test

import (
	"context"
	"crypto/rand"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/access"
	"github.com/pdpp-host/pdpp-host/host/web"
	"github.com/pdpp-host/pdpp-host/storage"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/fresh"
)

// bed is a guard before a face that says who asks.
type bed struct {
	t     *testing.T
	guard *web.Guard
	owner *owner.Owner
	face  http.Handler
}

func newBed(t *testing.T, g *web.Guard) *bed {
	t.Helper()
	now := func() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }
	store, err := storage.Open(t.Context(), storage.Options{Path: fresh.Store(t, filepath.Join(t.TempDir(), "pdpp.sqlite")), Now: now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	g.As = func(a owner.Actor) *owner.Owner {
		return owner.New(owner.Deps{Open: func(context.Context) (*storage.Store, error) { return store, nil }, Actor: a, Now: now, Random: rand.Reader})
	}
	if !g.Listening.IsValid() {
		g.Listening = netip.MustParseAddrPort("127.0.0.1:8377")
	}
	b := &bed{t: t, guard: g, owner: g.As(owner.Actor{Face: owner.CommandLine})}
	b.face = g.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who := "a visitor"
		if c := web.CallerOf(r.Context()); c != nil {
			who = string(c.Actor.Face) + " from " + c.Actor.Address
		}
		_, _ = w.Write([]byte(who))
	}), func(w http.ResponseWriter, _ *http.Request, err error) {
		http.Error(w, string(abi.CodeOf(err)), web.Status(abi.CodeOf(err)))
	})
	return b
}

func (b *bed) ask(method, host string, header map[string]string, form url.Values) (string, http.Header) {
	b.t.Helper()
	r := httptest.NewRequestWithContext(b.t.Context(), method, "http://"+host+"/", strings.NewReader(form.Encode()))
	r.RemoteAddr = "192.0.2.7:4444"
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for k, v := range header {
		r.Header.Set(k, v)
	}
	w := httptest.NewRecorder()
	b.face.ServeHTTP(w, r)
	return strings.TrimSpace(w.Body.String()), w.Header()
}

func (b *bed) session() string {
	b.t.Helper()
	link, err := access.OfferLink(b.t.Context(), b.owner)
	if err != nil {
		b.t.Fatal(err)
	}
	opened, err := access.Claim(b.t.Context(), b.owner, link.Code, "four plain words here", "")
	if err != nil {
		b.t.Fatal(err)
	}
	return opened.Secret
}

// OC-05.1: a host answers to names that it was told of, and to no other.
func TestForeignNamesAreRefused(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		listening, origin string
		known, unknown    []string
	}{
		{
			"127.0.0.1:8377", "",
			[]string{"127.0.0.1:8377", "localhost:8377", "LOCALHOST:8377", "[::1]:8377"},
			[]string{"evil.example:8377", "127.0.0.1", "127.0.0.1:80", "localhost.evil.example:8377", "192.0.2.9:8377", "0.0.0.0:8377"},
		},
		{
			"127.0.0.1:8377", "https://pdpp.example.org",
			[]string{"pdpp.example.org", "127.0.0.1:8377"},
			[]string{"pdpp.example.org:8377", "pdpp.example.org.evil.example", "evil.example"},
		},
		{"192.0.2.9:443", "", []string{"192.0.2.9:443"}, []string{"localhost:443", "127.0.0.1:443"}},
		{"[::]:8377", "https://pdpp.example.org:8377", []string{"pdpp.example.org:8377", "localhost:8377"}, []string{"pdpp.example.org", "192.0.2.9:8377"}},
	} {
		b := newBed(t, &web.Guard{Listening: netip.MustParseAddrPort(tt.listening), Origin: tt.origin})
		for _, host := range tt.known {
			if got, _ := b.ask(http.MethodGet, host, nil, nil); got != "a visitor" {
				t.Errorf("listening on %s as %q, the name %s: got %q, want an answer", tt.listening, tt.origin, host, got)
			}
		}
		for _, host := range tt.unknown {
			if got, _ := b.ask(http.MethodGet, host, nil, nil); got != string(web.CodeUnknownHost) {
				t.Errorf("listening on %s as %q, the name %s: got %q, want %s", tt.listening, tt.origin, host, got, web.CodeUnknownHost)
			}
		}
	}
}

// OC-05: the browser says that a change comes from the same origin, or a form's token
// proves it. A bearer token proves itself.
func TestChangesAreProven(t *testing.T) {
	t.Parallel()
	b := newBed(t, &web.Guard{})
	secret := b.session()
	token, err := access.CreateToken(t.Context(), b.owner, access.NewToken{Name: "x", Scope: access.ScopeManage})
	if err != nil {
		t.Fatal(err)
	}
	const host = "127.0.0.1:8377"
	cookie := "pdpp-8377=" + secret
	proof := web.Proof(&access.Caller{Secret: secret})
	const signedIn, foreign = "session from 192.0.2.7", string(web.CodeForeignRequest)
	for _, tt := range []struct {
		name   string
		header map[string]string
		form   url.Values
		want   string
	}{
		{"same origin", map[string]string{"Cookie": cookie, "Sec-Fetch-Site": "same-origin"}, nil, signedIn},
		{"another site", map[string]string{"Cookie": cookie, "Sec-Fetch-Site": "cross-site"}, url.Values{"proof": {proof}}, foreign},
		{"another origin of the site", map[string]string{"Cookie": cookie, "Sec-Fetch-Site": "same-site"}, nil, foreign},
		{"typed by the user", map[string]string{"Cookie": cookie, "Sec-Fetch-Site": "none"}, nil, foreign},
		{"an old browser's form", map[string]string{"Cookie": cookie}, url.Values{"proof": {proof}}, signedIn},
		{"an old browser's script", map[string]string{"Cookie": cookie, "X-Pdpp-Proof": proof}, nil, signedIn},
		{"another session's form", map[string]string{"Cookie": cookie}, url.Values{"proof": {web.Proof(&access.Caller{Secret: "x"})}}, foreign},
		{"no proof", map[string]string{"Cookie": cookie, "Origin": "http://127.0.0.1:8377"}, nil, foreign},
		{"to sign in", map[string]string{"Origin": "http://127.0.0.1:8377"}, nil, "a visitor"},
		{"to sign in from elsewhere", map[string]string{"Origin": "http://evil.example"}, nil, foreign},
		{"to sign in from nowhere", map[string]string{"Origin": "null"}, nil, foreign},
		{"to sign in, unproven", nil, nil, foreign},
		{"a token", map[string]string{"Authorization": "Bearer " + token.Secret, "Cookie": cookie, "Sec-Fetch-Site": "cross-site"}, nil, "token from 192.0.2.7"},
		{"a wrong token beside a session", map[string]string{"Authorization": "Bearer x", "Cookie": cookie, "Sec-Fetch-Site": "same-origin"}, nil, string(access.CodeTokenRefused)},
		{"another scheme", map[string]string{"Authorization": "Basic " + token.Secret}, nil, string(access.CodeTokenRefused)},
	} {
		if got, _ := b.ask(http.MethodPost, host, tt.header, tt.form); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
	if got, _ := b.ask(http.MethodGet, host, map[string]string{"Cookie": cookie, "Sec-Fetch-Site": "cross-site"}, nil); got != signedIn {
		t.Errorf("a page that is only read: got %q, want %q", got, signedIn)
	}
}

// OC-04: the cookie is HttpOnly and SameSite=Strict, and has the prefix __Host- under TLS.
func TestCookies(t *testing.T) {
	t.Parallel()
	b := newBed(t, &web.Guard{Origin: "https://pdpp.example.org"})
	for host, want := range map[string][]string{
		"127.0.0.1:8377":   {"pdpp-8377=s; Path=/; Max-Age=7776000; HttpOnly; SameSite=Strict", "pdpp-8377-known=m; Path=/; Max-Age=34560000; HttpOnly; SameSite=Strict"},
		"pdpp.example.org": {"__Host-pdpp=s; Path=/; Max-Age=7776000; HttpOnly; Secure; SameSite=Strict", "__Host-pdpp-known=m; Path=/; Max-Age=34560000; HttpOnly; Secure; SameSite=Strict"},
	} {
		w := httptest.NewRecorder()
		b.guard.Remember(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+host+"/", nil), &access.Opened{Secret: "s", Mark: "m"})
		if got := w.Header().Values("Set-Cookie"); !slices.Equal(got, want) {
			t.Errorf("at %s the cookies are %q, want %q", host, got, want)
		}
	}
}

// OC-05.2, OC-07: every answer confines the browser, and none opens it to another origin.
func TestAnswersConfineTheBrowser(t *testing.T) {
	t.Parallel()
	b := newBed(t, &web.Guard{})
	for _, host := range []string{"127.0.0.1:8377", "evil.example"} {
		_, h := b.ask(http.MethodGet, host, map[string]string{"Origin": "http://evil.example"}, nil)
		for name, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cross-Origin-Opener-Policy": "same-origin", "Access-Control-Allow-Origin": ""} {
			if got := h.Get(name); got != want {
				t.Errorf("to %s: %s is %q, want %q", host, name, got, want)
			}
		}
		csp := h.Get("Content-Security-Policy")
		if !strings.Contains(csp, "default-src 'none'") || !strings.Contains(csp, "frame-ancestors 'none'") || strings.Contains(csp, "unsafe") {
			t.Errorf("to %s: the policy is %q", host, csp)
		}
	}
}

// Behind a proxy its last word says who asks, also one that adds a line of its own behind what
// a visitor sent; elsewhere a header of that name says nothing. OC-04.2: nobody chooses the
// address that their attempts are counted by.
func TestAddressOfACaller(t *testing.T) {
	t.Parallel()
	for forwarded, want := range map[string]string{"": "192.0.2.7", "203.0.113.5": "203.0.113.5", "10.0.0.1, 203.0.113.5": "203.0.113.5", "1.1.1.1,2.2.2.2, 203.0.113.5": "203.0.113.5", "nonsense": "192.0.2.7"} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		r.RemoteAddr = "192.0.2.7:1"
		r.Header.Set("X-Forwarded-For", forwarded)
		if got := (&web.Guard{BehindProxy: true}).Address(r); got != want {
			t.Errorf("%q behind a proxy is %s, want %s", forwarded, got, want)
		}
		if got := (&web.Guard{}).Address(r); got != "192.0.2.7" {
			t.Errorf("%q without a proxy is %s, want 192.0.2.7", forwarded, got)
		}
		r.Header.Add("X-Forwarded-For", "198.51.100.4")
		if got := (&web.Guard{BehindProxy: true}).Address(r); got != "198.51.100.4" {
			t.Errorf("%q before the proxy's own line is %s, want 198.51.100.4", forwarded, got)
		}
	}
}
