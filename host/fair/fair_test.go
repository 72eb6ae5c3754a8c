package fair

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// RD-57: each has its own rate, and one that came too often knows when it may come again.
func TestLimiter(t *testing.T) {
	t.Parallel()
	l, now := Limiter[string]{Rate: 2, Burst: 3}, time.Unix(1, 0)
	for i, want := range []time.Duration{0, 0, 0, time.Second / 2} {
		if got := l.Take("a", now); got != want {
			t.Errorf("time %d: got a wait of %s, want %s", i, got, want)
		}
	}
	if got := l.Wait("b", now); got != 0 {
		t.Errorf("another: got a wait of %s, want none", got)
	}
	l.Give("a")
	l.Give("b")
	if got := l.Wait("a", now); got != 0 {
		t.Errorf("with one given back: got a wait of %s, want none", got)
	}
}

// A flood of keys fills no memory, and whoever comes between them is not forgotten.
func TestMemoryIsBounded(t *testing.T) {
	t.Parallel()
	l, now := Limiter[int]{Rate: 0.001, Burst: 1}, time.Unix(1, 0)
	l.Take(-1, now)
	for i := range 10 * mostRemembered {
		l.Take(i, now)
		if i%(mostRemembered/4) == 0 && l.Wait(-1, now) == 0 {
			t.Fatalf("after %d others: got the one that comes often forgotten, want it remembered", i)
		}
	}
	if got := l.by.len(); got > mostRemembered {
		t.Errorf("got %d that are remembered, want %d at most", got, mostRemembered)
	}
	if got := l.Wait(0, now); got != 0 {
		t.Errorf("one that was long ago: got a wait of %s, want it forgotten", got)
	}
}

// enters has many come, one after the other, and returns in which order they had their turns.
func enters(t *testing.T, l *Line[string], all ...string) (order []string) {
	t.Helper()
	had := make(chan string, len(all))
	for _, from := range all {
		go func() {
			if leave, _, err := l.Enter(t.Context(), from, time.Now); err == nil && leave != nil {
				had <- from
				leave()
			}
		}()
		synctest.Wait()
	}
	time.Sleep(time.Hour)
	synctest.Wait()
	close(had)
	for from := range had {
		order = append(order, from)
	}
	return order
}

// The one that had least is next, and of several that had as much the one that came first.
func TestLineIsInOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := &Line[string]{Rate: 1, Burst: 1, Patience: time.Minute, Memory: 24 * time.Hour}
		got := enters(t, l, "a", "a", "a", "b", "c", "b")
		if want := []string{"a", "b", "c", "a", "b", "a"}; !slices.Equal(got, want) {
			t.Errorf("got the turns %v, want %v", got, want)
		}
	})
}

// So many turns run at a time, and the next one begins when one is over.
func TestTurnsAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := &Line[string]{AtOnce: 2, Patience: time.Minute}
		running, most := 0, 0
		for range 10 {
			go func() {
				leave, _, err := l.Enter(t.Context(), "a", time.Now)
				if err != nil || leave == nil {
					t.Errorf("got no turn, %v, want one", err)
					return
				}
				l.mu.Lock()
				running++
				most = max(most, running)
				l.mu.Unlock()
				time.Sleep(time.Second)
				l.mu.Lock()
				running--
				l.mu.Unlock()
				leave()
				leave() // twice ends it once
			}()
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if most != 2 || l.running != 0 {
			t.Errorf("got %d at once and %d that still run, want 2 and 0", most, l.running)
		}
	})
}

// One that has no turn within its patience is told when to come again, keeps its place for a minute, and has had
// nothing.
func TestAPlaceIsKept(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := &Line[string]{Rate: 0.1, Burst: 1, Patience: 2 * time.Second, Memory: time.Hour}
		begun := time.Now()
		enter := func(from string) (time.Duration, time.Duration) {
			at := time.Now()
			leave, wait, err := l.Enter(t.Context(), from, time.Now)
			if err != nil || (leave == nil) != (wait > 0) {
				t.Errorf("%s: got %v with a wait of %s, want a turn or a wait", from, err, wait)
			}
			return time.Since(at), wait
		}
		if waited, wait := enter("a"); waited != 0 || wait != 0 {
			t.Errorf("the first: got %s and a wait of %s, want a turn at once", waited, wait)
		}
		if waited, wait := enter("first"); waited != 2*time.Second || wait != 10*time.Second {
			t.Errorf("got %s and a wait of %s, want two seconds and the time of a turn", waited, wait)
		}
		time.Sleep(time.Until(begun.Add(9 * time.Second)))
		go enter("second")
		synctest.Wait()
		if waited, wait := enter("first"); waited != time.Second || wait != 0 {
			t.Errorf("coming again: got %s and a wait of %s, want the next turn", waited, wait)
		}
		time.Sleep(time.Minute)
	})
}

