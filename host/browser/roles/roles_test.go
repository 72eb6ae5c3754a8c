package roles

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/browser/gate"
)

var hosts = []abi.BrowserHost{
	{Host: "www.shop.example", Role: abi.RoleProvider},
	{Suffix: "shop.example", Role: abi.RoleAsset},
	{Host: "accounts.shop.example", Role: abi.RoleSignIn},
}

// governor counts what it carries, and lets it go unless it is out of budget.
type governor struct {
	carried []string
	counted int
	stop    error
}

func (g *governor) Carry(_ context.Context, req *http.Request, next http.RoundTripper) error {
	if g.stop != nil {
		return g.stop
	}
	g.carried = append(g.carried, req.Method+" "+req.URL.String())
	_, err := next.RoundTrip(req) //nolint:bodyclose // it has none
	return err
}

func (g *governor) Count(_ context.Context, req *http.Request, next http.RoundTripper) error {
	g.counted++
	_, err := next.RoundTrip(req) //nolint:bodyclose // it has none
	return err
}

func (g *governor) Failure(err error) abi.HTTPFailure { return abi.HTTPFailure{Message: err.Error()} }

// A host that is named has its own role, below a suffix or not; a part of a name is no suffix.
func TestRoles(t *testing.T) {
	t.Parallel()
	r := New(hosts, nil)
	for host, want := range map[string]string{
		"www.shop.example": abi.RoleProvider, "WWW.Shop.Example.": abi.RoleProvider, "accounts.shop.example": abi.RoleSignIn, "cdn.shop.example": abi.RoleAsset,
		"shop.example": abi.RoleAsset, "a.b.shop.example": abi.RoleAsset, "myshop.example": "", "shop.example.org": "", "": "", "127.0.0.1": "",
	} {
		if got := r.Of(host); got != want {
			t.Errorf("%q: got %q, want %q", host, got, want)
		}
	}
}

// late is a governor that has requests wait until a sign-in has begun.
type late struct {
	governor

	roles *Roles
}

func (l *late) Carry(ctx context.Context, req *http.Request, next http.RoundTripper) error {
	l.roles.Forgo()
	return l.governor.Carry(ctx, req, next)
}

// A request of before a sign-in that waits still is not sent in it: what it is answered would come into
// the cache of the window's pages (BR-13.7).
func TestForgo(t *testing.T) {
	t.Parallel()
	l, sent := &late{}, 0
	l.roles = New(hosts, l)
	send := func(context.Context) (*gate.Answer, error) { sent++; return &gate.Answer{Status: http.StatusOK}, nil }
	admit := func(kind string) error {
		return l.roles.Admit(t.Context(), gate.Request{Method: http.MethodGet, URL: "https://www.shop.example/x", Kind: kind}, send)
	}
	if err := admit("Fetch"); abi.CodeOf(err) != abi.CodeBrowserRefused || sent != 0 {
		t.Errorf("one that waits: got %v, %d sent, want it refused", err, sent)
	}
	if err := admit("Script"); err != nil || sent != 1 { // waits for nothing
		t.Errorf("one of the window: got %v, %d sent, want it sent", err, sent)
	}
}

// A host that an owner allows is reached as one of role sign_in is, until it is disallowed; what is
// no name of a host on the internet is not allowed (BR-08.4).
func TestAllow(t *testing.T) {
	t.Parallel()
	g := &governor{}
	r := New(hosts, g)
	send := func(context.Context) (*gate.Answer, error) { return &gate.Answer{Status: http.StatusOK}, nil }
	admits := func(host string) bool {
		return r.Admit(t.Context(), gate.Request{Method: http.MethodPost, URL: "https://" + host + "/", Kind: "Document"}, send) == nil
	}
	const captcha = "captcha.example"
	if !r.Allow(captcha) || admits(captcha) {
		t.Errorf("got %s refused by Allow, or reached while nobody is signed in, want neither", captcha)
	}
	r.SignIn(true)
	if !admits(captcha) || !admits("CAPTCHA.example.") || g.counted != 2 || len(g.carried) != 0 {
		t.Errorf("got %d requests counted and %v carried, want two counted", g.counted, g.carried)
	}
	if admits("other.example") || admits("a."+captcha) {
		t.Error("got another host reached, want it refused")
	}
	r.Disallow()
	if admits(captcha) {
		t.Error("got the host reached after the end, want it refused")
	}
	for _, host := range []string{"", "localhost", "app.localhost", "127.0.0.1", "::1", "0x7f.1", "127.1", "2130706433", "a..example", ".example", "a.example.", "a b.example", "[::1]", "-a.example", "xn--a.1"} {
		if r.Allow(host) {
			t.Errorf("%q: got it allowed, want it refused", host)
		}
	}
}

