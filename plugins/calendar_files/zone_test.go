package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // the oracle
)

// zoneOf reads one VTIMEZONE.
func zoneOf(t *testing.T, text string) *zone {
	t.Helper()
	text = "BEGIN:VCALENDAR\nBEGIN:VTIMEZONE\nTZID:Z\n" + text + "\nEND:VTIMEZONE\nEND:VCALENDAR\n"
	v, problem := surveyFile(strings.NewReader(text), make([]byte, 512), "c")
	if problem != nil {
		t.Fatalf("%v, want \"\"", problem)
	}
	return v.zones.defined[zoneKey{1, "Z"}]
}

func observanceText(kind, start, from, to, rule string) string {
	return fmt.Sprintf("BEGIN:%s\nDTSTART:%s\nTZOFFSETFROM:%s\nTZOFFSETTO:%s\n%s\nEND:%s\n", kind, start, from, to, rule, kind)
}

var berlin = observanceText("DAYLIGHT", "19810329T020000", "+0100", "+0200", "RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU") +
	observanceText("STANDARD", "19961027T030000", "+0200", "+0100", "RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU")

var newYork = observanceText("DAYLIGHT", "19870405T020000", "-0500", "-0400", "RRULE:FREQ=YEARLY;BYMONTH=4;BYDAY=1SU;UNTIL=20060402T070000Z") +
	observanceText("STANDARD", "19671029T020000", "-0400", "-0500", "RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU;UNTIL=20061029T060000Z") +
	observanceText("DAYLIGHT", "20070311T020000", "-0500", "-0400", "RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=2SU") +
	observanceText("STANDARD", "20071104T020000", "-0400", "-0500", "RRULE:FREQ=YEARLY;BYMONTH=11;BYMONTHDAY=1,2,3,4,5,6,7;BYDAY=SU")

var sydney = observanceText("STANDARD", "20080406T030000", "+1100", "+1000", "RRULE:FREQ=YEARLY;BYMONTH=4;BYDAY=1SU") +
	observanceText("DAYLIGHT", "20081005T020000", "+1000", "+1100", "RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=1SU")

func TestZonesAgainstTheTimeZoneDatabase(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		from       int
	}{
		{"Europe/Berlin", berlin, 1997}, {"America/New_York", newYork, 1990}, {"Australia/Sydney", sydney, 2009},
		{"Asia/Kolkata", observanceText("STANDARD", "19700101T000000", "+0530", "+0530", ""), 1970},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			z := zoneOf(t, c.text)
			where, err := time.LoadLocation(c.name)
			if err != nil {
				t.Fatal(err)
			}
			random := rand.New(rand.NewPCG(7, 7))
			check := func(utc int64) {
				shown := time.Unix(utc, 0).In(where)
				_, offset := shown.Zone()
				got, ok := z.instant(utc + int64(offset))
				// When a wall clock time occurs twice, the first one counts.
				_, earlier := time.Unix(got, 0).In(where).Zone()
				if !ok || got > utc || got+int64(earlier) != utc+int64(offset) || (got != utc && utc-got > 3600) {
					t.Fatalf("%s is %s, read as %d (%d s earlier), want the same or at most an hour earlier", shown, time.Unix(utc, 0).UTC(), got, got-utc)
				}
			}
			for range 4000 {
				check(time.Date(c.from, 2, 1, 0, 0, 0, 0, time.UTC).Unix() + random.Int64N(40*365*86400))
			}
		})
	}
}

func TestGapAndOverlap(t *testing.T) {
	t.Parallel()
	z := zoneOf(t, newYork)
	for _, c := range []struct{ wall, want string }{
		// RFC 5545, section 3.3.5: the first of two, and the offset before a gap.
		{"20071104T013000", "2007-11-04T05:30:00Z"},
		{"20070311T023000", "2007-03-11T07:30:00Z"},
		{"20070311T015959", "2007-03-11T06:59:59Z"},
		{"20070311T030000", "2007-03-11T07:00:00Z"},
	} {
		m, _ := parseMoment([]byte(c.wall), "Z")
		utc, ok := z.instant(m.wall)
		if got := time.Unix(utc, 0).UTC().Format(time.RFC3339); !ok || got != c.want {
			t.Errorf("%s: %s, want %s", c.wall, got, c.want)
		}
	}
}

func TestZonesWithDatesInsteadOfRules(t *testing.T) {
	t.Parallel()
	z := zoneOf(t, observanceText("STANDARD", "20200101T000000", "+0000", "+0000", "RDATE:20201025T020000,20211031T020000")+
		observanceText("DAYLIGHT", "20200329T010000", "+0000", "+0100", "RDATE:20210328T010000"))
	for wall, want := range map[string]int64{"20200701T120000": 3600, "20201201T120000": 0, "20210701T120000": 3600, "20211201T120000": 0, "20190101T000000": 0} {
		m, _ := parseMoment([]byte(wall), "Z")
		if utc, ok := z.instant(m.wall); !ok || m.wall-utc != want {
			t.Errorf("%s: offset %d, want %d", wall, m.wall-utc, want)
		}
	}
}

