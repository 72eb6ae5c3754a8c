package main

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/trial"
)

const zoneBerlin = "BEGIN:VTIMEZONE\nTZID:Europe/Berlin\nX-LIC-LOCATION:Europe/Berlin\n" +
	"BEGIN:DAYLIGHT\nTZOFFSETFROM:+0100\nTZOFFSETTO:+0200\nTZNAME:CEST\nDTSTART:19700329T020000\nRRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU\nEND:DAYLIGHT\n" +
	"BEGIN:STANDARD\nTZOFFSETFROM:+0200\nTZOFFSETTO:+0100\nTZNAME:CET\nDTSTART:19701025T030000\nRRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU\nEND:STANDARD\n" +
	"END:VTIMEZONE\n"

func TestRecordOfAnEvent(t *testing.T) {
	t.Parallel()
	f := newFolder()
	f.write("work/team.ics", vcalendar(
		// The zone comes behind its use on purpose.
		"BEGIN:VEVENT\nUID:a1@example.com\nDTSTAMP:20260101T000000Z\nDTSTART;TZID=Europe/Berlin:20260706T093000\n"+
			"DTEND;TZID=\"Europe/Berlin\":20260706T103000\nSUMMARY:Stand-up\\, daily\nDESCRIPTION:Agenda:\\n- caf\\u\n e\\; \nLOCATION:Room 4\n"+
			"RRULE:FREQ=DAILY;COUNT=10\nEXDATE;TZID=Europe/Berlin:20260708T093000,20260709T093000\nRDATE:20260720T073000Z\n"+
			"ORGANIZER;CN=\"Doe, Jane\":mailto:jane@example.com\n"+
			"ATTENDEE;CN=Sam;ROLE=REQ-PARTICIPANT;PARTSTAT=ACCEPTED;RSVP=TRUE:MAILTO:sam@example.com\nATTENDEE:mailto:kim@example.com\n"+
			"CATEGORIES:Work,Team\nCATEGORIES:Recurring\nSTATUS:confirmed\nSEQUENCE:3\nPRIORITY:5\nGEO:48.85;2.35\nCLASS:PRIVATE\nTRANSP:OPAQUE\n"+
			"CREATED:20251201T080000Z\nLAST-MODIFIED:20251224T101112Z\nX-UNKNOWN:ignored\n"+
			"BEGIN:VALARM\nACTION:DISPLAY\nTRIGGER:-PT15M\nSUMMARY:not the event's\nUID:alarm\nEND:VALARM\nEND:VEVENT\n", zoneBerlin))
	res := f.collect(t)
	want := map[string]string{
		"summary": "Stand-up, daily", "description": "Agenda:\n- caf\\ue; ", "start_utc": "2026-07-06T07:30:00Z", "starts_at": "2026-07-06T07:30:00Z",
		"end_utc": "2026-07-06T08:30:00Z", "start_local": "2026-07-06T09:30:00", "start_tzid": "Europe/Berlin", "start_kind": "zoned", "all_day": "false",
		"exdates": "[TZID=Europe/Berlin:20260708T093000 TZID=Europe/Berlin:20260709T093000]", "rdates": "[20260720T073000Z]", "rrule": "FREQ=DAILY;COUNT=10",
		"categories": "[Work Team Recurring]", "status": "CONFIRMED", "sequence": "3", "priority": "5", "alarm_count": "1", "geo": "48.85;2.35",
		"organizer":      "map[email:jane@example.com kind:<nil> name:Doe, Jane participation:<nil> role:<nil> rsvp:<nil>]",
		"attendee_count": "2", "created_at": "2025-12-01T08:00:00Z", "updated_at": "2025-12-24T10:11:12Z", "uid": "a1@example.com",
		"calendar_name": "Home", "source_file": "work/team.ics", "class": "PRIVATE", "transparency": "OPAQUE", "duration": "<nil>", "truncated": "false",
	}
	got := res.Records("events")[0]
	for field, w := range want {
		if g := fmt.Sprint(got.Fields[field]); g != w {
			t.Errorf("%s: %q, want %q", field, g, w)
		}
	}
	if len(got.Key) != 24 {
		t.Errorf("key %q, want len(got.Key) = 24", got.Key)
	}
	cal := res.Records("calendars")[0]
	if cal.Text("name") != "Home" || fmt.Sprint(cal.Fields["event_count"]) != "1" || cal.Key != got.Text("calendar_id") {
		t.Errorf("calendar %s, want cal.Text(\"name\") = Home, fmt.Sprint(cal.Fields[\"event_count\"]) = 1 and cal.Key = %v", cal.Data, got.Text("calendar_id"))
	}
}

