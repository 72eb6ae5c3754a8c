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

// instant returns the UTC time of m, zero when neither the file nor the name of its zone proves one.
func (w *recordWriter) instant(m moment) time.Time {
	switch m.kind {
	case timeUTC:
		return time.Unix(m.wall, 0).UTC()
	case timeZoned:
		if utc, ok := w.zones.find(w.at, m.tzid).instant(m.wall); ok {
			return time.Unix(utc, 0).UTC()
		}
	}
	return time.Time{}
}

// write emits the record of e.
func (w *recordWriter) write(id eventID, g *group, file string, e *event, cancelled []string) error {
	r := w.rec
	r.String("id", id.String())
	r.String("calendar_id", g.id)
	r.StringOrNull("calendar_name", g.calendar.name)
	r.StringOrNull("uid", clip.Text(e.uid, 1024))
	r.StringOrNull("recurrence_id", clip.Text(e.recurrence, 256))
	r.Time("recurrence_utc", w.instant(e.occurrence))
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
	r.Time("created_at", w.instant(e.created))
	r.Time("updated_at", w.instant(e.modified))
	r.Bool("truncated", e.truncated)
	r.String("source_file", file)
	return r.Emit()
}

// times writes start and end. starts_at is the field for consent and time ranges, so
// every event with a start has one: the instant where it is proven, which
// time_zone_known reports, else the wall clock read as if it were UTC, which is off by
// a zone's offset at most (14 hours). start_utc is an instant or null.
func (w *recordWriter) times(e *event) {
	r := w.rec
	start := w.instant(e.start)
	at := start
	if at.IsZero() && e.start.kind != timeNone {
		at = time.Unix(e.start.wall, 0)
	}
	r.Time("starts_at", at)
	r.Bool("all_day", e.start.kind == timeDate)
	r.StringOrNull("start_kind", e.start.kind.String())
	if e.start.kind == timeNone {
		r.Null("time_zone_known")
	} else {
		r.Bool("time_zone_known", !start.IsZero())
	}
	r.Time("start_utc", start)
	w.local("start_local", e.start)
	r.StringOrNull("start_tzid", e.start.tzid)
	end := w.end(e)
	r.Time("end_utc", w.instant(end))
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
		from := w.instant(end)
		if from.IsZero() {
			return moment{}
		}
		utc := from.Unix() + e.length.seconds
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
