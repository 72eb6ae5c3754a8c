package main

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/trial"
)

// refresh does a full refresh after a run.
func refresh(t *testing.T, res *sdktest.Result, change ...trial.Change) *sdktest.Result {
	t.Helper()
	next := res.SecondRun(t, func(o *sdktest.Options) {
		trial.FullRefresh(o)
		for _, c := range change {
			c(o)
		}
	})
	schemas.Sound(t, next)
	return next
}

// after does the incremental run after a full refresh.
func (f *folder) after(t *testing.T, res *sdktest.Result) *sdktest.Result {
	t.Helper()
	next := res.SecondRun(t, func(o *sdktest.Options) { trial.Incremental(o); o.Roots = map[string]fs.FS{"calendar_files": f} })
	schemas.Sound(t, next)
	return next
}

// RT-07.1: a full refresh emits everything again. It buries the events that are no
// longer in their files or are cancelled, and the records of deleted files.
func TestFullRefreshBuries(t *testing.T) {
	t.Parallel()
	f := newFolder()
	f.write("a.ics", vcalendar(vevent("1", "one"), vevent("2", "two"), vevent("3", "three")))
	f.write("b.ics", vcalendar(vevent("1", "b one")))
	f.write("c.ics", vcalendar(vevent("1", "c one")))
	first := f.collect(t)
	var want []string
	for _, summary := range []string{"two", "three", "b one"} {
		want = append(want, bySummary(t, first, summary).Key)
	}
	calendar := bySummary(t, first, "b one").Text("calendar_id")
	f.write("a.ics", vcalendar(vevent("1", "one"), vevent("2", "two", "STATUS:CANCELLED")))
	delete(f.files, "b.ics")
	second := refresh(t, first)
	var got []string
	for _, d := range deletes(second, streamEvents) {
		got = append(got, d.Key)
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Fatalf("deleted %v, want %v", got, want)
	}
	if d := deletes(second, streamCalendars); len(d) != 1 || d[0].Key != calendar {
		t.Errorf("calendars deleted: %v, want len(d) = 1 and d[0].Key = %v", d, calendar)
	}
	if sent(second) != "one,c one" || len(second.Records(streamCalendars)) != 2 || len(second.Records(streamCoverage)) != len(first.Records(streamCoverage)) {
		t.Errorf("emitted %s, %d calendars, want one,c one and 2, and the coverage again", sent(second), len(second.Records(streamCalendars)))
	}
	if third := f.after(t, second); len(third.Changes()) != 0 {
		t.Errorf("the next run emitted %v, want len(third.Changes()) = 0", third.Changes())
	}
}

// Without earlier cursors, or when nothing of them was deleted, a full refresh emits
// the same as a first run.
func TestFullRefreshIsAFirstRun(t *testing.T) {
	t.Parallel()
	f := newFolder()
	f.write("a.ics", vcalendar(zoneBerlin, vevent("1", "one"), vevent("2", "two")))
	f.write("sub/b.ics", vcalendar(vevent("1", "b one"), "BEGIN:VTODO\nUID:t\nEND:VTODO\n"))
	first := f.collect(t)
	if fresh := f.collect(t, trial.FullRefresh); !slices.Equal(calls(fresh), calls(first)) {
		t.Error("the calls without a cursor differ")
	}
	again := refresh(t, first)
	if !slices.Equal(calls(again), calls(first)) {
		t.Error("the calls of a full refresh without deletions differ from a first run's")
	}
	if again = refresh(t, again); !slices.Equal(calls(again), calls(first)) {
		t.Error("the calls of a second full refresh differ")
	}
}

// A cancelled event that is stored is buried once.
func TestFullRefreshBuriesCancelledOnce(t *testing.T) {
	t.Parallel()
	f := newFolder()
	f.write("a.ics", vcalendar(vevent("1", "one"), vevent("2", "two"), vevent("3", "three", "STATUS:CANCELLED")))
	first := f.collect(t)
	f.write("a.ics", vcalendar(vevent("1", "one"), vevent("2", "two", "STATUS:CANCELLED"), vevent("3", "three", "STATUS:CANCELLED")))
	second := refresh(t, first)
	keys := map[string]bool{}
	for _, d := range deletes(second, streamEvents) {
		keys[d.Key] = true
	}
	if len(keys) != 1 || len(deletes(second, streamEvents)) != 1 || !keys[bySummary(t, first, "two").Key] {
		t.Errorf("deleted %v, want len(keys) = 1, len(deletes(second, streamEvents)) = 1 and keys[bySummary(t, first, \"two\").Key]", deletes(second, streamEvents))
	}
}

