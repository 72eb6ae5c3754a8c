package console

import (
	"slices"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/testplugins/providers/github"
	"github.com/pdpp-host/pdpp-host/testplugins/providers/sample"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/browser"
)

// renewed is the token that takes the place of the revoked one.
const renewed = "console-token-9e02"

// revokedToken is the second story (OC-17, OC-19, HL-26.1, HL-29): an owner gives a token on
// the page and collects. The provider revokes it, so that the next run fails. The owner is told once,
// sees on the overview what to do, and stores another token: one run confirms it.
func revokedToken(t *testing.T, h *host) func(t *testing.T) {
	t.Helper()
	providers, inboxes := map[string]*github.Provider{}, map[string]*inbox{}
	for _, o := range tellings {
		name := called("github", o)
		p := sample.Github(someGitHub(6))
		providers[name], inboxes[name] = p, newInbox(h)
		h.Says(0, "connections", "add", name, "github", "--accept", "--set", "base_url="+h.Provider(p))
	}
	return func(t *testing.T) {
		told(t, func(t *testing.T, o browser.Options) {
			name := called("github", o)
			provider, inbox := providers[name], inboxes[name]
			p := h.page(t, o)
			inbox.tells(t, p)
			at := "/connections/" + name
			p.Open(at + "/credentials")
			p.Fill("New value: token", token)
			p.Press("Store: token")
			p.See("The credential is stored, encrypted")
			p.Press("Run now")
			p.At("/runs/")
			ends(p, o)
			p.See("Succeeded")
			p.Open(at)
			comes(p, o, "Healthy")

			before := len(inbox.about(name + " needs you"))
			provider.ReplaceToken(renewed)
			p.Press("Run now")
			p.At("/runs/")
			ends(p, o)
			p.See("Failed", "The provider does not accept the credentials")
			inbox.awaits(t, name+" needs you")
			p.Open("/")
			p.See(name+": Sign in again", "Can't collect")
			if !o.NoScripts {
				legible(t, p)
			}
			p.Press("Enter a credential: " + name)
			p.At(at + "/credentials")
			p.Fill("New value: token", renewed)
			p.Press("Store: token")
			p.See("The credential is stored, encrypted")
			p.Open(at)
			comes(p, o, "Healthy")
			if !o.NoScripts {
				legible(t, p)
			}
			var runs struct{ Runs []struct{ Status string } }
			h.Asks(0, &runs, "runs", "list", name)
			var got []string
			for _, r := range runs.Runs {
				got = append(got, r.Status)
			}
			if failed := slices.Index(got, "failed"); failed != 1 || got[0] != "succeeded" || len(got) < 3 {
				t.Errorf("the runs, the newest first: %q, want one that succeeded behind the one that failed", got)
			}
			if now := inbox.about(name + " needs you"); len(now) != before+1 || !strings.Contains(now[before], "Sign in again") {
				t.Errorf("notifications: %q, want one more than the %d from before, which says to sign in again", now, before)
			}
			for _, where := range append(inbox.about(""), h.Log(), p.Eval("document.documentElement.outerHTML").Str()) {
				if strings.Contains(where, token) || strings.Contains(where, renewed) {
					t.Errorf("a token stands in %.200q, want it nowhere", where)
				}
			}
		})
	}
}
