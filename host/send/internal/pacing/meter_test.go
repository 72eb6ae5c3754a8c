package pacing

import (
	"testing"
	"time"
)

// A meter counts what was accepted within a span, slot by slot, and no more than 60 slots back.
func TestMeter(t *testing.T) {
	t.Parallel()
	for _, slot := range []time.Duration{0, time.Minute} {
		m := Meter{Slot: slot}
		length := max(slot, time.Second)
		at := func(n int) time.Time { return epoch.Add(time.Duration(n) * length) }
		for n := range 70 {
			for range 1 + n%2 {
				m.Add(at(n))
			}
		}
		for _, tc := range []struct{ now, slots, want int }{
			{69, 1, 2}, {69, 2, 3}, {69, 10, 15}, {69, 60, 90}, {69, 1000, 90}, {70, 1, 0}, {70, 2, 2}, {71, 3, 2}, {100, 31, 0}, {100, 33, 3}, {128, 60, 2},
		} {
			if got := m.Within(at(tc.now), time.Duration(tc.slots)*length); got != tc.want {
				t.Errorf("slots of %s, %d until slot %d: got %d, want %d", length, tc.slots, tc.now, got, tc.want)
			}
		}
		if got := m.Within(at(129), time.Hour*99); got != 0 {
			t.Errorf("slots of %s, after a pause of 60: got %d, want 0", length, got)
		}
	}
}

// A rate is extrapolated from the time that was counted, of a minute at most and a second at
// least, and a pause of a minute begins the counting anew.
func TestMeterRate(t *testing.T) {
	t.Parallel()
	var m Meter
	m.Add(epoch)
	m.Add(epoch)
	for _, tc := range []struct {
		after time.Duration
		want  float64
	}{{0, 120}, {time.Second, 120}, {30 * time.Second, 4}, {59 * time.Second, 2 * 60. / 59}} {
		if got := m.Rate(epoch.Add(tc.after)); got < tc.want-0.001 || got > tc.want+0.001 {
			t.Errorf("after %s: got %v a minute, want %v", tc.after, got, tc.want)
		}
	}
	m = Meter{}
	m.Add(epoch)
	m.Add(epoch.Add(time.Minute))
	if got := m.Rate(epoch.Add(time.Minute)); got != 60 {
		t.Errorf("after a pause of a minute: got %v a minute, want 60", got)
	}
	for n := range 90 {
		m.Add(epoch.Add(time.Minute + time.Duration(n)*time.Second))
	}
	if got := m.Rate(epoch.Add(time.Minute + 89*time.Second)); got != 60 {
		t.Errorf("after 90 seconds of one each: got %v a minute, want 60", got)
	}
}

// The eighth throttle in a row names the moment a minute behind the first, the ninth that behind
// the second; fewer name none.
func TestThrottles(t *testing.T) {
	t.Parallel()
	var s Throttles
	at := func(n int) time.Time { return epoch.Add(time.Duration(n*n) * time.Second) }
	for n := range 3 * careful {
		got := s.Add(at(n))
		if n < careful-1 {
			if !got.IsZero() {
				t.Errorf("throttle %d: got %v, want none", n+1, got)
			}
			continue
		}
		if want := at(n - careful + 1).Add(time.Minute); !got.Equal(want) {
			t.Errorf("throttle %d: got %v, want %v", n+1, got, want)
		}
	}
}

// A pacer's slack is what it was configured, or a quarter of an interval, from its first
// admission on; where nothing is to be waited for, the wait is zero.
func TestPacerSlack(t *testing.T) {
	t.Parallel()
	for tolerance, want := range map[time.Duration][]int64{
		500 * time.Millisecond: {1000, 1500, 2500, 3500}, -1: {1000, 1750, 2750, 3750}, 0: {1000, 2000, 3000, 4000},
	} {
		p := NewPacer(epoch, time.Second, 100*time.Millisecond, tolerance)
		if got := burst(&p, 0, len(want), time.Second); got[1] != want[1] || got[3] != want[3] || got[0] != want[0] {
			t.Errorf("%v: got %v, want %v", tolerance, got, want)
		}
		if d := p.Delay(epoch.Add(time.Hour), time.Second); d != 0 {
			t.Errorf("%v: got a wait of %v after an hour, want none", tolerance, d)
		}
	}
}