func TestTimesWithoutProof(t *testing.T) {
	t.Parallel()
	f := newFolder()
	raw := func(uid string, lines ...string) string {
		return "BEGIN:VEVENT\nUID:" + uid + "\nSUMMARY:" + uid + "\n" + strings.Join(lines, "\n") + "\nEND:VEVENT\n"
	}
	f.write("a.ics", vcalendar(zoneBerlin,
		raw("day", "DTSTART;VALUE=DATE:20260214"), raw("days", "DTSTART;VALUE=DATE:20260214", "DTEND;VALUE=DATE:20260217"),
		raw("floating", "DTSTART:20260214T180000", "DURATION:PT90M"), raw("unknown", "DTSTART;TZID=Custom Zone 1:20260214T180000"),
		raw("utc-name", "DTSTART;TZID=UTC:20260214T180000"), raw("overnight", "DTSTART;TZID=Europe/Berlin:20260329T010000", "DURATION:PT2H"),
		raw("nominal", "DTSTART;TZID=Europe/Berlin:20260328T120000", "DURATION:P1D"), raw("broken", "DTSTART:2026-02-14"), raw("none")))
	res := f.collect(t)
	for summary, want := range map[string]string{
		"day":       "2026-02-14T00:00:00Z <nil> 2026-02-14 2026-02-15 <nil> date",
		"days":      "2026-02-14T00:00:00Z <nil> 2026-02-14 2026-02-17 <nil> date",
		"floating":  "2026-02-14T18:00:00Z <nil> 2026-02-14T18:00:00 2026-02-14T19:30:00 <nil> floating",
		"unknown":   "2026-02-14T18:00:00Z <nil> 2026-02-14T18:00:00 2026-02-14T18:00:00 <nil> zoned",
		"utc-name":  "2026-02-14T18:00:00Z 2026-02-14T18:00:00Z 2026-02-14T18:00:00 2026-02-14T18:00:00 2026-02-14T18:00:00Z zoned",
		"overnight": "2026-03-29T00:00:00Z 2026-03-29T00:00:00Z 2026-03-29T01:00:00 2026-03-29T04:00:00 2026-03-29T02:00:00Z zoned",
		"nominal":   "2026-03-28T11:00:00Z 2026-03-28T11:00:00Z 2026-03-28T12:00:00 2026-03-29T12:00:00 2026-03-29T10:00:00Z zoned",
		"broken":    "<nil> <nil> <nil> <nil> <nil> <nil>",
		"none":      "<nil> <nil> <nil> <nil> <nil> <nil>",
	} {
		r := bySummary(t, res, summary).Fields
		if got := fmt.Sprint(r["starts_at"], " ", r["start_utc"], " ", r["start_local"], " ", r["end_local"], " ", r["end_utc"], " ", r["start_kind"]); got != want {
			t.Errorf("%s:\n got %s\nwant %s", summary, got, want)
		}
		// A starts_at that is no instant never passes for one.
		known := any(r["start_utc"] != nil)
		if r["start_local"] == nil {
			known = nil
		}
		if r["time_zone_known"] != known {
			t.Errorf("%s: time_zone_known is %v, want %v", summary, r["time_zone_known"], known)
		}
	}
}

