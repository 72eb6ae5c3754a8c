package call

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/send/egress"
)

// Cookies stay with the run: they go back to who set them, the guest sees none
// and sets none.
func TestCookies(t *testing.T) {
	t.Parallel()
	b := newBed(t, func(o *Options) {
		o.Network.Hosts = append(o.Network.Hosts, abi.NetworkHost{Host: "shop.example.co.uk"}, abi.NetworkHost{Host: "other.example.co.uk"},
			abi.NetworkHost{Host: "wide.example.org"}, abi.NetworkHost{Host: "a.wide.example.org"}, abi.NetworkHost{Host: "b.wide.example.org"})
	})
	set := func(address, cookie string) {
		t.Helper()
		b.script(says{headers: []string{"Set-Cookie: " + cookie}})
		if r := b.get(address, ""); r.Headers["set-cookie"] != "" {
			t.Errorf(`the guest sees %v, want ""`, r.Headers)
		}
		b.script(says{})
	}
	sent := func(address, want string) {
		t.Helper()
		b.get(address, "")
		if got := b.seen[len(b.seen)-1].Header.Get("Cookie"); got != want {
			t.Errorf("%s gets %q, want %q", address, got, want)
		}
	}
	set("https://api.example.com/", "sid=1; Path=/; Secure")
	sent("https://api.example.com/x", "sid=1")
	sent("https://cdn.example.com/x", "")
	set("https://shop.example.co.uk/", "s=2; Domain=co.uk; Path=/")
	sent("https://shop.example.co.uk/", "s=2") // kept for its host alone
	sent("https://other.example.co.uk/", "")
	set("https://shop.example.co.uk/", "e=3; Domain=other.example.co.uk; Path=/")
	sent("https://other.example.co.uk/", "")
	set("https://a.wide.example.org/", "w=4; Domain=.wide.example.org; Path=/")
	sent("https://b.wide.example.org/", "w=4") // the manifest names the domain
	// Across a redirect, set by the first hop.
	b.answer = func(_ int, r got) says {
		if r.URL.Path == "/in" {
			return says{status: 302, headers: []string{"Location: /out", "Set-Cookie: r=5; Path=/"}}
		}
		return says{}
	}
	b.get("https://cdn.example.com/in", "")
	if got := b.seen[len(b.seen)-1].Header.Get("Cookie"); got != "r=5" {
		t.Errorf(`after a redirect %q, want "r=5"`, got)
	}
	if r := b.do(abi.HTTPRequest{URL: api, Headers: map[string]string{"cookie": "mine=1"}}, ""); r.Error.Code != egress.CodeHeaderReserved {
		t.Errorf("r.Error.Code: got %+v, want %v", r, egress.CodeHeaderReserved)
	}
	other := newBed(t, nil)
	other.get("https://api.example.com/x", "")
	if other.seen[0].Header.Get("Cookie") != "" {
		t.Error("a cookie of another run")
	}
}

// RFC 6265, 6.1: a cookie of 4,096 bytes is kept, and one of a byte more is not.
func TestTheLargestCookie(t *testing.T) {
	t.Parallel()
	value := strings.Repeat("x", 4096-len("n")-len("/"))
	for _, c := range []struct {
		value string
		small bool
	}{{value, true}, {value + "x", false}} {
		if got := isSmall("/", &http.Cookie{Name: "n", Value: c.value}); got != c.small {
			t.Errorf("a value of %d bytes: got small %v, want %v", len(c.value), got, c.small)
		}
	}
}

