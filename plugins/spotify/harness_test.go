package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
	"github.com/pdpp-host/pdpp-host/testplugins/providers/spotify"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/trial"
)

// RT-01.1, RT-11.1: the host accepts the manifest.
func TestManifestIsValid(t *testing.T) {
	t.Parallel()
	trial.Valid(t, manifest)
}

var schemas = trial.SchemasOf(manifest)

// account is a simulated account and the runs on it.
type account struct {
	*spotify.Provider
	*trial.Account
}

func newAccount(change ...func(*spotify.Options)) *account {
	a := &account{Account: trial.NewAccount(connector{}, schemas, credentials)}
	o := spotify.Options{Now: a.Now}
	for _, c := range change {
		c(&o)
	}
	a.Provider = spotify.New(o)
	a.At(a.Provider)
	return a
}

func track(n int) *spotify.Track {
	return &spotify.Track{
		ID: fmt.Sprintf("track%04d", n), Name: fmt.Sprintf("Track %d", n), Album: "Album", Artists: []string{"One", "Two"}, Popularity: n % 100, ISRC: fmt.Sprintf("XX%d", n),
	}
}

// save saves n tracks, a minute apart, numbered from first.
func (a *account) save(first, n int) {
	for i := range n {
		a.Save(track(first + i))
		a.Pass(time.Minute)
	}
}

// play plays n tracks, three minutes apart.
func (a *account) play(first, n int) {
	for i := range n {
		a.Play(&spotify.Play{Track: track(first + i), At: a.Now(), Context: "playlist"})
		a.Pass(3 * time.Minute)
	}
}

func (a *account) follow(names ...string) {
	for _, name := range names {
		a.Follow(&spotify.Playlist{ID: "list" + name, Name: name, Owner: "me", Description: "About " + name, Snapshot: "s1", Tracks: 3})
	}
}

func artist(name string) *spotify.Artist {
	return &spotify.Artist{ID: "artist" + name, Name: name, Genres: []string{"rock"}, Popularity: 60}
}

// furnished is an account with a little of everything.
func furnished(change ...func(*spotify.Options)) *account {
	a := newAccount(change...)
	a.follow("A", "B", "C")
	a.save(0, 3)
	a.SetTop("short_term", artist("x"), artist("y"))
	a.SetTop("medium_term", artist("x"))
	a.SetTop("long_term", artist("z"), artist("x"))
	a.play(0, 4)
	return a
}

var credentials = map[string]bool{"client_id": true, "refresh_token": true, "access_token": true}

// stored is the result of a run without earlier state.
func (a *account) stored(t *testing.T, change ...trial.Change) sdktest.Store {
	t.Helper()
	s := sdktest.Store{}
	s.Apply(a.Collect(t, change...))
	return s
}

// rows counts the rows that a run emitted, changed or not.
func rows(res *sdktest.Result) int {
	live := trial.Live(res)
	slices.Sort(live)
	return len(slices.Compact(live))
}

func deleted(res *sdktest.Result) string {
	var keys []string
	for _, r := range res.Changes() {
		if r.Delete {
			keys = append(keys, r.Stream+" "+r.Key)
		}
	}
	slices.Sort(keys)
	return strings.Join(keys, ",")
}

func emitted(res *sdktest.Result) string {
	var keys []string
	for _, r := range res.Changes() {
		if !r.Delete {
			keys = append(keys, r.Stream+" "+r.Key)
		}
	}
	slices.Sort(keys)
	return strings.Join(keys, ",")
}
