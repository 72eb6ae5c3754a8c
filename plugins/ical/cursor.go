package main

import (
	"encoding/base64"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/cursor"
)

// cursorVersion changes with the meaning of the cursor. Another version's files are read
// anew; its event ids still lead to deleted events. Version 2 passed over events that shared a UID
// and whole files with one damaged part, version 3 over all but the last of those that differ in their content
// alone. Version 4 took two events for one where the end of the first is lost.
const cursorVersion = 5

// maxCursorBytes leaves room for the rest of a STATE.
const maxCursorBytes = abi.MaxStateBytes - 256<<10

// fileState is the cursor's share of one file.
type fileState struct {
	size, mtimeMS int64
	live          int64
	counts        counts
	calendar      int64 // fingerprint of the calendar record; 0: not emitted
	events        int64 // fingerprint of the events that were emitted; 0: not known
	part          int64 // of the stream that its events belong to: one of the words below
	// ids are those of the events, in base64, when they are in the shared part. prints is from version
	// 0.2.0, which did not enumerate: ids with a fingerprint behind each.
	prints, ids string
	// unmet are events that the host had and the file has not. The host may ask about them before it
	// deletes them, so a calendar with a part of its own is enumerated in each run until it has none.
	unmet   int64
	unknown []int64 // names that the connector does not know, see nameCounts.refer
}

// The parts of the stream that a file's events may belong to, see lists.go.
const (
	partShared = iota
	partOwn
	partBoth // the shared one, and an earlier run may have put some into a part of their own
)

// Members implements cursor.Value.
func (s *fileState) Members(m *cursor.Members) {
	m.Int("size_bytes", &s.size)
	m.Int("mtime_ms", &s.mtimeMS)
	m.Int("live", &s.live)
	m.Int("calendar", &s.calendar)
	m.Int("sum", &s.events)
	m.Int("part", &s.part)
	for i, n := range s.counts.all() {
		m.Int(countNames[i], n)
	}
	m.Int("unmet", &s.unmet)
	m.Text("events", &s.prints)
	m.Text("ids", &s.ids)
	m.Ints("unknown", &s.unknown, 2*(maxUnknown+1))
}

// whole reports whether everything closed that the file opens. The records of one that is not
// whole stay, also those that it does not have.
func (s *fileState) whole() bool { return s.counts.broken == 0 }

// fewEvents is up to how many events the cursor has their ids, and they share a part of the stream with
// those of other files: a part of its own costs more, and folders have thousands of such files.
const fewEvents = 4

// earlierPart is the part of a file that a version before the shared part left.
func (s *fileState) earlierPart() int64 {
	if s.ids != "" || s.prints != "" || s.whole() && s.live == 0 && s.unmet == 0 {
		return partBoth
	}
	return partOwn
}

// eventIDs returns the ids that are kept.
func (s *fileState) eventIDs() (ids []eventID) {
	const id, sum = len(eventID{}), 6
	for _, form := range [...]struct {
		text string
		size int
	}{{s.prints, id + sum}, {s.ids, id}} {
		raw, err := base64.RawURLEncoding.DecodeString(form.text)
		if err != nil || len(raw)%form.size != 0 {
			continue
		}
		for ; len(raw) > 0; raw = raw[form.size:] {
			if string(raw[id:form.size]) != "\x00\x00\x00\x00\x00\x00" { // those were cancelled
				ids = append(ids, eventID(raw[:id]))
			}
		}
	}
	return ids
}

// state is the cursor of stream events: path below the root -> file.
type state struct {
	files     map[string]*fileState
	names     []string  // that the counts of the files refer to
	dropped   int       // files that did not fit: they are read again in every run
	shared    listState // the part of the events that files share
	calendars listState // stream calendars
}

// Members implements cursor.Value.
func (c *state) Members(m *cursor.Members) {
	m.Texts("names", &c.names, maxUnknown+1)
	c.shared.members(m, "shared", "shared_lost")
	c.calendars.members(m, "calendars", "calendars_lost")
	c.dropped = cursor.Map(m, "files", &c.files, maxCursorBytes)
}

// openState returns the cursor that this run continues. A full refresh takes from the
// earlier one which files existed: every file is read and every event emitted again. Events
// of files that it cannot read are left to a later run.
func openState(h *sdk.Host) *state {
	c := &state{files: map[string]*fileState{}}
	v, fresh := h.Previous(streamEvents), true
	if !v.Exists() {
		v, fresh = h.Cursor(streamEvents), false
	}
	cursor.Fill(v, c)
	if fresh || v.Get("v").Int() != cursorVersion {
		for _, s := range c.files {
			s.mtimeMS, s.calendar, s.events = -1, 0, 0
		}
	}
	if c.shared.state == listNever {
		for _, s := range c.files {
			s.part = s.earlierPart()
		}
	}
	c.names = c.compact()
	return c
}

// compact returns a table of the names that the files still count, and has the files refer to it.
func (c *state) compact() []string {
	var table nameCounts
	for _, p := range cursor.Keys(c.files) {
		s := c.files[p]
		var own nameCounts
		own.resolve(s.unknown, c.names)
		s.unknown = own.refer(&table)
	}
	return table.names
}