// A provider that sends cookies without end fills neither the host nor the
// requests that carry them back.
func TestCookiesAreFew(t *testing.T) {
	t.Parallel()
	b := newBed(t, nil)
	b.answer = func(n int, _ got) says {
		headers := []string{"Set-Cookie: sid=" + strconv.Itoa(n) + "; Path=/", "Set-Cookie: large=" + strings.Repeat("x", maxCookie) + "; Path=/"}
		for i := range 50 {
			headers = append(headers, fmt.Sprintf("Set-Cookie: c%d=1", i))
		}
		return says{headers: headers}
	}
	for i := range 10 {
		b.get(fmt.Sprintf("%s/%d/x", api, i), "")
	}
	sent := b.seen[len(b.seen)-1].Header.Get("Cookie")
	if n := len(b.wire.jar.known); n > maxCookies {
		t.Errorf("%d cookies are kept, want n <= maxCookies", n)
	}
	if n := strings.Count(sent, "="); n > maxCookies || strings.Contains(sent, "large") {
		t.Errorf(`%d cookies, want n <= maxCookies && !strings.Contains(sent, "large")`, n)
	}
	if !strings.Contains(sent, "sid=9") { // a known one still changes
		t.Errorf(`got %s, want strings.Contains(sent, "sid=9")`, sent)
	}
}

// The cookies of a browser's session go with requests that carry no credential, to the addresses
// that they belong to at each hop. The browser keeps what answers set, and its cookies
// stand before those of the run's own. The run keeps cookies that come beside a credential, and those of other hosts.
func TestSession(t *testing.T) {
	t.Parallel()
	b := newBed(t, nil)
	var given []string
	sid := "canary"
	b.Session.Session(func(_ context.Context, u *url.URL) ([]*http.Cookie, error) {
		switch {
		case u.Path == "/broken":
			return nil, abi.NewError(abi.CodeBrowserClosed, "the browser is gone", "")
		case u.Hostname() != "api.example.com":
			return nil, nil
		}
		return []*http.Cookie{{Name: "sid", Value: sid}, {Name: "q", Value: `{"a": 1, "b"}`}, {Name: "bad", Value: "x\r\nHost: other"}}, nil
	}, func(_ context.Context, u *url.URL, cookies []*http.Cookie) (bool, error) {
		switch {
		case u.Path == "/full":
			return true, abi.NewError(abi.CodeBrowserClosed, "the browser is gone", "")
		case u.Hostname() != "api.example.com":
			return false, nil
		}
		for _, c := range cookies {
			given = append(given, c.String())
			sid = c.Value
		}
		return true, nil
	})
	sent := func() string { return b.seen[len(b.seen)-1].Header.Get("Cookie") }
	b.answer = func(_ int, r got) says {
		if r.URL.Path == "/away" {
			return says{status: 302, headers: []string{"Location: https://cdn.example.com/"}}
		}
		return says{}
	}
	b.get("https://api.example.com/x", "")
	if got, want := sent(), `sid=canary; q={"a": 1, "b"}`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	b.get("https://api.example.com/x", "bearer")
	if got := sent(); got != "" {
		t.Errorf("beside a credential: got %q, want none", got)
	}
	b.get("https://api.example.com/away", "")
	if got := sent(); got != "" || b.seen[len(b.seen)-1].URL.Host != "cdn.example.com" {
		t.Errorf("where it was led to: got %q at %s, want none at cdn.example.com", got, b.seen[len(b.seen)-1].URL)
	}
	if r := b.get("https://api.example.com/broken", ""); r.Error.Code != abi.CodeBrowserClosed {
		t.Errorf("without the browser: got %+v, want %s", r.Error, abi.CodeBrowserClosed)
	}
	b.script(says{headers: []string{"Set-Cookie: sid=of-a-slot; Path=/; Secure"}})
	b.get("https://api.example.com/x", "bearer")
	b.script(says{headers: []string{"Set-Cookie: sid=newer; Path=/; Secure"}})
	b.get("https://api.example.com/x", "")
	b.script(says{})
	b.get("https://api.example.com/x", "")
	if got, want := sent(), `sid=newer; q={"a": 1, "b"}`; got != want || !slices.Equal(given, []string{"sid=newer; Path=/; Secure"}) {
		t.Errorf("renewed: got %q, and %q given to the browser, want %q, and the one cookie", got, given, want)
	}
	sid = "newest" // of a page, meanwhile
	b.get("https://api.example.com/x", "")
	if got, want := sent(), `sid=newest; q={"a": 1, "b"}`; got != want {
		t.Errorf("renewed by a page: got %q, want %q", got, want)
	}
	b.script(says{headers: []string{"Set-Cookie: of=elsewhere; Path=/; Secure"}})
	b.get("https://cdn.example.com/", "")
	b.script(says{})
	b.get("https://cdn.example.com/", "")
	if got := sent(); got != "of=elsewhere" {
		t.Errorf("elsewhere: got %q, want the run's own", got)
	}
	b.script(says{headers: []string{"Set-Cookie: sid=lost; Path=/; Secure"}})
	if r := b.get("https://api.example.com/full", ""); r.Error.Code != abi.CodeBrowserClosed || b.bodies.Load() != 0 {
		t.Errorf("the browser cannot keep it: got %+v with %d open answers, want %s and none", r.Error, b.bodies.Load(), abi.CodeBrowserClosed)
	}
}

