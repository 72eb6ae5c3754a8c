package main

import (
	_ "embed"
	"strings"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/api"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

//go:embed manifest.json
var manifest string

type connector struct{}

func (connector) Manifest() string { return manifest }

// provider is the server at the owner's address.
var provider = api.Provider{Name: "Jellyfin", Slot: "jellyfin"}

func (connector) Collect(h *sdk.Host) error {
	user, several := "", false
	err := api.Collect(h, provider, api.Table{
		Who: "/Users",
		IDs: func(users jsonvalue.Value) []string {
			if user, several = choose(users, h.Option("user")); user == "" {
				return nil
			}
			return []string{user}
		},
		Streams: []api.Stream{
			{Name: "libraries", Collect: func(c *api.Client) error { return libraries(user).Collect(c) }},
			{Name: "items", Collect: func(c *api.Client) error { return collectItems(c, user) }},
			{Name: "playlists", Collect: func(c *api.Client) error { return playlists(user).Collect(c) }},
		},
	})
	if user == "" && several {
		return &sdk.Failure{
			Code: "jellyfin_user_unknown", Message: "the option user names none of the server's users, of which there are several", Hint: "manual_action_required",
		}
	}
	return err
}

// choose returns the id of the user that is meant: the one with that name or id, or the only
// one there is. several reports that the server has users, and none of them is meant.
func choose(users jsonvalue.Value, meant string) (id string, several bool) {
	for it := users.Children(); it.Next(); {
		one := it.Value().Get("Id").Str()
		if !api.PlainID(one) {
			continue
		}
		if meant == one || meant != "" && strings.EqualFold(meant, it.Value().Get("Name").Str()) || meant == "" && users.Len() == 1 {
			return one, false
		}
		several = true
	}
	return "", several
}

func init() { sdk.Run(connector{}) }

func main() {}
