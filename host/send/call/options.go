package call

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/url"
	"slices"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/send"
	"github.com/pdpp-host/pdpp-host/host/send/egress"
)

// defaultMaxBytesOut bounds the bytes that a run may send. A connector reads; one that
// sends more than this is broken or exfiltrates data.
const defaultMaxBytesOut = 64 << 20

// Options configure one run's Session. Connector, Clock and Random are required.
type Options struct {
	Network   *abi.NetworkRequirements // the manifest's; nil names no host
	Connector string                   // the connector_key, as in <name>_rate_limited
	// AllowPrivate are the owner's exceptions, each host:port. An exception applies to
	// this run only if the manifest names its host or BaseURL points to it: an
	// exception for one connector does not open the network for another.
	AllowPrivate []string
	// BaseURL is the owner's choice of another address for the provider; "": none. Its
	// host:port has to be in AllowPrivate, unless it is a host of the manifest. The
	// credentials are sent there too.
	BaseURL string
	Secrets Secrets // nil: there are none
	// Accepted reports whether the owner accepted a credential slot by name: a secret
	// in a query or a body may then be sent with requests that write. nil: none is
	// accepted.
	Accepted func(slot string) bool

	Run         *send.RunBudget
	Retries     *send.RetryBudget
	MaxBytesOut int64 // 0: 64 MiB
	// State returns the committed cursor of a stream, which may hold an earlier run's
	// rate; nil: there is none.
	State           func(stream string) []byte
	Learned         []byte // see Observer.PauseLearned; nil: nothing, or the owner insists
	Clock           send.Clock
	Random          func() float64 // see send.Deps
	UnpacedLoopback bool           // see send.Deps
	Observer        Observer       // nil: none
	// Hide is told of cookies before the guest gets the answer that sets them; nil: nobody is.
	Hide func(name, value string)
	// Steps receives every step of the governor, see send.Deps.Observe; nil: no listener.
	Steps func(send.Event)

	Transport http.RoundTripper // for tests; nil: an egress.Guard
	TLS       *tls.Config       // for tests with their own authority
}

// Secrets gives access to a connection's credentials. Implementations are safe for
// concurrent use, and their errors contain no secret.
type Secrets interface {
	// Value returns the secret of a credential field; ok is false if there is none.
	Value(ctx context.Context, field string) (value string, ok bool, err error)
	// Replace stores renewed values together, over the values that Value returned;
	// they are durable when it returns.
	Replace(ctx context.Context, values map[string]string) error
}

// Open returns a run's Session, or an *abi.Error that describes a problem in the
// manifest's network section or the owner's base_url. Close it.
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
	s.hosts = append(s.hosts, namedHosts(network)...)
	s.keys = newKeyring(o.Secrets, slots)
	s.watch = &watch{observer: o.Observer}
	s.wire = &wire{keys: s.keys, jar: newJar(network), ledger: newLedger(o.MaxBytesOut), next: o.Transport, large: make(chan struct{}, mostLarge), hide: o.Hide}
	if o.Transport == nil {
		policy := egress.Policy{Hosts: namedHosts(network), AllowPrivate: exceptions(o.AllowPrivate, network, base)}
		if base != nil && network.OwnServer() != nil && base.scheme == "https" {
			policy.Servers = []string{base.hostport()}
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
	deps.Recalled = send.Recall(o.Learned, o.Clock.Now())
	if s.pacingStream != "" && o.State != nil {
		deps.Learned = deps.Recalled.Newer(send.Restore(o.State(s.pacingStream), o.Clock.Now()))
	}
	if o.Observer != nil {
		deps.Keep = func(s send.Standing) { o.Observer.PauseLearned(s.Until, s.Reason, s.Learned) }
	}
	s.governor, err = send.New(profile, deps)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// namedHosts lists the hosts that the manifest names.
func namedHosts(network *abi.NetworkRequirements) []string {
	var hosts []string
	for _, h := range network.Hosts {
		if h.Option == "" {
			hosts = append(hosts, h.Host)
		}
	}
	return hosts
}

// readBase checks the owner's base_url; nil if there is none. For a connector that asks a
// server of its owner's it is the one host, and any address over https will do: the guard
// looks at where it leads.
func readBase(text string, network *abi.NetworkRequirements, private []string) (*origin, error) {
	own := network.OwnServer() != nil
	switch {
	case text == "" && own:
		return nil, abi.NewError(CodeBaseURLInvalid, "the address of your server is not set", "set it: --set base_url=https://ADDRESS")
	case text == "":
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
	switch {
	case o.scheme == "https" && (own || o.port == "443" && declaresHost(network, o.host)):
		return &o, nil
	case own:
		return nil, abi.NewError(CodeBaseURLInvalid, "base_url asks "+o.hostport()+" over http, by which everybody on the way reads your credentials",
			"write https, or add "+o.hostport()+" to network.allow_private if it is in your own network")
	}
	return nil, abi.NewError(CodeBaseURLInvalid, "base_url is at "+o.hostport()+", which is neither a host of the manifest nor excepted",
		"add "+o.hostport()+" to network.allow_private, or to the variable PDPP_NETWORK_ALLOW_PRIVATE, if that is what you mean")
}

// CheckAddress refuses a base_url that no run of a connector with that network would take.
func CheckAddress(network *abi.NetworkRequirements, base string, private []string) error {
	_, err := readBase(base, network, private)
	return err
}

// CheckBaseURL refuses a text that can never be a base_url, whichever hosts are
// reachable. With a user or a query it could contain a secret, and options are stored
// and shown. The error does not repeat it (Invariant 5).
func CheckBaseURL(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.Opaque != "" ||
		u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return abi.NewError(CodeBaseURLInvalid, "base_url is not the address of a service",
			"write it as http://127.0.0.1:8080, without a user, a query or a fragment")
	}
	return nil
}

// exceptions returns the owner's exceptions that concern this connector.
func exceptions(private []string, network *abi.NetworkRequirements, base *origin) []string {
	var kept []string
	for _, e := range private {
		pair := canonicalPair(e)
		host, _, err := net.SplitHostPort(pair)
		if err != nil || declaresHost(network, host) || base != nil && base.hostport() == pair {
			kept = append(kept, e) // egress refuses one that it cannot read
		}
	}
	return kept
}

func declaresHost(network *abi.NetworkRequirements, host string) bool {
	return slices.ContainsFunc(namedHosts(network), func(h string) bool { return canonicalHost(h) == host })
}
