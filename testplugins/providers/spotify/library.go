package spotify

import (
	"maps"
	"slices"
	"time"
)

// Track is a track, and when it was saved.
type Track struct {
	ID, Name, Album string
	Artists         []string
	AddedAt         time.Time
	Popularity      int
	ISRC            string
	Overrides       map[string]any // members of the rendered track
	Withdrawn       bool           // it is served as null
}

// Playlist is a playlist that the owner made or follows.
type Playlist struct {
	ID, Name, Owner, Description, Snapshot string
	Tracks                                 int
	Overrides                              map[string]any
}

// Artist is one place of a list of top artists.
type Artist struct {
	ID, Name   string
	Genres     []string
	Popularity int
	Overrides  map[string]any
}

// Play is one play of a track.
type Play struct {
	Track     *Track
	At        time.Time
	Context   string // playlist, album, artist; "": none
	Overrides map[string]any
}

// Save adds a track to the library, at the place that its time gives it.
func (p *Provider) Save(t *Track) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if t.AddedAt.IsZero() {
		t.AddedAt = p.o.Now()
	}
	p.saved = append(p.saved, t)
	slices.SortStableFunc(p.saved, func(a, b *Track) int { return b.AddedAt.Compare(a.AddedAt) })
}

// Unsave takes a track out of the library.
func (p *Provider) Unsave(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.saved = slices.DeleteFunc(p.saved, func(t *Track) bool { return t.ID == id })
}

// Follow adds a playlist at the top of the list.
func (p *Provider) Follow(list *Playlist) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.playlists = slices.Insert(p.playlists, 0, list)
}

// Unfollow takes a playlist out of the list, which is also the effect of deleting one.
func (p *Provider) Unfollow(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.playlists = slices.DeleteFunc(p.playlists, func(l *Playlist) bool { return l.ID == id })
}

// SetTop sets the top artists of a time range.
func (p *Provider) SetTop(term string, artists ...*Artist) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.top[term] = artists
}

// Play adds a play.
func (p *Provider) Play(one *Play) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.plays = append(p.plays, one)
	slices.SortStableFunc(p.plays, func(a, b *Play) int { return b.At.Compare(a.At) })
}

// Change runs f while no request is answered, to change data that was added.
func (p *Provider) Change(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f()
}

func link(kind, id string) map[string]any {
	return map[string]any{"spotify": "https://open.spotify.com/" + kind + "/" + id}
}

// over applies overrides.
func over(m, overrides map[string]any) map[string]any {
	maps.Copy(m, overrides)
	return m
}

func (t *Track) render(modern bool) map[string]any {
	artists := make([]any, 0, len(t.Artists))
	for _, name := range t.Artists {
		artists = append(artists, map[string]any{
			"id": "artist-" + name, "name": name, "type": "artist", "uri": "spotify:artist:artist-" + name, "external_urls": link("artist", "artist-"+name),
		})
	}
	m := map[string]any{
		"id": t.ID, "name": t.Name, "type": "track", "uri": "spotify:track:" + t.ID, "external_urls": link("track", t.ID), "artists": artists,
		"album": map[string]any{
			"id": "album-" + t.Album, "name": t.Album, "type": "album", "album_type": "album", "release_date": "1999-10", "release_date_precision": "month",
		},
		"duration_ms": 181000, "explicit": false, "disc_number": 1, "track_number": 3, "is_local": false, "external_ids": map[string]any{"isrc": t.ISRC},
	}
	if !modern {
		m["popularity"] = t.Popularity
	}
	return over(m, t.Overrides)
}

func (t *Track) saved(modern bool) any {
	if t.Withdrawn {
		return map[string]any{"added_at": stamp(t.AddedAt), "track": nil}
	}
	return map[string]any{"added_at": stamp(t.AddedAt), "track": t.render(modern)}
}

func (l *Playlist) render(modern bool) any {
	count := "tracks"
	if modern {
		count = "items"
	}
	return over(map[string]any{
		"id": l.ID, "name": l.Name, "type": "playlist", "uri": "spotify:playlist:" + l.ID, "external_urls": link("playlist", l.ID),
		"description": l.Description, "collaborative": false, "public": true, "snapshot_id": l.Snapshot,
		"owner": map[string]any{"id": l.Owner, "display_name": "Name of " + l.Owner, "type": "user"},
		count:   map[string]any{"href": "https://api.spotify.com/v1/playlists/" + l.ID + "/tracks", "total": l.Tracks},
	}, l.Overrides)
}

func (a *Artist) render(modern bool) any {
	m := map[string]any{
		"id": a.ID, "name": a.Name, "type": "artist", "uri": "spotify:artist:" + a.ID, "external_urls": link("artist", a.ID), "genres": a.Genres,
	}
	if !modern {
		m["popularity"], m["followers"] = a.Popularity, map[string]any{"href": nil, "total": 1000}
	}
	return over(m, a.Overrides)
}

func (one *Play) render(modern bool) any {
	m := map[string]any{"played_at": one.At.UTC().Format("2006-01-02T15:04:05.000Z"), "track": one.Track.render(modern), "context": nil}
	if one.Context != "" {
		m["context"] = map[string]any{"type": one.Context, "uri": "spotify:" + one.Context + ":c1", "external_urls": link(one.Context, "c1")}
	}
	return over(m, one.Overrides)
}
