package console

import (
	"net/http"
	"testing"

	"github.com/pdpp-host/pdpp-host/testplugins/rig/bed"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/browser"
)

// looks are the ways in which a page is held to its form.
var looks = map[string]browser.Options{
	"light": {}, "dark": {Dark: true}, "narrow": {Width: 320, Height: 640}, "narrow and dark": {Width: 320, Height: 640, Dark: true},
}

// sound fails for what keeps people out of a page: what axe-core finds, what the keyboard does
// not come to, what is wider than the window.
func sound(t *testing.T, p *browser.Page, path string) {
	t.Helper()
	p.Open(path)
	for _, what := range p.Wider() {
		t.Errorf("%s in a narrow window: %s", path, what)
	}
	for _, what := range p.Keyboard() {
		t.Errorf("%s by the keyboard: %s", path, what)
	}
	for _, what := range p.Axe() {
		t.Errorf("%s: axe-core: %s", path, what)
	}
}

// OC-13: nobody is kept out of the pages that a visitor sees.
func TestAVisitorsPagesAreAccessible(t *testing.T) {
	t.Parallel()
	browser.Find(t)
	browser.NeedAxe(t)
	fresh, owned := bed.New(t), bed.New(t)
	link := fresh.Serve()
	owned.Claim()
	for look, o := range looks {
		t.Run(look, func(t *testing.T) {
			t.Parallel()
			o.Also = []string{fresh.Origin()}
			p := browser.Visit(t, owned.Origin(), o).Page()
			sound(t, p, "/sign-in")
			sound(t, p, link)
			sound(t, p, fresh.Origin()+"/set-up")
			p.Refused(http.StatusForbidden)
			sound(t, p, fresh.Origin()+"/set-up?code=wrong")
		})
	}
}

// pages are the addresses of the pages of an owner as collected returns one.
var pages = []string{
	"/", "/connections/github", "/connections/claude_code", "/connections/github/credentials", "/connections/github/settings", "/connections/github/module",
	"/runs", "/add", "/connectors", "/connectors/of/github", "/connectors/of/github/accept", "/devices", "/devices/invite", "/audit", "/audit?outcome=refused", "/settings",
}

// OC-13: nobody is kept out of the owner's pages.
func TestTheOwnersPagesAreAccessible(t *testing.T) {
	t.Parallel()
	browser.Find(t)
	browser.NeedAxe(t)
	owner := collected(t)
	cookie := owner.Claim()
	for look, o := range looks {
		t.Run(look, func(t *testing.T) {
			t.Parallel()
			v := browser.Visit(t, owner.Origin(), o)
			v.Give(cookie)
			p := v.Page()
			for _, path := range pages {
				sound(t, p, path)
			}
			p.Refused(http.StatusNotFound)
			sound(t, p, "/no-such-page")
		})
	}
}
