package main

import (
	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk"
)

// sharedPart is the part of stream events that files with few events share. A calendar with more of them
// is a part by its id, and stays one when it has fewer.
const sharedPart = "few"

// share has the events that follow belong to the shared part.
func (r *run) share() error {
	switch {
	case r.sharing:
		return nil
	case r.shared != nil:
		r.sharing = true
		return r.shared.Resume()
	}
	part, err := r.h.Enumerate(streamEvents, sharedPart, "")
	if err != nil {
		return err
	}
	r.shared, r.sharing, r.after.shared.state = part, true, listAgain
	if r.before.shared.state != listNever {
		return nil
	}
	// An earlier version had no such part. Now it has all that the cursor knows: the next run closes it
	// without what is gone by now.
	return part.Met(sorted(sharedKeys(r.before.files))...)
}

// ownPart opens the part of a calendar that has one by itself.
func (r *run) ownPart(id string) (*sdk.Enumeration, error) {
	r.sharing, r.owned = false, true
	return r.h.Enumerate(streamEvents, id, "")
}

// keysOf returns the keys of events.
func keysOf(ids []eventID) map[string]bool {
	keys := make(map[string]bool, len(ids))
	for _, id := range ids {
		keys[id.String()] = true
	}
	return keys
}

// sharedKeys are those of the events in the shared part.
func sharedKeys(files map[string]*fileState) map[string]bool {
	var all []eventID
	for _, s := range files {
		if s.part != partOwn {
			all = append(all, s.eventIDs()...)
		}
	}
	return keysOf(all)
}

// liveKeys are those of the events of a file that are not cancelled.
func liveKeys(now map[eventID]entry) map[string]bool {
	live := make(map[string]bool, len(now))
	for id, en := range now {
		if en.fingerprint != 0 {
			live[id.String()] = true
		}
	}
	return live
}

// lose notes which events in the shared part a file has no more.
func (r *run) lose(old *fileState, now map[eventID]entry) {
	if old == nil || old.part == partOwn {
		return
	}
	l := &r.after.shared
	for _, id := range old.eventIDs() {
		if now[id].fingerprint == 0 {
			l.lost = append(l.lost, id.String())
		}
	}
	l.state = listAgain
}

// bury closes the part of a calendar over what its file has now, and counts what it has not met: the
// host asks about many. An event that is there and was not met, such as one that the host rejected,
// stays as it is.
func (r *run) bury(part *sdk.Enumeration, now map[eventID]entry) (unmet int64, err error) {
	live := liveKeys(now)
	err = part.Missing(func(key string) error {
		if live[key] {
			return part.Met([]string{key})
		}
		unmet++
		return nil
	})
	if err != nil {
		return 0, err
	}
	return unmet, part.Whole()
}

// settle closes the part of a calendar whose events are not emitted again: of those that it lost, the
// host may have asked its owner.
func (r *run) settle(part *sdk.Enumeration, now map[eventID]entry) (unmet int64, err error) {
	if err := part.Met(sorted(liveKeys(now))...); err != nil {
		return 0, err
	}
	return r.bury(part, now)
}

// leave takes a file that is in the shared part out of the part of its own into which an earlier run may
// have put some of its events. Events that no other part holds are gone: where there are some, the file
// has the part until the host has deleted them.
func (r *run) leave(id string, v *survey) error {
	part, err := r.ownPart(id)
	if err != nil {
		return err
	}
	err = part.Missing(func(string) error {
		v.unmet++
		return nil
	})
	switch {
	case err != nil:
		return err
	case v.unmet == 0:
		v.part = partShared
		return part.Whole()
	}
	v.part, r.moved = partOwn, true
	v.unmet, err = r.settle(part, v.entries)
	return err
}

// closeShared closes the shared part, unless all of it is as it was.
func (r *run) closeShared() error {
	l := &r.after.shared
	if !r.h.Wants(streamEvents) || l.state == listWhole && r.h.Mode() != abi.ModeFullRefresh {
		return nil
	}
	if err := r.share(); err != nil {
		return err
	}
	if r.before.shared.state == listNever && len(l.lost) > 0 { // see share
		return r.shared.Whole()
	}
	if err := l.close(r.shared, sharedKeys(r.after.files), r.unsure()); err != nil {
		return err
	}
	// An event that a part of its own lets go of with this run's cursor is not missing yet.
	if r.owned && (r.moved || len(r.before.shared.lost) > 0) {
		l.state = listAgain
	}
	return nil
}

// unsure reports whether the store may have records of files that the run could not read.
func (r *run) unsure() bool {
	for _, s := range r.after.files {
		if !s.whole() {
			return true
		}
	}
	return r.failed > 0
}

// closeCalendars closes the list of calendars, when one of them is gone.
func (r *run) closeCalendars() error {
	l := &r.after.calendars
	if !r.h.Wants(streamEvents) || !r.h.Wants(streamCalendars) || l.state == listWhole && r.h.Mode() != abi.ModeFullRefresh {
		return nil
	}
	list, err := r.h.Enumerate(streamCalendars, "", "")
	if err != nil {
		return err
	}
	there := map[string]bool{}
	for p := range r.after.files {
		there[r.calendarID(p)] = !r.buried[p]
	}
	for _, f := range r.found {
		there[r.calendarID(f.Path)] = true
	}
	for _, p := range r.shut {
		there[r.calendarID(p)] = true
	}
	return l.close(list, there, r.unsure())
}
