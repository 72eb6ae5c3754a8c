package main

import (
	"path"
	"slices"
	"strings"

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
	removed := map[string]place{} // by the keys of calendars
	for _, p := range cursor.Keys(r.before.files) {
		if present[p] || r.list.Hides(p) {
			continue
		}
		if r.isUnread(p) {
			r.note(unread, p)
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
			removed[id] = place{p, -1}
		}
	}
	for _, p := range cursor.Keys(r.after.files) {
		s := r.after.files[p]
		waits := s.unmet > fewEvents && r.h.Mode() != abi.ModeFullRefresh
		for i := 1; i < len(s.further) && !waits; i += 2 {
			if s.further[i] != furtherThere {
				removed[groupID(r.calendarID(p), s.further[i-1])] = place{p, i}
			}
		}
	}
	return r.removeCalendars(removed)
}

// packed are the ends of the names of archives, and of what a browser has not downloaded to its end.
var packed = []string{".zip", ".gz", ".tgz", ".tar", ".7z", ".rar", ".bz2", ".xz", ".zst", ".part", ".crdownload", ".download"}

// isUnread reports whether a file that is no more may be there unread: packed, or under a name in its folder that cannot be read.
func (r *run) isUnread(p string) bool {
	stem := strings.TrimSuffix(p, path.Ext(p))
	return slices.ContainsFunc(r.list.Entries, func(e files.Entry) bool {
		end := strings.ToLower(path.Ext(e.Path))
		name := e.Path[:len(e.Path)-len(end)]
		return e.Kind == files.File && slices.Contains(packed, end) && (name == p || name == stem)
	}) || slices.ContainsFunc(r.list.Faults, func(f files.Fault) bool { return files.Misnamed(f.Path) && path.Dir(f.Path) == path.Dir(p) })
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
	r.after.files[p] = &fileState{Stamp: files.Stamp{MTimeMS: -1}, removed: max(removedFile, s.removed), unmet: v.unmet, further: s.further.dropped()}
	if v.unmet > fewEvents && r.h.Mode() != abi.ModeFullRefresh {
		r.after.files[p].calendar = s.calendar
	}
	return nil
}

// removeCalendars lists the calendars when files are no more. A calendar that no cursor names may be that of a
// file that this run could not read: it stays. A collector knows only of records that were in a list, so
// one that is not missing is met once, and left to the next run.
func (r *run) removeCalendars(removed map[string]place) error {
	if len(removed) == 0 || !r.h.Wants(streamCalendars) {
		return nil // a run that lists them still has to
	}
	list, err := r.h.Enumerate(streamCalendars, "", "")
	if err != nil {
		return err
	}
	if err := list.Met(r.thereOf(removed)...); err != nil {
		return err
	}
	left := map[string]bool{}
	err = list.Missing(func(key string) error {
		if removed[key].path == "" {
			return list.Met([]string{key})
		}
		left[key] = true
		return nil
	})
	if err != nil {
		return err
	}
	for _, id := range cursor.Keys(removed) {
		at := removed[id]
		s := r.after.files[at.path]
		state, listed := &s.removed, int64(removedCalendar)
		if at.further >= 0 {
			state, listed = &s.further[at.further], furtherListed
		}
		switch {
		case left[id]:
		case *state != listed:
			if err := list.Met([]string{id}); err != nil {
				return err
			}
		default:
			listed++ // the host has it no more
		}
		*state = listed
	}
	r.forget(removed)
	return list.Whole()
}

// place is where the cursor names a calendar: by its file, and by its state in fileState.further; -1: it is the first
// one of the file.
type place struct {
	path    string
	further int
}

// thereOf lists the keys of the calendars that are there.
func (r *run) thereOf(removed map[string]place) (there [][]string) {
	for _, p := range cursor.Keys(r.after.files) {
		s, id := r.after.files[p], r.calendarID(p)
		if s.counts.copied > 0 {
			continue
		}
		if removed[id].path == "" {
			there = append(there, []string{id})
		}
		for i := 0; i+1 < len(s.further); i += 2 {
			if own := groupID(id, s.further[i]); removed[own].path == "" {
				there = append(there, []string{own})
			}
		}
	}
	return there
}

// forget takes out of the cursor what the host has no more.
func (r *run) forget(removed map[string]place) {
	for _, at := range removed {
		s := r.after.files[at.path]
		if s == nil {
			continue
		}
		var left further
		for f := s.further; len(f) >= 2; f = f[2:] {
			if f[1] <= furtherListed {
				left = append(left, f[0], f[1])
			}
		}
		if s.further = left; s.removed > removedCalendar {
			if s.removed = removedCalendar; s.unmet == 0 && len(left) == 0 {
				delete(r.after.files, at.path)
			}
		}
	}
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
