package send

import "time"

const (
	meterSlots = 60
	// careful is how many throttles in a minute a lane allows itself. Providers
	// lock accounts that go on.
	careful     = 8
	carefulSpan = time.Minute
)

// meter counts what the provider let through in the last 60 slots. Not safe for
// concurrent use.
type meter struct {
	slot   time.Duration // 0: a second
	counts [meterSlots]int
	newest int64     // the number of the newest slot
	began  time.Time // of the counting without a pause of 60 slots
}

func (m *meter) length() time.Duration { return max(m.slot, time.Second) }

func (m *meter) move(now time.Time) {
	slot := now.UnixNano() / int64(m.length())
	if slot-m.newest >= meterSlots {
		m.counts, m.newest, m.began = [meterSlots]int{}, slot, now
	}
	for m.newest < slot {
		m.newest++
		m.counts[m.newest%meterSlots] = 0
	}
}

func (m *meter) add(now time.Time) {
	m.move(now)
	m.counts[m.newest%meterSlots]++
}

// within counts the last span, at most 60 slots.
func (m *meter) within(now time.Time, span time.Duration) int {
	m.move(now)
	n := 0
	for i := range min(int64(span/m.length()), meterSlots) {
		n += m.counts[(m.newest-i+meterSlots)%meterSlots]
	}
	return n
}

// rate is the throughput a minute, also of a time shorter than one; the slots are
// seconds.
func (m *meter) rate(now time.Time) float64 {
	n := m.within(now, time.Minute)
	return float64(n) / min(1, max(now.Sub(m.began), m.length()).Minutes())
}

// scolded keeps the times of a lane's last throttles.
type scolded struct {
	times [careful]time.Time
	next  int
}

// add takes one throttle and returns until when nothing may be sent: until the
// oldest of the last few is a minute old. It is in the past unless they came
// within one.
func (s *scolded) add(now time.Time) time.Time {
	s.times[s.next] = now
	s.next = (s.next + 1) % careful
	if oldest := s.times[s.next]; !oldest.IsZero() {
		return oldest.Add(carefulSpan)
	}
	return time.Time{}
}
