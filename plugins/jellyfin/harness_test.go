package main

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
	"github.com/pdpp-host/pdpp-host/testplugins/providers/jellyfin"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/trial"
)

// RT-01.1, RT-11.1: the host accepts the manifest.
func TestManifestIsValid(t *testing.T) {
	t.Parallel()
	trial.Valid(t, manifest)
	trial.Worded(t, manifest, unreadable.Reason, unstable.Reason, "jellyfin_auth_failed", "jellyfin_malformed_response", "jellyfin_page_answered", "jellyfin_paging_cycle", "jellyfin_account_changed", "jellyfin_user_unknown")
}

var schemas = trial.SchemasOf(manifest)

// server is a simulated server and the runs on it.
type server struct {
	*jellyfin.Provider
	*trial.Account
}

// newServer is a server with two libraries, of n films and of two songs, and a playlist.
func newServer(n int, change ...func(*jellyfin.Options)) *server {
	s := &server{Account: trial.NewAccount(connector{}, schemas, map[string]bool{"api_key": true})}
	o := jellyfin.Options{Base: "/jellyfin"}
	for _, c := range change {
		c(&o)
	}
	s.Provider = jellyfin.New(o)
	s.At(s.Provider)
	s.AddLibrary(&jellyfin.Library{ID: "films", Name: "Films", Kind: "movies"}, &jellyfin.Library{ID: "music", Name: "Music"},
		&jellyfin.Library{ID: "sets", Name: "Collections", Kind: "boxsets"})
	for i := range n {
		s.Add(film(i + 1))
	}
	s.Add(&jellyfin.Item{ID: "s1", Name: "One", Library: "music", Type: "Audio"}, &jellyfin.Item{ID: "s2", Name: "Two", Library: "music", Type: "Audio"},
		&jellyfin.Item{ID: "p1", Name: "Evening", Type: "Playlist"}, &jellyfin.Item{ID: "f1", Name: "Film 1 again", Library: "sets"})
	return s
}

func film(n int) *jellyfin.Item {
	return &jellyfin.Item{ID: "f" + strconv.Itoa(n), Name: "Film " + strconv.Itoa(n), Library: "films"}
}

// at is where the server is.
func at(o *sdktest.Options) {
	o.Options = map[string]string{"base_url": "https://media.example.org/jellyfin/"}
}

func (s *server) first(t *testing.T, change ...trial.Change) *sdktest.Result {
	t.Helper()
	return s.Collect(t, append([]trial.Change{at}, change...)...)
}

// changes lists what a run changes at the host, by key, tombstones with a minus.
func changes(res *sdktest.Result) string {
	var keys []string
	for _, r := range res.Changes() {
		key := r.Key
		if r.Delete {
			key = "-" + key
		}
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return strings.Join(keys, ",")
}
