package main

import (
	"time"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/clip"
	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
)

// recordWriter turns events into records.
type recordWriter struct {
	rec   *sdk.Record
	zones *zoneSet
	at    uint32 // which VCALENDAR of the file has the event
	json  []byte
}

// instant returns the instant of m, in seconds since 1970, false when neither the file nor the name of its zone proves one.
func (w *recordWriter) instant(m moment) (utc int64, ok bool) {
	switch m.kind {
	case timeUTC:
		return m.wall, true
	case timeZoned:
		return w.zones.find(w.at, m.tzid).instant(m.wall)
	}
	return 0, false
}

// time writes an instant, null where it is not known. The first one of the year 1 is an instant, too.
func (w *recordWriter) time(name string, utc int64, known bool) {
	switch at := time.Unix(utc, 0).UTC(); {
	case !known:
		w.rec.Null(name)
	case at.IsZero():
		w.rec.String(name, at.Format(time.RFC3339))
	default:
		w.rec.Time(name, at)
	}
}

func (w *recordWriter) instantOf(name string, m moment) {
	utc, known := w.instant(m)
	w.time(name, utc, known)
}

// write emits the record of e.
func (w *recordWriter) write(id eventID, g *group, file string, e *event, cancelled []string) error {
	r := w.rec
	r.String("id", id.String())
	r.String("calendar_id", g.id)
	r.StringOrNull("calendar_name", g.calendar.name)
	r.StringOrNull("uid", clip.Text(e.uid, maxUID))
	r.StringOrNull("recurrence_id", clip.Text(e.recurrence, maxRecurrence))
	w.instantOf("recurrence_utc", e.occurrence)
	r.StringOrNull("summary", e.summary)
	r.StringOrNull("description", e.description)
	r.StringOrNull("location", e.location)
	r.StringOrNull("status", e.status)
	w.times(e)
	r.StringOrNull("rrule", e.rrule)
	r.StringOrNull("exrule", e.exrule)
	r.Strings("rdates", e.rdates)
	r.Strings("exdates", e.exdates)
	r.Strings("cancelled_occurrences", cancelled[:min(len(cancelled), maxListValues)])
	w.people(e)
	r.Strings("categories", e.categories)
	r.StringOrNull("class", e.class)
	r.StringOrNull("transparency", e.transp)
	r.IntOrNull("priority", e.priority, e.hasPriority)
	r.StringOrNull("url", e.url)
	r.StringOrNull("geo", e.geo)
	r.Int("sequence", e.sequence)
	r.Int("alarm_count", int64(e.alarms))
	w.instantOf("created_at", e.created)
	w.instantOf("updated_at", e.modified)
	r.Bool("truncated", isCut(e, cancelled))
	r.String("source_file", file)
	return r.Emit()
}

// isCut reports whether the record of an event lacks a part of its texts or lists.
func isCut(e *event, cancelled []string) bool {
	return e.truncated || len(cancelled) > maxListValues || len(e.uid) > maxUID || len(e.recurrence) > maxRecurrence
}

// times writes start and end. starts_at is the field for consent and time ranges, so
// every event with a start has one: the instant where it is proven, which
// time_zone_known reports, else the wall clock read as if it were UTC, which is off by
// a zone's offset at most (14 hours). start_utc is an instant or null.
func (w *recordWriter) times(e *event) {
	r := w.rec
	start, known := w.instant(e.start)
	at := start
	if !known {
		at = e.start.wall
	}
	w.time("starts_at", at, e.start.kind != timeNone)
	r.Bool("all_day", e.start.kind == timeDate)
	r.StringOrNull("start_kind", e.start.kind.String())
	if e.start.kind == timeNone {
		r.Null("time_zone_known")
	} else {
		r.Bool("time_zone_known", known)
	}
	w.time("start_utc", start, known)
	w.local("start_local", e.start)
	r.StringOrNull("start_tzid", e.start.tzid)
	end := w.end(e)
	w.instantOf("end_utc", end)
	w.local("end_local", end)
	r.StringOrNull("end_tzid", end.tzid)
	r.StringOrNull("duration", e.durationText)
}

func (w *recordWriter) local(name string, m moment) {
	if m.kind == timeNone {
		w.rec.Null(name)
		return
	}
	w.rec.String(name, m.local())
}

// end returns DTEND, or the sum of DTSTART and DURATION, or a day after a DATE (RFC
// 5545, section 3.6.1).
func (w *recordWriter) end(e *event) moment {
	if e.end.kind != timeNone || e.start.kind == timeNone {
		return e.end
	}
	end := e.start
	switch {
	case e.hasLength:
		end.wall += e.length.days * 86400
		if e.length.seconds == 0 {
			return end
		}
		if end.kind != timeZoned {
			end.wall += e.length.seconds
			return end
		}
		// Hours are exact: across a change of offset the wall clock moves by more or
		// less than the duration.
		from, known := w.instant(end)
		if !known {
			return moment{}
		}
		utc := from + e.length.seconds
		end.wall = utc + w.zones.find(w.at, end.tzid).offset(utc)
		return end
	case e.start.kind == timeDate:
		end.wall += 86400
	}
	return end
}

func (w *recordWriter) people(e *event) {
	if e.hasOrganizer {
		w.json = appendPerson(w.json[:0], &e.organizer)
		w.rec.Raw("organizer", w.json)
	} else {
		w.rec.Null("organizer")
	}
	w.json = append(w.json[:0], '[')
	for i := range e.attendees {
		w.json = appendPerson(jsonappend.Elem(w.json), &e.attendees[i])
	}
	w.json = append(w.json, ']')
	w.rec.Raw("attendees", w.json)
	w.rec.Int("attendee_count", e.attendeeCount)
}

func appendPerson(b []byte, p *person) []byte {
	b = append(b, '{')
	for _, f := range [...][2]string{
		{"email", p.email}, {"name", p.name}, {"role", p.role}, {"participation", p.partstat}, {"kind", p.kind}, {"rsvp", p.rsvp},
	} {
		if b = jsonappend.Name(b, f[0]); f[1] == "" {
			b = jsonappend.Null(b)
		} else {
			b = jsonappend.String(b, f[1])
		}
	}
	return append(b, '}')
}
