package main

import (
	"strings"

	"github.com/pdpp-host/pdpp-host/sdk/clip"
	"github.com/pdpp-host/pdpp-host/sdk/contentline"
	"github.com/pdpp-host/pdpp-host/sdk/fingerprint"
)

// Bounds on one event. Text beyond maxEventText in total is cut, so that a
// record stays below the host's limit however it is escaped.
const (
	maxEventText  = 128 << 10
	maxAttendees  = 500
	maxListValues = 1000
	maxUID        = 1 << 10
	maxRecurrence = 256
)

// person is an ORGANIZER or ATTENDEE.
type person struct{ email, name, role, partstat, kind, rsvp string }

// event is one VEVENT. full keeps everything; otherwise it has only the survey's part:
// identity, sequence, status and fingerprint.
type event struct {
	full bool

	uid, recurrence string // recurrence: value and zone of RECURRENCE-ID, "" without one
	occurrence      moment // RECURRENCE-ID as a time
	sequence        int64
	status          string
	zoned           bool // a value of it names a zone
	repeats         bool // it is a series
	alarms          int
	badDates        int
	repeated        repeats
	sum             uint64 // of the fingerprints of its lines, whatever their order

	start, end, created, modified moment
	length                        span
	hasLength                     bool
	durationText, startText       string
	summary, description          string
	location, class, transp       string
	url, geo, rrule, exrule       string
	priority                      int64
	hasPriority                   bool
	categories, rdates, exdates   []string
	organizer                     person
	hasOrganizer                  bool
	attendees                     []person
	attendeeCount                 int64
	room                          int
	truncated                     bool
}

func (e *event) reset() {
	*e = event{
		full: e.full, room: maxEventText, sum: formatSeed,
		categories: e.categories[:0], rdates: e.rdates[:0], exdates: e.exdates[:0], attendees: e.attendees[:0],
	}
}

func (e *event) alarm() { e.alarms++ }

// fingerprint covers every field of the record, except for the contributions of zones
// and other events.
func (e *event) fingerprint() uint64 { return fingerprint.Mix(e.sum + uint64(e.alarms)<<32) }

// text takes value, as far as the event has room.
func (e *event) text(value string) string {
	if len(value) > e.room {
		value, e.truncated = clip.Text(value, e.room), true
	}
	e.room -= len(value)
	return value
}

// known reports whether a property is one of events, be it that no record has it.
func known(name string) bool {
	if inRecords(name) {
		return true
	}
	switch name {
	// RFC 5545, sections 3.8.1 to 3.8.8; vCalendar 1.0, section 2.3.
	case "DTSTAMP", "ATTACH", "COMMENT", "CONTACT", "RELATED-TO", "RESOURCES", "REQUEST-STATUS", "DALARM", "AALARM", "MALARM", "PALARM", "RNUM",
		// RFC 7986, RFC 9073 and RFC 9253.
		"COLOR", "IMAGE", "CONFERENCE", "CALENDAR-ADDRESS", "LOCATION-TYPE", "PARTICIPANT-TYPE", "RESOURCE-TYPE", "STRUCTURED-DATA",
		"STYLED-DESCRIPTION", "CONCEPT", "LINK", "REFID":
		return true
	}
	return false
}

// inRecords reports whether a property is part of the record of its event.
func inRecords(name string) bool {
	switch name {
	case "UID", "RECURRENCE-ID", "SEQUENCE", "STATUS", "DTSTART", "DTEND", "RDATE", "EXDATE", "DURATION", "CREATED", "DCREATED",
		"LAST-MODIFIED", "SUMMARY", "DESCRIPTION", "LOCATION", "CLASS", "TRANSP", "URL", "GEO", "RRULE", "EXRULE",
		"PRIORITY", "CATEGORIES", "ORGANIZER", "ATTENDEE":
		return true
	}
	return false
}

// property reads one property that records have, and returns the name of an encoding that nothing here decodes.
func (e *event) property(l *contentline.Line) (encoding string) {
	name := string(l.Name)
	// First, since reading a value may change it in place.
	sum := fingerprint.Bytes(fingerprint.Start, l.Name)
	for _, p := range l.Params {
		sum = fingerprint.Bytes(fingerprint.Bytes(fingerprint.Step(sum, ';'), p.Name), p.Value)
	}
	e.sum += fingerprint.Mix(fingerprint.Bytes(fingerprint.Step(sum, ':'), l.Value))
	encoding = l.Decode()
	e.repeats = e.repeats || name == "RRULE" || name == "RDATE"
	switch name {
	case "SUMMARY", "DESCRIPTION", "LOCATION", "CATEGORIES", "UID", "RECURRENCE-ID":
	default:
		l.Value = contentline.Trim(l.Value)
	}
	switch name {
	case "UID":
		if e.uid == "" {
			e.uid = string(l.Value)
		}
	case "RECURRENCE-ID":
		e.recurrenceID(l)
	case "SEQUENCE":
		e.sequence, _ = integer(l.Value)
	case "STATUS":
		e.status = clip.Text(string(contentline.Upper(l.Value)), 64)
	case "DTSTART", "DTEND", "RDATE", "EXDATE":
		e.when(name, l)
	default:
		if e.full {
			e.detail(name, l)
		} else {
			e.check(name, l)
		}
	}
	return encoding
}

