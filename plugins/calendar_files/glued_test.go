package main

import (
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/testplugins/rig/trial"
)

// AC-06: calendars and components that were joined without a line end are what they were before.
func TestLinesThatWereJoined(t *testing.T) {
	t.Parallel()
	work, home := vcalendar(vevent("1", "one")), strings.Replace(vcalendar(vevent("2", "two"), vevent("3", "three")), "Home", "Other", 1)
	for name, text := range map[string]string{
		"two calendars":       strings.TrimSuffix(work, "\n") + home,
		"with a blank":        strings.TrimSuffix(work, "\n") + " " + home,
		"in small letters":    strings.TrimSuffix(work, "\n") + strings.Replace(home, "BEGIN:VCALENDAR", "begin:vcalendar", 1),
		"events":              work + strings.ReplaceAll(home, "END:VEVENT\nBEGIN:VEVENT", "END:VEVENTBEGIN:VEVENT"),
		"the end of both":     work + strings.ReplaceAll(home, "END:VEVENT\nEND:VCALENDAR", "END:VEVENTEND:VCALENDAR"),
		"the beginning":       work + strings.ReplaceAll(home, "BEGIN:VCALENDAR\n", "BEGIN:VCALENDARBEGIN:X-NONE\nEND:X-NONE\n"),
		"behind another part": work + strings.ReplaceAll(home, "END:VCALENDAR", "BEGIN:VTODO\nUID:t\nEND:VTODOEND:VCALENDAR"),
	} {
		f := newFolder()
		f.write("a.ics", text)
		res := f.collect(t)
		if got := trial.Reasons(res); got != "" || summaries(res) != "one,two,three" {
			t.Errorf("%s: events %q, told %q, want one,two,three and nothing", name, summaries(res), got)
		}
		if got := bySummary(t, res, "two").Text("calendar_name"); got != "Other" {
			t.Errorf("%s: the second calendar is %q, want Other", name, got)
		}
	}
}

// AC-06: a moment in small letters is whole.
func TestMomentsInSmallLetters(t *testing.T) {
	t.Parallel()
	for _, stamp := range []string{"20240101T090000z", "20240101t090000Z", "20240101t090000z"} {
		f := newFolder()
		f.write("a.ics", strings.Replace(vcalendar(vevent("1", "one")), "20260101T000000Z", stamp, 1))
		if res := f.collect(t); trial.Reasons(res) != "" || summaries(res) != "one" {
			t.Errorf("%s: events %q, told %q, want one and nothing", stamp, summaries(res), trial.Reasons(res))
		}
	}
}

// AC-10: a calendar whose events another file cancels, and that is no message itself, is told with that cause, and not as one
// that is stored twice.
func TestACancellationOfACalendarsEvent(t *testing.T) {
	t.Parallel()
	f := newFolder()
	f.write("a.ics", vcalendar(vevent("1", "one")))
	f.write("b.ics", strings.Replace(vcalendar(vevent("1", "one", "STATUS:CANCELLED", "SEQUENCE:2")), "VERSION:2.0\n", "VERSION:2.0\nMETHOD:CANCEL\n", 1))
	res := f.collect(t)
	for range 2 {
		if got := trial.Reasons(res); got != calledOff.Reason {
			t.Errorf("told %q, want that the event is cancelled", got)
		}
		res = again(t, res)
	}
}

// AC-10: a folder that lies too deep is told as one that does, with what to do.
func TestFoldersThatLieDeep(t *testing.T) {
	t.Parallel()
	f := newFolder()
	f.write(strings.Repeat("a/", maxFolderDepth-1)+"x.ics", vcalendar(vevent("1", "one")))
	f.write(strings.Repeat("b/", maxFolderDepth)+"x.ics", vcalendar(vevent("2", "two")))
	res := f.collect(t)
	if got := messages(res)[tooDeep.Reason]; summaries(res) != "one" || !strings.Contains(got, "move it further up") || trial.Reasons(res) != tooDeep.Reason {
		t.Errorf("events %q, told %q %q, want one, and that the other lies too deep", summaries(res), trial.Reasons(res), got)
	}
}