// A file that a full refresh could not read keeps its events in the cursor, and none is
// buried. A later run that can read it emits its events and buries the rest.
func TestPartialFullRefresh(t *testing.T) {
	t.Parallel()
	whole := vcalendar(vevent("1", "one"), vevent("2", "two"))
	for name, c := range map[string]struct {
		spoil  func(f *folder) fs.FS
		reason string
	}{
		"file ends early":       {func(f *folder) fs.FS { f.write("sub/a.ics", whole[:len(whole)/2]); return f }, "file_incomplete"},
		"file is a page":        {func(f *folder) fs.FS { f.write("sub/a.ics", "<html></html>\n"); return f }, "not_a_calendar"},
		"file cannot be read":   {func(f *folder) fs.FS { return unreadable{f.files, "sub/a.ics"} }, "file_unreadable"},
		"folder cannot be read": {func(f *folder) fs.FS { return unreadable{f.files, "sub"} }, "file_unreadable"},
	} {
		for _, removed := range []bool{false, true} { // the event alone, or its file
			t.Run(fmt.Sprint(name, removed), func(t *testing.T) {
				t.Parallel()
				f := newFolder()
				f.write("sub/a.ics", whole)
				f.write("z.ics", vcalendar(vevent("z", "other")))
				first := f.collect(t)
				one, two := bySummary(t, first, "one").Key, bySummary(t, first, "two").Key
				// Twice: the second refresh has only the cursor of the first.
				second := refresh(t, first, func(o *sdktest.Options) { o.Roots = map[string]fs.FS{"calendar_files": c.spoil(f)} })
				second = refresh(t, second)
				if trial.Reasons(second) != c.reason || sent(second) != "other" || len(deletes(second, streamEvents))+len(deletes(second, streamCalendars)) != 0 {
					t.Fatalf("%s: %v, want trial.Reasons(second) = %s, summaries(second) = other and len(deletes(second, streamEvents))+len(deletes(second, streamCalendars)) = 0", trial.Reasons(second), second.Changes(), c.reason)
				}
				if r, _ := second.Record(streamCoverage, "coverage:events"); r.Text("reason") != "events that are not cancelled" {
					t.Errorf("coverage: %s, want Text(\"reason\") = events that are not cancelled", r.Data)
				}
				want := map[string]bool{two: true}
				if delete(f.files, "sub/a.ics"); removed {
					want[one] = true
				} else {
					f.write("sub/a.ics", vcalendar(vevent("1", "one")))
				}
				third := f.after(t, second)
				for _, d := range deletes(third, streamEvents) {
					if !want[d.Key] {
						t.Errorf("%s got a tombstone, want none", d.Key)
					}
					delete(want, d.Key)
				}
				if len(want) != 0 || removed != (len(deletes(third, streamCalendars)) == 1) || removed != (sent(third) == "") || sent(third) != "" && sent(third) != "one" {
					t.Errorf("not deleted %v; %v", want, third.Changes())
				}
				if last := f.after(t, third); len(last.Changes()) != 0 {
					t.Errorf("emitted again: %v, want len(last.Changes()) = 0", last.Changes())
				}
			})
		}
	}
}

// Over some of the streams, too, an unchanged file is read and emitted again.
func TestFullRefreshOfEventsOnly(t *testing.T) {
	t.Parallel()
	f := newFolder()
	f.write("a.ics", vcalendar(vevent("1", "one"), vevent("2", "two")))
	f.write("b.ics", vcalendar(vevent("3", "three")))
	first := f.collect(t)
	delete(f.files, "b.ics")
	second := refresh(t, first, func(o *sdktest.Options) { o.Streams = []string{streamEvents} })
	if sent(second) != "one,two" || len(deletes(second, streamEvents)) != 1 {
		t.Fatalf("%v, want summaries(second) = one,two and len(deletes(second, streamEvents)) = 1", second.Changes())
	}
	third := second.SecondRun(t, func(o *sdktest.Options) { trial.Incremental(o); o.Streams = nil })
	if len(deletes(third, streamCalendars)) != 1 || len(deletes(third, streamEvents)) != 0 || summaries(third) != "" {
		t.Errorf("%v, want len(deletes(third, streamCalendars)) = 1, len(deletes(third, streamEvents)) = 0 and summaries(third) = \"\"", third.Changes())
	}
}