// The cookies that a browser keeps take none of the run's own places: after any number of them it gets
// the next one, and so does the run.
func TestLentCookiesTakeNoPlace(t *testing.T) {
	t.Parallel()
	b := newBed(t, nil)
	given := map[string]string{}
	b.Session.Session(func(context.Context, *url.URL) ([]*http.Cookie, error) { return nil, nil }, func(_ context.Context, u *url.URL, cookies []*http.Cookie) (bool, error) {
		if u.Hostname() != "api.example.com" {
			return false, nil
		}
		for _, c := range cookies {
			given[c.Name] = c.Value
		}
		return true, nil
	})
	var many []string
	for i := range maxCookies + 1 {
		many = append(many, fmt.Sprintf("Set-Cookie: c%d=1", i))
	}
	b.script(says{headers: append(many, "Set-Cookie: large="+strings.Repeat("x", maxCookie))})
	b.get("https://api.example.com/x", "")
	b.script(says{headers: []string{"Set-Cookie: sid=newer; Path=/"}})
	b.get("https://api.example.com/x", "")
	b.get("https://cdn.example.com/", "")
	b.get("https://cdn.example.com/", "")
	if sent := b.seen[len(b.seen)-1].Header.Get("Cookie"); len(given) != maxCookies+2 || given["sid"] != "newer" || sent != "sid=newer" {
		t.Errorf("got %d cookies given to the browser, sid %q, and %q sent elsewhere, want %d, newer, sid=newer", len(given), given["sid"], sent, maxCookies+2)
	}
}

// Invariant 5: a recording is told of the cookies of an answer before the guest has it.
func TestCookiesOfAnswersAreHidden(t *testing.T) {
	t.Parallel()
	var hidden []string
	b := newBed(t, func(o *Options) {
		o.Hide = func(name, value string) { hidden = append(hidden, name+"="+value) }
	})
	b.script(says{body: "sid is canary", headers: []string{"Set-Cookie: sid=canary; Path=/", "Set-Cookie: lang=en", `Set-Cookie: q="a b"`}})
	if b.get("https://api.example.com/x", ""); !slices.Equal(hidden, []string{"sid=canary", "lang=en", "q=a b", `q="a b"`}) {
		t.Errorf("got %q told of, want each cookie, and a quoted one as it goes back", hidden)
	}
}

// A cookie's domain is that of the hosts below it, and not of a host whose name only ends like it.
func TestInDomain(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]bool{
		"api.example.com": true, "a.b.example.com": true, "example.com": false, "badexample.com": false, "example.com.evil.org": false, "com": false, "": false,
	} {
		if got := inDomain(host, "example.com"); got != want {
			t.Errorf("%q: got %v, want %v", host, got, want)
		}
	}
}
