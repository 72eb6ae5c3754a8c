package collector

import (
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/host/collector/client"
	"github.com/pdpp-host/pdpp-host/host/collector/delivery"
	"github.com/pdpp-host/pdpp-host/host/collector/posture"
	"github.com/pdpp-host/pdpp-host/host/collector/profile"
	"github.com/pdpp-host/pdpp-host/host/run"
)

// Deps is everything a Collector works with. Profile, LanePath, Now, Random and
// NewID are required; Run is, where a connector runs.
type Deps struct {
	Profile  *profile.Profile
	LanePath string
	// Run is what a run of the connector works with. Store, Now and the hooks of a
	// lane are the collector's to set.
	Run       run.Deps
	Transport http.RoundTripper // nil: the system's
	Now       func() time.Time
	Random    func() float64 // from 0 to 1: the jitter of retries
	NewID     func() string  // a name of this process for its leases, never repeated
	Install   posture.Install
	Getenv    func(string) string // the overrides of the automatic prune; nil: none
	AutoPrune AutoPrune
	Policy    delivery.Policy
	Logger    *slog.Logger // nil: discarded
	Observe   func(Step)   // what goes on, in plain words; nil: unobserved
}

// Step is one step of an execution, for a progress display. It holds no secret.
type Step struct {
	Name string // recover, drain, state, manifest, scan, prune
	Text string
}

// Collector works on one lane. Its methods are safe to call one after another;
// two executions of one lane at once are refused by the lane's lease.
type Collector struct {
	deps   Deps
	policy delivery.Policy
	lane   *client.Lane
	holder string
}

// New returns a collector of a profile's lane. The profile's address is refused
// when it is neither https nor this machine's own.
func New(deps Deps) (*Collector, error) {
	if deps.Logger == nil {
		deps.Logger = slog.New(slog.DiscardHandler)
	}
	if deps.Observe == nil {
		deps.Observe = func(Step) {}
	}
	if deps.Getenv == nil {
		deps.Getenv = func(string) string { return "" }
	}
	policy := deps.Policy.OrDefault()
	c, err := client.New(deps.Profile.BaseURL, deps.Profile.Token, deps.Transport, deps.Now, policy.RequestTimeout)
	if err != nil {
		return nil, err
	}
	profile := *deps.Profile // what the host adds to it stays here
	return &Collector{deps: deps, policy: policy, lane: &client.Lane{Client: c, Profile: &profile}, holder: deps.Run.Holder + holderMark + deps.NewID()}, nil
}

// holderMark stands in the holder of a row between the process and its collector.
const holderMark = "/"

// alive reports whether the process that a row's holder names still runs.
func (c *Collector) alive(holder string) bool {
	process, _, named := strings.Cut(holder, holderMark)
	return !named || process == "" || c.deps.Run.HolderAlive == nil || c.deps.Run.HolderAlive(process)
}
