package egress

import (
	"context"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"net/http"
	"net/netip"
	"slices"
	"testing"

	"code.dny.dev/ssrf"
	"github.com/doyensec/safeurl"
)

// oracle is somebody else's judgement of an address: true when it is refused.
type oracle struct {
	name    string
	refuses func(netip.Addr) bool
}

// oracles are two guards of other authors. The second one has no function for
// it: it is made to dial UDP, which calls its check and sends nothing.
func oracles(t *testing.T) []oracle {
	t.Helper()
	guardian := ssrf.New(ssrf.WithAnyPort(), ssrf.WithAnyNetwork())
	client := safeurl.Client(safeurl.GetConfigBuilder().EnableIPv6(true).SetAllowedPorts(443).Build())
	transport, ok := client.Client.Transport.(*http.Transport)
	if !ok {
		t.Fatal("the client has another transport")
	}
	list := []oracle{
		{"ssrf", func(a netip.Addr) bool { return guardian.SafeAddr(a) != nil }},
		{"safeurl", func(a netip.Addr) bool {
			conn, err := transport.DialContext(context.Background(), "udp", netip.AddrPortFrom(a, 443).String())
			if err == nil {
				_ = conn.Close()
			}
			var refused *safeurl.AllowedIPError
			return errors.As(err, &refused)
		}},
	}
	for _, o := range list {
		if !o.refuses(netip.MustParseAddr("127.0.0.1")) || o.refuses(netip.MustParseAddr("8.8.8.8")) {
			t.Fatalf(`%s is no oracle here, want o.refuses(netip.MustParseAddr("127.0.0.1")) && !o.refuses(netip.MustParseAddr("8.8.8.8"))`, o.name)
		}
	}
	return list
}

// borders returns the addresses at and next to both ends of a range.
func borders(p netip.Prefix) []netip.Addr {
	first := p.Masked().Addr()
	last := first.AsSlice()
	for bit := p.Bits(); bit < len(last)*8; bit++ {
		last[bit/8] |= 1 << (7 - bit%8)
	}
	end, _ := netip.AddrFromSlice(last)
	var list []netip.Addr
	for _, a := range []netip.Addr{first, first.Next(), first.Prev(), end, end.Next(), end.Prev()} {
		if a.IsValid() {
			list = append(list, a)
		}
	}
	return list
}

// An address that either oracle refuses is refused here too: at the ends of every
// range that any of the three knows, and at random addresses.
func TestOracles(t *testing.T) {
	t.Parallel()
	list := oracles(t)
	var addresses []netip.Addr
	for _, r := range ranges {
		addresses = append(addresses, borders(r.prefix)...)
	}
	for _, p := range slices.Concat(ssrf.IPv4DeniedPrefixes, ssrf.IPv6DeniedPrefixes, []netip.Prefix{
		ssrf.IPv6GlobalUnicast, ssrf.IPv6NAT64Prefix,
		netip.MustParsePrefix("100::/64"), netip.MustParsePrefix("2001:2::/48"), netip.MustParsePrefix("2001:10::/28"),
		netip.MustParsePrefix("2001:20::/28"), netip.MustParsePrefix("ff00::/8"), netip.MustParsePrefix("255.255.255.255/32"),
	}) {
		addresses = append(addresses, borders(p)...)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 4000 {
		var b [16]byte
		binary.BigEndian.PutUint64(b[:], random.Uint64())
		binary.BigEndian.PutUint64(b[8:], random.Uint64())
		addresses = append(addresses, netip.AddrFrom4([4]byte(b[:4])), netip.AddrFrom16(b))
		b[0] = 0x20 | b[0]&0x1f // within what is handed out
		addresses = append(addresses, netip.AddrFrom16(b))
	}
	refused := 0
	for _, a := range addresses {
		for _, o := range list {
			if !o.refuses(a) {
				continue
			}
			refused++
			if Classify(a) == Public {
				t.Errorf("%s refuses %v, which counts as public, want Classify(a) != Public", o.name, a)
			}
		}
	}
	if refused < 1000 {
		t.Errorf("the oracles refused %d of %d: too few to say anything, want refused >= 1000", refused, len(addresses))
	}
}

// Addresses that are refused here but not by one of the oracles, so that a change on
// either side is noticed. Each list begins with the oracle that allows them.
func TestStricterThanOracles(t *testing.T) {
	t.Parallel()
	for name, list := range map[string][]string{
		"ssrf": {
			"168.63.129.16",         // a cloud's metadata, public by its number
			"2a00::5efe:7f00:1",     // ISATAP
			"2606:4700::5efe:a00:1", // ISATAP within a public prefix
		},
		"safeurl": {
			"168.63.129.16", "2a00::5efe:7f00:1",
			"192.31.196.1", "192.52.193.1", "192.175.48.1", "2620:4f:8000::1",
			"3fff::1", "5f00::1", "4000::1", "fec0::1", "64:ff9b:1::1", "::7f00:1", "::ffff:0:7f00:1",
			"::ffff:8.8.8.8", // mapped: written so by nobody who means the IPv4 address
		},
	} {
		for _, o := range oracles(t) {
			if o.name != name {
				continue
			}
			for _, text := range list {
				a := netip.MustParseAddr(text)
				if o.refuses(a) {
					t.Errorf("%s refuses %v by now: take it off the list, want !o.refuses(a)", name, a)
				}
				if Classify(a) == Public {
					t.Errorf("%v counts as public, want Classify(a) != Public", a)
				}
			}
		}
	}
}
