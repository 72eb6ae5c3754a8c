package main

import (
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

// counts are the numbers of the other parts of a file.
type counts struct {
	todos, journals, freeBusy int64
	malformed                 int64 // lines that are no content lines
	badDates                  int64 // invalid dates, times and durations of events
	oversized                 int64 // lines cut short
	noUID                     int64 // events without a UID
	// Among the events that are not cancelled:
	unknownZone int64 // those with a start or end in a zone that the file does not define
	floating    int64 // those that start on a wall clock of no zone
}

// countNames are the names of the counts in a cursor.
var countNames = [...]string{"todos", "journals", "free_busy", "malformed", "oversized", "no_uid", "bad_dates", "unknown_zone", "floating"}

// all lists the counts, by countNames.
func (c *counts) all() [len(countNames)]*int64 {
	return [...]*int64{&c.todos, &c.journals, &c.freeBusy, &c.malformed, &c.oversized, &c.noUID, &c.badDates, &c.unknownZone, &c.floating}
}

// scan reads one file: VCALENDAR objects one after the other. It calls event at
// the end of every VEVENT, which is reused for the next.
type scan struct {
	in    *contentline.Reader
	line  contentline.Line
	stack [maxComponents]struct {
		kind component
		name [16]byte
		size int
	}
	depth int

	calendar calendar
	events   uint32 // VEVENTs so far
	ev       event
	zones    map[string]*zone // nil: not wanted
	zone     *zone            // the VTIMEZONE that is open
	zoneID   string
	counts   counts
	closed   int // VCALENDAR objects that ended
	event    func(s *scan) error
}

// run reads to the end. problem says why the file may not be collected; err is the error of
// event.
func (s *scan) run() (problem *problems.Kind, err error) {
	for line := s.in.Next(); line != nil; line = s.in.Next() {
		if !s.line.Split(line) {
			s.counts.malformed++
			continue
		}
		switch string(s.line.Name) {
		case "BEGIN":
			if !s.beginComponent() {
				return s.broken(), nil
			}
		case "END":
			ok, err := s.end()
			if err != nil {
				return nil, err
			}
			if !ok {
				return s.broken(), nil
			}
		default:
			s.property()
		}
	}
	s.counts.oversized += int64(s.in.Oversized)
	switch {
	case s.in.Err != nil:
		return unreadableFile, nil //nolint:nilerr // a fault of the file is its problem; err comes from event alone
	case s.depth > 0 || s.closed == 0:
		return s.broken(), nil
	}
	return nil, nil
}

// broken names the fault of a structure that does not close.
func (s *scan) broken() *problems.Kind {
	if s.depth == 0 && s.closed == 0 {
		return notICal
	}
	return torn
}

func (s *scan) top() component {
	if s.depth == 0 {
		return compOther
	}
	return s.stack[s.depth-1].kind
}

func (s *scan) beginComponent() bool {
	if s.depth == maxComponents {
		return false
	}
	name, parent, kind := contentline.Upper(s.line.Value), s.top(), compOther
	switch string(name) {
	case "VCALENDAR":
		if s.depth > 0 {
			return false // the one before never ended
		}
		kind = compCalendar
		s.calendar.cancels = false
	case "VEVENT":
		if parent != compCalendar {
			return false
		}
		kind = compEvent
		s.ev.reset()
	case "VALARM":
		if kind = compAlarm; parent == compEvent {
			s.ev.alarm()
		}
	case "VTIMEZONE":
		kind, s.zone, s.zoneID = compTimezone, &zone{}, ""
	case "STANDARD", "DAYLIGHT":
		if parent == compTimezone {
			kind = compObservance
			s.zone.observances = append(s.zone.observances, observance{})
			s.zone.unusable = s.zone.unusable || len(s.zone.observances) > maxObservances
		}
	case "VTODO":
		s.counts.todos++
	case "VJOURNAL":
		s.counts.journals++
	case "VFREEBUSY":
		s.counts.freeBusy++
	}
	if s.depth == 0 && kind != compCalendar {
		return false
	}
	top := &s.stack[s.depth]
	top.kind, top.size = kind, copy(top.name[:], name)
	s.depth++
	return true
}

func (s *scan) end() (bool, error) {
	name := contentline.Upper(s.line.Value)
	if s.depth == 0 {
		return false, nil
	}
	top := &s.stack[s.depth-1]
	if string(name[:min(len(name), len(top.name))]) != string(top.name[:top.size]) {
		return false, nil
	}
	s.depth--
	switch top.kind {
	case compCalendar:
		s.closed++
	case compTimezone:
		s.endZone()
	case compObservance:
		o := &s.zone.observances[len(s.zone.observances)-1]
		s.zone.unusable = s.zone.unusable || !o.complete()
	case compEvent:
		s.events++
		s.counts.badDates += int64(s.ev.badDates)
		return true, s.event(s)
	}
	return true, nil
}

func (s *scan) property() {
	switch s.top() {
	case compCalendar:
		s.calendar.property(&s.line)
	case compEvent:
		s.ev.property(&s.line)
	case compTimezone:
		if string(s.line.Name) == "TZID" {
			s.zoneID = string(s.line.Value)
		}
	case compObservance:
		if !s.zone.observances[len(s.zone.observances)-1].property(&s.line) {
			s.zone.unusable = true
		}
	case compOther:
		if s.depth == 0 {
			s.counts.malformed++
		}
	}
}

// endZone keeps the zone; of two definitions with one name the first counts.
func (s *scan) endZone() {
	z := s.zone
	s.zone = nil
	if s.zones == nil || s.zoneID == "" || len(s.zones) >= maxZones {
		return
	}
	if _, ok := s.zones[s.zoneID]; !ok {
		s.zones[s.zoneID] = z
	}
}

func newScan(r io.Reader, buf []byte, event func(*scan) error) *scan {
	return &scan{in: contentline.NewReader(r, buf), event: event}
}
