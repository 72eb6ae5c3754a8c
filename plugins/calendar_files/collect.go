package main

import (
	"io/fs"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/accounts"
	"github.com/pdpp-host/pdpp-host/sdk/cursor"
	"github.com/pdpp-host/pdpp-host/sdk/files"
	"github.com/pdpp-host/pdpp-host/sdk/problems"
)

// The streams.
const (
	streamCalendars = "calendars"
	streamEvents    = "events"
	streamCoverage  = "coverage_diagnostics"
)

// rootName is the folder's.
const rootName = "calendar_files"

const (
	sliceBytes     = 16 << 20 // how much is read between two checkpoints at least
	racyMS         = 2000     // how close to now a file's time may be and still prove that a later write would change it
	maxFolderDepth = 32
	maxFiles       = 20000
)

// run is one collection.
type run struct {
	h             *sdk.Host
	root          fs.FS
	list          *files.Listing
	found         []files.Entry
	shut          []string // calendars by their names that are no files: pipes, sockets, devices
	before, after *state
	writer        recordWriter
	buf           []byte
	hashed        []byte
	total, done   int64
	pace          cursor.Pace
	problems      *problems.Tally
	names         nameCounts // the table of the names in the cursor
	books         *accounts.Books
	failed        int64            // files and folders that could not be collected
	contents      map[int64]string // of the files that are collected: the path of each
}

func newRun(h *sdk.Host) (*run, error) {
	root, ok := h.Root(rootName)
	if !ok {
		return nil, &sdk.Failure{Code: "calendar_folder_missing", Message: "the folder with the calendar files was not granted",
			Hint: "manual_action_required"}
	}
	// The cursor covers events: a run that does not collect them can neither trust it
	// nor move it.
	before := &state{}
	if h.Wants(streamEvents) {
		before = openState(h)
	}
	l := list(root, before.files)
	if l.Err != nil {
		return nil, &sdk.Failure{Code: "calendar_folder_unreadable", Message: "the folder with the calendar files cannot be read",
			Retryable: true, Hint: "manual_action_required", Err: l.Err}
	}
	r := &run{
		h: h, root: root, list: l, before: before, after: &state{files: map[string]*fileState{}}, buf: make([]byte, 64<<10),
		books: accounts.Open(h), pace: cursor.Pace{Every: sliceBytes}, contents: map[int64]string{}, problems: problems.New(h, streamEvents, kinds...),
	}
	for p, s := range r.before.files {
		r.after.files[p] = s
	}
	for _, name := range r.before.names {
		r.names.index(name)
	}
	r.after.names = r.names.names
	for _, f := range l.Files() {
		if r.before.files[f.Path] != nil || isCalendar(f.Path) && !hidden(f.Path) || r.begins(f) {
			r.found = append(r.found, f)
			r.total += f.Size
		}
	}
	r.copiesLast()
	faulted := map[string]bool{}
	for _, f := range l.Faults {
		faulted[f.Path] = true
	}
	for _, e := range l.Entries {
		if e.Kind == files.Other && !e.Link && !faulted[e.Path] && (r.before.files[e.Path] != nil || isCalendar(e.Path)) {
			r.shut = append(r.shut, e.Path)
			r.books.Known(rootName, e.Path, unreadableFile.Reason)
			r.note(unreadableFile, e.Path)
		}
	}
	for _, f := range l.Faults {
		switch {
		case f.Why == files.Many:
			r.problems.Note(tooMany, "")
		case f.Why == files.Deep:
			r.note(tooDeep, f.Path)
		case files.Misnamed(f.Path): // the host tells of it, with the name as it is
			r.note(misnamed, f.Path)
		case f.Why == files.Linked, f.Why == files.Strays && mayHave(f.Path):
			r.books.Known(rootName, f.Path, linked.Reason) // its owner may say that it may stay
			r.note(linked, f.Path)
		case f.Why != files.Strays:
			if isCalendar(f.Path) {
				r.books.Known(rootName, f.Path, unreadableFile.Reason)
			}
			r.note(unreadableFile, f.Path)
		}
	}
	return r, nil
}