// Connections to a host that an owner has allowed end with the hand-off, also those that are open;
// those to the connector's own hosts do not (BR-08.4).
func TestAllowedConnectionsEnd(t *testing.T) {
	t.Parallel()
	r := New(hosts, &governor{})
	var far []net.Conn
	d := r.Behind(dials(func(context.Context, string) (net.Conn, error) {
		near, other := net.Pipe()
		far = append(far, other)
		return near, nil
	}))
	r.SignIn(true)
	r.Allow("captcha.example")
	dial := func(host string) net.Conn {
		t.Helper()
		c, err := d.Dial(t.Context(), host+":443")
		if err != nil {
			t.Fatalf("%s: got %v, want it reached", host, err)
		}
		return c
	}
	dial("captcha.example")
	closed := dial("captcha.example")
	if err := closed.Close(); err != nil || len(r.open) != 1 {
		t.Errorf("one of two closed: got %d open, %v, want one", len(r.open), err)
	}
	own := dial(hosts[0].Host)
	r.Disallow()
	if _, err := far[0].Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		t.Errorf("the host's connection: got %v, want it at its end", err)
	}
	go func() { _, _ = far[2].Write([]byte("x")) }()
	if n, err := own.Read(make([]byte, 1)); n != 1 || err != nil {
		t.Errorf("the connector's own: got %d bytes, %v, want it open", n, err)
	}
	late := r.Behind(dials(func(context.Context, string) (net.Conn, error) {
		r.Disallow() // while it is dialled
		near, _ := net.Pipe()
		return near, nil
	}))
	r.Allow("captcha.example")
	if _, err := late.Dial(t.Context(), "captcha.example:443"); abi.CodeOf(err) != abi.CodeBrowserRefused {
		t.Errorf("ended while it was dialled: got %v, want it refused", err)
	}
}

type dials func(context.Context, string) (net.Conn, error)

func (d dials) Dial(ctx context.Context, hostport string) (net.Conn, error) { return d(ctx, hostport) }

// A cookie is the connector's where one of its hosts gets it.
func TestCookies(t *testing.T) {
	t.Parallel()
	r := New([]abi.BrowserHost{{Host: "www.shop.example", Role: abi.RoleProvider}, {Suffix: "cdn.shop.example", Role: abi.RoleAsset}}, nil)
	for domain, want := range map[string]bool{
		"www.shop.example": true, ".shop.example": true, "shop.example": false, ".www.shop.example": true, ".a.cdn.shop.example": true, "b.cdn.shop.example": true,
		".op.example": false, ".other.example": false, "other.example": false,
	} {
		if got := r.Cookies(domain); got != want {
			t.Errorf("%s: got %v, want %v", domain, got, want)
		}
	}
}

// Requests to the provider pass the governor, once each; parts of pages do not, and are only read
// where a host has nothing else; a host of sign-in is there while that goes on (BR-07.1, BR-08.1, Invariant 10).
func TestAdmit(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		method, url, kind string
		signingIn         bool
		stop              error
		sent, carried     int
		refused           bool
	}{
		"a document":               {"GET", "https://www.shop.example/", "Document", false, nil, 1, 1, false},
		"what a script sends":      {"POST", "https://www.shop.example/api", "XHR", false, nil, 1, 1, false},
		"another kind":             {"GET", "https://www.shop.example/x", "Other", false, nil, 1, 1, false},
		"a picture":                {"GET", "https://www.shop.example/a.png", "Image", false, nil, 1, 0, false},
		"a part":                   {"GET", "https://cdn.shop.example/a.js", "Script", false, nil, 1, 0, false},
		"data for a host of parts": {"POST", "https://cdn.shop.example/log", "Fetch", false, nil, 0, 0, true},
		"a sign-in too early":      {"GET", "https://accounts.shop.example/", "Document", false, nil, 0, 0, true},
		"a sign-in":                {"POST", "https://accounts.shop.example/login", "Document", true, nil, 1, 0, false},
		"nobody's":                 {"GET", "https://other.example/", "Image", true, nil, 0, 0, true},
		"out of budget":            {"GET", "https://www.shop.example/", "Fetch", false, errors.New("the budget"), 0, 0, true},
	} {
		g := &governor{stop: c.stop}
		r := New(hosts, g)
		r.SignIn(c.signingIn)
		sent := 0
		err := r.Admit(t.Context(), gate.Request{Method: c.method, URL: c.url, Kind: c.kind, Header: http.Header{}}, func(context.Context) (*gate.Answer, error) {
			sent++
			return &gate.Answer{Status: 200, Header: http.Header{}}, nil
		})
		if sent != c.sent || len(g.carried) != c.carried || len(g.carried)+g.counted != sent || (err != nil) != c.refused {
			t.Errorf("%s: sent %d, carried %v, %v, want %d, %d, refused %v", name, sent, g.carried, err, c.sent, c.carried, c.refused)
		}
		if names, _ := r.Refused(); (len(names) > 0) != (c.refused && c.kind != "Fetch") {
			t.Errorf("%s: got %v counted, want a host that may not be reached", name, names)
		}
		if c.stop != nil && (!errors.Is(r.Why(c.url), c.stop) || r.Why(c.url) != nil) {
			t.Errorf("%s: want its reason, once", name)
		}
	}
}

type anywhere struct{}

func (anywhere) Dial(context.Context, string) (net.Conn, error) { return nil, errDialled }

var errDialled = errors.New("dialled")

// The wall's way out is for the same hosts, whatever speaks over it.
func TestBehind(t *testing.T) {
	t.Parallel()
	r := New(hosts, nil)
	d := r.Behind(anywhere{})
	for _, c := range []struct {
		hostport  string
		signingIn bool
		dials     bool
	}{
		{"www.shop.example:443", false, true}, {"cdn.shop.example:443", false, true}, {"accounts.shop.example:443", false, false},
		{"accounts.shop.example:443", true, true}, {"other.example:443", true, false}, {"www.shop.example", false, false},
	} {
		r.SignIn(c.signingIn)
		if _, err := d.Dial(t.Context(), c.hostport); errors.Is(err, errDialled) != c.dials {
			t.Errorf("%s, signing in %v: got %v, want dialled %v", c.hostport, c.signingIn, err, c.dials)
		}
	}
}
