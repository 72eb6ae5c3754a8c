package listen

import "net/netip"

// AddressOf is who asks: an IPv4 address, or the 64 bits of an IPv6 one that a
// provider hands out as one. Behind a proxy that is the proxy: what a header says
// of it, anybody can say.
func AddressOf(remote string) netip.Prefix {
	at, err := netip.ParseAddrPort(remote)
	if err != nil {
		return netip.Prefix{}
	}
	addr, bits := at.Addr().Unmap().WithZone(""), 64
	if addr.Is4() {
		bits = 32
	}
	p, err := addr.Prefix(bits)
	if err != nil {
		return netip.Prefix{}
	}
	return p
}
