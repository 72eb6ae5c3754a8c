package main

import (
	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/fingerprint"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// playlists are few, and a playlist's snapshot_id, which is part of its record, changes with
// its content.
var playlists = list{
	stream: streamPlaylists, parts: []part{{"", "/v1/me/playlists?limit=50"}},
	row: func(r *sdk.Record, v jsonvalue.Value, _ string, _ int64) (id string, sum uint64) {
		owner, count := v.Get("owner"), v.Get("items")
		if !count.Exists() {
			count = v.Get("tracks") // the name before February 2026
		}
		r.Copy("id", v.Get("id"))
		r.Copy("name", v.Get("name"))
		r.Copy("description", v.Get("description"))
		r.Copy("owner_id", owner.Get("id"))
		r.Copy("owner_name", owner.Get("display_name"))
		r.Copy("public", v.Get("public"))
		r.Copy("collaborative", v.Get("collaborative"))
		r.Copy("track_count", count.Get("total"))
		r.Copy("snapshot_id", v.Get("snapshot_id"))
		r.Copy("uri", v.Get("uri"))
		r.Copy("url", v.Get("external_urls").Get("spotify"))
		return v.Get("id").Str(), 0
	},
}

// artists are the rankings of about four weeks, six months, a year or more. An artist in
// several rankings has a record for each.
var artists = list{
	stream: streamArtists, ranked: true, sums: true, parts: []part{ranking("short_term"), ranking("medium_term"), ranking("long_term")},
	row: func(r *sdk.Record, v jsonvalue.Value, term string, n int64) (id string, sum uint64) {
		r.Copy("id", v.Get("id"))
		r.String("time_range", term)
		r.Int("rank", n)
		r.Copy("name", v.Get("name"))
		r.Copy("genres", v.Get("genres"))
		r.Copy("uri", v.Get("uri"))
		r.Copy("url", v.Get("external_urls").Get("spotify"))
		sum = r.Sum()
		r.Copy("popularity", v.Get("popularity"))
		r.Copy("followers", v.Get("followers").Get("total"))
		return v.Get("id").Str(), sum
	},
}

func ranking(term string) part { return part{term, "/v1/me/top/artists?limit=50&time_range=" + term} }

// tracks are the saved tracks.
var tracks = list{
	stream: streamTracks, sums: true, parts: []part{{"", "/v1/me/tracks?limit=50"}},
	row: func(r *sdk.Record, v jsonvalue.Value, _ string, _ int64) (id string, sum uint64) {
		t := v.Get("track")
		if !t.Exists() {
			t = v.Get("item")
		}
		r.Copy("id", t.Get("id"))
		r.Copy("name", t.Get("name"))
		r.Copy("added_at", v.Get("added_at"))
		copyTrack(r, t)
		if sum = r.Sum(); sum != 0 {
			sum = (sum<<atBits | timeSum(v.Get("added_at").View())) & fingerprint.Mask48
		}
		r.Copy("popularity", t.Get("popularity"))
		return t.Get("id").Str(), sum
	},
	hollow: func(v jsonvalue.Value) (at string, is bool) {
		t := v.Get("track")
		if !t.Exists() {
			t = v.Get("item")
		}
		at = v.Get("added_at").Str()
		return at, t.Exists() && t.IsNull() && at != ""
	},
}

// copyTrack sets the fields that saved tracks and plays share.
func copyTrack(r *sdk.Record, v jsonvalue.Value) {
	album := v.Get("album")
	r.CopyEach("artist_names", v.Get("artists"), "name")
	r.CopyEach("artist_ids", v.Get("artists"), "id")
	r.Copy("album_id", album.Get("id"))
	r.Copy("album_name", album.Get("name"))
	r.Copy("album_release_date", album.Get("release_date"))
	r.CopyMembers(v, "duration_ms", "disc_number", "track_number", "explicit", "is_local")
	r.Copy("isrc", v.Get("external_ids").Get("isrc"))
	r.Copy("uri", v.Get("uri"))
	r.Copy("url", v.Get("external_urls").Get("spotify"))
}
