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
		"events": `{"v":8,"files":{"a.ics":{"size_bytes":756,"mtime_ms":1767319446000,"live":2,"calendar":143625906444451,"sum":185919237273925,"cancelled":1,` +
			`"content":110686577510285,"identity":107788469387013,"sample":[14586084825033,140651105829928],"standing":[140651105829928,0,14586084825033,0]}}}`,
		"coverage_diagnostics": `{"v":1,"items":{"coverage:alike_events":75713381664595,"coverage:cancelled_events":192013817119017,"coverage:copied_events":168689526706885,"coverage:duplicate_events":241397544201463,"coverage:events":80601085649443,` +
			`"coverage:files":8766580171381,"coverage:floating_times":158314433478029,"coverage:free_busy":53244067939935,` +
			`"coverage:guessed_encodings":244382364356753,"coverage:journals":78862647727925,"coverage:malformed_dates":191676572012453,` +
			`"coverage:malformed_lines":24841391227971,"coverage:missing_starts":262490655982423,"coverage:missing_uids":231125818298183,` +
			`"coverage:subscriptions":55315619655625,"coverage:superseded_events":159424221570477,"coverage:todos":27314733926239,` +
			`"coverage:unknown_names":21256745258979,"coverage:unknown_time_zones":170661252550231}}`,
	} {
		if got := res.Committed()[stream]; got != want {
			t.Errorf("%s: %s, want %s", stream, got, want)
		}
	}
}
