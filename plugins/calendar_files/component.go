package main

import (
	"bytes"
	"io"

	"github.com/pdpp-host/pdpp-host/sdk/contentline"
	"github.com/pdpp-host/pdpp-host/sdk/problems"
)

// component is a part of a calendar that the scan distinguishes.
type component uint8

const (
	compOther component = iota
	compCalendar
	compEvent
	compAlarm
	compTimezone
	compObservance
)

// maxComponents bounds nesting; real calendars nest four deep.
const maxComponents = 16

// open is a component that did not close yet.
type open struct {
	kind    component
	name    [16]byte
	size    int
	line    int  // where it began
	implied bool // no line began it
	foreign bool // its name begins with X-
}

// scan reads one file: VCALENDAR objects one after the other. It calls event at
// the end of every VEVENT, which is reused for the next.
//
// A piece that is damaged costs that piece: what closes is read, what does not is counted with
// its line, and what comes behind it is read again from the next component on that has its place
// in a VCALENDAR.
type scan struct {
	in    *contentline.Reader
	line  contentline.Line
	stack [maxComponents]open
	depth int

	calendar  calendar      // of the VCALENDAR that is open, or was the last
	calendars int           // VCALENDAR objects so far
	begun     uint32        // those among them that a line began
	closed    func(s *scan) // called at the end of each VCALENDAR; may be nil
	events    uint32        // VEVENTs that closed so far
	began     int           // the line on which the newest of them began
	ev        event
	zones     *zoneSet // nil: not wanted
	zone      *zone    // the VTIMEZONE that is open
	zoneID    string
	counts    counts
	names     *nameCounts // that the connector does not know; nil: not wanted
	damage    damage      // of the event that is open
	strayed   bool        // what is left of a component was counted, and no other one began since
	zeroed    int         // how many zeros of the file are accounted for
	event     func(s *scan) error
}

func newScan(r io.Reader, buf []byte, event func(*scan) error) *scan {
	return &scan{in: contentline.NewReader(r, buf), event: event}
}

// run reads to the end. problem says why the file may not be collected; err is the error of
// event.
func (s *scan) run() (problem *problems.Kind, err error) {
	for line := s.in.Next(); line != nil; line = s.in.Next() {
		if s.zeros(line) {
			continue
		}
		for line != nil {
			if line, err = s.take(line); err != nil {
				return nil, err
			}
		}
	}
	s.closeTo(0)
	s.counts.oversized += int64(s.in.Oversized)
	s.counts.guessed += int64(s.in.Guessed + s.in.Broken())
	switch {
	case s.in.Err != nil:
		return unreadableFile, nil //nolint:nilerr // a fault of the file is its problem; err comes from event alone
	case s.calendars == 0:
		return notICal, nil
	}
	return nil, nil
}

// take reads one line, and returns what was joined to it without a line end, nil for nothing.
func (s *scan) take(line []byte) (rest []byte, err error) {
	if !s.line.Split(line) {
		if s.malformed(); beginsComponent(line) {
			s.stray()
		}
		return nil, nil
	}
	switch string(s.line.Name) {
	case "BEGIN":
		rest = s.joined()
		s.beginComponent()
	case "END":
		rest = s.joined()
		err = s.end()
	default:
		s.property()
	}
	return rest, err
}

// malformed counts a line that has no place in a calendar.
func (s *scan) malformed() {
	if s.counts.malformed++; s.counts.malformedAt == 0 {
		s.counts.malformedAt = int64(s.in.Number)
	}
}

func (s *scan) top() component {
	if s.depth == 0 {
		return compOther
	}
	return s.stack[s.depth-1].kind
}

// structureName returns the name behind a BEGIN or END, nil where there is no name: then the
// line is one of a text that was not folded.
func (s *scan) structureName() []byte {
	if name := contentline.Trim(s.line.Value); contentline.IsName(name) && len(s.line.Params) == 0 {
		return contentline.Upper(name)
	}
	return nil
}

func (s *scan) beginComponent() {
	name := s.structureName()
	kind, top := placeOf(string(name))
	switch {
	case s.depth == 0 && string(name) == "VCARD": // of a file that has contacts behind its calendar
	case name == nil || s.depth == 0 && !top:
		if s.malformed(); name != nil {
			s.stray()
		}
		return
	case kind == compCalendar:
		s.closeTo(0) // the one before never ended
		s.push(compCalendar, "VCALENDAR", false)
		return
	case top && s.depth < maxComponents && s.inForeign(): // which may close behind it
	case top && s.depth == 0: // an event without a calendar around it
		s.push(compCalendar, "VCALENDAR", true)
	case top:
		s.closeTo(1)
		if s.stack[0].kind != compCalendar {
			s.closeTo(0)
			s.push(compCalendar, "VCALENDAR", true)
		}
	case s.depth == maxComponents:
		s.malformed()
		return
	}
	foreign := !top && bytes.HasPrefix(name, []byte("X-"))
	if kind == compObservance && s.top() != compTimezone {
		kind = compOther
	}
	s.started(kind, string(name))
	s.push(kind, string(name), false)
	s.stack[s.depth-1].foreign = foreign
}

// inForeign reports whether what is open in a VCALENDAR are components of some program alone: they may have anything in them.
func (s *scan) inForeign() bool {
	for i := 1; i < s.depth; i++ {
		if !s.stack[i].foreign {
			return false
		}
	}
	return s.depth > 1 && s.stack[0].kind == compCalendar
}

