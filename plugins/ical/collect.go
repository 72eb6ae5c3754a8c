package main

import (
	"bytes"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/fingerprint"
)

// The streams.
const (
	streamCalendars = "calendars"
	streamEvents    = "events"
	streamCoverage  = "coverage_diagnostics"
)

// sliceBytes is how many bytes are read between two checkpoints at least, and
// sliceShare how many for each byte of cursor: a large cursor costs more than it saves.
const (
	sliceBytes = 16 << 20
	sliceShare = 16
)

// racyMS is how close to now a file's time may be and still prove that a later
// write would change it.
const racyMS = 2000

// run is one collection.
type run struct {
	h       *sdk.Host
	root    fs.FS
	list    *listing
	before  cursor
	after   cursor
	writer  recordWriter
	buf     []byte
	hashed  []byte
	total   int64
	done    int64
	since   int64 // bytes since the last slice
	encoded int64 // size of the last cursor
	// fresh: the store may have events that no cursor names, so a cancelled event may
	// be among them.
	fresh    bool
	problems map[string][]string // problem -> files
	// How many files fit made forget their fingerprints and their ids.
	printsLost, idsLost int
}

func newRun(h *sdk.Host) (*run, error) {
	root, ok := h.Root("ical")
	if !ok {
		return nil, &sdk.Failure{Code: "ical_folder_missing", Message: "the folder with the calendar files was not granted",
			Hint: "manual_action_required"}
	}
	l, err := list(root)
	if err != nil {
		return nil, &sdk.Failure{Code: "ical_folder_unreadable", Message: "the folder with the calendar files cannot be read",
			Retryable: true, Hint: "manual_action_required", Err: err}
	}
	r := &run{
		h: h, root: root, list: l, before: cursor{}, after: cursor{}, buf: make([]byte, 64<<10),
		fresh: h.Mode() == abi.ModeFullRefresh, problems: map[string][]string{},
	}
	// The cursor covers events: a run that does not collect them can neither trust it
	// nor move it.
	if h.Wants(streamEvents) {
		r.before = openCursor(h)
	}
	for p, s := range r.before {
		r.after[p] = s
	}
	for _, f := range l.files {
		r.total += f.size
	}
	return r, nil
}

func (r *run) collect() error {
	for _, f := range r.list.files {
		if r.h.Stopping() {
			return sdk.ErrStopped
		}
		if err := r.file(f); err != nil {
			return err
		}
		r.done += f.size
		if err := r.h.Progress("reading calendars", r.done, r.total, "bytes"); err != nil {
			return err
		}
		if r.since >= max(sliceBytes, sliceShare*r.encoded) {
			r.since = 0
			if err := r.checkpoint("through " + f.path); err != nil {
				return err
			}
		}
	}
	if err := r.vanished(); err != nil {
		return err
	}
	if err := r.coverage(); err != nil {
		return err
	}
	if err := r.checkpoint(""); err != nil {
		return err
	}
	return r.report()
}

// checkpoint sends the cursors: of a slice when it has a name, else the last.
func (r *run) checkpoint(slice string) error {
	prints, ids := r.after.fit(maxCursorBytes)
	r.printsLost, r.idsLost = r.printsLost+prints, r.idsLost+ids
	state := r.after.encode()
	r.encoded = int64(len(state))
	if slice != "" {
		return r.h.Slice(streamEvents, slice, state)
	}
	return r.h.State(streamEvents, state)
}

// calendarID names a calendar by its file.
func (r *run) calendarID(p string) string {
	id, buf := hashID(r.hashed, "calendar", p)
	r.hashed = buf
	return id.String()
}

// file collects one file when it differs from the cursor's.
func (r *run) file(f found) error {
	old := r.before[f.path]
	if old != nil && old.size == f.size && old.mtimeMS == f.mtimeMS &&
		(old.calendar != 0 || !r.h.Wants(streamCalendars)) {
		return nil
	}
	r.since += f.size
	id := r.calendarID(f.path)
	v, problem := r.survey(f, id)
	if problem == "" {
		var err error
		if problem, err = r.changes(f, id, v, old); err != nil {
			return err
		}
	}
	if problem != "" {
		r.problems[problem] = append(r.problems[problem], f.path)
		return nil
	}
	return r.finishFile(f, id, v, old)
}

// survey does the first pass over f.
func (r *run) survey(f found, id string) (v *survey, problem string) {
	file, err := r.root.Open(f.path)
	if err != nil {
		return nil, problemUnreadable
	}
	defer file.Close()
	if v, problem = surveyFile(file, r.buf, id); problem == "" && !r.unchanged(f) {
		problem = problemChanged
	}
	return v, problem
}

func (r *run) unchanged(f found) bool {
	info, err := fs.Stat(r.root, f.path)
	return err == nil && info.Size() == f.size && info.ModTime().UnixMilli() == f.mtimeMS
}

