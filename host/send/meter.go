package send

import "time"

const (
	meterSlot  = time.Second
	meterSlots = 60
	// careful is how many throttles in a minute a lane allows itself. Providers
	// lock accounts that go on.
	careful     = 8
	carefulSpan = time.Minute
)

// meter counts what the provider let through in the last minute. Not safe for
// concurrent use.
type meter struct {
	counts [meterSlots]int
	slot   int64     // the newest
	began  time.Time // of the counting without a minute's pause
}

func (m *meter) move(now time.Time) {
	slot := now.UnixNano() / int64(meterSlot)
	if slot-m.slot >= meterSlots {
		m.counts, m.slot, m.began = [meterSlots]int{}, slot, now
	}
	for m.slot < slot {
		m.slot++
		m.counts[m.slot%meterSlots] = 0
	}
}

func (m *meter) add(now time.Time) {
	m.move(now)
	m.counts[m.slot%meterSlots]++
}

func (m *meter) lastMinute(now time.Time) int {
	m.move(now)
	n := 0
	for _, c := range m.counts {
		n += c
	}
	return n
}

// rate is the throughput a minute, also of a time shorter than one.
func (m *meter) rate(now time.Time) float64 {
	n := m.lastMinute(now)
	return float64(n) / min(1, max(now.Sub(m.began), meterSlot).Minutes())
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