// placeOf returns what a component is, and whether its place is in a VCALENDAR alone: another
// component that is open there did not close.
func placeOf(name string) (kind component, top bool) {
	switch name {
	case "VCALENDAR":
		return compCalendar, true
	case "VEVENT":
		return compEvent, true
	case "VTIMEZONE":
		return compTimezone, true
	case "VTODO", "VJOURNAL", "VFREEBUSY", "VAVAILABILITY":
		return compOther, true
	case "VALARM":
		return compAlarm, false
	case "STANDARD", "DAYLIGHT":
		return compObservance, false
	}
	return compOther, false
}

// started prepares for what a component has in it, and counts what is not read.
func (s *scan) started(kind component, name string) {
	switch kind {
	case compEvent:
		s.ev.reset()
		s.damage = damage{}
	case compAlarm:
		if s.top() == compEvent {
			s.ev.alarm()
		}
	case compTimezone:
		s.zone, s.zoneID = &zone{}, ""
	case compObservance:
		s.zone.observances = append(s.zone.observances, observance{})
		s.zone.unusable = s.zone.unusable || len(s.zone.observances) > maxObservances
	case compOther:
		switch name {
		case "VTODO":
			s.counts.todos++
		case "VJOURNAL":
			s.counts.journals++
		case "VFREEBUSY":
			s.counts.freeBusy++
		default:
			s.names.add("component ", name)
		}
	}
}

func (s *scan) push(kind component, name string, implied bool) {
	s.strayed = false
	top := &s.stack[s.depth]
	*top = open{kind: kind, line: s.in.Number, implied: implied}
	top.size = copy(top.name[:], name)
	s.depth++
	if kind == compCalendar {
		s.calendars++
		if s.calendar.cancels, s.calendar.method = false, false; !implied {
			s.begun++
			s.calendar = calendar{}
		}
	}
	if implied {
		s.unclosed(s.in.Number)
	}
}

// unclosed counts a component that does not close, or was never begun.
func (s *scan) unclosed(line int) {
	if s.counts.broken++; s.counts.brokenAt == 0 {
		s.counts.brokenAt = int64(line)
	}
}

// closeTo ends what is open beyond a depth: it did not close.
func (s *scan) closeTo(depth int) {
	for s.depth > depth {
		s.depth--
		top := &s.stack[s.depth]
		switch top.kind {
		case compObservance:
			s.zone.unusable = true
		case compTimezone:
			s.zone = nil
		case compCalendar:
			s.endCalendar()
		}
		if !top.implied {
			s.unclosed(s.damagedFrom(top))
		}
	}
}

func (s *scan) end() error {
	name, at := s.structureName(), s.depth-1
	for at >= 0 && (name == nil || string(name[:min(len(name), len(s.stack[at].name))]) != string(s.stack[at].name[:s.stack[at].size])) {
		at--
	}
	if at < 0 {
		if s.malformed(); string(name) == "VEVENT" && s.depth <= 1 {
			s.stray()
			s.strayed = false
		}
		return nil
	}
	s.closeTo(at + 1)
	s.depth--
	switch s.stack[at].kind {
	case compCalendar:
		s.endCalendar()
	case compTimezone:
		s.endZone()
	case compObservance:
		o := &s.zone.observances[len(s.zone.observances)-1]
		s.zone.unusable = s.zone.unusable || !o.complete()
	case compEvent:
		switch d := &s.damage; {
		case d.lost, d.parted && s.ev.uid == "", d.secondAt > 0 && !s.ev.repeated.ofOne():
			s.unclosed(s.damagedFrom(&s.stack[at]))
			return nil
		case d.secondAt > 0:
			if s.counts.doubled++; s.counts.doubledAt == 0 {
				s.counts.doubledAt = int64(d.secondAt)
			}
			return nil
		}
		s.counts.repeats(&s.ev.repeated)
		s.events++
		s.began = s.stack[at].line
		if s.counts.badDates += int64(s.ev.badDates); s.counts.badDates > 0 && s.counts.badDatesAt == 0 {
			s.counts.badDatesAt = int64(s.began)
		}
		return s.event(s)
	}
	return nil
}

func (s *scan) property() {
	switch s.top() {
	case compCalendar:
		if ofEvents(string(s.line.Name)) {
			s.stray()
		}
		s.calendar.property(&s.line)
	case compEvent:
		s.another()
		if !s.ev.repeated.add(&s.line, s.in.Number) {
			return
		}
		if name := string(s.line.Name); !inRecords(name) {
			if name != "DTSTAMP" { // each event has one, which says when its file was written
				s.names.add("property ", name)
			}
			return
		}
		s.number()
		if encoding := s.ev.property(&s.line); encoding != "" {
			s.names.add("encoding ", encoding)
			s.counts.guessed++
		}
	case compTimezone:
		if string(s.line.Name) == "TZID" {
			s.zoneID = string(contentline.Trim(s.line.Value))
		}
	case compObservance:
		if !s.zone.observances[len(s.zone.observances)-1].property(&s.line) {
			s.zone.unusable = true
		}
	case compOther:
		if s.depth == 0 {
			if s.malformed(); known(string(s.line.Name)) {
				s.stray()
			}
		}
	}
}

// number counts a property that is to be a number, and is none: its record has nothing of it.
func (s *scan) number() {
	name, value := string(s.line.Name), contentline.Trim(s.line.Value)
	if name != "PRIORITY" && name != "SEQUENCE" || len(value) == 0 {
		return
	}
	if _, ok := integer(value); !ok {
		s.names.add("property ", name+" that is no number")
	}
}

func (s *scan) endCalendar() {
	if s.closed != nil {
		s.closed(s)
	}
}

// endZone keeps the zone; of two definitions with one name in one VCALENDAR the first counts.
func (s *scan) endZone() {
	z := s.zone
	s.zone = nil
	if s.zones != nil && s.zoneID != "" {
		s.zones.define(s.begun, s.zoneID, z)
	}
}
