package schedule

import (
	"context"
	"time"

	"github.com/pdpp-host/pdpp-host/storage"
)

const (
	// examinedPage is how many connections are read at once, examinedAtMost about how many
	// a pass examines: the next pass goes on where it stopped.
	examinedPage   = 200
	examinedAtMost = 2000
	// A connection without a change is still examined this often, for a change that the
	// host cannot see, such as that of a module outside the plugins folder.
	longestUnexamined = time.Hour
)

// window remembers what the passes before have examined.
type window struct {
	page, atMost int // examinedPage and examinedAtMost
	began        bool
	surroundings string
	last         time.Time            // of the last pass
	after        *storage.Examination // where the next pass goes on; nil: behind the longest due
}

// examine examines connections that are due for it. Each pass examines the first page,
// then goes on where the last pass stopped, up to atMost. It puts off the next
// examination of each connection that is not to be started. Where a whole page may be
// started, one more page is enough. more reports whether the next pass should follow at
// once.
func (s *Scheduler) examine(ctx context.Context, now time.Time) (all []candidate, more bool, err error) {
	if err := s.recall(ctx, now); err != nil {
		return nil, false, err
	}
	probe := s.probe()
	var after *storage.Examination
	ready, jumped := 0, false
	for n := 0; n < s.window.atMost; {
		page, err := s.deps.Store.Examinations(ctx, now, after, s.window.page)
		if err != nil {
			return nil, false, err
		}
		some, err := s.examinePage(ctx, page, probe, now)
		if err != nil {
			return nil, false, err
		}
		all, n = append(all, some...), n+len(page)
		for i := range some {
			if some[i].plan.start {
				ready++
			}
		}
		if len(page) < s.window.page {
			s.window.after = nil
			return all, jumped && ready < s.window.page, nil
		}
		after = &page[len(page)-1]
		switch {
		case n > len(page) && ready >= s.window.page:
			s.window.after = after
			return all, false, nil
		case n == len(page) && s.window.after != nil && after.Before(s.window.after):
			after, jumped = s.window.after, true
		}
	}
	s.window.after = after
	return all, true, nil
}

// recall makes every connection due when the scheduler begins, and when the surroundings
// have changed or the clock was set back. Another process may have put one off by a clock
// that was ahead.
func (s *Scheduler) recall(ctx context.Context, now time.Time) error {
	mark := ""
	if s.deps.Surroundings != nil {
		mark = s.deps.Surroundings(ctx)
	}
	until := now.Add(longestUnexamined)
	if !s.window.began || mark != s.window.surroundings || now.Before(s.window.last) {
		until = now
	}
	if err := s.deps.Store.ExamineAgain(ctx, now, until); err != nil {
		return err
	}
	s.window.began, s.window.surroundings, s.window.last = true, mark, now
	return nil
}

func (s *Scheduler) examinePage(ctx context.Context, page []storage.Examination, probe Probe, now time.Time) ([]candidate, error) {
	connections := make([]storage.Connection, len(page))
	of := map[string]storage.Examination{}
	for i := range page {
		connections[i] = page[i].Connection
		of[page[i].Connection.ID] = page[i]
	}
	all, err := s.survey(ctx, connections, probe, now)
	if err != nil {
		return nil, err
	}
	var off []storage.Examination // without those that own jobs run, which may end at any moment
	for i := range all {
		x := of[all[i].connection.ID]
		if x.At = all[i].examineAt(now); x.At.After(now) {
			off = append(off, x)
		}
	}
	return all, s.deps.Store.PutOffExaminations(ctx, off)
}

// examineAt returns when a connection is examined again if nothing of it changes in the
// store; now for one that is to be started.
func (c *candidate) examineAt(now time.Time) time.Time {
	switch {
	case c.err == nil && c.plan.start:
		return now
	case c.err != nil, c.facts.waitsOutside():
		return now.Add(longestWait)
	case c.plan.at.IsZero():
		return now.Add(longestUnexamined)
	}
	return earlier(later(c.plan.at, now.Add(shortestWait)), now.Add(longestUnexamined))
}

// waitsOutside reports whether the connection waits for something that the store does not
// show: another process, or what its owner changes outside.
func (f *facts) waitsOutside() bool {
	return f == nil || f.busy || f.obstacle != nil || f.rejection != nil || f.refusalStands() || findElsewhere(f.history) != nil && f.runsAutomatically()
}