// An edit, even of the start, keeps the id and emits that event alone; an
// earlier event is not lost behind a later one.
func TestEditsEmitThemselvesOnly(t *testing.T) {
	t.Parallel()
	f := newFolder()
	f.write("a.ics", vcalendar(vevent("1", "one"), vevent("2", "two"), vevent("far", "in 2099", "RRULE:FREQ=YEARLY")))
	first := f.collect(t)
	if got := again(t, first); len(got.Changes()) != 0 {
		t.Fatalf("an unchanged folder emitted %v, want len(got.Changes()) = 0", got.Changes())
	}
	one := bySummary(t, first, "one").Key
	moved := strings.Replace(vevent("1", "one"), "20260302T090000Z", "20250101T100000Z", 1)
	f.write("a.ics", vcalendar(vevent("2", "two"), moved, vevent("far", "in 2099", "RRULE:FREQ=YEARLY"), vevent("0", "earlier")))
	second := again(t, first)
	if got := summaries(second); got != "one,earlier" {
		t.Fatalf("%v, want one,earlier", got)
	}
	if bySummary(t, second, "one").Key != one || len(deletes(second, "events")) != 0 {
		t.Fatal("an edited start made another event")
	}
	if got := again(t, second); len(got.Changes()) != 0 {
		t.Fatalf("emitted %v, want len(got.Changes()) = 0", got.Changes())
	}
}

// Changes that a download makes by itself are no edit.
func TestDownloadNoiseIsNoEdit(t *testing.T) {
	t.Parallel()
	f := newFolder()
	f.write("a.ics", vcalendar(vevent("1", "one", "LOCATION:here", "X-A:1")))
	first := f.collect(t)
	text := strings.Replace(vcalendar(vevent("1", "one", "X-B:2", "LOCATION:here")), "DTSTAMP:20260101T000000Z", "DTSTAMP:20260202T020202Z", 1)
	f.write("a.ics", text)
	if got := again(t, first); summaries(got) != "" || len(deletes(got, streamEvents)) != 0 {
		t.Fatalf("changed %q and %v, want nothing", summaries(got), deletes(got, streamEvents))
	}
}

// RT-07.1: cancelled, removed, and a removed file become tombstones, once.
func TestTombstones(t *testing.T) {
	t.Parallel()
	f := newFolder()
	f.write("a.ics", vcalendar(vevent("1", "one"), vevent("2", "two"), vevent("3", "three"), vevent("9", "never seen", "STATUS:CANCELLED")))
	f.write("b.ics", vcalendar(vevent("1", "b one")))
	first := f.collect(t)
	if got := summaries(first); got != "one,two,three,b one" || len(deletes(first, "events")) != 0 {
		t.Fatalf("events %s, tombstones %v, want one,two,three,b one and none", got, deletes(first, "events"))
	}
	f.write("a.ics", vcalendar(vevent("1", "one"), vevent("2", "two", "STATUS:Cancelled")))
	delete(f.files, "b.ics")
	second := again(t, first)
	gone := map[string]bool{bySummary(t, first, "two").Key: true, bySummary(t, first, "three").Key: true, bySummary(t, first, "b one").Key: true}
	for _, d := range deletes(second, "events") {
		if !gone[d.Key] {
			t.Errorf("%s got a tombstone, want none", d.Key)
		}
		delete(gone, d.Key)
	}
	if len(gone) != 0 || len(deletes(second, "calendars")) != 1 || summaries(second) != "" {
		t.Fatalf("not deleted: %v, want len(gone) = 0, len(deletes(second, \"calendars\")) = 1 and no event changed", gone)
	}
	third := again(t, second)
	if len(third.Changes()) != 0 {
		t.Fatalf("emitted again: %v, want len(third.Changes()) = 0", third.Changes())
	}
	f.write("a.ics", vcalendar(vevent("1", "one"), vevent("2", "two")))
	f.write("b.ics", vcalendar(vevent("1", "b one")))
	if got := summaries(again(t, third)); got != "two,b one" {
		t.Fatalf("%v, want two,b one", got)
	}
}

