package console

import (
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/testplugins/rig/bed"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/browser"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/tree"
)

func TestMain(m *testing.M) { browser.Main(m, tree.Remove) }

// told tells a story with and without the pages' scripts.
func told(t *testing.T, story func(t *testing.T, o browser.Options)) {
	t.Helper()
	browser.Find(t)
	for name, o := range map[string]browser.Options{"with scripts": {}, "without scripts": {NoScripts: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			story(t, o)
		})
	}
}

// signedIn returns a page of the owner, who has chosen a password, of a host that serves.
func signedIn(t *testing.T, owner *bed.Owner, o browser.Options, args ...string) *browser.Page {
	t.Helper()
	cookie := owner.Claim(args...)
	v := browser.Visit(t, owner.Origin(), o)
	v.Give(cookie)
	return v.Page()
}

// ends waits until the run on the page has ended. The page's scripts show that; without them
// somebody reloads it.
func ends(p *browser.Page, o browser.Options) {
	if o.NoScripts {
		for end := time.Now().Add(browser.Patience); strings.Contains(p.Text(), "Going on for") && time.Now().Before(end); {
			p.Reload()
		}
	}
	p.Gone("Going on for")
}
