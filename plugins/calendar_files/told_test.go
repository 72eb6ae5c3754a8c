package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/testplugins/rig/trial"
)

// AC-05, AC-06: what an event has and its record has not is told with its true cause, its file and its line; what is around it
// is collected.
func TestWhatIsToldOfAnEvent(t *testing.T) {
	t.Parallel()
	lines := func(n int, line string) string { return strings.TrimSuffix(strings.Repeat(line+"\n", n), "\n") }
	card := "BEGIN:VCARD\nVERSION:3.0\nFN:x\nUID:c\nEND:VCARD\n"
	event := func(lines ...string) string { return vcalendar(vevent("1", "one", lines...), vevent("2", "two")) }
	start := func(text, line string) string {
		return strings.Replace(text, "DTSTART:20260302T090000Z", line, 1)
	}
	for name, c := range map[string]struct{ text, events, reasons, told string }{
		"two rules":                            {event("RRULE:FREQ=WEEKLY;BYDAY=MO", "RRULE:FREQ=WEEKLY;BYDAY=FR"), "one,two", "property_repeated", `["a.ics, line 11 (RRULE)"]`},
		"two texts of two kinds":               {event("DESCRIPTION:a", "DESCRIPTION:b", "SUMMARY;LANGUAGE=de:eins", "DESCRIPTION:c"), "eins,two", "property_repeated", `"count":3,"files":["a.ics, line 11 (SUMMARY, DESCRIPTION)"]`},
		"one text twice":                       {event("DESCRIPTION:a", "DESCRIPTION:a", "SUMMARY;LANGUAGE=de:one", "CATEGORIES:a", "CATEGORIES:b"), "one,two", "", ""},
		"a text and none":                      {event("SUMMARY:"), "one,two", "", ""},
		"no text and one":                      {event("LOCATION:", "LOCATION:here"), "one,two", "", ""},
		"two ends of one text":                 {event("DTEND;TZID=Europe/Rome:20260302T100000", "DTEND;TZID=Europe/Oslo:20260302T100000"), "one,two", "property_repeated", "(DTEND)"},
		"one start in two zones":               {start(event(), "DTSTART;TZID=Europe/Rome:20260302T090000\nDTSTART;TZID=Asia/Tokyo:20260302T090000"), "one,two", "property_repeated", `["a.ics, line 9 (DTSTART)"]`},
		"many exceptions":                      {event(lines(maxListValues+1, "EXDATE:20260302T090000Z")), "one,two", "event_cut", `["a.ics, line 5"]`},
		"as many as fit":                       {event(lines(maxListValues, "EXDATE:20260302T090000Z"), lines(maxAttendees, "ATTENDEE:mailto:a@x")), "one,two", "", ""},
		"many categories":                      {event("CATEGORIES:a" + strings.Repeat(",b", maxListValues)), "one,two", "event_cut", "line 5"},
		"many attendees":                       {event(lines(maxAttendees+1, "ATTENDEE:mailto:a@x")), "one,two", "event_cut", "line 5"},
		"a long identifier":                    {strings.ReplaceAll(event(), "UID:2", "UID:"+strings.Repeat("2", maxUID+1)), "one,two", "event_cut", "line 11"},
		"two starts":                           {event("DTSTART:20260303T090000Z"), "two", "event_ambiguous", `["a.ics, line 10"]`},
		"two starts, side by side":             {start(event("SUMMARY:eins"), "DTSTART:20260302T090000Z\nDTSTART:20260303T090000Z"), "two", "event_ambiguous", `["a.ics, line 9"]`},
		"two starts in front":                  {strings.Replace(event(), "UID:1\n", "DTSTART:20260303T090000Z\nDTSTART:20260302T090000Z\nUID:1\n", 1), "two", "event_ambiguous", "line 7"},
		"two identifiers":                      {strings.Replace(event(), "UID:1\n", "UID:1\nUID:3\n", 1), "two", "event_ambiguous", "line 7"},
		"a contact behind":                     {event() + card, "one,two", "", ""},
		"a contact in front":                   {card + event(), "one,two", "", ""},
		"half a contact":                       {event() + strings.TrimSuffix(card, "END:VCARD\n") + event(), "one,two", "file_incomplete", "line 18"},
		"half a contact and more":              {event() + strings.TrimSuffix(card, "END:VCARD\n") + vevent("3", "three"), "one,two,three", "file_incomplete", "line 18"},
		"an event in a component of a program": {vcalendar("BEGIN:X-COMP\nDTSTART:x\n", vevent("1", "one"), "END:X-COMP\n", vevent("2", "two")), "one,two", "", ""},
		"the year 1850":                        {start(event(), "DTSTART;TZID=Europe/Rome:18500102T100000"), "one,two", "time_zone_year_unknown", `["a.ics"]`},
		"a text with line breaks":              {event("DESCRIPTION:a", "more of it", "LOCATION:b"), "one,two", "malformed_lines", `export the calendar again, if you need it {"count":1,"files":["a.ics, line 11"]}`},
	} {
		f := newFolder()
		f.write("a.ics", c.text)
		res := f.collect(t)
		for run := range 2 {
			if got := trial.Reasons(res); got != c.reasons || run == 0 && summaries(res) != c.events {
				t.Errorf("%s, run %d: events %q, told %q, want %q and %q", name, run, summaries(res), got, c.events, c.reasons)
			}
			if got := messages(res)[c.reasons]; !strings.Contains(got, c.told) {
				t.Errorf("%s, run %d: told %s, want %s", name, run, got, c.told)
			}
			if names, _ := res.Record(streamCoverage, "coverage:unknown_names"); strings.Contains(names.Text("reason"), "time zone") {
				t.Errorf("%s: %s, want no name of a zone that is known", name, names.Text("reason"))
			}
			if cut := res.Items(streamEvents).Cut; run == 0 && (cut == 1) != (c.reasons == cutEvent.Reason) {
				t.Errorf("%s: %d items are cut, want one where the event is told as cut", name, cut)
			}
			res = again(t, res)
		}
	}
}

// The first instant of the year 1 is one.
func TestTheFirstInstant(t *testing.T) {
	t.Parallel()
	f := newFolder()
	f.write("a.ics", vcalendar(strings.Replace(vevent("1", "one"), "20260302T090000Z", "00010101T000000Z", 1), strings.Replace(vevent("2", "two"), "20260302T090000Z", "00010101", 1)))
	res := f.collect(t)
	for summary, want := range map[string]string{"one": "0001-01-01T00:00:00Z 0001-01-01T00:00:00Z true", "two": "0001-01-01T00:00:00Z <nil> false"} {
		r := bySummary(t, res, summary).Fields
		if got := fmt.Sprint(r["starts_at"], " ", r["start_utc"], " ", r["time_zone_known"]); got != want {
			t.Errorf("%s: got %s, want %s", summary, got, want)
		}
	}
}