// When none of the earlier calendars is left, and the folder has other files, it is
// probably another folder: nothing is buried until a calendar is found again, or the
// folder is empty, which the host has asked about.
func TestAFolderThatLostAllItsCalendars(t *testing.T) {
	t.Parallel()
	f := newFolder()
	f.write("a.ics", vcalendar(vevent("1", "one")))
	f.write("sub/b.ics", vcalendar(vevent("2", "two")))
	first := f.collect(t)
	take := func() {
		delete(f.files, "a.ics")
		delete(f.files, "sub/b.ics")
	}
	for name, c := range map[string]struct{ file, text, reasons, files string }{
		"a note":                 {"note.txt", "hello", gone.Reason, "incomplete 2"},
		"a folder's own":         {".DS_Store", "", gone.Reason, "incomplete 2"},
		"another folder":         {"photos/one.jpg", "", gone.Reason, "incomplete 2"},
		"a page":                 {"page.ics", "<html></html>\n", gone.Reason, "incomplete 2"},
		"a calendar's beginning": {"new.ics", "BEGIN:VCALENDAR\n", torn.Reason + "," + gone.Reason, "incomplete 3"},
	} {
		take()
		f.write(c.file, c.text)
		for mode, last := range map[string]*sdktest.Result{"incremental": again(t, first), "full": refresh(t, first)} {
			if got := covered(last)["files"]; got != c.files {
				t.Errorf("%s, %s: %s, want %s", name, mode, got, c.files)
			}
			for range 2 {
				if n := len(deletes(last, streamEvents)) + len(deletes(last, streamCalendars)); n != 0 {
					t.Errorf("%s, %s: %d tombstones, want 0", name, mode, n)
				}
				if got := trial.Reasons(last); got != c.reasons {
					t.Errorf("%s, %s: %s, want %s", name, mode, got, c.reasons)
				}
				if m := messages(last)[gone.Reason]; !strings.HasPrefix(m, "2 calendar files were here") || !strings.HasSuffix(m, `{"count":2,"files":["a.ics","sub/b.ics"]}`) ||
					hints(last)[gone.Reason] != `"manual_action_required"` {
					t.Errorf("%s, %s: report %s, hint %s, want both vanished calendars and manual_action_required", name, mode, m, hints(last)[gone.Reason])
				}
				last = f.after(t, last)
			}
		}
		delete(f.files, c.file)
	}
	f.write("note.txt", "hello")
	lost := again(t, first)

	f.write("a.ics", vcalendar())
	if back := again(t, lost); len(deletes(back, streamEvents)) != 2 || len(deletes(back, streamCalendars)) != 1 || len(back.Skips) != 0 {
		t.Errorf("the one file without events: %v %+v, want len(deletes(back, streamEvents)) = 2, len(deletes(back, streamCalendars)) = 1 and len(back.Skips) = 0", back.Changes(), back.Skips)
	}
	take()
	delete(f.files, "note.txt")
	if empty := again(t, lost); len(deletes(empty, streamEvents)) != 2 || len(deletes(empty, streamCalendars)) != 2 {
		t.Errorf("the folder is empty: %v, want len(deletes(empty, streamEvents)) = 2 and len(deletes(empty, streamCalendars)) = 2", empty.Changes())
	}

	// A file that could not be examined does not count as missing.
	f.write("note.txt", "hello")
	f.write("sub/b.ics", vcalendar(vevent("2", "two")))
	part := first.SecondRun(t, func(o *sdktest.Options) { o.Roots = map[string]fs.FS{"calendar_files": unreadable{f.files, "sub"}} })
	if m := messages(part); len(deletes(part, streamEvents)) != 0 || !strings.HasSuffix(m[gone.Reason], `{"count":1,"files":["a.ics"]}`) {
		t.Errorf("a part is unreadable: %v %v, want len(deletes(part, streamEvents)) = 0 and `{\"count\":1,\"files\":[\"a.ics\"]}` at the end of m[gone.Reason]", part.Changes(), m)
	}
	// The calendar of buried events is buried, too.
	take()
	delete(f.files, "note.txt")
	half := first.SecondRun(t, trial.Only(streamEvents))
	f.write("note.txt", "hello")
	if half = half.SecondRun(t, trial.Only()); len(deletes(half, streamCalendars)) != 2 || trial.Reasons(half) != nothing.Reason {
		t.Errorf("its events are buried: %v %s, want len(deletes(half, streamCalendars)) = 2 and trial.Reasons(half) = %s", half.Changes(), trial.Reasons(half), nothing.Reason)
	}
}

