package main

import (
	"bytes"

	"github.com/pdpp-host/pdpp-host/sdk/contentline"
)

// damage is what shows that an event is not one whole event. A disk or a copy that loses a block leaves
// zeros there, or nothing: the end of one event and the beginning of the next are then gone, and what
// is left of both looks like one.
type damage struct {
	first    string // the property that the event begins with
	zeroAt   int    // the line with zeros; 0: there is none
	n        int    // its properties so far
	lost     bool   // parts of more than one event are in it
	secondAt int    // the line of a second UID or DTSTART, which may be that of another event; 0: there is none
	parted   bool   // no BEGIN began it
}

// zeros reports whether the line has zero bytes: it is no line of a calendar, and what is open is
// damaged. One zero behind a line outside of events is how a program in C ends a text.
func (s *scan) zeros(line []byte) bool {
	if s.in.Zeros == s.zeroed {
		return false
	}
	s.zeroed = s.in.Zeros
	inEvent := s.inEvent()
	if at := bytes.IndexByte(line, 0); !inEvent && at >= 0 && at == len(line)-1 {
		return false
	}
	if s.zone != nil {
		s.zone.unusable = true
	}
	if !inEvent {
		s.unclosed(s.in.Number)
		return true
	}
	if s.damage.lost = true; s.damage.zeroAt == 0 {
		s.damage.zeroAt = s.in.Number
	}
	return true
}

// inEvent reports whether an event is open, whatever is open in it.
func (s *scan) inEvent() bool {
	for i := range s.depth {
		if s.stack[i].kind == compEvent {
			return true
		}
	}
	return false
}

// damagedFrom returns the line by which a component that is damaged is named.
func (s *scan) damagedFrom(c *open) int {
	if c.kind == compEvent && s.damage.zeroAt > 0 {
		return s.damage.zeroAt
	}
	return c.line
}

// another looks whether a property of an event is that of another event: one has one UID and one
// DTSTART (RFC 5545, section 3.6.1). Where it is the property that this event began with, the other
// one begins here, because a program writes each event in the same order.
func (s *scan) another() {
	d, name := &s.damage, string(s.line.Name)
	if d.n++; d.first == "" {
		d.first = name
	}
	var had string
	switch name {
	case "UID":
		had = s.ev.uid
	case "DTSTART":
		had = s.ev.startText
	case "DTSTAMP":
		d.lost = d.lost || endsEarly(contentline.Trim(s.line.Value))
	}
	if had == "" || bytes.Equal(contentline.Trim([]byte(had)), contentline.Trim(s.line.Value)) {
		return
	}
	if name != d.first || d.n == 2 && !d.lost {
		if d.secondAt == 0 {
			d.secondAt = s.in.Number
		}
		return
	}
	top := &s.stack[s.depth-1]
	s.unclosed(s.damagedFrom(top))
	top.line = s.in.Number
	s.ev.reset()
	s.damage = damage{first: name, n: 1, parted: true}
}

// joined cuts a line that begins or ends a component where another such line was joined to it, and returns that one.
func (s *scan) joined() (rest []byte) {
	value := contentline.Trim(s.line.Value)
	if bytes.IndexByte(value, ':') < 0 {
		return nil
	}
	for _, name := range []string{"VCALENDAR", "VEVENT", "VTODO", "VJOURNAL", "VFREEBUSY", "VTIMEZONE", "VALARM", "STANDARD", "DAYLIGHT"} {
		if len(value) <= len(name) || !bytes.EqualFold(value[:len(name)], []byte(name)) {
			continue
		}
		rest = bytes.TrimLeft(value[len(name):], " \t")
		for _, front := range []string{"BEGIN:", "END:"} {
			if len(rest) > len(front) && bytes.EqualFold(rest[:len(front)], []byte(front)) {
				s.line.Value = value[:len(name)]
				return rest
			}
		}
	}
	return nil
}

// dateDigits is how many digits a date has.
const dateDigits = 8

// endsEarly reports whether a moment ends within its date, or goes on in a word: the rest of it is lost. A
// program that writes moments in a form of its own does neither.
func endsEarly(value []byte) bool {
	digits := len(value) - len(bytes.TrimLeft(value, "0123456789"))
	rest := bytes.TrimLeft(value[digits:], "TZtz0123456789")
	return digits > 0 && (len(rest) == 0 && digits < dateDigits || len(rest) > 0 && contentline.IsName(rest[:1]) && rest[0] != '-')
}

// stray counts a component of which no line tells where it begins: its lines lie in none, or right in the
// calendar. Each counts once.
func (s *scan) stray() {
	if !s.strayed && !s.inEvent() {
		s.strayed = true
		s.unclosed(s.in.Number)
	}
}

// ofEvents reports whether only events have a property.
func ofEvents(name string) bool {
	switch name {
	case "DTSTART", "DTEND", "RRULE", "RECURRENCE-ID":
		return true
	}
	return false
}

// beginsComponent reports whether a malformed line seems to begin an event: it ends with BEGIN and VEVENT.
func beginsComponent(line []byte) bool {
	front, found := bytes.CutSuffix(contentline.Upper(contentline.Trim(line)), []byte("VEVENT"))
	if !found {
		return false
	}
	return bytes.HasSuffix(bytes.TrimRight(front, " \t:;=,"), []byte("BEGIN"))
}
