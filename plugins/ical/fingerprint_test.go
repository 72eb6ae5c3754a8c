package main

import "testing"

// Cursors contain the sums: a different sum for the same event would emit it again.
func TestSumsAreForGood(t *testing.T) {
	t.Parallel()
	files := newFolder()
	files.write("a.ics", vcalendar("BEGIN:VTIMEZONE\nTZID:Here\nBEGIN:STANDARD\nDTSTART:20200101T000000\nTZOFFSETFROM:+0100\nTZOFFSETTO:+0200\n"+
		"RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU;UNTIL=20300101T000000Z\nEND:STANDARD\nEND:VTIMEZONE\n",
		vevent("1", "one", "DTEND;TZID=Here:20260302T100000", "ATTENDEE;CN=\"Ada Lovelace\":mailto:ada@example.org"),
		vevent("1", "moved", "RECURRENCE-ID:20260309T090000Z", "BEGIN:VALARM\nEND:VALARM"),
		vevent("2", "two", "STATUS:CANCELLED")))
	res := files.collect(t)
	for stream, want := range map[string]string{
		"events": `{"v":2,"files":{"a.ics":{"size_bytes":756,"mtime_ms":1767319446000,"live":2,"calendar":248513414145969,` +
			`"events":"HcXHSOf4p_Ry4R9FAAAAAAAAPdgl-RhMAmweSAV-boqhkMnsmlX2OxFFX_G9eypT1vDv9axe"}}}`,
		"coverage_diagnostics": `{"v":2,"rows":{"coverage:files":60289546333120,"coverage:events":248682939226898,` +
			`"coverage:malformed_lines":154409780508511,"coverage:malformed_dates":29056062293128,"coverage:missing_uids":182769943408810,` +
			`"coverage:unknown_time_zones":120865081128886,"coverage:floating_times":244351975529002,"coverage:todos":161081371937985,` +
			`"coverage:journals":10975176083492,"coverage:free_busy":202641164095311,"coverage:subscriptions":269442523053676}}`,
	} {
		if got := res.Committed()[stream]; got != want {
			t.Errorf("%s: %s, want %s", stream, got, want)
		}
	}
}
