package schedule

import "time"

// hold keeps a connection from starting for a while. Both ends are kept: now
// before the begin is a clock that was put back.
type hold struct{ from, until time.Time }

func (h hold) holds(now time.Time) bool { return !now.Before(h.from) && now.Before(h.until) }

// spread lets connections that became due together start one after the other:
// after a long sleep of the machine all of them are.
func (s *Scheduler) spread(ready []candidate, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	due := map[string]bool{}
	after := time.Duration(0)
	for _, c := range ready {
		id := c.connection.ID
		due[id] = true
		if _, known := s.held[id]; known {
			continue
		}
		s.held[id] = hold{now, now.Add(after)}
		after = min(after+stagger+time.Duration(s.deps.Random()*float64(stagger)), mostStagger)
	}
	for id, h := range s.held {
		if !due[id] && !h.holds(now) {
			delete(s.held, id)
		}
	}
}

func (s *Scheduler) forgetSkip(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.skipped, id)
}

func (s *Scheduler) isRunning(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.running[id]
}

func (s *Scheduler) free(id string, now time.Time) (hold, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.held[id]
	return h, !h.holds(now)
}

// rest ends a connection's job and leaves it alone for a while: the longer, the
// more often the store has taken nothing of what its jobs did.
func (s *Scheduler) rest(id string, d dispatched) {
	now := s.deps.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.running, id)
	if d.kept {
		delete(s.lost, id)
	} else {
		d.rest = doubled(d.rest, s.lost[id], lostShift, longestRest)
		s.lost[id]++
	}
	s.held[id] = hold{now, now.Add(d.rest)}
}

func soonest(a, b time.Time) time.Time {
	if a.IsZero() || b.Before(a) {
		return b
	}
	return a
}
