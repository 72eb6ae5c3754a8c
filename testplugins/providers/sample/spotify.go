package sample

import (
	"fmt"

	"github.com/pdpp-host/pdpp-host/testplugins/providers/spotify"
)

// perWindow is how many requests Options.Limit leaves in any 30 seconds. Spotify
// documents no number.
const perWindow = 90

// SpotifyVariables are the secrets of a Spotify account made with a token.
func SpotifyVariables(token string) map[string]string {
	return map[string]string{
		"SPOTIFY_ACCESS_TOKEN": token, "SPOTIFY_REFRESH_TOKEN": token + "-refresh", "SPOTIFY_CLIENT_ID": "simulated-client",
	}
}

// Spotify returns an account: playlists, saved tracks, top artists, plays.
func Spotify(o Options) *spotify.Provider {
	m := newMaker(o)
	secrets := SpotifyVariables(o.Token)
	so := spotify.Options{
		Token: o.Token, RefreshToken: secrets["SPOTIFY_REFRESH_TOKEN"], ClientID: secrets["SPOTIFY_CLIENT_ID"], Now: o.Now, Expire: true,
	}
	if o.Limit {
		so.Limit = perWindow
	}
	p := spotify.New(so)
	for i := range max(2, m.size/4) {
		p.Follow(&spotify.Playlist{
			ID: fmt.Sprintf("playlist%04d", i), Name: m.title(), Owner: "me", Description: m.title(), Snapshot: fmt.Sprint("s", m.IntN(1000)), Tracks: m.IntN(200),
		})
	}
	tracks := make([]*spotify.Track, m.size)
	for i := range tracks {
		tracks[i] = Track(i)
		tracks[i].Name, tracks[i].AddedAt = m.title(), m.ago(i)
		p.Save(tracks[i])
	}
	for _, term := range []string{"short_term", "medium_term", "long_term"} {
		var top []*spotify.Artist
		for _, i := range m.Perm(m.size)[:max(2, m.size/4)] {
			top = append(top, &spotify.Artist{ID: fmt.Sprintf("artist%04d", i), Name: fmt.Sprint("Artist ", i), Genres: []string{"rock"}, Popularity: m.IntN(100)})
		}
		p.SetTop(term, top...)
	}
	for i := range min(50, m.size) {
		p.Play(&spotify.Play{Track: tracks[m.IntN(len(tracks))], At: m.ago(i), Context: "playlist"})
	}
	return p
}

// Track returns the n-th track.
func Track(n int) *spotify.Track {
	return &spotify.Track{
		ID: fmt.Sprintf("track%04d", n), Name: fmt.Sprint("Track ", n), Album: fmt.Sprint("Album ", n/10), Artists: []string{"One", "Two"},
		Popularity: n % 100, ISRC: fmt.Sprintf("XX%06d", n),
	}
}
