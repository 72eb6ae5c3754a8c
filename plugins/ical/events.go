package main

import (
	"bytes"
	"encoding/base64"
	"slices"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/files"
	"github.com/pdpp-host/pdpp-host/sdk/problems"
)

// events does the second pass when the events are not those of the cursor.
func (r *run) events(f files.Entry, id string, v *survey, old *fileState) (*problems.Kind, error) {
	if !r.h.Wants(streamEvents) {
		return nil, nil
	}
	if old != nil && old.events == v.sum {
		v.part, v.ids = old.part, old.ids
		if old.unmet == 0 {
			r.books.Items(streamEvents).Unchanged += v.live
			return nil, nil
		}
		part, err := r.ownPart(id)
		if err == nil {
			v.unmet, err = r.settle(part, v.entries)
		}
		return nil, err
	}
	v.placeIn(old)
	if v.part == partOwn {
		return r.ownEvents(f, id, v, old)
	}
	return r.sharedEvents(f, id, v, old)
}

// placeIn decides which part the events of a file belong to. Those of a damaged one are what it has and
// what it had.
func (v *survey) placeIn(old *fileState) {
	if old != nil {
		v.part = old.part
	}
	if v.counts.broken > 0 && v.live <= fewEvents && old != nil && old.part != partOwn {
		v.ids = withIDs(v.ids, old.eventIDs())
	}
	if v.live > fewEvents || len(v.ids) > base64.RawURLEncoding.EncodedLen(fewEvents*len(eventID{})) {
		v.part = partOwn
	}
}

// withIDs adds ids to those of a text in base64.
func withIDs(text string, more []eventID) string {
	all := slices.Concat((&fileState{ids: text}).eventIDs(), more)
	slices.SortFunc(all, func(a, b eventID) int { return bytes.Compare(a[:], b[:]) })
	raw := make([]byte, 0, len(all)*len(eventID{}))
	for _, id := range slices.Compact(all) {
		raw = append(raw, id[:]...)
	}
	return base64.RawURLEncoding.EncodeToString(raw)
}

// sharedEvents is events for a calendar whose events are in the shared part.
func (r *run) sharedEvents(f files.Entry, id string, v *survey, old *fileState) (*problems.Kind, error) {
	if err := r.share(); err != nil {
		return nil, err
	}
	problem, err := r.emit(f, id, v)
	switch {
	case err != nil:
		return nil, err
	case problem != nil:
		r.halfway(f.Path, old, v)
		return problem, nil
	case v.counts.broken > 0: // what does not close may be any event
		return nil, nil
	}
	r.lose(old, v.entries)
	if v.part == partBoth {
		return nil, r.leave(id, v)
	}
	return nil, nil
}

// ownEvents is events for a calendar with a part of its own.
func (r *run) ownEvents(f files.Entry, id string, v *survey, old *fileState) (*problems.Kind, error) {
	if err := r.announce(f.Path, old); err != nil {
		return nil, err
	}
	part, err := r.ownPart(id)
	if err != nil {
		return nil, err
	}
	moves := old != nil && old.part != partOwn
	problem, err := r.emit(f, id, v)
	switch {
	case err != nil:
		return nil, err
	case problem != nil:
		r.halfway(f.Path, old, v)
		return problem, nil
	case v.counts.broken > 0: // the part stays open, and has what the file had
		if moves {
			r.moved, r.after.shared.state = true, listAgain
			return nil, part.Met(sorted(keysOf(old.eventIDs()))...)
		}
		return nil, nil
	}
	r.moved = r.moved || moves
	r.lose(old, v.entries)
	if old == nil && r.h.Mode() != abi.ModeFullRefresh { // of a new file, nothing is stored
		return nil, part.Whole()
	}
	v.unmet, err = r.bury(part, v.entries)
	return nil, err
}

// maxAnnounced bounds the cursors of a run that announce a part. A folder gets more new calendars than
// that in its first run, when there is nothing to lose.
const maxAnnounced = 100

// announce has the cursor know of a part before it is opened: when the run is killed and the file has few
// events in the next one, the part would hold those for ever.
func (r *run) announce(p string, old *fileState) error {
	if old != nil && old.part != partShared || len(r.before.files) == 0 || r.announced == maxAnnounced {
		return nil
	}
	r.announced++
	s := &fileState{}
	if old != nil {
		*s = *old
	}
	s.mtimeMS, s.events, s.part = -1, 0, partBoth
	r.after.files[p] = s
	return r.checkpoint("before " + p)
}

// halfway has the cursor know of a file whose reading ended early which of its events may have been
// emitted, and in which part.
func (r *run) halfway(p string, old *fileState, v *survey) {
	s := &fileState{}
	if old != nil {
		*s = *old
	}
	s.mtimeMS, s.events = -1, 0
	switch {
	case v.part != partOwn:
		s.ids, s.prints = withIDs(v.ids, s.eventIDs()), ""
	case s.part == partShared:
		s.part = partBoth
	}
	r.after.files[p] = s
}

// emit does the second pass over f.
func (r *run) emit(f files.Entry, id string, v *survey) (*problems.Kind, error) {
	file, err := r.root.Open(f.Path)
	if err != nil {
		return unreadableFile, nil
	}
	defer file.Close()
	r.writer.rec, r.writer.zones = r.h.Record(streamEvents), zoneSet{defined: v.zones}
	s := newScan(file, r.buf, func(s *scan) error {
		e := &s.ev
		event, _, buf := identify(r.hashed, id, e)
		r.hashed = buf
		event = v.idOf(event, e)
		if en := v.entries[event]; en.ordinal != s.events || en.fingerprint == 0 {
			return nil
		}
		return r.writer.write(event, id, &v.calendar, f.Path, e, v.cancelled[event])
	})
	s.ev.full = true
	if problem, err := s.run(); problem != nil || err != nil {
		return problem, err
	}
	if s.events != v.total || !r.unchanged(f) {
		return changed, nil
	}
	return nil, nil
}
