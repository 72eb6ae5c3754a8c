package egress

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"syscall"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

const (
	dialTimeout      = 15 * time.Second
	handshakeTimeout = 15 * time.Second
	idleTimeout      = 90 * time.Second
	idlePerHost      = 16
	maxHeaderBytes   = 256 << 10
	// defaultWire and defaultWhole bound an answer before and after decompression.
	defaultWire  = 64 << 20
	defaultWhole = 64 << 20
)

// Options are the maximum sizes of answers, in bytes; zero means 64 MiB.
type Options struct {
	MaxWireBytes  int64 // as transferred
	MaxWholeBytes int64 // decompressed
	// TLS is for tests with their own authority; nil: the system's.
	TLS *tls.Config
	// Resolver resolves names; nil: the system's.
	Resolver *net.Resolver
}

// Guard is an http.RoundTripper that enforces a Policy. Safe for concurrent use.
type Guard struct {
	rules     rules
	transport *http.Transport
	options   Options
}

// New returns a Guard. Close it when its run is over.
func New(policy Policy, options Options) (*Guard, error) {
	r, err := policy.rules()
	if err != nil {
		return nil, err
	}
	if options.MaxWireBytes <= 0 {
		options.MaxWireBytes = defaultWire
	}
	if options.MaxWholeBytes <= 0 {
		options.MaxWholeBytes = defaultWhole
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if options.TLS != nil {
		config = options.TLS.Clone()
	}
	g := &Guard{rules: r, options: options}
	g.transport = &http.Transport{
		Proxy:       nil, // the environment's proxy would see every request, and would be dialled instead
		DialContext: g.dial, TLSClientConfig: config, ForceAttemptHTTP2: true,
		DisableCompression:  true, // so that both sizes can be bounded, see body.go
		TLSHandshakeTimeout: handshakeTimeout, IdleConnTimeout: idleTimeout,
		MaxIdleConnsPerHost: idlePerHost, MaxResponseHeaderBytes: maxHeaderBytes,
	}
	return g, nil
}

// Close closes idle connections.
func (g *Guard) Close() { g.transport.CloseIdleConnections() }

// Check returns why a request for u would be refused; nil if it may be sent. RoundTrip
// checks the addresses to which the name resolves.
func (g *Guard) Check(u *url.URL) error { return g.rules.check(u) }

// RoundTrip writes one request to one connection and returns its answer, decompressed.
// A refusal is an *abi.Error. RoundTrip follows no redirect: the next hop is a request
// of its own, and is checked like one. The body ends with the request's context.
func (g *Guard) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := g.rules.check(req.URL); err != nil {
		if req.Body != nil {
			_ = req.Body.Close() // required of a RoundTripper
		}
		return nil, err
	}
	ctx, end := once(req.Context())
	out := req.Clone(ctx)
	out.Host = "" // the requested host is the checked one
	out.Header.Set("Accept-Encoding", "gzip")
	resp, err := g.transport.RoundTrip(out)
	if err != nil {
		if errors.Is(context.Cause(ctx), errCut) {
			err = errCut
		}
		end(nil)
		return nil, err
	}
	if resp.StatusCode == http.StatusSwitchingProtocols {
		err = abi.NewError(CodeUpgradeRefused, "the provider answered with another protocol", "this is a fault of the provider: the request did not ask for one")
	} else {
		err = g.bound(ctx, end, resp)
	}
	if err != nil {
		_ = resp.Body.Close() // the body is not used
		end(nil)
		return nil, err
	}
	return resp, nil
}

// Dial connects to an address that speaks another protocol than HTTP, at any port: the
// address alone is checked, as for a request.
func (g *Guard) Dial(ctx context.Context, network, hostport string) (net.Conn, error) {
	return g.dial(ctx, network, hostport)
}

// DialTLS is Dial with TLS from the beginning.
func (g *Guard) DialTLS(ctx context.Context, network, hostport string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(hostport)
	if err != nil {
		return nil, err
	}
	conn, err := g.dial(ctx, network, hostport)
	if err != nil {
		return nil, err
	}
	config := g.transport.TLSClientConfig.Clone()
	config.ServerName = host
	out := tls.Client(conn, config)
	if err := out.HandshakeContext(ctx); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return out, nil
}

// dial connects to the host that was checked. It checks each address after the name
// was resolved, so a name that resolves differently the second time gains nothing.
func (g *Guard) dial(ctx context.Context, network, hostport string) (net.Conn, error) {
	d := net.Dialer{Timeout: dialTimeout, Resolver: g.options.Resolver}
	d.ControlContext = func(_ context.Context, network, address string, _ syscall.RawConn) error {
		return g.rules.admit(network, hostport, address)
	}
	return d.DialContext(ctx, network, hostport)
}

// admit returns why a socket may not connect to address.
func (r rules) admit(network, hostport, address string) error {
	to, err := netip.ParseAddrPort(address)
	if network != "tcp4" && network != "tcp6" || err != nil {
		return abi.NewError(CodeAddressRefused, "the connection does not use TCP", "this is a fault of the host")
	}
	if class, ok := r.allowed(hostport, to.Addr()); !ok {
		return abi.NewError(CodeAddressRefused, fmt.Sprintf("%s resolves to a %s address", quoted(hostport), class),
			except(hostport)+"; if it is not, its name leads to a wrong address")
	}
	return nil
}
