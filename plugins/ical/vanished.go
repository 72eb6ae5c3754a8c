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
		s, id := r.before.files[p], r.calendarID(p)
		part, err := r.part(id, s, true)
		var unmet int64
		if err == nil {
			unmet, err = r.bury(part, s, nil)
		}
		if err != nil {
			return err
		}
		if unmet > 0 { // they are gone when a later run does not find them any more, and their calendar with them
			r.after.files[p] = &fileState{mtimeMS: -1, calendar: s.calendar, unmet: unmet}
			continue
		}
		if !r.h.Wants(streamCalendars) {
			// A run that may bury its calendar still has to.
			r.after.files[p] = &fileState{mtimeMS: -1, calendar: s.calendar}
			continue
		}
		if err := r.h.Delete(streamCalendars, id); err != nil {
			return err
		}
		delete(r.after.files, p)
	}
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
