package main

import (
	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/api"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
	"github.com/pdpp-host/pdpp-host/sdk/problems"
)

// The streams.
const (
	streamPlaylists = "playlists"
	streamTracks    = "saved_tracks"
	streamArtists   = "top_artists"
	streamPlays     = "recently_played"
)

var provider = api.Provider{Name: "Spotify", Origin: "https://api.spotify.com", Slot: "spotify", Below: "/v1/"}

// table has the plays first, because they are lost for good when the rest takes too long.
var table = api.Table{
	Who: "/v1/me", IDs: user, Hint: api.Consent,
	Streams: []api.Stream{
		{Name: streamPlays, Collect: collectPlays},
		{Name: streamPlaylists, Collect: func(c *api.Client) error { return collectList(c, playlists) }},
		{Name: streamArtists, Collect: func(c *api.Client) error { return collectList(c, artists) }},
		{Name: streamTracks, Collect: collectTracks},
	},
}

func collect(h *sdk.Host) error { return api.Collect(h, provider, table) }

func user(v jsonvalue.Value) []string {
	if id := v.Get("id").Str(); id != "" {
		return []string{id}
	}
	return nil
}

// pager reads a list of Spotify's from its first page.
func pager(path string) api.Pager { return api.NextLink(path, "items", "next") }

// The problems that a run reports.
var (
	unreadable = &problems.Kind{
		Reason: "spotify_item_unreadable", Hint: "retry_on_connector_upgrade", Many: "rows of the list have no valid id", One: "row of the list has no valid id",
	}
	unreadablePlay = &problems.Kind{
		Reason: "spotify_item_unreadable", Hint: "retry_on_connector_upgrade", Many: "plays have no track or no time", One: "play has no track or no time",
	}
	empty = &problems.Kind{
		Reason: "spotify_items_empty", Hint: "upstream_unblock",
		Many: "rows of the list are empty, so removed rows cannot be identified", One: "row of the list is empty, so removed rows cannot be identified",
	}
	withdrawn = &problems.Kind{
		Reason: "spotify_track_withdrawn", Hint: "not_retriable",
		Many: "saved tracks come from Spotify without a track, only with when they were saved; what was collected of them stays",
		One:  "saved track comes from Spotify without a track, only with when it was saved; what was collected of it stays",
	}
	unstable = &problems.Kind{
		Reason: "spotify_list_unstable", Hint: "retry_by_runtime",
		Plain: "the list changed each time it was read, or is shorter than its stated length; the next run looks for removed rows",
	}
	foreign = &problems.Kind{
		Reason: "spotify_plays_of_another_account", Hint: "not_retriable", Plain: "the earlier account's plays stay, because plays are never deleted",
	}
)