// A file that is not whole, or cannot be read, deletes nothing.
func TestDamagedFilesKeepTheirEvents(t *testing.T) {
	t.Parallel()
	whole := vcalendar(vevent("1", "one"), vevent("2", "two"))
	for name, c := range map[string]struct{ text, reason string }{
		"cut in the middle":   {whole[:len(whole)/2], "file_incomplete"},
		"no END:VCALENDAR":    {strings.TrimSuffix(whole, "END:VCALENDAR\n"), "file_incomplete"},
		"second half missing": {whole + "BEGIN:VCALENDAR\nX:1\n", "file_incomplete"},
		"crossed":             {strings.Replace(whole, "END:VEVENT", "END:VALARM", 1), "file_incomplete,malformed_lines"},
		"event never ends":    {strings.Replace(whole, "END:VEVENT\n", "", 1), "file_incomplete"},
		"empty":               {"", "not_a_calendar"},
		"a page":              {"<!DOCTYPE html>\n<html><body>Sign in</body></html>\n", "not_a_calendar"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFolder()
			f.write("a.ics", whole)
			f.write("b.ics", vcalendar(vevent("b", "other")))
			first := f.collect(t)
			f.write("a.ics", c.text)
			f.write("b.ics", vcalendar(vevent("b", "other, edited")))
			second := again(t, first)
			if trial.Reasons(second) != c.reason || len(deletes(second, "events")) != 0 || summaries(second) != "other, edited" {
				t.Fatalf("skips %s, records %v, want trial.Reasons(second) = %s, len(deletes(second, \"events\")) = 0 and summaries(second) = other, edited", trial.Reasons(second), second.Changes(), c.reason)
			}
			f.write("a.ics", vcalendar(vevent("1", "one"), vevent("2", "two, edited")))
			if got := summaries(again(t, second)); got != "two, edited" {
				t.Fatalf("%v, want two, edited", got)
			}
		})
	}
}

// unreadable refuses to open or list the given files.
type unreadable struct {
	fs.FS
	path string
}

func (u unreadable) Open(name string) (fs.File, error) {
	if name == u.path {
		return nil, fs.ErrPermission
	}
	return u.FS.Open(name)
}

func TestUnreadableKeepsItsEvents(t *testing.T) {
	t.Parallel()
	f := newFolder()
	f.write("a.ics", vcalendar(vevent("1", "one")))
	f.write("sub/b.ics", vcalendar(vevent("2", "two")))
	first := f.collect(t)
	for _, hidden := range []string{"sub", "sub/b.ics"} {
		second := first.SecondRun(t, func(o *sdktest.Options) { o.Roots = map[string]fs.FS{"calendar_files": unreadable{f.files, hidden}} })
		schemas.Sound(t, second)
		f.write("sub/b.ics", vcalendar(vevent("2", "two"))) // a new time, so that the file is opened
		if len(deletes(second, "events")) != 0 {
			t.Errorf("%s unreadable: deleted %v, want len(deletes(second, \"events\")) = 0", hidden, second.Changes())
		}
		third := first.SecondRun(t, func(o *sdktest.Options) { o.Roots = map[string]fs.FS{"calendar_files": unreadable{f.files, hidden}} })
		if len(deletes(third, "events")) != 0 || trial.Reasons(third) != "file_unreadable" {
			t.Errorf("%s unreadable: %s, deleted %v, want len(deletes(third, \"events\")) = 0 and trial.Reasons(third) = file_unreadable", hidden, trial.Reasons(third), third.Changes())
		}
	}
	none := sdktest.Collect(t, connector{}, sdktest.Options{Roots: map[string]fs.FS{"calendar_files": unreadable{f.files, "."}}, State: first.Committed()})
	if none.Done.Status != abi.DoneFailed || none.Done.Error.Code != "calendar_folder_unreadable" || len(none.Changes()) != 0 {
		t.Fatalf("%+v, want none.Done.Status = %v, none.Done.Error.Code = ical_folder_unreadable and len(none.Changes()) = 0", none.Done, abi.DoneFailed)
	}
}

