package main

import (
	_ "embed"
	"slices"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/api"
	"github.com/pdpp-host/pdpp-host/sdk/cursor"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

//go:embed manifest.json
var manifest string

type connector struct{}

func (connector) Manifest() string { return manifest }

var provider = api.Provider{Name: "Reddit", Origin: "https://oauth.reddit.com", Slot: "reddit"}

func (connector) Collect(h *sdk.Host) error {
	user := "" // whose lists they are; the answer about the account has it
	table := api.Table{
		Who: "/api/v1/me",
		IDs: func(v jsonvalue.Value) []string {
			user = v.Get("name").Str()
			if id := v.Get("id").Str(); id != "" && api.PlainID(user) {
				return []string{id}
			}
			return nil
		},
		Hint: api.Consent,
	}
	for _, s := range byAge(h) {
		table.Streams = append(table.Streams, api.Stream{Name: s.name, Collect: func(c *api.Client) error { return collectList(c, s, user) }})
	}
	return api.Collect(h, provider, table)
}

// byAge returns the streams, the one that was read to its end longest ago first.
func byAge(h *sdk.Host) []stream {
	ordered := slices.Clone(streams)
	slices.SortStableFunc(ordered, func(a, b stream) int {
		switch before, after := readMS(h, a), readMS(h, b); {
		case before < after:
			return -1
		case before > after:
			return 1
		default:
			return 0
		}
	})
	return ordered
}

func readMS(h *sdk.Host, s stream) int64 {
	var at place
	cursor.Read(h.Cursor(s.name), cursorVersion, &at)
	return at.readMS
}

func init() { sdk.Run(connector{}) }

func main() {}
