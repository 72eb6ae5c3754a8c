package browser_test

import (
	"slices"
	"testing"

	"go.uber.org/goleak"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/browser"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// stepped signs in at a site that asks whether to stay signed in, before or behind the code.
type stepped struct{}

func (stepped) Manifest() string {
	return `{"connector_key": "stepped", "runtime_requirements": {
		"bindings": {"browser": {"required": true}, "interactive": {"required": false}},
		"browser": {"start_url": "https://shop.example/", "hosts": [{"host": "shop.example", "role": "provider", "reason": "x"}]}},
		"streams": [{"name": "orders", "primary_key": ["id"], "semantics": "mutable_state"}]}`
}

func (stepped) Collect(h *sdk.Host) error {
	l := login
	l.Code = &browser.Code{Field: "#code", Send: "#next", Wrong: "#wrong", Message: "m"}
	l.Steps = []browser.Step{{Shown: "#stay", Do: func(_ *sdk.Host, p *browser.Page) error { return p.Click("#no") }}}
	_, err := l.Establish(h)
	return err
}

// A site asks for what it likes behind its form, in any order, and each is done once; what comes
// again is none of it.
func TestSteps(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		pages   []string // that follow the form, each a click on
		code    string   // of DONE
		clicked []string
	}{
		"neither":            {nil, "", []string{"#next"}},
		"a step and a code":  {[]string{"#stay", "#code"}, "", []string{"#next", "#no", "#next"}},
		"a code and a step":  {[]string{"#code", "#stay"}, "", []string{"#next", "#next", "#no"}},
		"a step twice":       {[]string{"#stay", "#stay"}, "stepped_session_required", []string{"#next", "#no"}},
		"a code, refused":    {[]string{"#code", "#wrong"}, "stepped_code_refused", []string{"#next", "#next"}},
		"a step, refused":    {[]string{"#stay", "#wrong"}, "stepped_auth_failed", []string{"#next", "#no"}},
		"something unlisted": {[]string{"#puzzle"}, "stepped_session_required", []string{"#next"}},
	} {
		site := &sdktest.Site{Pages: map[string]*sdktest.SitePage{login.Home: {Title: "Shop"}}}
		before := &sdktest.SitePage{Texts: map[string][]string{"#word": {""}}}
		site.Pages[login.Form] = before
		leads := func(to string) {
			on := func(*sdktest.Site) string { return to }
			if to == login.Home {
				on = func(s *sdktest.Site) string {
					s.Pages[to].Texts = map[string][]string{login.Known: {"Ada"}}
					return to
				}
			}
			for _, button := range []string{"#next", "#no"} {
				before.Texts[button] = []string{"on"}
			}
			before.Clicks = map[string]func(*sdktest.Site) string{"#next": on, "#no": on}
		}
		for _, shown := range c.pages {
			at := login.Form + "/" + shown[1:]
			if site.Pages[at] != nil {
				at += "/again"
			}
			leads(at)
			before = &sdktest.SitePage{Texts: map[string][]string{shown: {"?"}}}
			site.Pages[at] = before
		}
		leads(login.Home)
		run := sdktest.Collect(inTest{}, stepped{}, sdktest.Options{Site: site, Credentials: map[string]bool{"password": true}, Answer: func(abi.Interaction) abi.InteractionResponse {
			return abi.InteractionResponse{Status: abi.ResponseSuccess}
		}})
		got := ""
		if run.Done.Error != nil {
			got = run.Done.Error.Code
		}
		if got != c.code || !slices.Equal(site.Clicked, c.clicked) {
			t.Errorf("%s: got %q after clicks on %q, want %q after %q", name, got, site.Clicked, c.code, c.clicked)
		}
	}
}
