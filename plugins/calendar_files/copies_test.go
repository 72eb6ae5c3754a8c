package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/trial"
)

// sources counts the events that are stored, by the file that they come from.
func sources(res *sdktest.Result) string {
	n := map[string]int{}
	for _, r := range res.Stored()[streamEvents] {
		n[r.Text("source_file")]++
	}
	return fmt.Sprint(n)
}

// AC-04: a calendar that lies in a folder twice, as a browser saves a second download, is collected
// once. The copy is told and counted, in each run, and it is collected when the other file changes or goes.
func TestACalendarThatIsThereTwice(t *testing.T) {
	t.Parallel()
	f := newFolder()
	text := vcalendar(vevent("1", "one"), vevent("2", "two", "RECURRENCE-ID:20260302T090000Z"), vevent("3", "gone", "STATUS:CANCELLED"))
	f.write("basic.ics", text)
	f.write("basic (1).ics", text)
	f.write("sub/later.ics", strings.ReplaceAll(text, "DTSTAMP:20260101", "DTSTAMP:20260301"))
	res := f.collect(t)
	if items := res.Items(streamEvents); items.Emitted != 2 || items.Duplicate != 4 || items.NotRecord != 3 {
		t.Errorf("%+v, want 2 emitted, 4 duplicates and 3 that are cancelled", items)
	}
	for run := range 3 {
		if got := sources(res); got != "map[basic.ics:2]" || len(res.Stored()[streamCalendars]) != 1 {
			t.Errorf("run %d: events of %s and %d calendars, want those of basic.ics and its calendar", run, got, len(res.Stored()[streamCalendars]))
		}
		const want = `2 calendar files have the calendars and the events of others, and their events are collected from those: take one of each two out of the folder ` +
			`{"count":2,"files":["basic (1).ics, the same as basic.ics","sub/later.ics, the same as basic.ics"]}`
		if got := messages(res)[copyKind.Reason]; got != want || trial.Reasons(res) != copyKind.Reason {
			t.Errorf("run %d: %s, %s, want %s", run, trial.Reasons(res), got, want)
		}
		for _, p := range []string{"basic.ics", "basic (1).ics", "sub/later.ics"} {
			if got := res.File(rootName, p); got != abi.FileRead {
				t.Errorf("run %d: %s ends as %q, want %q", run, p, got, abi.FileRead)
			}
		}
		if run > 0 && len(res.Changes()) > 0 {
			t.Errorf("run %d: %v, want no change", run, res.Changes())
		}
		res = again(t, res)
	}
	f.write("basic.ics", vcalendar(vevent("1", "edited")))
	res = again(t, res)
	if got := sources(res); got != "map[basic (1).ics:2 basic.ics:1]" || trial.Reasons(res) != "calendar_copied,calendar_twice" {
		t.Errorf("the first changes: events of %s, told %s, want those of the copy, too", got, trial.Reasons(res))
	}
	delete(f.files, "basic (1).ics")
	res = again(t, again(t, res))
	if got := sources(res); got != "map[basic.ics:1 sub/later.ics:2]" || trial.Reasons(res) != "calendar_twice" {
		t.Errorf("the copy goes: events of %s, told %s, want those of the other copy", got, trial.Reasons(res))
	}
	delete(f.files, "sub/later.ics")
	if res = again(t, again(t, res)); sources(res) != "map[basic.ics:1]" || len(res.Skips) != 0 || len(res.Stored()[streamCalendars]) != 1 {
		t.Errorf("one is left: events of %s, told %s, %d calendars, want its own and nothing told", sources(res), trial.Reasons(res), len(res.Stored()[streamCalendars]))
	}
}

// A file that was collected keeps its records when it becomes a copy of another one, and what is stored
// twice is told.
func TestAFileThatBecomesACopy(t *testing.T) {
	t.Parallel()
	f := newFolder()
	f.write("a.ics", vcalendar(vevent("1", "one")))
	f.write("b.ics", vcalendar(vevent("2", "two")))
	first := f.collect(t)
	f.write("a.ics", vcalendar(vevent("2", "two")))
	res := again(t, again(t, first))
	if got := sources(res); got != "map[a.ics:1 b.ics:1]" || trial.Reasons(res) != twice.Reason {
		t.Errorf("events of %s, told %s, want those of each, told as stored twice", got, trial.Reasons(res))
	}
	if res = again(t, res); len(res.Changes()) != 0 || !strings.Contains(messages(res)[twice.Reason], `["b.ics and a.ics"]`) {
		t.Errorf("the next run: %v, %s, want no change and both files named", res.Changes(), messages(res)[twice.Reason])
	}
}

