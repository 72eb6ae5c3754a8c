package listen

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/netip"
	"strconv"
	"syscall"

	"github.com/pdpp-host/pdpp-host/abi"
)

// Options say where to listen: "127.0.0.1:8730", "[::1]:0", "localhost:0",
// ":8730". Port 0 is one that is free. Cert and Key are PEM files; both or none.
type Options struct {
	Address, Cert, Key string
	// BehindProxy says that other machines reach the address through a proxy alone, which
	// ends TLS.
	BehindProxy bool
}

// Open opens the address. Without TLS and without a proxy it is one of this machine's own
// loopback addresses: a token that travels in the clear is anybody's on the way (OC-03.3).
func Open(ctx context.Context, at Options) (net.Listener, error) {
	var secure *tls.Config
	if at.Cert != "" || at.Key != "" {
		var err error
		if secure, err = secureWith(at.Cert, at.Key); err != nil {
			return nil, err
		}
	}
	addr, err := resolve(ctx, at.Address)
	if err != nil {
		return nil, err
	}
	if secure == nil && !at.BehindProxy && !addr.Addr().IsLoopback() {
		return nil, abi.NewError(CodeRefused, "other machines reach that address, and credentials would travel to it in the clear",
			"give --tls-cert and --tls-key, listen on 127.0.0.1 behind a reverse proxy that speaks TLS, or give --behind-proxy where one alone reaches it").WithDetail(addr.String())
	}
	var lc net.ListenConfig
	on := addr.String()
	if addr.Addr() == netip.IPv6Unspecified() {
		on = net.JoinHostPort("", strconv.Itoa(int(addr.Port()))) // on a machine without IPv6 too
	}
	l, err := lc.Listen(ctx, "tcp", on)
	if err != nil {
		return nil, notListening(addr, err)
	}
	l = &bounded{Listener: l, most: maxConnections}
	if secure != nil {
		l = tls.NewListener(l, secure)
	}
	return l, nil
}

// resolve turns an address into the one that is listened on, so that what was
// checked is what is opened.
func resolve(ctx context.Context, address string) (netip.AddrPort, error) {
	host, port, err := net.SplitHostPort(address)
	n, portErr := strconv.ParseUint(port, 10, 16)
	if err != nil || portErr != nil {
		return netip.AddrPort{}, abi.NewError(abi.CodeUsage, "the address to listen on is not host:port",
			`write it like 127.0.0.1:8730; port 0 takes a free one`)
	}
	if host == "" {
		return netip.AddrPortFrom(netip.IPv6Unspecified(), uint16(n)), nil
	}
	if addr, err := netip.ParseAddr(host); err == nil {
		return netip.AddrPortFrom(addr.Unmap(), uint16(n)), nil
	}
	found, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err != nil || len(found) == 0 {
		return netip.AddrPort{}, abi.NewError(CodeFailed, "the name to listen on has no address",
			"name an address of this machine, like 127.0.0.1").WithDetail(host).Wrap(err)
	}
	for _, addr := range found { // localhost may have both: IPv4 is what a proxy tries first
		if addr.Unmap().Is4() {
			return netip.AddrPortFrom(addr.Unmap(), uint16(n)), nil
		}
	}
	return netip.AddrPortFrom(found[0], uint16(n)), nil
}

func notListening(addr netip.AddrPort, err error) error {
	if errors.Is(err, syscall.EADDRINUSE) {
		return abi.NewError(CodeAddressInUse, "another program listens on that address already",
			"stop it, or choose another port; port 0 takes a free one").WithDetail(addr.String()).Wrap(err)
	}
	hint := "name an address of this machine"
	if errors.Is(err, syscall.EACCES) {
		hint = "ports below 1024 need the right to use them; choose a higher one"
	}
	return abi.NewError(CodeFailed, "that address cannot be listened on", hint).WithDetail(addr.String()).Wrap(err)
}

// Failure describes an error of a listener that Open returned; nil for nil.
func Failure(l net.Listener, err error) error {
	if err == nil {
		return nil
	}
	return notListening(addrOf(l), err)
}

func addrOf(l net.Listener) netip.AddrPort {
	if a, ok := l.Addr().(*net.TCPAddr); ok {
		return a.AddrPort()
	}
	return netip.AddrPort{}
}