// A zone that this reader does not understand proves nothing.
func TestZonesBeyondTheReader(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		observanceText("STANDARD", "20200101T000000", "+0000", "+0100", "RRULE:FREQ=MONTHLY;BYDAY=1SU"),
		observanceText("STANDARD", "20200101T000000", "+0000", "+0100", "RRULE:FREQ=YEARLY;COUNT=3"),
		observanceText("STANDARD", "20200101T000000", "+00", "+0100", ""),
		observanceText("STANDARD", "20200101T000000", "+0000", "+0100", "EXDATE:20210101T000000"),
		"BEGIN:STANDARD\nDTSTART:20200101T000000\nTZOFFSETTO:+0100\nEND:STANDARD\n",
		"",
	} {
		if _, ok := zoneOf(t, text).instant(1600000000); ok {
			t.Errorf("an instant was given, want none, with\n%s", text)
		}
	}
}

func TestSpan(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]span{
		"PT1H30M": {0, 5400}, "P1D": {1, 0}, "P2W": {14, 0}, "-P1DT2H": {-1, -7200}, "+PT15S": {0, 15}, "PT0S": {},
	} {
		if got, ok := parseSpan([]byte(in)); !ok || got != want {
			t.Errorf("%s: %v %v, want ok and got = %v", in, got, ok, want)
		}
	}
	for _, in := range []string{"", "P", "1H", "PT", "P1H", "PT1D", "P1", "PT99999999999H", "P-1D", "PTT1H"} {
		if got, ok := parseSpan([]byte(in)); ok && got != (span{}) {
			t.Errorf("%s: %v, want it refused or empty", in, got)
		}
	}
}

// A zone that the file does not define is that of its name, of IANA or of Windows. The file's own
// definition comes first; names that nobody knows are counted.
func TestZonesByTheirNames(t *testing.T) {
	t.Parallel()
	f := newFolder()
	in := func(name, wall string, more ...string) string {
		return "BEGIN:VEVENT\nUID:" + name + wall + "\nSUMMARY:" + name + " " + wall + "\nDTSTART;TZID=" + name + ":" + wall + "\n" + strings.Join(append(more, "END:VEVENT\n"), "\n")
	}
	own := "BEGIN:VTIMEZONE\nTZID:Asia/Tokyo\n" + observanceText("STANDARD", "19700101T000000", "+0100", "+0100", "X:1") + "END:VTIMEZONE\n"
	f.write("a.ics", vcalendar(
		in("W. Europe Standard Time", "20260110T100000", "DURATION:PT2H"), in("Europe/Berlin", "20260710T100000"), in("\"America/New_York\"", "20260110T100000"),
		in("/mozilla.org/20050126_1/Europe/Berlin", "20260110T100000"), in("Europe/Berlin", "20260329T010000", "DURATION:PT2H"),
		in("Asia/Tokyo", "20260110T100000"), own,
		in("Europe/Berlin", "19850110T100000"), in("Mars/Olympus", "20260110T100000"), in("Mars/Olympus", "20260111T100000")))
	res := f.collect(t)
	for summary, want := range map[string]string{
		"W. Europe Standard Time 20260110T100000":               "2026-01-10T09:00:00Z 2026-01-10T11:00:00Z true",
		"Europe/Berlin 20260710T100000":                         "2026-07-10T08:00:00Z 2026-07-10T08:00:00Z true",
		"\"America/New_York\" 20260110T100000":                  "2026-01-10T15:00:00Z 2026-01-10T15:00:00Z true",
		"/mozilla.org/20050126_1/Europe/Berlin 20260110T100000": "2026-01-10T09:00:00Z 2026-01-10T09:00:00Z true",
		"Europe/Berlin 20260329T010000":                         "2026-03-29T00:00:00Z 2026-03-29T02:00:00Z true",
		"Asia/Tokyo 20260110T100000":                            "2026-01-10T09:00:00Z 2026-01-10T09:00:00Z true",
		"Europe/Berlin 19850110T100000":                         "<nil> <nil> false",
		"Mars/Olympus 20260110T100000":                          "<nil> <nil> false",
	} {
		r := bySummary(t, res, summary).Fields
		if got := fmt.Sprint(r["start_utc"], " ", r["end_utc"], " ", r["time_zone_known"]); got != want {
			t.Errorf("%s: %s, want %s", summary, got, want)
		}
	}
	names, _ := res.Record(streamCoverage, "coverage:unknown_names")
	if got := names.Text("reason"); covered(res)["unknown_time_zones"] != "incomplete 3" || got != "not known, and not collected: time zone Mars/Olympus (2)" || !strings.HasPrefix(messages(res)[noYear.Reason], "1 event starts in a year") {
		t.Errorf("%s, %s, want 3 events and the names of their zones", covered(res)["unknown_time_zones"], got)
	}
}
