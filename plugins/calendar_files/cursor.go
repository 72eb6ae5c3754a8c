package main

import (
	"encoding/base64"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/cursor"
	"github.com/pdpp-host/pdpp-host/sdk/files"
	"github.com/pdpp-host/pdpp-host/sdk/sha256"
)

// cursorVersion changes with the meaning of the cursor. Another version's files are read
// anew; its event ids still lead to deleted events. Version 2 passed over events that shared a UID
// and whole files with one damaged part, version 3 over all but the last of those that differ in their content
// alone. Version 4 took two events for one where the end of the first is lost, and version 5 counted no event
// that is cancelled. Version 6 knew no copies, and version 7 took each file
// for one calendar.
const cursorVersion = 8

// maxCursorBytes leaves room for the rest of a STATE.
const maxCursorBytes = abi.MaxStateBytes - 256<<10

// fileState is the cursor's share of one file.
type fileState struct {
	files.Stamp

	live     int64
	counts   counts
	calendar int64 // fingerprint of the calendar record; 0: not emitted
	events   int64 // fingerprint of the events that were emitted; 0: not known
	// ids are those of up to four events, in base64, from versions that put these into no part of the
	// stream. prints is from version 0.2.0, which had no parts: ids with a fingerprint behind each.
	prints, ids string
	// unmet are events that the host had and the file has not. The host may ask about them before it
	// deletes them, so the calendar is enumerated in each run until it has none.
	unmet   int64
	removed int64   // one of the words below
	unknown []int64 // names that the connector does not know, see nameCounts.refer
	// content and identity are 0 where they are not known, see survey.content and calendar.identity.
	content, identity int64
	sample            sample // of a file with an identity
	further           further
	standing          versions // its events that are messages, of a small file
	callsOff          versions // those that its METHOD cancels
}

// States of a file that is no more.
const (
	removedFile     = 1 // the host may have its calendar
	removedCalendar = 2 // the calendar was listed: the host has it while the list lacks it
)

// Members implements cursor.Value.
func (s *fileState) Members(m *cursor.Members) {
	m.Int("size_bytes", &s.Size)
	m.Int("mtime_ms", &s.MTimeMS)
	m.Int("ctime_ms", &s.CTimeMS)
	m.Int("live", &s.live)
	m.Int("calendar", &s.calendar)
	m.Int("sum", &s.events)
	for i, n := range s.counts.all() {
		m.Int(countNames[i], n)
	}
	m.Int("unmet", &s.unmet)
	m.Int("removed", &s.removed)
	m.Text("events", &s.prints)
	m.Text("ids", &s.ids)
	m.Ints("unknown", &s.unknown, 2*(maxUnknown+1))
	m.Int("content", &s.content)
	m.Int("identity", &s.identity)
	m.Ints("sample", (*[]int64)(&s.sample), maxSample)
	m.Ints("standing", (*[]int64)(&s.standing), 2*maxVersions)
	m.Ints("calls_off", (*[]int64)(&s.callsOff), 2*maxVersions)
	m.Ints("further", (*[]int64)(&s.further), 4*maxGroups)
}

// whole reports whether everything closed that the file opens. The records of one that is not
// whole stay, also those that it does not have.
func (s *fileState) whole() bool { return s.counts.damaged() == 0 }

// eventless reports whether a file has to-dos, journal entries or free/busy times, and no event.
func (s *fileState) eventless() bool {
	c := &s.counts
	return c.todos+c.journals+c.freeBusy > 0 && s.live+c.cancelled == 0
}

// keys returns the keys of the events that the cursor names.
func (s *fileState) keys() (keys []string) {
	const id, sum = len(eventID{}), 6
	if s == nil {
		return nil
	}
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
				keys = append(keys, sha256.Hex(raw[:id]))
			}
		}
	}
	return keys
}

// state is the cursor of stream events: path below the root -> file.
type state struct {
	files   map[string]*fileState
	names   []string // that the counts of the files refer to
	dropped int      // files that did not fit: they are read again in every run
}

// Members implements cursor.Value.
func (c *state) Members(m *cursor.Members) {
	m.Texts("names", &c.names, maxUnknown+1)
	dropped := int64(cursor.Map(m, "files", &c.files, maxCursorBytes))
	m.Int("dropped", &dropped)
	c.dropped = int(dropped)
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
			s.MTimeMS, s.calendar, s.events = -1, 0, 0
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
