package egress

import "net/netip"

// Class is the kind of an address. Only Public is dialled without an exception.
type Class string

// The classes.
const (
	Public     Class = "public"
	Loopback   Class = "loopback"
	Private    Class = "private" // RFC 1918, RFC 4193, RFC 6598
	LinkLocal  Class = "link-local"
	Metadata   Class = "metadata"   // where clouds give out a machine's secrets
	Translated Class = "translated" // an IPv6 address that represents an IPv4 one
	Reserved   Class = "reserved"   // any other address outside the public internet
)

// ranges are the addresses that are not public, by the IANA registries of
// special-purpose addresses. The first range that contains an address decides.
var ranges = []struct {
	prefix netip.Prefix
	class  Class
}{
	{netip.MustParsePrefix("169.254.169.254/32"), Metadata},
	{netip.MustParsePrefix("169.254.170.2/32"), Metadata},
	{netip.MustParsePrefix("100.100.100.200/32"), Metadata},
	{netip.MustParsePrefix("168.63.129.16/32"), Metadata}, // a public number, used by a cloud
	{netip.MustParsePrefix("192.0.0.192/32"), Metadata},
	{netip.MustParsePrefix("fd00:ec2::/32"), Metadata},
	{netip.MustParsePrefix("fd20:ce::254/128"), Metadata},
	{netip.MustParsePrefix("127.0.0.0/8"), Loopback},
	{netip.MustParsePrefix("10.0.0.0/8"), Private},
	{netip.MustParsePrefix("172.16.0.0/12"), Private},
	{netip.MustParsePrefix("192.168.0.0/16"), Private},
	{netip.MustParsePrefix("100.64.0.0/10"), Private},
	{netip.MustParsePrefix("169.254.0.0/16"), LinkLocal},
	{netip.MustParsePrefix("0.0.0.0/8"), Reserved},
	{netip.MustParsePrefix("192.0.0.0/24"), Reserved},
	{netip.MustParsePrefix("192.0.2.0/24"), Reserved},
	{netip.MustParsePrefix("192.31.196.0/24"), Reserved}, // AS112 (RFC 7535), like 192.175.48.0/24 and 2620:4f:8000::/48
	{netip.MustParsePrefix("192.52.193.0/24"), Reserved}, // AMT (RFC 7450)
	{netip.MustParsePrefix("192.88.99.0/24"), Reserved},
	{netip.MustParsePrefix("192.175.48.0/24"), Reserved},
	{netip.MustParsePrefix("198.18.0.0/15"), Reserved},
	{netip.MustParsePrefix("198.51.100.0/24"), Reserved},
	{netip.MustParsePrefix("203.0.113.0/24"), Reserved},
	{netip.MustParsePrefix("224.0.0.0/3"), Reserved}, // multicast, class E, broadcast
	{netip.MustParsePrefix("::1/128"), Loopback},
	{netip.MustParsePrefix("::/128"), Reserved},
	{netip.MustParsePrefix("::/96"), Translated},
	{netip.MustParsePrefix("::ffff:0:0/96"), Translated},
	{netip.MustParsePrefix("::ffff:0:0:0/96"), Translated},
	{netip.MustParsePrefix("64:ff9b::/96"), Translated},
	{netip.MustParsePrefix("64:ff9b:1::/48"), Translated},
	{netip.MustParsePrefix("2002::/16"), Translated}, // 6to4
	{netip.MustParsePrefix("2001::/32"), Translated}, // Teredo
	{netip.MustParsePrefix("fc00::/7"), Private},
	{netip.MustParsePrefix("fe80::/10"), LinkLocal},
	{netip.MustParsePrefix("2001::/23"), Reserved},
	{netip.MustParsePrefix("2001:db8::/32"), Reserved},
	{netip.MustParsePrefix("2620:4f:8000::/48"), Reserved},
	{netip.MustParsePrefix("3fff::/20"), Reserved},
}

// unicast is the only part of IPv6 that is assigned for the internet.
var unicast = netip.MustParsePrefix("2000::/3")

// Classify returns the kind of an address. An address that is not known to be public
// is Reserved: an invalid one, one with a zone, and any part of IPv6 that is not
// assigned yet.
func Classify(a netip.Addr) Class {
	if !a.IsValid() || a.Zone() != "" {
		return Reserved
	}
	for _, r := range ranges {
		if r.prefix.Addr().Is4() == a.Is4() && contains(r.prefix, a) {
			return r.class
		}
	}
	switch {
	case a.Is4():
		return Public
	case !unicast.Contains(a):
		return Reserved
	case isatap(a):
		return Translated
	}
	return Public
}

// contains is Contains that also works for IPv4-mapped addresses, which Contains never
// finds.
func contains(p netip.Prefix, a netip.Addr) bool {
	if a.Is4In6() && !p.Addr().Is4() {
		return p.Addr().Is4In6() || p.Bits() == 0
	}
	return p.Contains(a)
}

// isatap recognizes the interface identifiers of RFC 5214, which carry an IPv4
// address.
func isatap(a netip.Addr) bool {
	b := a.As16()
	return b[8]&^2 == 0 && b[9] == 0 && b[10] == 0x5e && b[11] == 0xfe
}
