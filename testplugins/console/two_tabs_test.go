package console

import (
	"net/http"
	"testing"

	"github.com/pdpp-host/pdpp-host/testplugins/rig/bed"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/browser"
)

// OC-09.3, OC-17: the seventh story. Two tabs edit a schedule: the second one is told that it
// was changed meanwhile, changes nothing, and does so once it has looked again.
func TestTwoTabsEdit(t *testing.T) {
	t.Parallel()
	told(t, func(t *testing.T, o browser.Options) {
		owner := bed.New(t, "claude_code")
		owner.Says(0, "connections", "add", "laptop", "claude_code", "--accept", "--root", "claude_code="+transcripts(t, owner))
		cookie := owner.Claim()
		v := browser.Visit(t, owner.Origin(), o)
		v.Give(cookie)
		one, two := v.Page(), v.Page()
		every := func(p *browser.Page, number string) {
			p.Press("Change the schedule")
			p.Press("Every")
			p.Fill("How many", number)
			p.Choose("Of which unit", "hours")
		}
		for _, p := range []*browser.Page{one, two} {
			p.Open("/connections/laptop")
		}
		every(one, "7")
		every(two, "9")
		one.Press("Keep this schedule")
		one.See("The schedule is kept", "Every 7 hours")
		two.Refused(http.StatusPreconditionFailed)
		two.Press("Keep this schedule")
		two.See("was changed meanwhile, and your change was not made")
		two.Open("/connections/laptop")
		two.See("Every 7 hours")
		every(two, "9")
		two.Press("Keep this schedule")
		two.See("The schedule is kept", "Every 9 hours")
	})
}
