package fair

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"
)

// world is a host with the lines that strangers stand in, and how long it works on each request.
type world struct {
	asks, signs Line[int]
	own         Limiter[int] // of each address
}

// The work of a host, and what its lines allow: those of host/api/oauth and host/owner/access.
const (
	askWork  = 20 * time.Millisecond
	signWork = 50 * time.Millisecond
)

func newWorld() *world {
	return &world{
		asks:  Line[int]{Rate: 50, Burst: 4000, AtOnce: 16, Patience: 2 * time.Second, Memory: 10 * time.Minute},
		signs: Line[int]{Rate: 1.0 / 30, Burst: 4000, AtOnce: 2, Patience: 5 * time.Second, Memory: 24 * time.Hour},
		own:   Limiter[int]{Rate: 5, Burst: 20},
	}
}

// ask is a request of one that shows nothing; false: it was refused.
func (w *world) ask(t *testing.T, l *Line[int], from int, work time.Duration) bool {
	if w.own.Take(from, time.Now()) > 0 {
		return false
	}
	leave, _, err := l.Enter(t.Context(), from, time.Now)
	if err != nil || leave == nil {
		return false
	}
	defer leave()
	time.Sleep(work)
	return true
}

// strangers come again and again from so many addresses, until over is closed.
func (w *world) strangers(t *testing.T, n int, over chan struct{}) {
	for i := range n {
		for _, l := range []struct {
			*Line[int]
			work time.Duration
		}{{&w.asks, askWork}, {&w.signs, signWork}} {
			random := rand.New(rand.NewPCG(uint64(i), uint64(l.work))) //nolint:gosec // a test's
			go func() {
				for {
					w.ask(t, l.Line, i, l.work)
					select {
					case <-over:
						return
					case <-time.After(time.Duration(random.IntN(4000)) * time.Millisecond):
					}
				}
			}()
		}
	}
}

// flow is how long an honest one takes for what it does, in so many requests; 0: one was refused.
func (w *world) flow(t *testing.T, l *Line[int], from, requests int, work time.Duration) time.Duration {
	at := time.Now()
	for range requests {
		if !w.ask(t, l, from, work) {
			return 0
		}
	}
	return time.Since(at)
}

// A stranger with so many addresses keeps nobody out: from the thirtieth second on, in which its addresses have had
// what was left of a quiet time, an owner who signs in from a new place and ten apps that register and ask take at
// most twice as long as they take alone, and not one of them is refused.
func TestAStrangerWithManyAddresses(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 30, 1000} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w, over := newWorld(), make(chan struct{})
				w.strangers(t, n, over)
				time.Sleep(30 * time.Second)
				var slowest [2]time.Duration
				for round := range 3 {
					done := make(chan [2]time.Duration)
					for app := range 10 {
						go func() {
							done <- [2]time.Duration{w.flow(t, &w.asks, 10_000+100*round+app, 2, askWork)}
						}()
					}
					go func() { done <- [2]time.Duration{1: w.flow(t, &w.signs, 20_000+round, 1, signWork)} }()
					for range 11 {
						took := <-done
						if took == [2]time.Duration{} {
							t.Fatalf("round %d: got one refused, want none", round)
						}
						for i := range took {
							slowest[i] = max(slowest[i], took[i])
						}
					}
					time.Sleep(20 * time.Second)
				}
				close(over)
				synctest.Wait()
				for i, alone := range []time.Duration{2 * askWork, signWork} {
					if slowest[i] > 2*alone {
						t.Errorf("%s: got %s, want at most twice %s", []string{"an app", "the owner"}[i], slowest[i], alone)
					}
				}
				t.Logf("%d addresses: the slowest app %s, the slowest owner %s", n, slowest[0], slowest[1])
				time.Sleep(time.Minute)
			})
		})
	}
}

// How long an owner waits who signs in for the first time together with a thousand strangers.
func TestTheFirstWave(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, over := newWorld(), make(chan struct{})
		w.strangers(t, 1000, over)
		synctest.Wait()
		at, tries := time.Now(), 0
		for w.flow(t, &w.signs, 20_000, 1, signWork) == 0 {
			tries++
			time.Sleep(time.Second)
		}
		took := time.Since(at)
		close(over)
		time.Sleep(time.Minute)
		if most := time.Minute; took > most {
			t.Errorf("got %s and %d that were refused, want at most %s", took, tries, most)
		}
		t.Logf("%s, of which %d were refused", took, tries)
	})
}
