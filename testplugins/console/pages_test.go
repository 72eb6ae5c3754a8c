package console

import (
	"maps"
	"net/http"
	"slices"
	"testing"

	"github.com/pdpp-host/pdpp-host/testplugins/rig/bed"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/browser"
)

// looks are the ways in which a page is held to its form: two themes and two widths, each once.
var looks = map[string]browser.Options{"light": {}, "dark and narrow": {Dark: true, Width: 320, Height: 640}}

// sound fails for what keeps people out of a page: what axe-core finds, what the keyboard does
// not come to, what is wider than the window.
func sound(t *testing.T, p *browser.Page, path string) {
	t.Helper()
	p.Holds(`!document.querySelector("[data-on]") || performance.getEntriesByType("resource").some((e) => e.initiatorType === "fetch")`) // it asks again once it listens
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
			for _, path := range []string{"/sign-in", link, fresh.Origin() + "/set-up"} {
				p.Open(path)
				sound(t, p, path)
			}
			p.Refused(http.StatusForbidden)
			p.Open(fresh.Origin() + "/set-up?code=wrong")
			sound(t, p, "/set-up?code=wrong")
		})
	}
}

// OC-05, OC-07, OC-08, OC-13: every page of an owner, of a host with real runs and whatever a
// hostile connector, device and record may say, keeps nobody out, runs nothing of a
// stranger's, and asks nobody else for anything.
func TestEveryPage(t *testing.T) {
	t.Parallel()
	browser.Find(t)
	browser.NeedAxe(t)
	w := everything(t)
	all := map[string]browser.Options{"without scripts": {NoScripts: true}}
	maps.Copy(all, looks)
	for look, o := range all {
		t.Run(look, func(t *testing.T) {
			t.Parallel()
			v := browser.Visit(t, w.owner.Origin(), o)
			v.Give(w.cookie)
			p := v.Page()
			for _, path := range w.pages {
				p.Open(path)
				harmless(t, p, path)
				if !o.NoScripts {
					sound(t, p, path)
				}
			}
			p.Refused(http.StatusNotFound)
			p.Open("/no-such-page")
			if !o.NoScripts {
				sound(t, p, "/no-such-page")
			}
		})
	}
	for _, pattern := range shownRoutes(t) {
		if !slices.ContainsFunc(w.pages, func(page string) bool { return answers(t, pattern, page) }) {
			t.Errorf("no browser looks at %s: its list has no page of it", pattern)
		}
	}
}
