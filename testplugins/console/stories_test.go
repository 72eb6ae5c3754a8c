package console

import (
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/testplugins/rig/bed"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/browser"
)

// stories are told over one host, where none of them gets in the way of another. Each
// prepares what it needs before the host serves, and returns what is told then.
var stories = map[string]func(t *testing.T, h *host) (tell func(t *testing.T)){
	"a revoked token": revokedToken, "a question at night": questionAtNight, "a changed module": changedModule, "a stalled device": stalledDevice,
}

// host is the one host.
type host struct{ *bed.Owner }

// page returns a page of the host's owner.
func (h *host) page(t *testing.T, o browser.Options) *browser.Page {
	t.Helper()
	v := browser.Visit(t, h.Origin(), o)
	v.Give(h.SignIn()) // afresh, since what a session makes asks for a proof of the last five minutes
	return v.Page()
}

// OC-17: the second to the fifth story. In the end nothing is left to be run: what was put
// right was confirmed by one run each (HL-26.1).
func TestStoriesOverOneHost(t *testing.T) { //nolint:tparallel // what the stories leave behind is looked at after them
	t.Parallel()
	browser.Find(t)
	h := &host{Owner: bed.New(t, "github", "claude_code")}
	told := map[string]func(t *testing.T){}
	for name, prepare := range stories {
		told[name] = prepare(t, h)
	}
	h.Claim("--log-level", "debug")
	t.Run("told", func(t *testing.T) {
		for name, tell := range told {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				tell(t)
			})
		}
	})
	h.Stop()
	if t.Failed() {
		t.Logf("the host wrote:\n%s", h.Log())
		return
	}
	out, _ := h.Command("serve", "--once", "--json").Output() // it fails where a story was left out
	if text := string(out); !strings.Contains(text, `"connections":[`) || strings.Contains(text, `"confirming"`) {
		t.Errorf("what was put right is confirmed again, or nothing is known of it, want neither:\n%s", text)
	}
}

// tellings are the two ways to tell a story.
var tellings = []browser.Options{{}, {NoScripts: true}}

// called is a name of something that one telling has to itself.
func called(name string, o browser.Options) string {
	if o.NoScripts {
		return name + "-plain"
	}
	return name + "-live"
}

// comes waits until the page says a text. The page's scripts show it; without them somebody
// reloads it.
func comes(p *browser.Page, o browser.Options, text string) {
	if o.NoScripts {
		p.ReloadUntil(text)
	}
	p.See(text)
}

// legible fails for what axe-core finds on the page as it is, in both themes, and for what is
// wider than its window.
func legible(t *testing.T, p *browser.Page) {
	t.Helper()
	if !browser.HasAxe() {
		return // the tests of all pages say so
	}
	for _, dark := range []bool{true, false} {
		p.Dark(dark)
		for _, what := range p.Axe() {
			t.Errorf("%s (dark: %v): axe-core: %s", p.Path(), dark, what)
		}
	}
	for _, what := range p.Wider() {
		t.Errorf("%s is too wide: %s", p.Path(), what)
	}
}
