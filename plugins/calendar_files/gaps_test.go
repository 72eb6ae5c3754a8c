package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/contentline"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

// covered returns the coverage rows of a run as "store: status count".
func covered(res *sdktest.Result) map[string]string {
	rows := map[string]string{}
	for _, r := range res.Records(streamCoverage) {
		rows[r.Text("store")] = fmt.Sprint(r.Text("status"), " ", r.Fields["count"])
	}
	return rows
}

func messages(res *sdktest.Result) map[string]string {
	m := map[string]string{}
	for _, s := range res.Skips {
		m[s.Reason] = s.Message + " " + string(s.Diagnostics)
	}
	return m
}

// Impossible dates, undefined zones and missing UIDs are gaps with a count, in every
// run until the file is mended.
func TestGapsInsideOfFiles(t *testing.T) {
	t.Parallel()
	f := newFolder()
	raw := func(uid string, lines ...string) string {
		return "BEGIN:VEVENT\n" + uid + "SUMMARY:" + strings.TrimSpace(uid) + "\n" + strings.Join(lines, "\n") + "\nEND:VEVENT\n"
	}
	f.write("a.ics", vcalendar(
		raw("UID:impossible\n", "DTSTART;VALUE=DATE:20260230"),
		raw("UID:impossible-end\n", "DTSTART:20260228T090000Z", "DTEND:20260230T100000Z", "CREATED:20261301T000000Z", "DURATION:PX"),
		raw("UID:mars\n", "DTSTART;TZID=Mars/Olympus:20260302T090000"),
		raw("UID:mars-end\n", "DTSTART:20260302T090000Z", "DTEND;TZID=Mars/Olympus:20260302T100000"),
		raw("UID:gone\n", "STATUS:CANCELLED", "DTSTART;TZID=Mars/Olympus:20260302T090000"),
		raw("UID:gmt\n", "DTSTART;TZID=gmt:20260302T090000"), raw("UID:berlin\n", "DTSTART;TZID=Europe/Berlin:20260302T090000"),
		raw("UID:floating\n", "DTSTART:20260302T090000"),
		raw("", "DTSTART:20260302T090000Z"), zoneBerlin))
	f.write("b.ics", vcalendar(raw("", "DTSTART:20260303T090000Z")))
	first := f.collect(t)
	want := map[string]string{
		badDates.Reason: `4 dates or durations of events are impossible; the events were collected, without them or with them as their files have them {"count":4,"files":["a.ics, line 5"],"places":1}`,
		noStart.Reason:  `1 event has no start that can be read; it was collected without one {"count":1,"files":["a.ics, line 5"]}`,
		noZone.Reason:   `2 events are in time zones that neither their files nor this connector defines; only their local times are known {"count":2,"files":["a.ics"],"places":1}`,
		noUID.Reason:    `2 events have no UID; when they are edited, they become other events {"count":2,"files":["a.ics","b.ics"]}`,
	}
	if got := messages(first); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
	rows := covered(first)
	for store, status := range map[string]string{
		"malformed_lines": "collected 0", "malformed_dates": "incomplete 4", "unknown_time_zones": "incomplete 2", "missing_uids": "incomplete 2",
		"floating_times": "collected 1",
	} {
		if rows[store] != status {
			t.Errorf("%s: %q, want %q", store, rows[store], status)
		}
	}
	for _, summary := range []string{"UID:impossible", "UID:mars", "UID:floating"} {
		if r := bySummary(t, first, summary); r.Fields["start_utc"] != nil || r.Fields["time_zone_known"] == true {
			t.Errorf("%s: %v, want Fields[\"start_utc\"] = nil and Fields[\"time_zone_known\"] not true", summary, r.Fields)
		}
	}
	second := again(t, first)
	if len(second.Changes()) != 0 || fmt.Sprint(messages(second)) != fmt.Sprint(want) {
		t.Errorf("second run: %v %v, want len(second.Changes()) = 0 and messages(second) = %v", second.Changes(), messages(second), fmt.Sprint(want))
	}
	f.write("a.ics", vcalendar(raw("UID:one\n", "DTSTART;VALUE=DATE:20260230")))
	f.write("b.ics", vcalendar(raw("UID:two\n", "DTSTART;TZID=Mars/Olympus:20260302T090000")))
	third := again(t, second)
	want = map[string]string{
		badDates.Reason: `1 date or duration of an event is impossible; the event was collected, without it or with it as its file has it {"count":1,"files":["a.ics, line 5"]}`,
		noStart.Reason:  `1 event has no start that can be read; it was collected without one {"count":1,"files":["a.ics, line 5"]}`,
		noZone.Reason:   `1 event is in a time zone that neither its file nor this connector defines; only its local time is known {"count":1,"files":["b.ics"]}`,
	}
	if got := messages(third); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
	if rows := covered(third); rows["missing_uids"] != "collected 0" || rows["floating_times"] != "absent 0" {
		t.Errorf("%v, want rows[\"missing_uids\"] = collected 0 and rows[\"floating_times\"] = absent 0", rows)
	}
	f.write("a.ics", vcalendar(vevent("1", "one")))
	f.write("b.ics", vcalendar(vevent("2", "two")))
	if last := again(t, third); len(last.Skips) != 0 {
		t.Errorf("after the repair: %+v, want len(last.Skips) = 0", last.Skips)
	}
}

