package sample

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/testplugins/providers/fault"
)

// Options describe the data to make. Now is required.
type Options struct {
	Seed  uint64
	Size  int // of each list, more or less; 0: 20
	Now   func() time.Time
	Page  int    // rows on a page of github's; 0: as the service has it
	Limit bool   // refuse above the documented limits
	Token string // the accepted secret; "": a default one that describes itself
	Env   fault.Env
}

// Service is a provider with data, and how a host is given its secrets.
type Service struct {
	Handler   http.Handler // the provider behind Faults
	Faults    *fault.Injector
	Token     string
	Variables map[string]string // of the environment
}

var services = map[string]func(Options) *Service{
	"jellyfin": func(o Options) *Service {
		return serve(o, Jellyfin(o), map[string]string{"JELLYFIN_API_KEY": o.Token})
	},
	"notion":  func(o Options) *Service { return serve(o, Notion(o), map[string]string{"NOTION_API_TOKEN": o.Token}) },
	"github":  func(o Options) *Service { return serve(o, Github(o), map[string]string{"GITHUB_TOKEN": o.Token}) },
	"ynab":    func(o Options) *Service { return serve(o, Ynab(o), map[string]string{"YNAB_PAT": o.Token}) },
	"reddit":  func(o Options) *Service { return serve(o, Reddit(o), RedditVariables(o.Token)) },
	"spotify": func(o Options) *Service { return serve(o, Spotify(o), SpotifyVariables(o.Token)) },
	"strava":  func(o Options) *Service { return serve(o, Strava(o), StravaVariables(o.Token)) },
}

// Names are the providers that New knows.
func Names() []string { return slices.Sorted(maps.Keys(services)) }

// New makes the provider with that name.
func New(name string, o Options) (*Service, error) {
	open, ok := services[name]
	if !ok {
		return nil, fmt.Errorf("no simulated provider %q: there are %v", name, Names())
	}
	if o.Token == "" {
		o.Token = "simulated-" + name + "-token"
	}
	return open(o), nil
}

func serve(o Options, provider http.Handler, variables map[string]string) *Service {
	faults := fault.New(provider, o.Env)
	return &Service{Handler: faults, Faults: faults, Token: o.Token, Variables: variables}
}

// maker makes data from a seed.
type maker struct {
	*rand.Rand

	size  int
	start time.Time // the newest moment of the data
}

func newMaker(o Options) *maker {
	if o.Size == 0 {
		o.Size = 20
	}
	return &maker{rand.New(rand.NewPCG(o.Seed, 1)), o.Size, o.Now().UTC().Truncate(time.Second).Add(-24 * time.Hour)} //nolint:gosec // data, and the same for a seed
}

// ago is a moment in the past: the n-th of a list, an hour or two apart.
func (m *maker) ago(n int) time.Time {
	return m.start.Add(-time.Duration(n) * 100 * time.Minute).Add(-time.Duration(m.IntN(3600)) * time.Second)
}

var words = []string{
	"river", "budget", "garden", "engine", "winter", "letter", "harbour", "signal", "copper", "meadow", "pocket", "lantern", "orchard", "ticket",
	"Zürich", "naïve", "Ελλάδα", "crème",
}

// title makes a few words.
func (m *maker) title() string {
	some := make([]string, 2+m.IntN(3))
	for i := range some {
		some[i] = words[m.IntN(len(words))]
	}
	return strings.Join(some, " ")
}
