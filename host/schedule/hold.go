package schedule

import "time"

// hold prevents a connection from starting for a while. Both ends are stored: if now
// is before from, the clock was set back.
type hold struct{ from, until time.Time }

func (h hold) inForce(now time.Time) bool { return !now.Before(h.from) && now.Before(h.until) }

// spread lets connections that became due together start one after the other: after a
// long sleep of the machine that is all of them. ready are those of examined that may
// start, in their order.
func (s *Scheduler) spread(examined, ready []candidate, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, h := range s.held {
		if now.Before(h.from) || now.After(h.until.Add(mostStagger)) {
			delete(s.held, id) // of a connection that has gone, or that was not due meanwhile
		}
	}
	after := time.Duration(0)
	for _, c := range ready {
		id := c.connection.ID
		if _, known := s.held[id]; known {
			continue
		}
		s.held[id] = hold{now, now.Add(after)}
		after = min(after+stagger+time.Duration(s.deps.Random()*float64(stagger)), mostStagger)
	}
	for _, c := range examined {
		if id := c.connection.ID; !c.plan.start && !s.held[id].inForce(now) {
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

func (s *Scheduler) heldUntil(id string, now time.Time) (hold, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.held[id]
	return h, !h.inForce(now)
}

// endJob ends a connection's job and pauses the connection. The pause grows with the
// number of consecutive jobs whose result the store did not record.
func (s *Scheduler) endJob(id string, d jobResult) {
	now := s.deps.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.running, id)
	delete(s.scarce, id)
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