// A full refresh that does not collect events has nothing to compare with: it buries
// nothing, and leaves the cursor to a run that does.
func TestFullRefreshOfOtherStreams(t *testing.T) {
	t.Parallel()
	f := newFolder()
	f.write("a.ics", vcalendar(vevent("1", "one")))
	f.write("b.ics", vcalendar(vevent("2", "two")))
	first := f.collect(t)
	delete(f.files, "b.ics")
	second := refresh(t, first, func(o *sdktest.Options) { o.Streams = []string{streamCalendars} })
	if len(deletes(second, streamCalendars)) != 0 || len(second.Records(streamCalendars)) != 1 {
		t.Fatalf("%v, want len(deletes(second, streamCalendars)) = 0 and len(second.Records(streamCalendars)) = 1", second.Changes())
	}
	third := second.SecondRun(t, func(o *sdktest.Options) { trial.Incremental(o); o.Streams = nil })
	if len(deletes(third, streamCalendars)) != 1 || len(deletes(third, streamEvents)) != 1 {
		t.Errorf("%v, want len(deletes(third, streamCalendars)) = 1 and len(deletes(third, streamEvents)) = 1", third.Changes())
	}
}

// A cursor of another version also leads to the deleted events, and so does one of version
// 0.2.0.
func TestFullRefreshFromOtherCursors(t *testing.T) {
	t.Parallel()
	f := newFolder()
	f.write("a.ics", vcalendar(vevent("1", "one"), vevent("2", "two")))
	first := f.collect(t)
	good := first.Committed()[streamEvents]
	f.write("a.ics", vcalendar(vevent("1", "one")))
	for name, c := range map[string]struct {
		state string
		gone  int
	}{
		"version":  {strings.Replace(version020(t, first, false), `"v":2`, `"v":99`, 1), 1},
		"ids":      {version020(t, first, true), 1},
		"nothing":  {strings.Replace(version020(t, first, true), `"ids":"`, `"no":"`, 1), 0},
		"broken":   {strings.Replace(version020(t, first, false), `"events":"`, `"events":"AAAA`, 1), 0},
		"no files": {`{"v":2,"files":[]}`, 0},
	} {
		next := refresh(t, first, func(o *sdktest.Options) { withoutParts(t, first, c.state, o) })
		if len(next.Records(streamEvents)) != 1 || len(deletes(next, streamEvents)) != 0 || len(next.Records(streamCalendars)) != 1 {
			t.Errorf("%s: %v, want one event, one calendar, and no event deleted before it is in a part", name, next.Changes())
		}
		if n := len(deletes(f.after(t, next), streamEvents)); n != c.gone {
			t.Errorf("%s: the next run deletes %d events, want %d", name, n, c.gone)
		}
	}
	if next := refresh(t, first, func(o *sdktest.Options) {
		o.State = map[string]string{streamEvents: strings.Replace(good, `"v":2`, `"v":99`, 1)}
	}); len(deletes(next, streamEvents)) != 1 {
		t.Errorf("another version: %v, want the event that is gone deleted", next.Changes())
	}
}

// No event has the fingerprint of a cancelled one.
func TestNoEventHasAReservedPrint(t *testing.T) {
	t.Parallel()
	for _, sum := range []uint64{0, 1, 1 << 48, 1<<48 + 1} {
		v := &survey{groups: make([]group, 1), named: []string{""}, entries: map[eventID]entry{{1}: {fingerprint: sum}}}
		if v.complete(); (sum != 0) != (v.entries[eventID{1}].fingerprint != 0) {
			t.Errorf("fingerprint %d became %d, want 0 for a cancelled event alone", sum, v.entries[eventID{1}].fingerprint)
		}
	}
}

// A calendar without a calendar's name stays among the files that are looked into, however many others
// come before it: one that is not looked at is not gone.
func TestACalendarBehindManyOtherFiles(t *testing.T) {
	t.Parallel()
	f := newFolder()
	f.write("anchor.ics", vcalendar(vevent("a", "a")))
	f.write("zcal", vcalendar(vevent("1", "one")))
	first := sdktest.Collect(t, connector{}, sdktest.Options{Roots: map[string]fs.FS{rootName: f}})
	for i := range maxOthers + 1 {
		f.write(fmt.Sprintf("b%04d.jpg", i), "x")
	}
	if n := len(first.SecondRun(t, nil).Stored()[streamEvents]); n != 2 {
		t.Errorf("got %d events stored, want 2", n)
	}
}
