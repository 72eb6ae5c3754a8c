package wire

import (
	"net/netip"
	"testing"
	"time"
)

// A flood of addresses fills no memory, and passes no more than the limit of all.
func TestLimiterIsBounded(t *testing.T) {
	t.Parallel()
	l := Limiter[netip.Prefix]{Rate: 1, Burst: 1, InAll: 50}
	now, passed := time.Unix(1, 0), 0
	for i := range 3 * mostRemembered {
		if l.Take(netip.PrefixFrom(netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)}), 32), now) == 0 {
			passed++
		}
	}
	if passed != 50 || len(l.by) > mostRemembered {
		t.Errorf("%d passed and %d addresses are remembered, want 50 and %d at most", passed, len(l.by), mostRemembered)
	}
}
