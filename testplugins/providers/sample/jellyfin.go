package sample

import (
	"strconv"

	"github.com/pdpp-host/pdpp-host/testplugins/providers/jellyfin"
)

// Jellyfin returns a server with films, some of them played, in two libraries, and playlists.
func Jellyfin(o Options) *jellyfin.Provider {
	m := newMaker(o)
	p := jellyfin.New(jellyfin.Options{Key: o.Token})
	p.AddLibrary(&jellyfin.Library{ID: "films", Name: "Films", Kind: "movies"}, &jellyfin.Library{ID: "home", Name: "Home videos"})
	for i := range m.size {
		library := "films"
		if i%4 == 3 {
			library = "home"
		}
		p.Add(&jellyfin.Item{ID: strconv.Itoa(i + 1), Name: m.title(), Library: library, Plays: m.IntN(3), Favourite: m.IntN(5) == 0})
	}
	for i := range 3 {
		p.Add(&jellyfin.Item{ID: "p" + strconv.Itoa(i+1), Name: m.title(), Type: "Playlist"})
	}
	return p
}
