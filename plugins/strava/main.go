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
			if id := numberText(v.Get("id")); id != "" {
				return []string{id}
			}
			return nil
		},
		Hint:    hint,
		Streams: []api.Stream{{Name: streamActivities, Collect: collectActivities}},
	})
}

// hint is for a list that the consent does not cover.
func hint(code string) string {
	if code == "strava_http_403" {
		return "refresh_credentials"
	}
	return ""
}

func init() { sdk.Run(connector{}) }

func main() {}