// changes does the second pass: it emits the events that differ from the cursor's.
func (r *run) changes(f found, id string, v *survey, old *fileState) (problem string, err error) {
	known, _ := old.storedEvents()
	changed := false
	for event, en := range v.entries {
		if p, ok := known[event]; en.fingerprint != 0 && (!ok || p != en.fingerprint) {
			changed = true
			break
		}
	}
	if !changed || !r.h.Wants(streamEvents) {
		return "", nil
	}
	file, err := r.root.Open(f.path)
	if err != nil {
		return problemUnreadable, nil
	}
	defer file.Close()
	r.writer.rec, r.writer.zones = r.h.Record(streamEvents), v.zones
	s := newScan(file, r.buf, func(s *scan) error {
		e := &s.ev
		event, _, buf := identify(r.hashed, id, e)
		r.hashed = buf
		en := v.entries[event]
		if en.ordinal != s.events || en.fingerprint == 0 {
			return nil
		}
		if p, ok := known[event]; ok && p == en.fingerprint {
			return nil
		}
		return r.writer.write(event, id, &v.calendar, f.path, e, v.cancelled[event])
	})
	s.ev.full = true
	if problem, err = s.run(); problem != "" || err != nil {
		return problem, err
	}
	if s.events != v.total || !r.unchanged(f) {
		return problemChanged, nil
	}
	return "", nil
}

// finishFile emits the results of a file read to its end: tombstones, the calendar, and the
// file's share of the cursor.
func (r *run) finishFile(f found, id string, v *survey, old *fileState) error {
	known, complete := old.storedEvents()
	gone := goneEvents(known, v.entries)
	if r.fresh || !complete && old != nil {
		for event, en := range v.entries {
			if en.fingerprint == 0 && known[event] == 0 { // not in gone yet
				gone = append(gone, event)
			}
		}
	}
	if err := r.bury(gone); err != nil {
		return err
	}
	s := &fileState{
		size: f.size, mtimeMS: f.mtimeMS, memory: memoryPrints, packed: pack(v.entries, true), live: v.live(), counts: v.counts,
	}
	if now := r.h.Now().UnixMilli(); now-f.mtimeMS < racyMS && now >= f.mtimeMS {
		s.mtimeMS = -1 // a write in this very moment would not show: look again
	}
	r.after[f.path] = s
	return r.calendar(f, id, v, s, old)
}

// goneEvents lists the known events that are missing or cancelled now.
func goneEvents(known map[eventID]uint64, entries map[eventID]entry) []eventID {
	var gone []eventID
	for event, p := range known {
		if p != 0 && entries[event].fingerprint == 0 {
			gone = append(gone, event)
		}
	}
	return gone
}

// bury emits tombstones, in an order that does not depend on a map's.
func (r *run) bury(events []eventID) error {
	slices.SortFunc(events, func(a, b eventID) int { return bytes.Compare(a[:], b[:]) })
	for _, event := range events {
		if err := r.h.Delete(streamEvents, event.String()); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) calendar(f found, id string, v *survey, s, old *fileState) error {
	c := &v.calendar
	name := c.name
	if name == "" {
		name = strings.TrimSuffix(path.Base(f.path), path.Ext(f.path))
	}
	sum := fingerprint.Start
	for _, text := range []string{name, c.description, c.zone, c.product, c.color, strconv.FormatInt(s.live, 10)} {
		sum = sumLine(sum, text)
	}
	if s.calendar = fingerprint.Mix(sum+formatSeed) & printMask; s.calendar == 0 {
		s.calendar = 1
	}
	if old != nil && old.calendar == s.calendar {
		return nil
	}
	if !r.h.Wants(streamCalendars) {
		s.calendar = 0 // a run that wants it is still to emit it
		return nil
	}
	rec := r.h.Record(streamCalendars)
	rec.String("id", id)
	rec.String("name", name)
	rec.StringOrNull("description", c.description)
	rec.StringOrNull("time_zone", c.zone)
	rec.StringOrNull("product", c.product)
	rec.StringOrNull("color", c.color)
	rec.Int("event_count", s.live)
	rec.String("source_file", f.path)
	return rec.Emit()
}

// vanished buries the records of deleted files.
func (r *run) vanished() error {
	present := make(map[string]bool, len(r.list.files))
	for _, f := range r.list.files {
		present[f.path] = true
	}
	if lost := r.missingCalendars(present); len(lost) > 0 {
		r.problems[problemGone] = lost
		return nil
	}
	for _, p := range sortedPaths(r.before) {
		if present[p] || r.list.hides(p) {
			continue
		}
		s := r.before[p]
		known, complete := s.storedEvents()
		if !complete && s.live > 0 {
			r.problems[problemForgotten] = append(r.problems[problemForgotten], p)
		}
		if err := r.bury(goneEvents(known, nil)); err != nil {
			return err
		}
		if !r.h.Wants(streamCalendars) {
			// A run that may bury its calendar still has to.
			r.after[p] = &fileState{mtimeMS: -1, memory: memoryPrints, calendar: s.calendar}
			continue
		}
		if err := r.h.Delete(streamCalendars, r.calendarID(p)); err != nil {
			return err
		}
		delete(r.after, p)
	}
	return nil
}

// missingCalendars returns the calendar files that vanished when no calendar is left, neither an
// earlier nor a new one: the folder is then probably the wrong one. An empty folder
// does not matter here: the host refuses it, unless its owner accepted it.
func (r *run) missingCalendars(present map[string]bool) (files []string) {
	if r.list.bare {
		return nil
	}
	for p := range present {
		if r.after[p] != nil {
			return nil // a calendar, now or before
		}
	}
	for _, p := range sortedPaths(r.before) {
		if r.before[p].size > 0 && !r.list.hides(p) { // otherwise its events are buried already
			files = append(files, p)
		}
	}
	return files
}

func sortedPaths(c cursor) []string {
	paths := make([]string, 0, len(c))
	for p := range c {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	return paths
}
