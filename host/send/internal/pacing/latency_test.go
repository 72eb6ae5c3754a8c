package pacing

import (
	"testing"
	"time"
)

// A provider that has answered alike for long gives a sign when it becomes slow, however long that
// was, and gives no more once that is usual. Another latency becomes usual slowly, both ways.
func TestLatencyFollowsTheUsual(t *testing.T) {
	t.Parallel()
	var l Latency
	signs := func(n int, d time.Duration) (at []int) {
		for i := range n {
			if l.Add(d) {
				at = append(at, i+1)
			}
		}
		return at
	}
	const quick, slow = 100 * time.Millisecond, 4 * time.Second
	if got := signs(1000, quick); len(got) != 0 {
		t.Errorf("got signs at %v of a steady provider, want none", got)
	}
	if got := signs(8, slow); len(got) == 0 || got[0] > 2 {
		t.Errorf("got signs at %v of one that became slow, want one of the first two", got)
	}
	if got := signs(1000, slow); len(got) == 0 || got[len(got)-1] > 2*latencyUsual {
		t.Errorf("got signs at %v of one that is slow now, want some, and none once that is usual", got)
	}
	if got := signs(1000, quick); len(got) != 0 {
		t.Errorf("got signs at %v of one that became quick, want none", got)
	}
	if got := signs(8, slow); len(got) == 0 || got[0] > 2 {
		t.Errorf("got signs at %v of one that became slow again, want one of the first two", got)
	}
}

// A sign takes four times the usual latency and half a second, as a quarter of each answer moves
// it; behind a sign it takes more than one such answer.
func TestLatencyOfASign(t *testing.T) {
	t.Parallel()
	for ms, want := range map[int][2]bool{3300: {false, true}, 3302: {true, false}, 2500: {false, true}, 900: {false, false}} {
		var l Latency
		for range 100 {
			l.Add(100 * time.Millisecond)
		}
		took := time.Duration(ms) * time.Millisecond
		if got := [2]bool{l.Add(took), l.Add(took)}; got != want {
			t.Errorf("two answers after %d ms: got the signs %v, want %v", ms, got, want)
		}
	}
}

// One slow answer among the first does not make slowness usual, and a provider that is slow from
// its beginning gives no sign.
func TestLatencySettles(t *testing.T) {
	t.Parallel()
	var l Latency
	for i := range 200 {
		if l.Add(5 * time.Second) {
			t.Fatalf("got a sign at answer %d of a provider that was never quick, want none", i+1)
		}
	}
	l = Latency{}
	for i := range latencySettle {
		if l.Add(map[bool]time.Duration{true: 1600 * time.Millisecond, false: 0}[i == 3]) {
			t.Fatalf("got a sign at answer %d, want none before the usual latency is known", i+1)
		}
	}
	l = Latency{}
	for i := range latencySettle + 1 { // the last of the first, and the one behind it, are slow
		if l.Add(map[bool]time.Duration{true: 5 * time.Second, false: 10 * time.Millisecond}[i >= latencySettle-1]) {
			t.Errorf("got a sign at answer %d, want none: one slow answer is no sign", i+1)
		}
	}
	l = Latency{}
	for i := range latencySettle {
		l.Add(map[bool]time.Duration{true: 1600 * time.Millisecond, false: 0}[i == 3])
	}
	want := float64(latencyAtLeast) * (latencySettle - 1) / latencySettle
	if want += float64(100 * time.Millisecond); l.usual < want-1 || l.usual > want+1 {
		t.Errorf("got %v usual, want the mean %v", time.Duration(l.usual), time.Duration(want))
	}
}
