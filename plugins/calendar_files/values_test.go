package main

import (
	"strings"
	"testing"
)

// AC-05, AC-06: a value that is no date, duration or number is counted, and a record has it as its file does where it has the
// words.
func TestValuesThatAreNone(t *testing.T) {
	t.Parallel()
	f := newFolder()
	f.write("a.ics", vcalendar(vevent("1", "one", "DURATION:1 hour", "RECURRENCE-ID:whenever", "EXDATE:20240231T100000Z,Jan 5,20240101", "RDATE:tomorrow",
		"RDATE;VALUE=PERIOD:20240101T100000Z/PT1H", "PRIORITY:high", "SEQUENCE:abc")))
	res := f.collect(t)
	if got, want := messages(res)[badDates.Reason], "5 dates or durations of events are impossible"; !strings.HasPrefix(got, want) {
		t.Errorf("the run says %q, want %q", got, want)
	}
	if got := bySummary(t, res, "one").Text("duration"); got != "1 hour" {
		t.Errorf("the duration is %q, want what its file has", got)
	}
	counted := ""
	for _, u := range res.Items(streamEvents).Unknown {
		counted += u.Name + ";"
	}
	if want := "property PRIORITY that is no number;property SEQUENCE that is no number;"; counted != want {
		t.Errorf("counted %q, want %q", counted, want)
	}
}
