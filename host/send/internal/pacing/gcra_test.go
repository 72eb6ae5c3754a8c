package pacing

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// epoch is the start of these tests' time.
var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func ms(n int64) time.Duration { return time.Duration(n) * time.Millisecond }

// burst admits n requests asked for at once, and returns when each went.
func burst(p *Pacer, at time.Duration, n int, interval time.Duration) []int64 {
	now := epoch.Add(at)
	var out []int64
	for range n {
		now = now.Add(p.Delay(now, interval))
		p.Admit(now, interval)
		out = append(out, now.Sub(epoch).Milliseconds())
	}
	return out
}

// PB-D2: the worked sequences of GCRA: a burst at once and another after a
// pause, whose credit is the same however long the pause was.
func TestPacerSequences(t *testing.T) {
	t.Parallel()
	for tolerance, want := range map[int64][2][]int64{
		0:    {{0, 1000, 2000, 3000, 4000}, {10000, 11000, 12000, 13000, 14000}},
		500:  {{0, 500, 1500, 2500, 3500}, {10000, 10500, 11500, 12500, 13500}},
		1000: {{0, 0, 1000, 2000, 3000}, {10000, 10000, 11000, 12000, 13000}},
	} {
		p := Pacer{Arrival: epoch, tolerance: ms(tolerance), paid: time.Second}
		if got := burst(&p, 0, 5, time.Second); !slices.Equal(got, want[0]) {
			t.Errorf("L %d: %v, want %v", tolerance, got, want[0])
		}
		if got := burst(&p, 10*time.Second, 5, time.Second); !slices.Equal(got, want[1]) {
			t.Errorf("L %d after a pause: %v, want %v", tolerance, got, want[1])
		}
	}
}

// PB-D4: before anything is known the first request waits a whole interval.
func TestPacerBeginsSlowly(t *testing.T) {
	t.Parallel()
	p := NewPacer(epoch, time.Second, 250*time.Millisecond, time.Second)
	if got := burst(&p, 0, 1, time.Second); got[0] != 1000 {
		t.Errorf("burst(&p, 0, 1, time.Second): got %+v, want got[0] == 1000", got)
	}
}

// An interval that grows after an admission does not bring the next one closer.
func TestPacerFloorWhileSlowingDown(t *testing.T) {
	t.Parallel()
	p := NewPacer(epoch, time.Second, time.Second, 5*time.Second)
	at := epoch.Add(p.Delay(epoch, time.Second))
	p.Admit(at, time.Second)
	if d := p.Delay(at, 1500*time.Millisecond); d < time.Second {
		t.Errorf("%v after the last, want d >= time.Second", d)
	}
}

// PB-D2: properties of any such pacer (G1, G2, G3 and G5 of the governor contract, section 2.3).
func TestPacerProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		interval := ms(rapid.Int64Range(1, 20_000).Draw(t, "interval"))
		floor := ms(rapid.Int64Range(1, interval.Milliseconds()).Draw(t, "floor"))
		tolerance := ms(rapid.Int64Range(-1, 40_000).Draw(t, "tolerance"))
		p := NewPacer(epoch, interval, floor, tolerance)
		slack := max(0, min(tolerance, interval-floor))
		if tolerance < 0 {
			slack = min(interval/4, interval-floor)
		}
		now := epoch
		var admitted []time.Time
		for range rapid.IntRange(1, 60).Draw(t, "requests") {
			now = now.Add(ms(rapid.Int64Range(0, 30_000).Draw(t, "pause")))
			d := p.Delay(now, interval)
			if d != p.Delay(now, interval) {
				t.Fatal("asking twice gives two answers")
			}
			now = now.Add(d)
			p.Admit(now, interval)
			admitted = append(admitted, now)
		}
		for i := 1; i < len(admitted); i++ {
			if gap := admitted[i].Sub(admitted[i-1]); gap < floor {
				t.Fatalf("two admissions are %v apart, floor %v, want gap >= floor", gap, floor)
			}
		}
		span := ms(rapid.Int64Range(1, 100_000).Draw(t, "span"))
		for i, from := range admitted {
			n := 0
			for _, a := range admitted[i:] {
				if a.Sub(from) <= span {
					n++
				}
			}
			if most := 1 + int((span+slack)/interval); n > most {
				t.Fatalf("%d admissions in %v, at most %d, want n <= most", n, span, most)
			}
		}
		one, two := p, p
		offsets := func(p *Pacer, pause time.Duration) []time.Duration {
			start := now.Add(pause)
			var out []time.Duration
			for at := start; len(out) < 5; {
				at = at.Add(p.Delay(at, interval))
				p.Admit(at, interval)
				out = append(out, at.Sub(start))
			}
			return out
		}
		if a, b := offsets(&one, slack+2*interval), offsets(&two, 240*time.Hour); !slices.Equal(a, b) {
			t.Fatalf("a long pause leaves other credit than a short one: %v, %v, want slices.Equal(a, b)", a, b)
		}
	})
}
