package main

import (
	"slices"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// cursorVersion changes with the meaning of the cursor. Another version's files are
// read anew; its event ids still lead to deleted events.
const cursorVersion = 2

// maxCursorBytes leaves room for the rest of a STATE.
const maxCursorBytes = abi.MaxStateBytes - 256<<10

// memory is how much a fileState remembers of the file's events.
type memory uint8

const (
	memoryNone   memory = iota // nothing: the file was too large for the cursor
	memoryIDs                  // ids: deleted events are noticed, and a change emits every event again
	memoryPrints               // ids and fingerprints
)

// fileState is the cursor's share of one file.
type fileState struct {
	size, mtimeMS int64
	memory        memory
	packed        string
	live          int64
	counts        counts
	calendar      uint64 // fingerprint of the calendar record; 0: not emitted
}

// cursor is the state of stream events: path below the root -> file.
type cursor map[string]*fileState

// openCursor returns the cursor that this run continues. A full refresh takes from the
// earlier one which files and events existed: every file is read and every event
// emitted again. It finds deleted ones, except in files that it cannot read, where a
// later run does.
func openCursor(h *sdk.Host) cursor {
	before := h.Previous(streamEvents)
	if !before.Exists() {
		return decodeCursor(h.Cursor(streamEvents))
	}
	c := decodeCursor(before)
	for _, s := range c {
		s.mtimeMS, s.calendar = -1, 0
		if s.memory == memoryPrints {
			s.packed = forgetPrints(s.packed)
		}
	}
	return c
}

func decodeCursor(v jsonvalue.Value) cursor {
	c := cursor{}
	current := v.Get("v").Int() == cursorVersion
	for it := v.Get("files").Children(); it.Next(); {
		f := it.Value()
		s := &fileState{
			size: f.Get("size_bytes").Int(), mtimeMS: f.Get("mtime_ms").Int(), live: f.Get("live").Int(),
			calendar: uint64(f.Get("calendar").Int()),
			counts: counts{
				todos: f.Get("todos").Int(), journals: f.Get("journals").Int(), freeBusy: f.Get("free_busy").Int(),
				malformed: f.Get("malformed").Int(), oversized: f.Get("oversized").Int(), noUID: f.Get("no_uid").Int(),
				badDates: f.Get("bad_dates").Int(), unknownZone: f.Get("unknown_zone").Int(), floating: f.Get("floating").Int(),
			},
		}
		switch {
		case f.Get("events").Kind() == jsonvalue.String:
			s.memory, s.packed = memoryPrints, f.Get("events").Str()
		case f.Get("ids").Kind() == jsonvalue.String:
			s.memory, s.packed = memoryIDs, f.Get("ids").Str()
		}
		if !current {
			s.mtimeMS = -1
		}
		c[it.Name().Str()] = s
	}
	return c
}

func (c cursor) encode() []byte {
	paths := make([]string, 0, len(c))
	for p := range c {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	b := append(jsonappend.Int(jsonappend.Name([]byte{'{'}, "v"), cursorVersion), `,"files":{`...)
	for _, p := range paths {
		b = c[p].append(jsonappend.Name(b, p))
	}
	return append(b, "}}"...)
}

func (s *fileState) append(b []byte) []byte {
	b = append(b, '{')
	number := func(name string, n int64) {
		if n != 0 {
			b = jsonappend.Int(jsonappend.Name(b, name), n)
		}
	}
	number("size_bytes", s.size)
	number("mtime_ms", s.mtimeMS)
	number("live", s.live)
	number("calendar", int64(s.calendar))
	number("todos", s.counts.todos)
	number("journals", s.counts.journals)
	number("free_busy", s.counts.freeBusy)
	number("malformed", s.counts.malformed)
	number("oversized", s.counts.oversized)
	number("no_uid", s.counts.noUID)
	number("bad_dates", s.counts.badDates)
	number("unknown_zone", s.counts.unknownZone)
	number("floating", s.counts.floating)
	switch s.memory {
	case memoryPrints:
		b = jsonappend.String(jsonappend.Name(b, "events"), s.packed)
	case memoryIDs:
		b = jsonappend.String(jsonappend.Name(b, "ids"), s.packed)
	}
	return append(b, '}')
}

// storedEvents returns the fingerprints of the file's stored events, and whether these are all
// of them.
func (s *fileState) storedEvents() (map[eventID]uint64, bool) {
	if s == nil || s.memory == memoryNone {
		return nil, false
	}
	return unpack(s.packed, s.memory == memoryPrints)
}

// fit makes the cursor small enough for a STATE: the largest files first lose
// their fingerprints, then their ids. It returns how many files of each.
func (c cursor) fit(limit int) (printsLost, idsLost int) {
	size := 64
	for p, s := range c {
		size += len(p)*2 + 240 + len(s.packed)
	}
	for step := memoryPrints; step > memoryNone && size > limit; step-- {
		var paths []string
		for p, s := range c {
			if s.memory == step {
				paths = append(paths, p)
			}
		}
		slices.SortFunc(paths, func(a, b string) int { return len(c[b].packed) - len(c[a].packed) })
		for _, p := range paths {
			if size <= limit {
				break
			}
			s := c[p]
			size -= len(s.packed)
			if step == memoryPrints {
				s.memory, s.packed = memoryIDs, dropPrints(s.packed)
				printsLost++
			} else {
				s.memory, s.packed = memoryNone, ""
				idsLost++
			}
			size += len(s.packed)
		}
	}
	return printsLost, idsLost
}
