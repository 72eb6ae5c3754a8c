package wire

import (
	"math"
	"testing"
	"time"
)

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

// RD-57: what is being given while it is learned what was had is taken once, and what of it was not given
// after all, not at all.
func TestBudgetOfWhatIsUnderWay(t *testing.T) {
	t.Parallel()
	const most = 3600
	var b Budget[string]
	start := time.Unix(100_000, 0)
	b.Learn("g", most, 0, start, start)
	b.Spend("g", most, 100, start)
	now := start
	learn := func(had float64) {
		since, _ := b.Due("g", now.Add(learnedEvery))
		b.Learn("g", most, had, since, now)
		now = now.Add(1) // no other moment, and nothing comes back meanwhile
	}
	learn(50) // had elsewhere
	b.Spend("g", most, -30, now)
	learn(70) // the rest of the hundred
	if got, want := b.by["g"].left, most-120.0; math.Abs(got-want) > 1 {
		t.Errorf("got %v left, want %v", got, want)
	}
}

// RD-57: what was had in this process is given back as the hour goes on, however often it is learned
// what others had; what others had is taken off once; and nobody waits for longer than an hour.
func TestBudgetLearns(t *testing.T) {
	t.Parallel()
	const most = 3600 // one a second
	now := time.Unix(100_000, 0)
	var b Budget[string]
	learn := func(had float64) {
		t.Helper()
		since, due := b.Due("g", now)
		if !due {
			t.Fatal("it is not time to learn, want it")
		}
		b.Learn("g", most, had, since, now)
		b.Learn("g", most, had, since, now) // by another request at the same time
	}
	left := func(want float64) {
		t.Helper()
		if got := b.by["g"].left; got != want {
			t.Errorf("got %v left, want %v", got, want)
		}
	}
	learn(0)
	b.Spend("g", most, most, now)
	if _, due := b.Due("g", now.Add(time.Second)); due {
		t.Error("it is time to learn again a second later, want a minute")
	}
	for range 30 {
		now = now.Add(time.Minute)
		b.Spend("g", most, 0, now)
		learn(b.by["g"].own) // nobody else had anything
	}
	left(30 * 60)
	now = now.Add(time.Minute)
	learn(60) // others had as much as comes back in a minute
	left(30 * 60)
	now = now.Add(time.Minute)
	learn(1e9)
	left(-most)
	if got := b.Wait("g", most, now); got > time.Hour+time.Second {
		t.Errorf("got a wait of %s, want an hour at most", got)
	}
}