func TestCopiesAndExceptions(t *testing.T) {
	t.Parallel()
	f := newFolder()
	series := vevent("s", "series", "RRULE:FREQ=WEEKLY")
	f.write("a.ics", vcalendar(
		vevent("d", "old", "SEQUENCE:1"), vevent("d", "newest", "SEQUENCE:4"), vevent("d", "older", "SEQUENCE:2"),
		vevent("e", "same"), vevent("e", "same"), series,
		vevent("s", "moved once", "RECURRENCE-ID:20260309T090000Z"), vevent("s", "off", "RECURRENCE-ID:20260316T090000Z", "STATUS:CANCELLED")))
	first := f.collect(t)
	if got := summaries(first); got != "newest,same,series,moved once" {
		t.Fatalf("%v, want newest,same,series,moved once", got)
	}
	if got := fmt.Sprint(bySummary(t, first, "series").Fields["cancelled_occurrences"]); got != "[20260316T090000Z]" {
		t.Fatalf("%v, want [20260316T090000Z]", got)
	}
	if got := bySummary(t, first, "moved once"); got.Text("recurrence_utc") != "2026-03-09T09:00:00Z" || got.Key == bySummary(t, first, "series").Key {
		t.Fatalf("%s, want Text(\"recurrence_utc\") = 2026-03-09T09:00:00Z and Key not %v", got.Data, bySummary(t, first, "series").Key)
	}
	if got := again(t, first); len(got.Changes()) != 0 {
		t.Fatalf("copies were emitted again: %v, want len(got.Changes()) = 0", got.Changes())
	}
	// A newly cancelled occurrence changes its series and buries the exception.
	f.write("a.ics", vcalendar(vevent("d", "newest", "SEQUENCE:4"), vevent("e", "same"), series,
		vevent("s", "moved once", "RECURRENCE-ID:20260309T090000Z", "STATUS:CANCELLED"), vevent("s", "off", "RECURRENCE-ID:20260316T090000Z", "STATUS:CANCELLED")))
	second := again(t, first)
	if summaries(second) != "series" || len(deletes(second, "events")) != 1 {
		t.Fatalf("%v, want summaries(second) = series and len(deletes(second, \"events\")) = 1", second.Changes())
	}
}

func TestCancelledAfterFullRefresh(t *testing.T) {
	t.Parallel()
	f := newFolder()
	f.write("a.ics", vcalendar(vevent("1", "one"), vevent("2", "two", "STATUS:CANCELLED")))
	whole := newFolder()
	whole.write("a.ics", vcalendar(vevent("1", "one"), vevent("2", "two")))
	stored := whole.collect(t)
	res := f.collect(t, trial.FullRefresh, func(o *sdktest.Options) { withoutParts(t, stored, "{}", o); o.State = nil })
	res = f.after(t, res)
	if len(deletes(res, streamEvents)) != 1 || len(res.Deletes(streamEvents)) != 0 {
		t.Fatalf("deleted %v, want the cancelled event that no cursor names, by a list", deletes(res, streamEvents))
	}
	if res = again(t, again(t, res)); len(res.Enumerations) != 0 {
		t.Errorf("the last run lists %v, want nothing", res.Enumerations)
	}
	f.write("b.ics", "BEGIN:VCALENDAR\nMETHOD:CANCEL\n"+vevent("x", "x")+"END:VCALENDAR\n")
	if got := f.collect(t); summaries(got) != "one" {
		t.Fatalf("%v, want one", summaries(got))
	}
}

func TestEventsWithoutUID(t *testing.T) {
	t.Parallel()
	f := newFolder()
	bare := func(summary string) string { return strings.Replace(vevent("", summary), "UID:\n", "", 1) }
	f.write("a.ics", vcalendar(bare("one"), bare("two"), bare("one")))
	first := f.collect(t)
	if got := summaries(first); got != "two,one" {
		t.Fatalf("%v, want two,one", got)
	}
	f.write("a.ics", vcalendar(bare("one"), bare("two"), bare("three")))
	second := again(t, first)
	if summaries(second) != "three" || len(deletes(second, "events")) != 0 {
		t.Fatalf("%v, want summaries(second) = three and len(deletes(second, \"events\")) = 0", second.Changes())
	}
}

