package access

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"
)

// hashWork is what a look at a password takes in this simulation.
const hashWork = 100 * time.Millisecond

// strangersTry has so many addresses send wrong passwords again and again, until over is closed.
func strangersTry(t *testing.T, a *Attempts, n int, over chan struct{}) {
	for i := range n {
		random := rand.New(rand.NewPCG(uint64(i), 1)) //nolint:gosec // a test's
		from := netip.PrefixFrom(netip.AddrFrom4([4]byte{198, 18, byte(i >> 8), byte(i)}), 32)
		go func() {
			for {
				if leave, err := a.enter(t.Context(), from, "", time.Now); err == nil {
					time.Sleep(hashWork)
					leave(false)
				}
				select {
				case <-over:
					return
				case <-time.After(time.Duration(random.IntN(4000)) * time.Millisecond):
				}
			}
		}()
	}
}

// signsIn is how long an owner with the right password takes, who comes again a second after each refusal.
func signsIn(t *testing.T, a *Attempts, from netip.Prefix, mark string) time.Duration {
	for at := time.Now(); ; time.Sleep(time.Second) {
		if leave, err := a.enter(t.Context(), from, mark, time.Now); err == nil {
			time.Sleep(hashWork)
			leave(true)
			return time.Since(at)
		}
	}
}

// OC-04.2: strangers at up to a thousand addresses do not keep an owner out: one at a place that is new takes at most
// five seconds once each of them had a turn, and one in a browser that signed in before takes
// as long as alone, from the first moment on.
func TestACrowdDoesNotKeepTheOwnerOut(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 6, 1000} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				a, over := &Attempts{}, make(chan struct{})
				strangersTry(t, a, n, over)
				synctest.Wait()
				crowded := netip.MustParsePrefix("198.18.0.0/32") // which a stranger shares
				var slowest time.Duration
				for i := range 4 {
					if took := signsIn(t, a, crowded, "mark"); took != hashWork {
						t.Errorf("a known browser took %s, want %s", took, hashWork)
					}
					time.Sleep(2 * time.Minute) // in which each has had a turn
					from := netip.PrefixFrom(netip.AddrFrom4([4]byte{203, 0, 113, byte(i)}), 32)
					slowest = max(slowest, signsIn(t, a, from, ""))
				}
				close(over)
				if most := 5 * time.Second; slowest > most {
					t.Errorf("a new browser took %s, want at most %s", slowest, most)
				}
				t.Logf("a new browser took at most %s", slowest)
				time.Sleep(time.Minute)
			})
		})
	}
}

// An owner at a place that is new who comes together with a thousand strangers is let in once they had a turn each.
func TestTheFirstMomentOfACrowd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a, over := &Attempts{}, make(chan struct{})
		strangersTry(t, a, 1000, over)
		synctest.Wait()
		took := signsIn(t, a, netip.MustParsePrefix("203.0.113.5/32"), "")
		close(over)
		if most := 2 * time.Minute; took > most {
			t.Errorf("got %s, want at most %s", took, most)
		}
		t.Logf("%s", took)
		time.Sleep(time.Minute)
	})
}
