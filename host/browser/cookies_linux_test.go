package browser

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/go-rod/rod/lib/proto"

	"github.com/pdpp-host/pdpp-host/abi"
)

// The session of a browser is lent to requests beside it: the cookies that it would send to that
// address of the provider itself, also those that no script sees, and none to other hosts.
func TestCookies(t *testing.T) {
	t.Parallel()
	shop := newSite(t, map[string]string{"/": "<title>shop</title>"})
	shop.other = func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/enter" {
			return false
		}
		for _, c := range []string{"sid=canary; Secure; HttpOnly", "deep=1; Path=/account; Secure", "wide=2; Domain=shop.example; Path=/; Secure", "other=3; Domain=x.shop.example"} {
			w.Header().Add("Set-Cookie", c)
		}
		return true
	}
	b := bind(t, shop, nil)
	b.does(`{"do":"open","url":"https://shop.example/enter"}`)
	for address, want := range map[string]string{
		"https://shop.example/": "sid wide", "https://shop.example/account": "deep sid wide", "https://shop.example/account/x": "deep sid wide", "https://shop.example/accounts": "sid wide",
		"http://shop.example/": "", "https://www.shop.example/": "", "https://other.example/": "",
	} {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		cookies, err := b.Cookies(t.Context(), u)
		names := map[string]bool{}
		for _, c := range cookies {
			names[c.Name] = true
			if c.Name == "sid" && c.Value != "canary" {
				t.Errorf("%s: got sid=%s, want its value", address, c.Value)
			}
		}
		if err != nil || len(names) != len(strings.Fields(want)) {
			t.Errorf("%s: got %v, %v, want %s", address, names, err, want)
		}
		for name := range strings.FieldsSeq(want) {
			if !names[name] {
				t.Errorf("%s: got %v, want %s", address, names, want)
			}
		}
	}
	at := &url.URL{Scheme: "https", Host: "shop.example", Path: "/account/x"}
	set := func(want bool, u *url.URL, lines ...string) {
		t.Helper()
		var all []*http.Cookie
		for _, line := range lines {
			c, err := http.ParseSetCookie(line)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, c)
		}
		if kept, err := b.SetCookies(t.Context(), u, all); kept != want || err != nil {
			t.Errorf("%s: got %v, %v, want %v", u, kept, err, want)
		}
	}
	// The browser keeps what answers beside it set, as if a page had asked: renewed, ended, for
	// the folder of the address, and nothing for another domain, for a whole suffix, or against its prefix.
	set(true, at, "sid=renewed; Path=/; Secure; HttpOnly", "wide=; Domain=shop.example; Path=/; Max-Age=0", "lasts=1; Max-Age=3600; SameSite=Lax", `quoted="7 8"; Secure`, "other=4; Domain=other.example", "all=5; Domain=example", "__Host-a=6; Path=/account; Secure")
	set(false, &url.URL{Scheme: "https", Host: "other.example", Path: "/"}, "sid=other")
	set(false, &url.URL{Scheme: "http", Host: "shop.example", Path: "/"}, "sid=plain")
	got, err := b.Cookies(t.Context(), at)
	names := make([]string, len(got))
	for i, c := range got {
		names[i] = c.Name + "=" + c.Value
	}
	slices.Sort(names)
	if want := []string{"deep=1", "lasts=1", `quoted="7 8"`, "sid=renewed"}; err != nil || !slices.Equal(names, want) {
		t.Errorf("behind an answer: got %q, %v, want %q", names, err, want)
	}
	if _, seen := b.does(`{"do":"eval","fn":"() => document.cookie"}`); strings.Contains(seen, "sid") {
		t.Errorf("a script sees %s, want sid kept from it", seen)
	}
	b.does(`{"do":"sign_in.begin","url":"https://shop.example/"}`)
	set(true, at, "sid=planted; Path=/; Secure")
	if cookies, err := b.Cookies(t.Context(), &url.URL{Scheme: "https", Host: "shop.example", Path: "/"}); err != nil || len(cookies) != 0 {
		t.Errorf("while the owner is signed in: got %v, %v, want none", cookies, err)
	}
	b.does(`{"do":"sign_in.end"}`)
	if got, err := b.Cookies(t.Context(), &url.URL{Scheme: "https", Host: "shop.example", Path: "/"}); err != nil || len(got) != 1 || got[0].Value != "renewed" {
		t.Errorf("behind the sign-in: got %v, %v, want nothing that was set meanwhile", got, err)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Cookies(t.Context(), &url.URL{Scheme: "https", Host: "shop.example", Path: "/"}); abi.CodeOf(err) != abi.CodeBrowserClosed {
		t.Errorf("behind the run: got %v, want %s", err, abi.CodeBrowserClosed)
	}
}

// A recording is told of a session before requests beside the browser have it: a site may show its
// cookies in an answer (BR-18.2, Invariant 5).
func TestCookiesAreHidden(t *testing.T) {
	t.Parallel()
	shop := newSite(t, map[string]string{"/": "<title>shop</title>"})
	b := bind(t, shop, nil)
	b.does(`{"do":"open","url":"https://shop.example/"}`)
	b.does(`{"do":"eval","fn":"() => { document.cookie = 'sid=of-sixteen-bytes; secure'; document.cookie = 'lang=en; secure' }"}`)
	var hidden []string
	b.request.Hide = func(name, value string) { hidden = append(hidden, name+"="+value) }
	if got, err := b.Cookies(t.Context(), &url.URL{Scheme: "https", Host: "shop.example", Path: "/"}); err != nil || len(got) != 2 || len(hidden) != 2 || !slices.Contains(hidden, "sid=of-sixteen-bytes") {
		t.Errorf("got %v, %v, with %q told of, want two, and both told of", got, err, hidden)
	}
}

// A cookie goes where RFC 6265 says, section 5.4.
func TestGoesTo(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		domain, path, host, to string
		want                   bool
	}{
		{"shop.example", "/", "shop.example", "", true},
		{"shop.example", "/", "SHOP.example", "/x", true},
		{"shop.example", "/", "www.shop.example", "/", false},
		{".shop.example", "/", "www.shop.example", "/", true},
		{".shop.example", "/", "shop.example", "/", true},
		{".shop.example", "/", "myshop.example", "/", false},
		{"shop.example", "/a", "shop.example", "/a", true},
		{"shop.example", "/a", "shop.example", "/ab", false},
		{"shop.example", "/a/", "shop.example", "/a/b", true},
		{"shop.example", "/a", "shop.example", "/", false},
	} {
		if got := goesTo(&proto.NetworkCookie{Domain: c.domain, Path: c.path}, &url.URL{Scheme: "https", Host: c.host, Path: c.to}); got != c.want {
			t.Errorf("%+v: got %v, want %v", c, got, c.want)
		}
	}
	if goesTo(&proto.NetworkCookie{Domain: "shop.example", Path: "/", PartitionKey: &proto.NetworkCookiePartitionKey{}}, &url.URL{Host: "shop.example", Path: "/"}) {
		t.Error("got a cookie of a page within another, want none")
	}
}
