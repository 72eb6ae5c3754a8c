package pacing

import "time"

const (
	meterSlots = 60
	// careful is the number of throttles in a minute that a lane allows itself.
	// Providers lock accounts that continue.
	careful     = 8
	carefulSpan = time.Minute
)

// Meter counts the requests that the provider accepted in the last 60 slots. Not safe
// for concurrent use.
type Meter struct {
	Slot   time.Duration // the slot's length; 0: a second
	counts [meterSlots]int
	newest int64     // the number of the newest slot
	began  time.Time // start of the counting; a pause of 60 slots restarts it
}

func (m *Meter) length() time.Duration { return max(m.Slot, time.Second) }

func (m *Meter) move(now time.Time) {
	slot := now.UnixNano() / int64(m.length())
	if slot-m.newest >= meterSlots {
		m.counts, m.newest, m.began = [meterSlots]int{}, slot, now
	}
	for m.newest < slot {
		m.newest++
		m.counts[m.newest%meterSlots] = 0
	}
}

// Add counts one accepted request.
func (m *Meter) Add(now time.Time) {
	m.move(now)
	m.counts[m.newest%meterSlots]++
}

// Within returns the count of the last span, at most 60 slots.
func (m *Meter) Within(now time.Time, span time.Duration) int {
	m.move(now)
	n := 0
	for i := range min(int64(span/m.length()), meterSlots) {
		n += m.counts[(m.newest-i+meterSlots)%meterSlots]
	}
	return n
}

// Rate returns the throughput a minute, extrapolated if less than a minute was
// counted. The slots must be seconds.
func (m *Meter) Rate(now time.Time) float64 {
	n := m.Within(now, time.Minute)
	return float64(n) / min(1, max(now.Sub(m.began), m.length()).Minutes())
}

// Throttles holds the times of a lane's last throttles.
type Throttles struct {
	times [careful]time.Time
	next  int
}

// Add records one throttle and returns the time before which nothing may be sent: a
// minute after the oldest of the last few. It is in the past unless they came within a
// minute.
func (s *Throttles) Add(now time.Time) time.Time {
	s.times[s.next] = now
	s.next = (s.next + 1) % careful
	if oldest := s.times[s.next]; !oldest.IsZero() {
		return oldest.Add(carefulSpan)
	}
	return time.Time{}
}