func TestCoverageAndMalformedLines(t *testing.T) {
	t.Parallel()
	f := newFolder()
	f.write("a.ics", vcalendar("this is no line\n", vevent("1", "one", ";;;", "RRULE"), "BEGIN:VTODO\nUID:t\nEND:VTODO\n", "BEGIN:X-THING\nA:b\nEND:X-THING\n"))
	first := f.collect(t)
	if summaries(first) != "one" {
		t.Fatalf("%v, want one", summaries(first))
	}
	rows := map[string]string{}
	for _, r := range first.Records("coverage_diagnostics") {
		rows[r.Text("store")] = fmt.Sprint(r.Text("status"), " ", r.Fields["count"])
	}
	for store, want := range map[string]string{
		"files": "collected 1", "events": "collected 1", "malformed_lines": "incomplete 3", "todos": "unsupported 1", "journals": "absent 0", "subscriptions": "unsupported <nil>",
	} {
		if rows[store] != want {
			t.Errorf("%s: %q, want %q", store, rows[store], want)
		}
	}
	f.write("a.ics", vcalendar(vevent("1", "one")))
	second := again(t, first)
	if got := strings.Join(second.Keys("coverage_diagnostics"), ","); got != "coverage:malformed_lines,coverage:unknown_names,coverage:todos" {
		t.Fatalf("%v, want coverage:malformed_lines,coverage:unknown_names,coverage:todos", got)
	}
}

// A run over some of the streams neither loses nor hides the records of another run.
func TestRunsOverSomeStreams(t *testing.T) {
	t.Parallel()
	f := newFolder()
	f.write("a.ics", vcalendar(vevent("1", "one")))
	res := f.collect(t, trial.Only("calendars", "coverage_diagnostics"))
	if len(res.Records("calendars")) != 1 || len(res.Records("events")) != 0 {
		t.Fatalf("%v, want len(res.Records(\"calendars\")) = 1 and len(res.Records(\"events\")) = 0", res.Changes())
	}
	res = res.SecondRun(t, trial.Only("events"))
	if summaries(res) != "one" || len(res.Records("calendars")) != 0 {
		t.Fatalf("%v, want summaries(res) = one and len(res.Records(\"calendars\")) = 0", res.Changes())
	}
	res = res.SecondRun(t, trial.Only())
	if len(res.Records("calendars")) != 1 || summaries(res) != "" {
		t.Fatalf("%v, want len(res.Records(\"calendars\")) = 1 and summaries(res) = \"\"", res.Changes())
	}
	delete(f.files, "a.ics")
	res = res.SecondRun(t, trial.Only("events"))
	if len(deletes(res, "events")) != 1 {
		t.Fatalf("%v, want len(deletes(res, \"events\")) = 1", res.Changes())
	}
	res = res.SecondRun(t, trial.Only())
	if len(deletes(res, "calendars")) != 1 || len(deletes(res, "events")) != 0 {
		t.Fatalf("%v, want len(deletes(res, \"calendars\")) = 1 and len(deletes(res, \"events\")) = 0", res.Changes())
	}
}

// A write that the file's time cannot show is noticed.
func TestRacyWrite(t *testing.T) {
	t.Parallel()
	f := newFolder()
	f.clock = sdktest.Epoch.Add(-2 * time.Second)
	f.write("a.ics", vcalendar(vevent("1", "one")))
	first := f.collect(t)
	f.files["a.ics"] = &fstest.MapFile{Data: []byte(vcalendar(vevent("1", "One!"))), ModTime: f.clock}
	if got := summaries(again(t, first)); got != "One!" {
		t.Fatalf("%v, want One!", got)
	}
}

