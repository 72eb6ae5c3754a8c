package main

import (
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/testplugins/rig/trial"
)

// zeroed overwrites the text from one place to another with zero bytes, as a disk does that has lost a block.
func zeroed(t *testing.T, text, from, to string) string {
	t.Helper()
	i := strings.Index(text, from)
	if i < 0 || !strings.Contains(text[i+len(from):], to) {
		t.Fatalf("no %q before %q in %q", from, to, text)
	}
	i += len(from)
	n := strings.Index(text[i:], to)
	return text[:i] + strings.Repeat("\x00", n) + text[i+n:]
}

// AC-06: a block that is lost in a calendar costs the events that it touches. Two of them are never
// taken for one, the loss is told with its place, and nothing is deleted that was in the block.
func TestABlockThatIsLost(t *testing.T) {
	t.Parallel()
	uidFirst := vcalendar(vevent("1@x", "one"), vevent("2@x", "two"), vevent("3@x", "three"))
	// As Google writes events.
	startFirst := strings.NewReplacer("UID:1@x\n", "", "UID:2@x\n", "", "UID:3@x\n", "",
		"SUMMARY:one", "UID:1@x\nSUMMARY:one", "SUMMARY:two", "UID:2@x\nSUMMARY:two", "SUMMARY:three", "UID:3@x\nSUMMARY:three",
		"DTSTAMP:20260101T000000Z\nDTSTART:20260302T090000Z\n", "DTSTART:20260302T090000Z\nDTSTAMP:20260101T000000Z\n").Replace(uidFirst)
	for i, day := range []string{"02", "03", "04"} {
		at := "20260302T090000Z\nDTSTAMP:20260101T000000Z\nUID:" + string(rune('1'+i))
		startFirst = strings.Replace(startFirst, at, strings.Replace(at, "0302", "03"+day, 1), 1)
	}
	cut := func(text, from, to string) string { return strings.ReplaceAll(zeroed(t, text, from, to), "\x00", "") }
	for name, c := range map[string]struct{ text, events, place string }{
		"zeros over an end":                      {zeroed(t, uidFirst, "DTSTAMP:2026", "UID:2@x"), "three", "line 7"},
		"zeros up to the next line":              {zeroed(t, uidFirst, "DTSTAMP:2026", "\nUID:2@x"), "two,three", "line 7"},
		"zeros in the middle of BEGIN":           {zeroed(t, uidFirst, "SUMMARY:o", "T\nUID:2@x"), "two,three", "line 9"},
		"zeros, start first":                     {zeroed(t, startFirst, "SUMMARY:o", "T\nDTSTART:20260303"), "two,three", "line 9"},
		"zeros that take the second UID along":   {zeroed(t, uidFirst, "SUMMARY:o", "TAMP:"), "three", "line 9"},
		"zeros in a text":                        {zeroed(t, uidFirst, "SUMMARY:t", "o\nEND:VEVENT\nBEGIN:VEVENT\nUID:3"), "one,three", "line 15"},
		"zeros between events":                   {zeroed(t, uidFirst, "SUMMARY:one\nEND:VEVENT\n", "VEVENT\nUID:2@x"), "one,three", "line 11"},
		"zeros behind the end":                   {uidFirst + strings.Repeat("\x00", 64), "one,two,three", "line 24"},
		"no zeros, UID first":                    {cut(uidFirst, "DTSTAMP:2026", "\nUID:2@x"), "two,three", "line 5"},
		"no zeros, start first":                  {cut(startFirst, "DTSTAMP:2026", "\nDTSTART:20260303"), "two,three", "line 5"},
		"no zeros, a start that is not first":    {cut(strings.Replace(uidFirst, "0302T090000Z\nSUMMARY:two", "0303T090000Z\nSUMMARY:two", 1), "SUMMARY:o", "\nDTSTAMP:20260101T000000Z\nDTSTART:20260303"), "three", "line 5"},
		"no zeros, a second UID that is later":   {cut(startFirst, "DTSTAMP:2026", "\nUID:2@x"), "three", "line 5"},
		"no zeros, a word behind DTSTAMP":        {cut(startFirst, "DTSTAMP:2026", "ID:2@x"), "three", "line 5"},
		"a DTSTAMP in a form of its own":         {strings.Replace(uidFirst, "DTSTAMP:20260101T000000Z", "DTSTAMP:2026-01-01T00:00:00Z", 1), "one,two,three", ""},
		"no zeros, no UID behind another start":  {strings.Replace(cut(startFirst, "DTSTAMP:2026", "\nDTSTART:20260303"), "UID:2@x\n", "", 1), "three", "line 5"},
		"zeros in an alarm":                      {strings.Replace(uidFirst, "END:VEVENT\nBEGIN:VEVENT\nUID:2", "BEGIN:VALARM\nX:\x00\x00\nEND:VALARM\nEND:VEVENT\nBEGIN:VEVENT\nUID:2", 1), "two,three", "line 11"},
		"one zero behind a line of an event":     {strings.Replace(uidFirst, "SUMMARY:one", "SUMMARY:one\x00", 1), "two,three", "line 9"},
		"no zeros, a UID that is not first":      {cut(startFirst, "SUMMARY:o", "\nDTSTAMP:20260101T000000Z\nUID:2@x"), "three", "line 5"},
		"a DTSTAMP that is a word":               {strings.Replace(uidFirst, "DTSTAMP:20260101T000000Z", "DTSTAMP:now", 1), "one,two,three", ""},
		"blanks around the same UID, twice":      {strings.Replace(uidFirst, "UID:2@x", "UID: 2@x\nUID: 2@x", 1), "one,two,three", ""},
		"one zero at the end":                    {uidFirst + "\x00", "one,two,three", ""},
		"one zero behind the last line":          {strings.TrimSuffix(uidFirst, "\n") + "\x00", "one,two,three", ""},
		"the same UID and the same start, twice": {strings.Replace(uidFirst, "SUMMARY:two", "UID: 2@x\nDTSTART: 20260302T090000Z\nSUMMARY:two", 1), "one,two,three", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFolder()
			f.raw("a.ics", vcalendar(vevent("1@x", "before"), vevent("2@x", "before"), vevent("3@x", "before"), vevent("4@x", "before")))
			first := f.collect(t)
			f.raw("a.ics", c.text)
			res := again(t, first)
			if got := summaries(res); got != c.events {
				t.Errorf("events %q, want %q", got, c.events)
			}
			told, lost := messages(res)[torn.Reason], len(deletes(res, streamEvents))
			if c.place == "" {
				if told != "" || lost == 0 {
					t.Errorf("told %q, %d deleted, want no damage", told, lost)
				}
				return
			}
			if !strings.Contains(told, `["a.ics, `+c.place+`"]`) || lost != 0 {
				t.Errorf("told %q of %s, %d deleted, want %s and none", told, trial.Reasons(res), lost, c.place)
			}
			if next := again(t, res); messages(next)[torn.Reason] != told || len(deletes(next, streamEvents)) != 0 {
				t.Errorf("the next run tells %q and deletes %v, want the same and none", messages(next)[torn.Reason], deletes(next, streamEvents))
			}
		})
	}
}

// A zone that has lost a line gives no event its instants.
func TestAZoneWithZeros(t *testing.T) {
	t.Parallel()
	zone := strings.ReplaceAll(zoneBerlin, "Europe/Berlin", "Ours")
	f := newFolder()
	for name, in := range map[string]string{"a.ics": zone, "b.ics": strings.Replace(zone, "RRULE", "X:\x00\x00", 1)} {
		f.write(name, vcalendar(in, strings.Replace(vevent("1", name), "DTSTART:20260302T090000Z", "DTSTART;TZID=Ours:20260302T090000", 1)))
	}
	res := f.collect(t)
	if whole, torn := bySummary(t, res, "a.ics").Text("start_utc"), bySummary(t, res, "b.ics").Text("start_utc"); whole == "" || torn != "" {
		t.Errorf("starts %q and %q, want one of the whole zone and none", whole, torn)
	}
}