func (r *run) collect() error {
	for _, f := range r.found {
		if r.h.Stopping() {
			return sdk.ErrStopped
		}
		if err := r.file(f); err != nil {
			return err
		}
		r.done += f.Size
		if err := r.h.Progress("reading calendars", r.done, r.total, "bytes"); err != nil {
			return err
		}
		if r.pace.Due() {
			if err := r.checkpoint("through " + f.Path); err != nil {
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
	text := cursor.Encode(cursorVersion, sdk.Account{}, r.after)
	r.pace.Wrote(len(text))
	if slice != "" {
		return r.h.Slice(streamEvents, slice, text)
	}
	return r.h.State(streamEvents, text)
}

// calendarID names a calendar by its file.
func (r *run) calendarID(p string) string {
	var id eventID
	id, r.hashed = hashID(r.hashed, "calendar", p)
	return id.String()
}

// file collects one file when it differs from the cursor's.
func (r *run) file(f files.Entry) error {
	old := r.before.files[f.Path]
	if old != nil && old.Same(f.Stamp) && r.stands(old) {
		files.Learn(&old.Stamp, f.Stamp)
		r.accountFor(f.Path, old)
		r.books.Items(streamEvents).Unchanged += old.live + old.counts.copied
		if old.counts.copied == 0 {
			r.holds(f.Path, old.content)
		}
		return nil
	}
	r.pace.Read(f.Size)
	id := r.calendarID(f.Path)
	v, problem := r.survey(f, id)
	if problem == nil && r.copyOf(v.content(), old) != "" {
		r.copied(f, v)
		return nil
	}
	if problem == nil {
		var err error
		if problem, err = r.events(f, id, v, old); err != nil {
			return err
		}
	}
	if problem != nil {
		if old.collected() { // its events stay
			r.holds(f.Path, old.content)
		}
		r.unread(f.Path, old, problem)
		return nil
	}
	s := r.read(f, v, old)
	r.holds(f.Path, s.content)
	r.accountFor(f.Path, s)
	r.countEvents(v)
	return r.calendars(f.Path, v, s, old)
}

// stands reports whether all that a file has is collected, while it does not change. That of a copy is
// collected while the other file is there.
func (r *run) stands(s *fileState) bool {
	if s.counts.copied > 0 {
		return r.contents[s.content] != ""
	}
	return s.calendar != 0 || !r.h.Wants(streamCalendars)
}

// unread and read say what became of a file: each file that a run looks into ends in one of them,
// once. A file without a calendar ends in unread with notICal: it is not understood, or is known as one that
// had events.
func (r *run) unread(p string, old *fileState, why *problems.Kind) {
	if why == notICal && (old == nil || old.live+old.unmet == 0) {
		why = stranger
	}
	if old != nil {
		r.damages(p, &old.counts) // which are told as long as its records stay
	}
	if why == stranger {
		r.books.Unknown(rootName, p)
	} else {
		r.books.Known(rootName, p, why.Reason)
	}
	r.note(why, p)
}

// ruleEventless is the rule of the manifest by which a file without an event has nothing to collect but its
// calendar.
const ruleEventless = "no_events"

// accountFor tells the host of a file that was read, in this run or an earlier one.
func (r *run) accountFor(p string, s *fileState) {
	switch {
	case r.damages(p, &s.counts):
	case s.eventless():
		r.books.Rule(rootName, p, ruleEventless)
	default:
		r.books.Read(rootName, p)
	}
}

// damages tells the host each reason for which a file is damaged, and reports whether there is one.
func (r *run) damages(p string, c *counts) (damaged bool) {
	for _, of := range []struct {
		n    int64
		kind *problems.Kind
	}{{c.broken, torn}, {c.doubled, doubled}, {c.noStart, noStart}} {
		if of.n > 0 {
			r.books.Damaged(rootName, p, of.kind.Reason)
			damaged = true
		}
	}
	return damaged
}

// countEvents tells the host what became of the events of a file that was read and are no records. Components that
// do not close are among them: whatever they were, they are none of its records.
func (r *run) countEvents(v *survey) {
	if !r.h.Wants(streamEvents) {
		return
	}
	i, c := r.books.Items(streamEvents), &v.counts
	i.Duplicate += c.duplicates
	i.NotRecord += c.superseded + int64(len(v.entries)) - v.live
	i.KeptBack += c.damaged()
	i.Cut += c.cut
	v.names.each(i.UnknownTimes)
}

// read has the cursor know the file. Of one that is damaged, what closes was collected, and the
// rest of what an earlier run collected stays.
func (r *run) read(f files.Entry, v *survey, old *fileState) *fileState {
	s := &fileState{
		Stamp: f.Stamp, live: v.live, counts: v.counts, events: v.sum, unmet: v.unmet, unknown: v.names.refer(&r.names),
		content: v.content(), identity: v.groups[0].calendar.identity(),
	}
	if s.identity != 0 {
		s.sample = v.sample
	}
	if old != nil && !v.listed {
		s.ids, s.prints = old.ids, old.prints
	}
	if old != nil && !s.whole() {
		s.live = max(old.live, s.live)
	}
	s.standing, s.callsOff = v.stands, v.callsOff
	s.keepFurther(v, old)
	if s.unmet > 0 {
		s.MTimeMS = -1
	}
	if now := r.h.Now().UnixMilli(); now-f.MTimeMS < racyMS && now >= f.MTimeMS {
		s.MTimeMS = -1 // a write in this very moment would not show: look again
	}
	r.after.files[f.Path], r.after.names = s, r.names.names
	return s
}

// survey does the first pass over f.
func (r *run) survey(f files.Entry, id string) (v *survey, problem *problems.Kind) {
	file, err := r.root.Open(f.Path)
	if err != nil {
		return nil, unreadableFile
	}
	defer file.Close()
	if v, problem = surveyFile(file, r.buf, id); problem == nil && !r.unchanged(f) {
		problem = changed
	}
	return v, problem
}

func (r *run) unchanged(f files.Entry) bool {
	info, err := fs.Stat(r.root, f.Path)
	return err == nil && f.Same(files.StampOf(info))
}

// events does the second pass when the events are not those of the cursor.
func (r *run) events(f files.Entry, id string, v *survey, old *fileState) (*problems.Kind, error) {
	if !r.h.Wants(streamEvents) {
		return nil, nil
	}
	if old != nil && old.events == v.sum {
		v.counts.cut, v.counts.cutAt = old.counts.cut, old.counts.cutAt
		if old.unmet > 0 {
			return nil, r.settle(id, v, old)
		}
		r.books.Items(streamEvents).Unchanged += v.live
		return nil, nil
	}
	part, err := r.h.Enumerate(streamEvents, id, "")
	if err != nil {
		return nil, err
	}
	file, err := r.root.Open(f.Path)
	if err != nil {
		return unreadableFile, nil
	}
	defer file.Close()
	r.writer.rec, r.writer.zones = r.h.Record(streamEvents), &v.zones
	s := newScan(file, r.buf, func(s *scan) error {
		e := &s.ev
		g := &v.groups[v.groupOf(s)]
		event, _, buf := identify(r.hashed, g.id, e)
		r.hashed = buf
		event = v.idOf(event, e)
		if en := v.entries[event]; en.ordinal != s.events || en.fingerprint == 0 {
			return nil
		}
		if r.writer.at = s.begun; isCut(e, v.cancelled[event]) {
			if v.counts.cut++; v.counts.cutAt == 0 {
				v.counts.cutAt = int64(s.began)
			}
		}
		return r.writer.write(event, g, f.Path, e, v.cancelled[event])
	})
	s.ev.full = true
	if problem, err := s.run(); problem != nil || err != nil {
		return problem, err
	}
	if s.events != v.total || !r.unchanged(f) {
		return changed, nil
	}
	if v.counts.damaged() > 0 {
		return nil, nil // the part stays open: what does not close may be any event
	}
	return nil, r.bury(part, v, old)
}
