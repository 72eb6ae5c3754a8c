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

// RD-57: whoever has had as much as an hour allows waits until there is some again.
func TestBudget(t *testing.T) {
	t.Parallel()
	var b Budget[string]
	now := time.Unix(0, 0)
	if wait := b.Wait("a", 3600, now); wait != 0 {
		t.Errorf("got a wait of %v, want none at first", wait)
	}
	b.Spend("a", 3600, 3599, now)
	if wait := b.Wait("a", 3600, now); wait != 0 {
		t.Errorf("got a wait of %v, want none while some is left", wait)
	}
	b.Spend("a", 3600, 100, now)
	if wait := b.Wait("a", 3600, now); wait != 100*time.Second {
		t.Errorf("got a wait of %v, want 100 seconds", wait)
	}
	if wait := b.Wait("b", 3600, now); wait != 0 {
		t.Errorf("another: got a wait of %v, want none", wait)
	}
	if wait := b.Wait("a", 3600, now.Add(100*time.Second)); wait != 0 {
		t.Errorf("after that time: got a wait of %v, want none", wait)
	}
}
