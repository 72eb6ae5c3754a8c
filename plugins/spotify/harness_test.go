package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/pdpp-host/pdpp-host/abi"
	contract "github.com/pdpp-host/pdpp-host/abi/manifest"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
	"github.com/pdpp-host/pdpp-host/testplugins/providers/fault"
	"github.com/pdpp-host/pdpp-host/testplugins/providers/spotify"
)

// RT-01.1, RT-11.1: the manifest is one that the host takes.
func TestManifestIsValid(t *testing.T) {
	t.Parallel()
	for _, p := range contract.Problems([]byte(manifest)) {
		t.Errorf("%s: %s", p.Path, p.Rule)
	}
}

// account is a simulated account, the faults before it, and its clock.
type account struct {
	*spotify.Provider

	faults *fault.Injector
	mu     sync.Mutex
	clock  time.Time
}

func newAccount(change ...func(*spotify.Options)) *account {
	a := &account{clock: sdktest.Epoch}
	o := spotify.Options{Now: a.now}
	for _, c := range change {
		c(&o)
	}
	a.Provider = spotify.New(o)
	a.faults = fault.New(a.Provider, fault.Env{})
	return a
}

func (a *account) now() time.Time {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.clock
}

func (a *account) pass(d time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.clock = a.clock.Add(d)
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
		a.pass(time.Minute)
	}
}

// play plays n tracks, three minutes apart.
func (a *account) play(first, n int) {
	for i := range n {
		a.Play(&spotify.Play{Track: track(first + i), At: a.now(), Context: "playlist"})
		a.pass(3 * time.Minute)
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

func (a *account) options(change ...func(*sdktest.Options)) sdktest.Options {
	o := sdktest.Options{Provider: a.faults, Now: a.now, Credentials: credentials}
	for _, c := range change {
		c(&o)
	}
	return o
}

// streams narrows a run to some streams.
func streams(names ...string) func(*sdktest.Options) {
	return func(o *sdktest.Options) { o.Streams = names }
}

// collect does a first run that must succeed.
func (a *account) collect(t *testing.T, change ...func(*sdktest.Options)) *sdktest.Result {
	t.Helper()
	res := sdktest.Collect(t, connector{}, a.options(change...))
	succeeded(t, res)
	return res
}

// again does the next run, which must succeed.
func (a *account) again(t *testing.T, res *sdktest.Result) *sdktest.Result {
	t.Helper()
	a.Forget()
	next := res.SecondRun(t, nil)
	succeeded(t, next)
	return next
}

func succeeded(t *testing.T, res *sdktest.Result) {
	t.Helper()
	if res.Done.Status != abi.DoneSucceeded {
		t.Fatalf("done %+v %+v, skips %+v", res.Done, res.Done.Error, res.Skips)
	}
	conform(t, res)
}

// schemas compiles the manifest's stream schemas, once.
var schemas = sync.OnceValue(func() map[string]*jsonschema.Schema {
	var m abi.Manifest
	if err := json.Unmarshal([]byte(manifest), &m); err != nil {
		panic(err)
	}
	compiled := map[string]*jsonschema.Schema{}
	for _, s := range m.Streams {
		c := jsonschema.NewCompiler()
		c.AssertFormat()
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(s.Schema)))
		if err != nil {
			panic(err)
		}
		if err := c.AddResource(s.Name, doc); err != nil {
			panic(err)
		}
		compiled[s.Name] = c.MustCompile(s.Name)
	}
	return compiled
})

// conform holds every record against its stream's schema.
func conform(t *testing.T, res *sdktest.Result) {
	t.Helper()
	for _, rec := range res.All {
		if rec.Delete {
			continue
		}
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(rec.Data)))
		if err != nil {
			t.Fatal(err)
		}
		if err := schemas()[rec.Stream].Validate(doc); err != nil {
			t.Errorf("%s %s: %v\n%s", rec.Stream, rec.Key, err, rec.Data)
		}
	}
}

// stored is what a run from nothing finds.
func (a *account) stored(t *testing.T, change ...func(*sdktest.Options)) sdktest.Store {
	t.Helper()
	s := sdktest.Store{}
	s.Apply(a.collect(t, change...))
	return s
}

func deleted(res *sdktest.Result) string {
	var keys []string
	for _, r := range res.All {
		if r.Delete {
			keys = append(keys, r.Stream+" "+r.Key)
		}
	}
	slices.Sort(keys)
	return strings.Join(keys, ",")
}

func emitted(res *sdktest.Result) string {
	var keys []string
	for _, r := range res.All {
		if !r.Delete {
			keys = append(keys, r.Stream+" "+r.Key)
		}
	}
	slices.Sort(keys)
	return strings.Join(keys, ",")
}

func reasons(res *sdktest.Result) string {
	var list []string
	for _, s := range res.Skips {
		list = append(list, s.Stream+" "+s.Reason)
	}
	return strings.Join(list, ",")
}