// A caller does not wait for the turn of another that is due later: one that comes for the first time has the next turn beside one
// that leaves it to others, and a turn that was taken back is given earlier.
func TestTheEarliestTurnIsGiven(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := &Line[string]{Rate: 1, Burst: 8, Patience: time.Minute, Memory: 24 * time.Hour}
		enter := func(from string) (leave func(), waited time.Duration) {
			at := time.Now()
			leave, _, err := l.Enter(t.Context(), from, time.Now)
			if err != nil || leave == nil {
				t.Fatalf("%s: got no turn, %v, want one", from, err)
			}
			return leave, time.Since(at)
		}
		var last func()
		for _, from := range []string{"many", "1", "2", "3", "4", "5", "6", "7"} {
			last, _ = enter(from)
		}
		many := make(chan time.Duration, 1)
		go func() { // it leaves four turns to others, so its own is due in five seconds
			_, waited := enter("many")
			many <- waited
		}()
		synctest.Wait()
		if _, waited := enter("first"); waited != time.Second {
			t.Errorf("the first time: got a turn after %s, want one after a second", waited)
		}
		l.Forgive("7")
		last()
		if waited := <-many; waited != 5*time.Second {
			t.Errorf("beside a turn that was taken back: got one after %s, want one after 5s", waited)
		}
	})
}

// A full line keeps those that had least, and one that goes away leaves it.
func TestLineIsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := &Line[int]{Rate: 1, Burst: 1, Patience: time.Minute, Memory: time.Hour}
		ctx, cancel := context.WithCancel(t.Context())
		refused := 0
		for i := range 1 + mostWaiting + 10 {
			go func() {
				leave, wait, err := l.Enter(ctx, -i%2, time.Now)
				switch {
				case errors.Is(err, context.Canceled):
				case err != nil || leave == nil && wait == 0:
					t.Errorf("got %v, want a wait", err)
				case wait > 0:
					refused++
				}
			}()
			synctest.Wait()
		}
		if len(l.waiting) != mostWaiting || refused != 10 {
			t.Errorf("got %d that wait and %d refused, want %d and 10", len(l.waiting), refused, mostWaiting)
		}
		go func() {
			if leave, _, err := l.Enter(t.Context(), 7, time.Now); err != nil || leave == nil {
				t.Errorf("who had nothing: got %v and no turn, want one", err)
			}
		}()
		time.Sleep(2100 * time.Millisecond) // the second one of the others had nothing either
		cancel()
		synctest.Wait()
		if len(l.waiting) != 0 {
			t.Errorf("got %d that wait, want none", len(l.waiting))
		}
	})
}

// Strangers who come from ever new addresses, each once, do not keep one out that comes for the second time: neither when they are
// twice as many as there are turns, nor when the line is full of them.
func TestEverNewOnesLeaveTurns(t *testing.T) {
	t.Parallel()
	for _, every := range []time.Duration{50 * time.Millisecond, 2 * time.Millisecond} {
		synctest.Test(t, func(t *testing.T) {
			l, over := &Line[int]{Rate: 10, Burst: 100, Patience: 2 * time.Second, Memory: 10 * time.Minute}, make(chan struct{})
			go func() {
				for i := 1; ; i++ {
					select {
					case <-over:
						return
					case <-time.After(every):
					}
					go func() {
						if leave, _, err := l.Enter(t.Context(), i, time.Now); err == nil && leave != nil {
							leave()
						}
					}()
				}
			}()
			time.Sleep(time.Minute) // in which they have what was left of a quiet time
			for turn := range 3 {
				at := time.Now()
				for {
					leave, wait, err := l.Enter(t.Context(), 0, time.Now)
					if err != nil {
						t.Fatal(err)
					}
					if leave != nil {
						leave()
						break
					}
					time.Sleep(wait)
				}
				if took := time.Since(at); turn > 0 && took > 5*time.Second {
					t.Errorf("one each %s: turn %d came after %s, want it within 5 s", every, turn+1, took)
				}
			}
			close(over)
			time.Sleep(time.Minute)
		})
	}
}
