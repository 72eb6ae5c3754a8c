package main

import "github.com/pdpp-host/pdpp-host/sdk/cursor"

// vanished buries the records of deleted files.
func (r *run) vanished() error {
	present := make(map[string]bool, len(r.found))
	for _, f := range r.found {
		present[f.Path] = true
	}
	for _, p := range r.shut {
		present[p] = true
	}
	if lost := r.missingCalendars(present); len(lost) > 0 {
		for _, p := range lost {
			r.note(gone, p)
		}
		return nil
	}
	for _, p := range cursor.Keys(r.before.files) {
		if present[p] || r.list.Hides(p) {
			continue
		}
		if err := r.removed(p, r.before.files[p]); err != nil {
			return err
		}
	}
	return nil
}

// removed leaves it to the host to bury the records of a file. Those of a calendar with a part of its own
// are gone when a later run does not find them any more, and their calendar with them.
func (r *run) removed(p string, s *fileState) error {
	var v survey
	if s.part != partShared {
		if err := r.leave(r.calendarID(p), &v); err != nil {
			return err
		}
	}
	r.lose(s, nil)
	delete(r.after.files, p)
	if v.unmet > 0 {
		r.after.files[p] = &fileState{mtimeMS: -1, calendar: s.calendar, part: partOwn, unmet: v.unmet}
		if s.calendar != 0 { // a full refresh may have its owner's word, for the calendar as well
			return nil
		}
	}
	r.buried[p] = true
	l := &r.after.calendars
	l.state, l.lost = listAgain, append(l.lost, r.calendarID(p))
	return nil
}

// missingCalendars returns the calendar files that vanished when no calendar is left, neither an
// earlier nor a new one: the folder is then probably the wrong one. An empty folder
// does not matter here: the host refuses it, unless its owner accepted it.
func (r *run) missingCalendars(present map[string]bool) (lost []string) {
	if r.list.Bare {
		return nil
	}
	for p := range present {
		if s, b := r.after.files[p], r.before.files[p]; s != nil && (s.whole() || b != nil && b.whole()) {
			return nil // a calendar, now or before
		}
	}
	for _, p := range cursor.Keys(r.before.files) {
		if r.before.files[p].size > 0 && !present[p] && !r.list.Hides(p) { // otherwise its events are buried already
			lost = append(lost, p)
		}
	}
	return lost
}
