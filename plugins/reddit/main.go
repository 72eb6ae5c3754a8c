package main

import (
	_ "embed"
	"strings"

	"github.com/pdpp-host/pdpp-host/plugins/internal/redditlist"
	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/api"
	"github.com/pdpp-host/pdpp-host/sdk/said"
)

//go:embed manifest.json
var manifest string

type connector struct{}

func (connector) Manifest() string { return manifest }

var provider = api.Provider{Name: "Reddit", Origin: "https://oauth.reddit.com", Slot: "reddit", Explain: explain}

// explain tells a page with which Reddit turns away a network or an agent from its own refusals,
// which are JSON. No other request of the run would fare better, and no later one.
func explain(resp *sdk.Response) *sdk.Failure {
	if resp.Status != 403 || !strings.HasPrefix(resp.Header("Content-Type"), "text/html") {
		return nil
	}
	words := resp.Said()
	return &sdk.Failure{
		Code: blocked, Hint: "manual_action_required", Said: words,
		Message: "Reddit turns away requests from this network or with this agent (status 403)" + said.Quoted(words),
	}
}

const blocked = "reddit_blocked"

func (connector) Collect(h *sdk.Host) error {
	table := redditlist.Door{Who: "/api/v1/me"}.Table(h)
	table.Hint = api.Consent
	table.Ends = func(err error) bool {
		f, ok := sdk.AsFailure(err)
		return api.EndsRun(err) || ok && f.Code == blocked
	}
	return api.Collect(h, provider, table)
}

func init() { sdk.Run(connector{}) }

func main() {}
