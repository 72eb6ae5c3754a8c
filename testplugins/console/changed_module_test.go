package console

import (
	"net/http"
	"testing"

	"github.com/pdpp-host/pdpp-host/testplugins/rig/browser"
)

// letters builds a connector of that version. The second one reaches another host.
func letters(t *testing.T, version string) string {
	t.Helper()
	changes := []string{`"version": "0.1.0"`, `"version": "` + version + `"`}
	if version != "1.0.0" {
		changes = append(changes, `"hosts": [`, `"hosts": [{"host": "parcels.example.com", "reason": "parcels are listed there"}, `)
	}
	return edition(t, "letters", version, changes...)
}

// changedModule is the fifth story (OC-17): the module of a connection is another one since
// its last run. It is not run; the page of consent shows what is different; once that is
// allowed, it runs.
func changedModule(t *testing.T, h *host) func(t *testing.T) {
	t.Helper()
	h.Install("letters", letters(t, "1.0.0"))
	for _, o := range tellings {
		name := called("letters", o)
		h.Says(0, "connections", "add", name, "letters", "--accept", "--set", "script=records notes 0 3\nfinish")
		h.Says(0, "run", "letters", "--connection", name, "--no-input")
	}
	h.Install("letters", letters(t, "2.0.0"))
	return func(t *testing.T) {
		told(t, func(t *testing.T, o browser.Options) {
			name := called("letters", o)
			p := h.page(t, o)
			p.Open("/connections/" + name)
			p.See("3")
			p.Refused(http.StatusConflict)
			p.Press("Run now")
			p.See("That did not work", "plugin.changed")
			p.Open("/")
			p.Press("See what it asks for: " + name)
			p.At("/connections/" + name + "/module")
			p.See("What is different from what you accepted", "parcels.example.com", "2.0.0", "1.0.0")
			if !o.NoScripts {
				legible(t, p)
			}
			p.Press("Allow this")
			p.See("The connector is accepted, and may run")
			p.Press("Run now")
			p.At("/runs/")
			ends(p, o)
			p.See("Succeeded", "2.0.0")
			p.Open("/connections/" + name + "/module")
			p.See("You have allowed exactly this module")
		})
	}
}
