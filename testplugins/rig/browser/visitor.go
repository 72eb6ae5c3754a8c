package browser

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/proto"
)

// Options say how a visitor comes.
type Options struct {
	NoScripts bool
	Also      []string // origins besides the home that may be reached
	Dark      bool
	Width     int    // of the window; 0: 1280
	Height    int    // 0: 900
	Language  string // such as de-DE; "": the browser's own
	Zone      string // such as Europe/Berlin; "": the machine's
}

// Visitor is somebody with a browser of their own.
type Visitor struct {
	t     testing.TB
	o     Options
	home  string
	reach []string // hosts with their ports
	drive *rod.Browser
	proxy *Proxy
}

// Visit opens a profile that reaches the origin home, and no address beyond it but those that
// the options name.
func Visit(t testing.TB, home string, o Options) *Visitor {
	t.Helper()
	c := running(t)
	proxy, err := NewProxy()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if asked := proxy.Asked(); len(asked) > 0 {
			t.Errorf("pages asked for what is not this host's: %q, want nothing", asked)
		}
		proxy.Close()
	})
	v := &Visitor{t: t, o: o, home: strings.TrimSuffix(home, "/"), proxy: proxy}
	for _, origin := range append([]string{home}, o.Also...) {
		u, err := url.Parse(origin)
		if err != nil || u.Host == "" {
			t.Fatalf("no origin: %q", origin)
		}
		v.reach = append(v.reach, u.Host)
	}
	made, err := proto.TargetCreateBrowserContext{
		DisposeOnDetach: true, ProxyServer: proxy.Address(), ProxyBypassList: "<-loopback>;" + strings.Join(v.reach, ";"),
	}.Call(c.drive)
	if err != nil {
		t.Fatal(err)
	}
	own := *c.drive
	own.BrowserContextID = made.BrowserContextID
	v.drive = &own
	t.Cleanup(func() {
		if err := v.drive.Close(); err != nil {
			t.Errorf("closing the profile: %v", err)
		}
	})
	return v
}

// Give gives the visitor a cookie of the home.
func (v *Visitor) Give(cookies ...*http.Cookie) {
	v.t.Helper()
	for _, c := range cookies {
		err := v.drive.SetCookies([]*proto.NetworkCookieParam{{
			Name: c.Name, Value: c.Value, URL: v.home, Path: "/", HTTPOnly: c.HttpOnly, Secure: c.Secure, SameSite: proto.NetworkCookieSameSiteStrict,
		}})
		if err != nil {
			v.t.Fatal(err)
		}
	}
}

// Cookies returns the visitor's cookies.
func (v *Visitor) Cookies() []*proto.NetworkCookie {
	v.t.Helper()
	all, err := v.drive.GetCookies()
	if err != nil {
		v.t.Fatal(err)
	}
	return all
}

// reaches reports whether a request to an address was meant.
func (v *Visitor) reaches(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	switch u.Scheme {
	case "data", "blob", "about":
		return true
	}
	return slices.Contains(v.reach, u.Host)
}
