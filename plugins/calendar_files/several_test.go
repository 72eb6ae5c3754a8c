package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

// named is a calendar with a name, "" for one without.
func named(name string, parts ...string) string {
	return strings.Replace(vcalendar(parts...), "X-WR-CALNAME:Home\n", map[bool]string{true: "X-WR-CALNAME:" + name + "\n"}[name != ""], 1)
}

// placed lists the stored events as "calendar: summary start", and the names of the stored calendars with the events of
// each. An event belongs to the calendar whose name it has.
func placed(t *testing.T, res *sdktest.Result) string {
	t.Helper()
	var list []string
	calendars := res.Stored()[streamCalendars]
	for _, r := range calendars {
		list = append(list, fmt.Sprint(r.Text("name"), " of ", r.Fields["event_count"]))
	}
	for _, r := range res.Stored()[streamEvents] {
		c := calendars[r.Text("calendar_id")]
		list = append(list, fmt.Sprint(r.Text("calendar_name"), ": ", r.Text("summary"), " ", r.Text("start_utc")))
		if name := r.Text("calendar_name"); c.Text("name") != name && (name != "" || c.Text("name") != "a") {
			t.Errorf("event %s of calendar %q belongs to the calendar %q, want its own", r.Text("summary"), name, c.Text("name"))
		}
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}

// AC-04: several calendars in one file, as exports that were put one behind the other, have their own names, events and
// zones.
func TestSeveralCalendarsInOneFile(t *testing.T) {
	t.Parallel()
	zone := func(offset string) string {
		return "BEGIN:VTIMEZONE\nTZID:Custom\n" + observanceText("STANDARD", "19700101T000000", offset, offset, "X:1") + "END:VTIMEZONE\n"
	}
	at := func(uid, summary string) string {
		return strings.Replace(vevent(uid, summary), "DTSTART:20260302T090000Z", "DTSTART;TZID=Custom:20260302T100000", 1)
	}
	for what, c := range map[string]struct{ text, want string }{
		"zones of one name": {named("One", zone("+0100"), at("1", "a")) + named("Two", at("2", "b"), zone("+0900")) + named("Three", at("3", "c")),
			"One of 1, One: a 2026-03-02T09:00:00Z, Three of 1, Three: c , Two of 1, Two: b 2026-03-02T01:00:00Z"},
		"a zone that the first one defines": {named("One", zone("+0100"), at("1", "a")) + named("Two", at("2", "b")),
			"One of 1, One: a 2026-03-02T09:00:00Z, Two of 1, Two: b 2026-03-02T09:00:00Z"},
		"one UID": {named("Private", vevent("1", "a")) + named("Work", vevent("1", "b")) + named("", vevent("1", "c")),
			": c 2026-03-02T09:00:00Z, Private of 1, Private: a 2026-03-02T09:00:00Z, Work of 1, Work: b 2026-03-02T09:00:00Z, a of 1"},
		"one calendar in two parts": {named("Home", vevent("1", "a")) + named("Home", vevent("2", "b")),
			"Home of 2, Home: a 2026-03-02T09:00:00Z, Home: b 2026-03-02T09:00:00Z"},
		"one without an event": {named("Home", vevent("1", "a")) + named("Empty") + named(""), "Empty of 0, Home of 1, Home: a 2026-03-02T09:00:00Z"},
	} {
		f := newFolder()
		f.write("a.ics", c.text)
		if got := placed(t, f.collect(t)); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", what, got, c.want)
		}
	}
}

// AC-09: calendars are put behind a calendar in its file, and taken out again. The first one keeps its keys, and nothing
// of a file with damage goes.
func TestCalendarsPutBehindAnother(t *testing.T) {
	t.Parallel()
	v := newVdir()
	one, two := named("One", vevent("1", "a")), named("Two", vevent("1", "b"), vevent("2", "c"))
	step := func(last *sdktest.Result, text, want string) *sdktest.Result {
		t.Helper()
		v.write("a.ics", text)
		last = v.run(t, v.run(t, last, false), false)
		wants(t, text, last, want)
		return last
	}
	last := step(nil, one, "1 events, 1 calendars")
	keys := func() string {
		s := last.Stored()
		return fmt.Sprint(slices.Sorted(maps.Keys(s[streamCalendars])), slices.Sorted(maps.Keys(s[streamEvents])))
	}
	first := keys()
	last = step(last, one+two, "3 events, 2 calendars")
	last = step(last, one+"BEGIN:VTODO\n", "3 events, 2 calendars")
	last = step(last, one, "1 events, 1 calendars")
	if keys() != first {
		t.Errorf("got the keys %s, want those of the first run, %s", keys(), first)
	}
	v.quiet(t, last)
	many := named("Many", vevent("1", "1"), vevent("2", "2"), vevent("3", "3"), vevent("4", "4"), vevent("5", "5"))
	last = step(last, one+many, "6 events, 2 calendars")
	v.write("a.ics", one)
	last = v.run(t, v.run(t, last, true), true)
	wants(t, "held back", last, "6 events, 2 calendars")
	last = v.run(t, v.run(t, v.run(t, last, false), false), false)
	wants(t, "let go", last, "1 events, 1 calendars")
	v.quiet(t, last)
	last = step(last, one+two, "3 events, 2 calendars")
	v.put("anchor.ics", []string{"x"}, false)
	last = v.run(t, last, false)
	v.remove("a.ics")
	last = v.run(t, v.run(t, v.run(t, last, false), false), false)
	wants(t, "removed", last, "1 events, 1 calendars")
	v.quiet(t, last)
}
