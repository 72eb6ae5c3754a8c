package main

import (
	_ "embed"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/api"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

//go:embed manifest.json
var manifest string

type connector struct{}

func (connector) Manifest() string { return manifest }

var provider = api.Provider{Name: "Strava", Origin: "https://www.strava.com", Slot: "strava", Below: "/api/v3/"}

func (connector) Collect(h *sdk.Host) error {
	return api.Collect(h, provider, api.Table{
		Who: "/api/v3/athlete",
		IDs: func(v jsonvalue.Value) []string {
			if id := api.NumberID(v.Get("id")); id != "" {
				return []string{id}
			}
			return nil
		},
		Hint:    api.Consent,
		Streams: []api.Stream{{Name: streamActivities, Collect: collectActivities}},
	})
}

func init() { sdk.Run(connector{}) }

func main() {}