// However many zones a file names, the survey keeps a bounded number of them.
func TestZonesNamedAreBounded(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 2 * maxNames {
		b.WriteString(strings.Replace(vevent(fmt.Sprint(i), "x"), "DTSTART:20260302T090000Z", fmt.Sprintf("DTSTART;TZID=Z%d:20260302T090000", i), 1))
	}
	b.WriteString(strings.Replace(vevent("long", "x"), "DTSTART:20260302T090000Z", "DTSTART;TZID="+strings.Repeat("z", 2*maxZoneName)+":20260302T090000", 1))
	f := newFolder()
	f.write("a.ics", vcalendar(b.String()))
	file, err := f.Open("a.ics")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	v, problem := surveyFile(file, make([]byte, 64<<10), "c")
	if problem != nil || len(v.named) > maxNames || v.counts.unknownZone != 2*maxNames+1 {
		t.Fatalf("%v, %d names, %d events, want no problem, at most %d and 2*maxNames+1", problem, len(v.named), v.counts.unknownZone, maxNames)
	}
}

func TestWordingOfOneFile(t *testing.T) {
	t.Parallel()
	f := newFolder()
	f.write("a.ics", "BEGIN:VCALENDAR\n")
	res := f.collect(t)
	if got := messages(res)[torn.Reason]; !strings.HasPrefix(got, "1 calendar file ends early, has zeros in the place of text, or does not close what it opens; what is whole was collected, and its earlier events stay ") {
		t.Errorf("%v, want the words for one file", got)
	}
	if r, _ := res.Record(streamCoverage, "coverage:files"); r.Text("reason") != "1 file or folder could not be collected whole; its earlier records stay" {
		t.Errorf("%v, want 1 file or folder could not be collected whole; its earlier records stay", r.Text("reason"))
	}
}

// hints are the recovery actions of a run's skips, by reason.
func hints(res *sdktest.Result) map[string]string {
	m := map[string]string{}
	for _, s := range res.Skips {
		m[s.Reason] += string(s.RecoveryHint)
	}
	return m
}

// A file that never was a calendar is left to the host, which tells of it. One that was, and whose
// events are still kept, is for its owner to put right (HL-05.1, AC-03).
func TestStrangersAreLeftToTheHost(t *testing.T) {
	t.Parallel()
	f := newFolder()
	f.write("a.ics", vcalendar(vevent("1", "one")))
	f.write("page.ics", "<html></html>\n")
	first := f.collect(t)
	if got := first.File(rootName, "page.ics"); got != abi.FileUnknown || len(first.Skips) != 0 {
		t.Errorf("got %q and %+v, want %q and no report", got, first.Skips, abi.FileUnknown)
	}
	f.write("a.ics", "<html></html>\n")
	for range 2 {
		if first = again(t, first); hints(first)[notICal.Reason] != `"manual_action_required"` {
			t.Errorf("%+v, want hints(first)[notICal.Reason] = %s", first.Skips, `"manual_action_required"`)
		}
	}
}

// A line that was cut leaves its event collected (HL-05.1).
func TestACutLineIsForInformation(t *testing.T) {
	t.Parallel()
	f := newFolder()
	f.write("a.ics", vcalendar(vevent("1", "one", "DESCRIPTION:"+strings.Repeat("x", contentline.MaxBytes))))
	if first := f.collect(t); summaries(first) != "one" || hints(first)[cutLines.Reason] != `"not_retriable"` {
		t.Errorf("%s %v, want summaries(first) = one and hints(first)[cutLines.Reason] = %s", summaries(first), hints(first), `"not_retriable"`)
	}
}

// A folder without calendar files is reported as such.
func TestNothingFound(t *testing.T) {
	t.Parallel()
	f := newFolder()
	first := f.collect(t)
	if got := hints(first); len(got) != 1 || got[nothing.Reason] != `"not_retriable"` {
		t.Errorf("%v, want len(got) = 1 and got[nothing.Reason] = %s", got, `"not_retriable"`)
	}
	f.write("a.ics", vcalendar(vevent("1", "one")))
	if got := hints(again(t, first)); len(got) != 0 {
		t.Errorf("%v, want len(got) = 0", got)
	}
}
