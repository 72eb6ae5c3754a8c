package main

import "github.com/pdpp-host/pdpp-host/sdk/jsonvalue"

// collectPlaylists reads all playlists: there are few, and a playlist's
// snapshot_id, which is part of its record, changes with its content.
func collectPlaylists(a *api) error {
	s := newTrackedList(a, streamPlaylists)
	_, _, err := s.inventory(&list{
		first: a.base + "/v1/me/playlists?limit=50",
		row:   (*builder).playlist,
		key:   func(id string) []string { return []string{id} },
	})
	return s.end(err)
}

func (d *builder) playlist(v jsonvalue.Value, _ int) string {
	owner, count := v.Get("owner"), v.Get("items")
	if !count.Exists() {
		count = v.Get("tracks") // the name before February 2026
	}
	d.needed("id", v.Get("id"))
	d.needed("name", v.Get("name"))
	d.text("description", v.Get("description"))
	d.text("owner_id", owner.Get("id"))
	d.text("owner_name", owner.Get("display_name"))
	d.flag("public", v.Get("public"))
	d.flag("collaborative", v.Get("collaborative"))
	d.number("track_count", count.Get("total"))
	d.text("snapshot_id", v.Get("snapshot_id"))
	d.text("uri", v.Get("uri"))
	d.text("url", v.Get("external_urls").Get("spotify"))
	return rowID(v)
}
