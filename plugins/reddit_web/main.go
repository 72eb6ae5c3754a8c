package main

import (
	_ "embed"
	"strings"

	"github.com/pdpp-host/pdpp-host/plugins/internal/redditlist"
	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/api"
	"github.com/pdpp-host/pdpp-host/sdk/browser"
)

//go:embed manifest.json
var manifest string

const (
	origin   = "https://old.reddit.com"
	required = "reddit_web_session_required"
	blocked  = "reddit_web_blocked"
)

// login goes through the site's form. It asks for the code on the same page, in a field that
// was hidden, and says in the same place what it refuses.
var login = browser.Login{
	Site: "Reddit", Home: origin + "/", Known: "form.logout", Form: origin + "/login",
	Fields: []browser.Filled{{Selector: "#user_login", Credential: "username"}, {Selector: "#passwd_login", Credential: "password"}},
	Send:   "#login-form button[type=submit]", Wrong: "#login-form .error",
	Code: &browser.Code{
		Field: "#login-form input[name=otp]", Send: "#login-form button[type=submit]", Wrong: "#login-form .error",
		Message: "Enter the six digits that your authenticator shows for Reddit, or a backup code.",
	},
}

var provider = api.Provider{Name: "Reddit", Origin: origin, Explain: explain}

type connector struct{}

func (connector) Manifest() string { return manifest }

func (connector) Collect(h *sdk.Host) error {
	if err := h.RequireCredentials(); err != nil || h.RecoveryOnly() { // it has no details
		return err
	}
	page, err := login.Establish(h)
	if err != nil {
		return err
	}
	page.Carry()
	table := redditlist.Door{Who: "/api/me.json", Member: "data", Suffix: ".json"}.Table(h)
	table.Ends = func(err error) bool {
		f, ok := sdk.AsFailure(err)
		return api.EndsRun(err) || ok && (f.Code == required || f.Code == blocked)
	}
	return api.Collect(h, provider, table)
}

// explain says what a refusal means: Reddit shows each list to its owner, and turns traffic that
// it does not like away with a page. Neither is tried again by itself: the password may have been
// sent in this run.
func explain(resp *sdk.Response) *sdk.Failure {
	switch {
	case resp.Status == 403 && strings.HasPrefix(resp.Header("content-type"), "text/html"):
		return &sdk.Failure{Code: blocked, Message: "Reddit turns this browser or its network away (status 403, with a page)", Hint: "manual_action_required"}
	case resp.Status == 401, resp.Status == 403:
		return &sdk.Failure{Code: required, Message: "Reddit does not know its owner any more", Hint: "manual_action_required"}
	}
	return nil
}

func init() { sdk.Run(connector{}) }

func main() {}