// A file of which the host may have records is no copy of another one: its records would belong to no file, and
// stay for ever.
func TestAFileThatTheHostKnowsIsNoCopy(t *testing.T) {
	t.Parallel()
	text := vcalendar(vevent("1", "one"))
	for what, between := range map[string]func(t *testing.T, f *folder, res *sdktest.Result) *sdktest.Result{
		"gone for a while": func(t *testing.T, f *folder, res *sdktest.Result) *sdktest.Result {
			t.Helper()
			delete(f.files, "a_longer.ics")
			for range 2 { // its calendar stays at the host
				res = res.SecondRun(t, trial.Only(streamEvents))
			}
			f.write("a_longer.ics", text)
			return again(t, res.SecondRun(t, trial.Only()))
		},
		"no longer in the cursor": func(t *testing.T, _ *folder, res *sdktest.Result) *sdktest.Result {
			t.Helper()
			return res.SecondRun(t, func(o *sdktest.Options) {
				o.State = res.Committed()
				var whole map[string]any
				if err := json.Unmarshal([]byte(o.State[streamEvents]), &whole); err != nil {
					t.Fatal(err)
				}
				delete(whole["files"].(map[string]any), "a_longer.ics")
				whole["dropped"] = 1
				cut, err := json.Marshal(whole)
				if err != nil {
					t.Fatal(err)
				}
				o.State[streamEvents] = string(cut)
			})
		},
	} {
		f := newFolder()
		f.write("a_longer.ics", text)
		res := f.collect(t)
		f.write("b.ics", text)
		res = between(t, f, again(t, res))
		delete(f.files, "a_longer.ics")
		res = again(t, again(t, res))
		if got, n := sources(res), len(res.Stored()[streamCalendars]); got != "map[b.ics:1]" || n != 1 {
			t.Errorf("%s: events of %s and %d calendars, want those of b.ics alone", what, got, n)
		}
	}
}

// AC-04: an invitation that another file cancels is told, in each run, while both are there. An earlier version cancels
// nothing, and a later invitation stands.
func TestAnInvitationThatIsCalledOff(t *testing.T) {
	t.Parallel()
	object := func(method string, events ...string) string {
		return strings.Replace(named("", events...), "VERSION:2.0\n", "VERSION:2.0\nMETHOD:"+method+"\n", 1)
	}
	f := newFolder()
	f.write("invite.ics", object("REQUEST", vevent("1", "one", "SEQUENCE:2")))
	f.write("series.ics", object("REQUEST", vevent("2", "two", "RRULE:FREQ=DAILY")))
	f.write("stands.ics", object("REQUEST", vevent("3", "three", "SEQUENCE:4")))
	res := f.collect(t)
	f.write("off.ics", object("CANCEL", vevent("1", "one", "SEQUENCE:2"), vevent("2", "two", "RECURRENCE-ID:20260303T090000Z"), vevent("3", "three", "SEQUENCE:3")))
	for range 2 {
		res = again(t, res)
		if got := messages(res)[calledOff.Reason]; !strings.HasPrefix(got, "2 events are cancelled") || !strings.Contains(got, `["invite.ics, by off.ics","series.ics, by off.ics"]`) {
			t.Errorf("told %s %s, want the two that are cancelled", trial.Reasons(res), got)
		}
		if got := sources(res); got != "map[invite.ics:1 series.ics:1 stands.ics:1]" {
			t.Errorf("events of %s, want all", got)
		}
	}
	delete(f.files, "invite.ics")
	f.write("series.ics", object("REQUEST", vevent("2", "two", "RRULE:FREQ=DAILY", "SEQUENCE:1")))
	if res = again(t, res); trial.Reasons(res) != "" {
		t.Errorf("told %s, want nothing of an invitation that is gone, or is newer", trial.Reasons(res))
	}
}

// AC-04: an export of a calendar that has others of its events, as a later one has, is told beside the
// first. A calendar of another name or id, or with hardly an event of the other, is none.
func TestASecondExport(t *testing.T) {
	t.Parallel()
	events := func(from, to int) string {
		var b strings.Builder
		for n := from; n < to; n++ {
			b.WriteString(vevent(fmt.Sprint(n), fmt.Sprint("event ", n)))
		}
		return b.String()
	}
	name := func(line, text string) string { return strings.Replace(text, "X-WR-CALNAME:Home\n", line, 1) }
	for what, c := range map[string]struct {
		other string
		told  bool
	}{
		"later":              {vcalendar(events(10, 300)), true},
		"earlier":            {vcalendar(events(0, 90)), true},
		"edited":             {vcalendar(strings.ReplaceAll(events(0, 100), "event", "meeting")), true},
		"of next year":       {vcalendar(events(98, 200)), false},
		"of another name":    {name("X-WR-CALNAME:Work\n", vcalendar(events(0, 120))), false},
		"of no name":         {name("", vcalendar(events(0, 120))), false},
		"of another program": {strings.Replace(vcalendar(events(0, 120)), "PRODID:", "PRODID:x", 1), false},
	} {
		f := newFolder()
		f.write("basic.ics", vcalendar(events(0, 100)))
		f.write("basic (1).ics", c.other)
		res := f.collect(t)
		for _, res := range []*sdktest.Result{res, again(t, res)} {
			if got := messages(res)[twice.Reason]; strings.Contains(got, `["basic.ics and basic (1).ics"]`) != c.told || trial.Reasons(res) != twice.Reason && c.told {
				t.Errorf("%s: told %s %s, want %v", what, trial.Reasons(res), got, c.told)
			}
		}
	}
	f := newFolder()
	f.write("a.ics", name("X-WR-RELCALID:1\nX-WR-CALNAME:Home\n", vcalendar(events(0, 10))))
	f.write("b.ics", name("X-WR-RELCALID:1\nX-WR-CALNAME:Renamed\n", vcalendar(events(0, 20))))
	f.write("c.ics", name("X-WR-RELCALID:2\nX-WR-CALNAME:Home\n", vcalendar(events(0, 15))))
	if got := messages(f.collect(t))[twice.Reason]; !strings.Contains(got, `["b.ics and a.ics"]`) {
		t.Errorf("one id under two names: %s, want the two told, and no other", got)
	}
}