func TestFileChangedWhileRead(t *testing.T) {
	t.Parallel()
	f := newFolder()
	f.write("a.ics", vcalendar(vevent("1", "one"), vevent("2", "two")))
	first := f.collect(t)
	f.write("a.ics", vcalendar(vevent("1", "one, edited"), vevent("2", "two, edited")))
	changed := false
	o := sdktest.Options{State: first.Committed(), Stored: first.Stored(), Roots: map[string]fs.FS{"calendar_files": swapping{f, func() {
		if !changed {
			changed = true
			f.write("a.ics", vcalendar(vevent("1", "one")))
		}
	}}}}
	second := sdktest.Collect(t, connector{}, o)
	if trial.Reasons(second) != "file_changed_while_read" || len(deletes(second, "events")) != 0 {
		t.Fatalf("%s %v, want trial.Reasons(second) = file_changed_while_read and len(deletes(second, \"events\")) = 0", trial.Reasons(second), second.Changes())
	}
	third := second.SecondRun(t, func(o *sdktest.Options) { o.Roots = map[string]fs.FS{"calendar_files": f} })
	if len(deletes(third, "events")) != 1 {
		t.Fatalf("%v, want len(deletes(third, \"events\")) = 1", third.Changes())
	}
}

// The enumeration of a calendar whose reading ended early is left open. The events of the next
// calendar are not taken for its own, and not deleted when it is read whole.
func TestFileBehindOneThatChangedWhileRead(t *testing.T) {
	t.Parallel()
	f := newFolder()
	var many []string
	for i := range fewEvents + 12 {
		many = append(many, vevent(fmt.Sprint(i), fmt.Sprint("event ", i)))
	}
	f.write("a.ics", vcalendar(many...))
	f.write("b.ics", vcalendar(vevent("b", "the only one")))
	opened := 0
	first := f.collect(t, func(o *sdktest.Options) {
		o.Roots = map[string]fs.FS{"calendar_files": swapping{f, func() {
			if opened++; opened == 2 { // the second reading of a.ics
				f.write("a.ics", vcalendar(many[1:]...))
			}
		}}}
	})
	if trial.Reasons(first) != "file_changed_while_read" {
		t.Fatalf("the first run reports %q, want file_changed_while_read", trial.Reasons(first))
	}
	second := first.SecondRun(t, func(o *sdktest.Options) { o.Roots = map[string]fs.FS{"calendar_files": f} })
	only := bySummary(t, first, "the only one").Key
	for _, gone := range deletes(second, streamEvents) {
		if gone.Key == only {
			t.Errorf("the run deletes the event of b.ics, which did not change, want it kept")
		}
	}
	if _, there := second.Stored()[streamEvents][only]; !there {
		t.Errorf("the event of b.ics is gone, want it stored")
	}
}

// swapping calls opened after each opening of a file.
type swapping struct {
	*folder
	opened func()
}

func (s swapping) Open(name string) (fs.File, error) {
	file, err := s.folder.Open(name)
	if strings.HasSuffix(name, ".ics") {
		s.opened()
	}
	return file, err
}

func TestStop(t *testing.T) {
	t.Parallel()
	f := newFolder()
	for i := range 20 {
		f.write(fmt.Sprintf("%02d.ics", i), vcalendar(vevent("1", strings.Repeat("long ", 2000))))
	}
	res := f.collect(t, func(o *sdktest.Options) { o.StopAfter = 2 })
	if res.Done.Status != abi.DoneCancelled || len(res.States) != 0 {
		t.Fatalf("%+v %d states, want Done.Status = %v and len(res.States) = 0", res.Done, len(res.States), abi.DoneCancelled)
	}
}

// The name of a calendar is in the records of its events.
func TestRenamedCalendar(t *testing.T) {
	t.Parallel()
	f := newFolder()
	f.write("a.ics", vcalendar(vevent("1", "one")))
	first := f.collect(t)
	f.write("a.ics", strings.Replace(vcalendar(vevent("1", "one")), "X-WR-CALNAME:Home", "X-WR-CALNAME:Away", 1))
	if next := again(t, first); summaries(next) != "one" || bySummary(t, next, "one").Text("calendar_name") != "Away" {
		t.Errorf("%v, want the event with the new name", next.Changes())
	}
}
