package call

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/url"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/send"
	"github.com/pdpp-host/pdpp-host/host/send/egress"
)

// defaultMaxBytesOut is what a run may send. A connector reads: one that writes
// more than this is either broken or carrying something away.
const defaultMaxBytesOut = 64 << 20

// Options is what one run's Session works with. Connector, Clock and Random are
// required.
type Options struct {
	Network   *abi.NetworkRequirements // of the manifest; nil names no host
	Connector string                   // the connector_key: begins <name>_rate_limited
	// AllowPrivate are the owner's exceptions, each host:port. One counts for this
	// run only when the manifest names its host or BaseURL is at it: an exception
	// made for one connector is no opening for another.
	AllowPrivate []string
	// BaseURL is the owner's choice of another address for the provider; "": none.
	// Its host:port has to be one of AllowPrivate, unless it is a host of the
	// manifest anyway, and the credentials go there too.
	BaseURL string
	Secrets Secrets // nil: there are none
	// Accepted reports whether the owner accepted a credential slot by its name: one
	// in a query or a body may then go out with requests that write. nil: none.
	Accepted func(slot string) bool

	Run         *send.RunBudget
	Retries     *send.RetryBudget
	MaxBytesOut int64 // 0: 64 MiB
	// State returns the committed cursor of a stream, where an earlier run's rate
	// is read from; nil: there is none.
	State           func(stream string) []byte
	Clock           send.Clock
	Random          func() float64 // see send.Deps
	UnpacedLoopback bool           // see send.Deps
	// Observe is told of waits, circuit transitions and rate changes, by the
	// goroutine that makes them and under no lock; nil: nobody watches. It must be
	// safe for concurrent use.
	Observe func(Event)

	Transport http.RoundTripper // for tests; nil: an egress.Guard
	TLS       *tls.Config       // for tests with an authority of their own
}

// Secrets knows a connection's credentials. Implementations are safe for
// concurrent use, and their errors hold no secret.
type Secrets interface {
	// Value returns the secret of a credential field; ok is false when there is
	// none.
	Value(ctx context.Context, field string) (value string, ok bool, err error)
	// Replace stores renewed values together, over those that Value returned; they
	// are durable when it returns.
	Replace(ctx context.Context, values map[string]string) error
}

// Open makes a run's Session, or returns the *abi.Error of what is wrong with
// the manifest's network section or the owner's base_url. Close it.
func Open(o Options) (*Session, error) {
	network := o.Network
	if network == nil {
		network = new(abi.NetworkRequirements)
	}
	profile := send.Profile{Name: abi.CanonicalKey(o.Connector)}
	if network.Provider != nil {
		profile.Provider = *network.Provider
	}
	if err := profile.Check(); err != nil {
		return nil, err
	}
	base, err := readBase(o.BaseURL, network, o.AllowPrivate)
	if err != nil {
		return nil, err
	}
	slots, err := readSlots(network, base)
	if err != nil {
		return nil, err
	}
	if o.MaxBytesOut <= 0 {
		o.MaxBytesOut = defaultMaxBytesOut
	}
	s := &Session{options: o, pacingStream: network.PacingStream, slots: slots, agent: "pdpp-host (+" + o.Connector + ")"}
	s.inlineWait = inlineWait(profile)
	if base != nil {
		s.hosts = append(s.hosts, base.hostport())
	}
	for _, h := range network.Hosts {
		s.hosts = append(s.hosts, h.Host)
	}
	s.keys = newKeyring(o.Secrets, slots)
	s.watch = &watch{observe: o.Observe}
	s.wire = &wire{keys: s.keys, jar: newJar(network), ledger: newLedger(o.MaxBytesOut), next: o.Transport, large: make(chan struct{}, mostLarge)}
	if o.Transport == nil {
		policy := egress.Policy{AllowPrivate: exceptions(o.AllowPrivate, network, base)}
		for _, h := range network.Hosts {
			policy.Hosts = append(policy.Hosts, h.Host)
		}
		s.guard, err = egress.New(policy, egress.Options{
			MaxWireBytes: profile.MaxResponseBytes, MaxWholeBytes: profile.MaxResponseBytes, TLS: o.TLS,
		})
		if err != nil {
			return nil, err
		}
		s.wire.next = s.guard
	}
	deps := send.Deps{
		Transport: s.wire, Clock: o.Clock, Random: o.Random, Run: o.Run, Retries: o.Retries, Observe: s.observe,
		UnpacedLoopback: o.UnpacedLoopback,
	}
	if s.pacingStream != "" && o.State != nil {
		deps.Learned = send.Restore(o.State(s.pacingStream), o.Clock.Now())
	}
	s.governor, err = send.New(profile, deps)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// readBase checks the owner's base_url; nil when there is none.
func readBase(text string, network *abi.NetworkRequirements, private []string) (*origin, error) {
	if text == "" {
		return nil, nil
	}
	if err := CheckBaseURL(text); err != nil {
		return nil, err
	}
	u, _ := url.Parse(text)
	o := originOf(u)
	for _, e := range private {
		if o.hostport() == canonicalPair(e) {
			return &o, nil
		}
	}
	if o.scheme == "https" && o.port == "443" && names(network, o.host) {
		return &o, nil
	}
	return nil, abi.NewError(CodeBaseURLInvalid, "base_url is at "+o.hostport()+", which is neither a host of the manifest nor excepted",
		"add "+o.hostport()+" to network.allow_private, or to the variable PDPP_NETWORK_ALLOW_PRIVATE, if that is what you mean")
}

// CheckBaseURL refuses what no base_url can be, whatever may be reached: with a user or a
// query it could hold a secret, and options are kept and shown. The error does not repeat
// it (Invariant 5).
func CheckBaseURL(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.Opaque != "" ||
		u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return abi.NewError(CodeBaseURLInvalid, "base_url is no address of a service",
			"write it as http://127.0.0.1:8080, without a user, a query or a fragment")
	}
	return nil
}

// exceptions returns those of the owner's exceptions that are about this
// connector.
func exceptions(private []string, network *abi.NetworkRequirements, base *origin) []string {
	var kept []string
	for _, e := range private {
		pair := canonicalPair(e)
		host, _, err := net.SplitHostPort(pair)
		if err != nil || names(network, host) || base != nil && base.hostport() == pair {
			kept = append(kept, e) // one that cannot be read is egress's to refuse
		}
	}
	return kept
}

func names(network *abi.NetworkRequirements, host string) bool {
	for _, h := range network.Hosts {
		if canonicalHost(h.Host) == host {
			return true
		}
	}
	return false
}