// check counts, for the survey, the values that detail will not understand.
func (e *event) check(name string, l *contentline.Line) {
	ok := true
	switch name {
	case "CREATED", "DCREATED", "LAST-MODIFIED":
		_, ok = parseMoment(l.Value, "")
	case "DURATION":
		_, ok = parseSpan(contentline.Upper(l.Value))
	}
	if !ok {
		e.badDates++
	}
}

// recurrenceID is part of the key: its text is kept as the file spells it.
func (e *event) recurrenceID(l *contentline.Line) {
	tzid := l.Param("TZID")
	e.recurrence = string(l.Value)
	if tzid != "" {
		e.recurrence = "TZID=" + tzid + ":" + e.recurrence
		e.zoned = true
	}
	var ok bool
	if e.occurrence, ok = parseMoment(contentline.Trim(l.Value), tzid); !ok {
		e.badDates++
	}
}

func (e *event) when(name string, l *contentline.Line) {
	tzid := l.Param("TZID")
	e.zoned = e.zoned || tzid != ""
	switch {
	case (name == "RDATE" || name == "EXDATE") && !e.full:
		e.checkDates(l)
	case name == "RDATE":
		e.rdates = e.dates(e.rdates, l, tzid)
	case name == "EXDATE":
		e.exdates = e.dates(e.exdates, l, tzid)
	case name == "DTSTART":
		e.start = e.moment(l, tzid)
		e.startText = e.text(string(l.Value))
	case name == "DTEND":
		e.end = e.moment(l, tzid)
	}
}

func (e *event) moment(l *contentline.Line, tzid string) moment {
	m, ok := parseMoment(l.Value, tzid)
	if !ok {
		e.badDates++
	}
	m.tzid = e.text(m.tzid)
	return m
}

// checkDates counts, for the survey, the values of an RDATE or EXDATE that are none. An RDATE may have a PERIOD (RFC 5545,
// section 3.8.5.2).
func (e *event) checkDates(l *contentline.Line) {
	contentline.Each(l.Value, func(text string) bool {
		start, _, _ := strings.Cut(strings.TrimSpace(text), "/")
		if _, ok := parseMoment([]byte(start), ""); !ok && start != "" {
			e.badDates++
		}
		return true
	})
}

// dates keeps the values of an RDATE or EXDATE as text, each with its zone.
func (e *event) dates(list []string, l *contentline.Line, tzid string) []string {
	contentline.Each(l.Value, func(text string) bool {
		if len(list) == maxListValues {
			e.truncated = true
			return false
		}
		if tzid != "" {
			text = "TZID=" + tzid + ":" + text
		}
		list = append(list, e.text(text))
		return true
	})
	return list
}

func (e *event) detail(name string, l *contentline.Line) {
	switch name {
	case "DURATION":
		e.durationText = e.text(string(l.Value)) // as written, which Upper changes
		if e.length, e.hasLength = parseSpan(contentline.Upper(l.Value)); !e.hasLength {
			e.badDates++
		}
	case "CREATED", "DCREATED": // vCalendar 1.0 has the latter
		e.created = e.moment(l, "")
	case "LAST-MODIFIED":
		e.modified = e.moment(l, "")
	case "SUMMARY":
		e.summary = e.text(contentline.Unescape(l.Value))
	case "DESCRIPTION":
		e.description = e.text(contentline.Unescape(l.Value))
	case "LOCATION":
		e.location = e.text(contentline.Unescape(l.Value))
	case "CLASS":
		e.class = e.text(string(contentline.Upper(l.Value)))
	case "TRANSP":
		e.transp = e.text(string(contentline.Upper(l.Value)))
	case "URL":
		e.url = e.text(string(l.Value))
	case "GEO":
		e.geo = e.text(string(l.Value))
	case "RRULE":
		e.rrule = e.text(string(l.Value))
	case "EXRULE":
		e.exrule = e.text(string(l.Value))
	case "PRIORITY":
		e.priority, e.hasPriority = integer(l.Value)
	case "CATEGORIES":
		contentline.Each(l.Value, func(text string) bool {
			if len(e.categories) == maxListValues {
				e.truncated = true
				return false
			}
			e.categories = append(e.categories, e.text(text))
			return true
		})
	case "ORGANIZER":
		e.organizer, e.hasOrganizer = e.person(l), true
	case "ATTENDEE":
		if e.attendeeCount++; len(e.attendees) < maxAttendees {
			e.attendees = append(e.attendees, e.person(l))
		} else {
			e.truncated = true
		}
	}
}

func (e *event) person(l *contentline.Line) person {
	address := string(l.Value)
	if len(address) > 7 && string(contentline.Upper([]byte(address[:7]))) == "MAILTO:" {
		address = address[7:]
	}
	return person{
		email: e.text(address), name: e.text(l.Param("CN")), role: e.text(l.Param("ROLE")),
		partstat: e.text(l.Param("PARTSTAT")), kind: e.text(l.Param("CUTYPE")), rsvp: e.text(l.Param("RSVP")),
	}
}

// integer reads an INTEGER (section 3.3.8), which has 32 bits.
func integer(b []byte) (int64, bool) {
	sign, b := signed(b)
	if len(b) == 0 || len(b) > 10 {
		return 0, false
	}
	n, ok := digits(b)
	if int64(n) > 1<<31-1 {
		return 0, false
	}
	return sign * int64(n), ok
}
