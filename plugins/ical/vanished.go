package main

import (
	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/cursor"
	"github.com/pdpp-host/pdpp-host/sdk/files"
)

// fewEvents is up to how many events are gone from a list without a question. A calendar that has lost more waits
// for the answer, but for a full refresh, which may have its owner's word.
const fewEvents = 4

// vanished leaves it to the host to bury the records of deleted files. A file stays in the cursor until
// the host has none of them any more.
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
	removed := map[string]string{} // paths by the keys of their calendars
	for _, p := range cursor.Keys(r.before.files) {
		if present[p] || r.list.Hides(p) {
			continue
		}
		if r.before.files[p].counts.copied > 0 { // the host has nothing of it
			delete(r.after.files, p)
			continue
		}
		id := r.calendarID(p)
		if err := r.remove(p, id, r.before.files[p]); err != nil {
			return err
		}
		if s := r.after.files[p]; s.calendar == 0 {
			removed[id] = p
		}
	}
	return r.removeCalendars(removed)
}

// remove lists the events of a file that is no more: it has none. The cursor has a calendar that waits for
// the answer about its events.
func (r *run) remove(p, id string, s *fileState) error {
	var v survey
	if s.removed == 0 || s.unmet > 0 {
		part, err := r.h.Enumerate(streamEvents, id, "")
		if err != nil {
			return err
		}
		if err := r.bury(part, &v, s); err != nil {
			return err
		}
	}
	r.after.files[p] = &fileState{Stamp: files.Stamp{MTimeMS: -1}, removed: max(removedFile, s.removed), unmet: v.unmet}
	if v.unmet > fewEvents && r.h.Mode() != abi.ModeFullRefresh {
		r.after.files[p].calendar = s.calendar
	}
	return nil
}

// removeCalendars lists the calendars when files are no more. A calendar that no cursor names may be that of a
// file that this run could not read: it stays. A collector knows only of records that were in a list, so
// one that is not missing is met once, and left to the next run.
func (r *run) removeCalendars(removed map[string]string) error {
	if len(removed) == 0 || !r.h.Wants(streamCalendars) {
		return nil // a run that lists them still has to
	}
	list, err := r.h.Enumerate(streamCalendars, "", "")
	if err != nil {
		return err
	}
	var there [][]string
	for _, p := range cursor.Keys(r.after.files) {
		if id := r.calendarID(p); removed[id] == "" && r.after.files[p].counts.copied == 0 {
			there = append(there, []string{id})
		}
	}
	if err := list.Met(there...); err != nil {
		return err
	}
	left := map[string]bool{}
	err = list.Missing(func(key string) error {
		if removed[key] == "" {
			return list.Met([]string{key})
		}
		left[key] = true
		return nil
	})
	if err != nil {
		return err
	}
	for _, id := range cursor.Keys(removed) {
		s := r.after.files[removed[id]]
		switch {
		case left[id]:
		case s.removed != removedCalendar:
			if err := list.Met([]string{id}); err != nil {
				return err
			}
		case s.unmet == 0:
			delete(r.after.files, removed[id])
		}
		s.removed = removedCalendar
	}
	return list.Whole()
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
		if r.before.files[p].Size > 0 && !present[p] && !r.list.Hides(p) { // otherwise its events are buried already
			lost = append(lost, p)
		}
	}
	return lost
}
