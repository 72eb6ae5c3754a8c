package main

import (
	_ "embed"

	"github.com/pdpp-host/pdpp-host/plugins/internal/redditlist"
	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/api"
)

//go:embed manifest.json
var manifest string

type connector struct{}

func (connector) Manifest() string { return manifest }

var provider = api.Provider{Name: "Reddit", Origin: "https://oauth.reddit.com", Slot: "reddit"}

func (connector) Collect(h *sdk.Host) error {
	table := redditlist.Door{Who: "/api/v1/me"}.Table(h)
	table.Hint = api.Consent
	return api.Collect(h, provider, table)
}

func init() { sdk.Run(connector{}) }

func main() {}
