package console

import (
	"testing"

	"github.com/pdpp-host/pdpp-host/testplugins/rig/browser"
)

// OC-17: the overview says how each connection is after real runs, and what needs the owner.
func TestTheOverviewSaysHowThingsAre(t *testing.T) {
	t.Parallel()
	told(t, func(t *testing.T, o browser.Options) {
		p := signedIn(t, collected(t), o)
		p.Open("/")
		p.See("Nothing needs you", "github", "claude_code", "Healthy")
	})
}
