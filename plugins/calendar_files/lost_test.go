package main

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/trial"
)

// run collects the folder behind an earlier run, which may be nil. The host holds back what is gone, because it
// asks its owner, or lets it go.
func (v *vdir) run(t *testing.T, last *sdktest.Result, held bool, change ...trial.Change) *sdktest.Result {
	t.Helper()
	all := func(o *sdktest.Options) {
		o.HoldsBack, o.Tolerate = held, true
		o.Roots = map[string]fs.FS{rootName: v}
		for _, c := range change {
			c(o)
		}
	}
	if last == nil {
		o := sdktest.Options{}
		all(&o)
		last = sdktest.Collect(t, connector{}, o)
	} else {
		last = last.SecondRun(t, all)
	}
	if n := len(last.Deletes(streamEvents)) + len(last.Deletes(streamCalendars)); n != 0 {
		t.Errorf("%d records are deleted by their keys, want none", n)
	}
	return last
}

// stored says how many events and calendars the host has.
func stored(res *sdktest.Result) string {
	s := res.Stored()
	return fmt.Sprintf("%d events, %d calendars", len(s[streamEvents]), len(s[streamCalendars]))
}

// wants checks what the host has after a run.
func wants(t *testing.T, when string, res *sdktest.Result, want string) {
	t.Helper()
	if got := stored(res); got != want {
		t.Errorf("%s: the host has %s, want %s; the cursor is %s", when, got, want, res.Committed()[streamEvents])
	}
}

// quiet checks that a run over the same files lists and changes nothing, and that the cursor waits for nothing.
func (v *vdir) quiet(t *testing.T, last *sdktest.Result) {
	t.Helper()
	if last = v.run(t, v.run(t, last, false), false); len(last.Enumerations)+len(last.Changes()) != 0 {
		t.Errorf("a run over the same files lists %v and changes %v, want neither", last.Enumerations, last.Changes())
	}
	if state := last.Committed()[streamEvents]; strings.Contains(state, `"unmet"`) || strings.Contains(state, `"removed"`) {
		t.Errorf("got the cursor %s, want one that waits for nothing", state)
	}
}

// earlier is the cursor that a version before left behind a run: small calendars are named in it.
func earlier(t *testing.T, last *sdktest.Result, version string) trial.Change {
	t.Helper()
	state := strings.Replace(last.Committed()[streamEvents], `"v":6`, `"v":`+version, 1)
	ids := map[string][]byte{}
	for key, r := range last.Stored()[streamEvents] {
		id, err := hex.DecodeString(key)
		if err != nil {
			t.Fatal(err)
		}
		ids[r.Text("source_file")] = append(ids[r.Text("source_file")], id...)
	}
	for file, raw := range ids {
		entry := regexp.MustCompile(`("` + regexp.QuoteMeta(file) + `":\{[^}]*)\}`)
		state = entry.ReplaceAllString(state, `$1,"ids":"`+base64.RawURLEncoding.EncodeToString(raw)+`"}`)
	}
	return func(o *sdktest.Options) { withoutParts(t, last, state, o) }
}

// AC-09: forty files have an event each. Whatever of them vanishes is left to the host to weigh, in each run until it has
// deleted it, and so are their calendars. Files that are back lose nothing.
func TestFilesOfOneEventThatVanish(t *testing.T) {
	t.Parallel()
	const all = 40
	name := func(i int) string { return fmt.Sprintf("%02d.ics", i) }
	for _, version := range []string{"", "3", "4", "5"} {
		for _, gone := range []int{0, 1, all / 2, all/2 + 1, all} {
			t.Run(fmt.Sprintf("%d of version %s", gone, version), func(t *testing.T) {
				t.Parallel()
				v := newVdir()
				v.put("anchor.ics", nil, false)
				for i := range all {
					v.put(name(i), []string{"1"}, false)
				}
				last := v.run(t, nil, false)
				for i := range gone {
					v.remove(name(i))
				}
				whole, left := fmt.Sprintf("%d events, %d calendars", all, all+1), fmt.Sprintf("%d events, %d calendars", all-gone, all+1-gone)
				if version != "" {
					last = v.run(t, last, true, earlier(t, last, version))
					wants(t, "the first run of this version", last, whole)
				}
				for range 3 {
					last = v.run(t, last, true)
					wants(t, "held back", last, whole)
					if n := len(last.Enumerations); (n == 0) != (gone == 0) || n > 2*gone+3 {
						t.Errorf("got %d messages of lists, want 2 for each of %d files and 3 for the calendars", n, gone)
					}
				}
				back := last
				last = v.run(t, last, false)
				wants(t, "let go", last, left)
				v.quiet(t, last)
				for i := range gone {
					v.put(name(i), []string{"1"}, false)
				}
				wants(t, "back", v.run(t, last, false), whole)
				back = v.run(t, back, false)
				wants(t, "back before they went", back, whole)
				v.quiet(t, back)
			})
		}
	}
}

// AC-09: what three files have lost together is left to the host, with and without a refresh, and what they
// still have stays.
func TestEventsThatFilesLoseTogether(t *testing.T) {
	t.Parallel()
	for name, mode := range map[string]trial.Change{"incremental": trial.Incremental, "full": trial.FullRefresh} {
		for _, version := range []string{"", "3", "5"} {
			t.Run(name+" of version "+version, func(t *testing.T) {
				t.Parallel()
				v := newVdir()
				for _, file := range []string{"a.ics", "b.ics", "c.ics"} {
					v.put(file, []string{"1", "2"}, false)
				}
				last := v.run(t, nil, false)
				v.put("a.ics", nil, false)
				v.put("b.ics", []string{"2"}, false)
				v.put("c.ics", []string{"1"}, false)
				if version != "" {
					last = v.run(t, last, true, earlier(t, last, version), mode)
				}
				last = v.run(t, last, true, mode)
				wants(t, "held back", last, "6 events, 3 calendars")
				last = v.run(t, last, false, mode)
				if got := fmt.Sprint(holds(last.Stored())); got != "map[b.ics:[2] c.ics:[1]]" {
					t.Errorf("got the events %s, want those that are left", got)
				}
				v.quiet(t, v.run(t, last, false, trial.Incremental))
			})
		}
	}
}

// AC-09: a calendar grows from four events to five, shrinks, and is renamed. Each loss is left to the host, also
// when a version before has put none of its events into a part.
func TestCalendarsThatGrowAndShrink(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"", "5"} {
		v := newVdir()
		v.put("a.ics", []string{"1", "2", "3", "4"}, false)
		v.put("b.ics", []string{"1"}, false)
		last := v.run(t, nil, false)
		if version != "" {
			last = v.run(t, last, false, earlier(t, last, version))
		}
		for _, c := range []struct {
			events     []string
			held, went string
		}{
			{[]string{"1", "2", "3", "4", "5"}, "6 events, 2 calendars", "6 events, 2 calendars"},
			{[]string{"3", "4", "5", "6"}, "7 events, 2 calendars", "5 events, 2 calendars"},
			{[]string{"7"}, "6 events, 2 calendars", "2 events, 2 calendars"},
			{[]string{"1", "2", "3", "4", "5", "6"}, "8 events, 2 calendars", "7 events, 2 calendars"},
			{nil, "7 events, 2 calendars", "1 events, 2 calendars"},
			{[]string{"1"}, "2 events, 2 calendars", "2 events, 2 calendars"},
		} {
			v.put("a.ics", c.events, false)
			last = v.run(t, v.run(t, last, true), true)
			wants(t, fmt.Sprint(c.events, " held back"), last, c.held)
			last = v.run(t, last, false)
			wants(t, fmt.Sprint(c.events, " let go"), last, c.went)
			v.quiet(t, last)
			last = v.run(t, last, false)
		}
		v.remove("a.ics")
		v.put("c.ics", []string{"1"}, false)
		last = v.run(t, last, true)
		wants(t, "renamed", last, "3 events, 3 calendars")
		last = v.run(t, last, false)
		wants(t, "renamed, and let go", last, "2 events, 2 calendars")
		v.quiet(t, last)
	}
}

// AC-09: files vanish, the host asks, and they are back, but cannot be read, are damaged, or are below a folder that
// cannot be listed: nothing of them goes.
func TestFilesThatAreBackAndUnreadable(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(v *vdir, file string){
		"locked":         func(v *vdir, file string) { v.locked[file] = true },
		"damaged":        func(v *vdir, file string) { v.put(file, []string{"1"}, true) },
		"no calendar":    func(v *vdir, file string) { v.write(file, "<html></html>") },
		"a locked place": func(v *vdir, _ string) { v.locked["sub"] = true },
	} {
		for _, version := range []string{"", "3", "5"} {
			t.Run(name+" of version "+version, func(t *testing.T) {
				t.Parallel()
				v, file := newVdir(), func(i int) string { return fmt.Sprintf("sub/%d.ics", i) }
				v.put("anchor.ics", []string{"a"}, false)
				for i := range 5 {
					v.put(file(i), []string{"1", "2"}, false)
				}
				last := v.run(t, nil, false)
				if version != "" {
					last = v.run(t, last, false, earlier(t, last, version))
				}
				for i := range 3 {
					v.remove(file(i))
				}
				last = v.run(t, v.run(t, last, true), true)
				for i := range 3 {
					v.put(file(i), []string{"1", "2"}, false)
					spoil(v, file(i))
				}
				for range 3 {
					last = v.run(t, last, false)
					wants(t, "back", last, "11 events, 6 calendars")
				}
				if got := trial.Reasons(last); name == "no calendar" && got != notICal.Reason {
					t.Errorf("got the reports %q, want one that earlier events stay", got)
				}
				clear(v.locked)
				for i := range 3 {
					v.put(file(i), []string{"1", "2"}, false)
				}
				last = v.run(t, last, false)
				wants(t, "whole again", last, "11 events, 6 calendars")
				v.quiet(t, last)
			})
		}
	}
}

// AC-09: an event that its file has and whose record is kept back is met, in whichever list its calendar is, and so is one
// that the host rejects.
func TestEventsThatAreKeptBack(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"", "5"} {
		v := newVdir()
		v.put("anchor.ics", []string{"a"}, false)
		x := func(lines ...string) string {
			return vevent("x", "x", append([]string{"RRULE:FREQ=DAILY"}, lines...)...)
		}
		v.write("a.ics", vcalendar(x(), vevent("2", "2"), vevent("3", "3"), vevent("4", "4")))
		v.has["a.ics"] = []string{}
		last := v.run(t, nil, false)
		if version != "" {
			last = v.run(t, last, false, earlier(t, last, version))
		}
		parts := []string{x("DESCRIPTION:" + strings.Repeat("\x01", 120<<10)), vevent("2", "2"), vevent("3", "3"), vevent("4", "4"), vevent("5", "5")}
		for i := range 400 {
			parts = append(parts, vevent("x", "x", fmt.Sprintf("RECURRENCE-ID;TZID=%s:2026%04dT000000", strings.Repeat("\x01", 200), i), "STATUS:CANCELLED"))
		}
		v.write("a.ics", vcalendar(parts...))
		for range 3 {
			if last = v.run(t, last, false); !slices.ContainsFunc(slices.Collect(maps.Values(last.Stored()[streamEvents])), func(r sdktest.Record) bool { return r.Text("summary") == "x" }) {
				t.Error("event x is in its file and is not stored any more")
			}
		}
	}
}

// AC-09: without a cursor nothing is gone of a file that cannot be read, whatever its name, or that is not looked
// into behind many others.
func TestUnreadableFilesThatNoCursorKnows(t *testing.T) {
	t.Parallel()
	for name, mode := range map[string]trial.Change{"incremental": trial.Incremental, "full": trial.FullRefresh} {
		v := newVdir()
		v.put("anchor.ics", []string{"a", "b", "c"}, false)
		v.put("b.ics", []string{"1"}, false)
		v.put("zcal", []string{"1"}, false)
		v.put("y.ics", []string{"1"}, false)
		before := v.run(t, nil, false).Stored()
		v.remove("y.ics")
		v.locked["b.ics"], v.locked["zcal"] = true, true
		last := v.run(t, nil, false, mode, func(o *sdktest.Options) { o.Stored = before })
		wants(t, name, last, "6 events, 4 calendars")
		for i := range maxOthers {
			v.write(fmt.Sprintf("c%04d.jpg", i), "x")
		}
		v.put("d.ics", []string{"1"}, false)
		last = v.run(t, last, false, mode)
		v.remove("d.ics")
		last = v.run(t, v.run(t, last, false), false)
		wants(t, name+", behind others", last, "6 events, 4 calendars")
	}
}

// A collector does not know of calendars that it has delivered before the first list of them. The next run leaves to it
// what is gone, also of a file that had no events.
func TestCalendarsThatNoListHasMet(t *testing.T) {
	t.Parallel()
	for name, events := range map[string][]string{"an event": {"1"}, "no event": nil} {
		v := newVdir()
		v.put("anchor.ics", []string{"a"}, false)
		v.put("a.ics", events, false)
		last := v.run(t, nil, false)
		all := last.Stored()
		v.remove("a.ics")
		last = v.run(t, last, true, func(o *sdktest.Options) { o.Stored = sdktest.Store{streamEvents: all[streamEvents]} })
		last = v.run(t, last, false, func(o *sdktest.Options) { o.Stored = all })
		wants(t, name, last, "1 events, 1 calendars")
		v.quiet(t, last)
	}
}

// AC-09: a calendar that is gone before its events does not end the question about them.
func TestCalendarsThatAreGoneBeforeTheirEvents(t *testing.T) {
	t.Parallel()
	v := newVdir()
	v.put("anchor.ics", []string{"a"}, false)
	last := v.run(t, nil, false)
	alone := last.Stored()[streamCalendars]
	v.put("a.ics", []string{"1"}, false)
	last = v.run(t, last, false)
	v.remove("a.ics")
	last = v.run(t, last, true)
	events := last.Stored()[streamEvents]
	without := func(o *sdktest.Options) { o.Stored = sdktest.Store{streamEvents: events, streamCalendars: alone} }
	last = v.run(t, v.run(t, last, true, without), true, without)
	wants(t, "held back", last, "2 events, 1 calendars")
	last = v.run(t, last, false)
	wants(t, "let go", last, "1 events, 1 calendars")
	v.quiet(t, last)
}

// AC-09: events that an earlier version has put into no part are asked about when their file was read again in between,
// and had the same events or was damaged.
func TestEarlierFilesThatAreReadAgainAndVanish(t *testing.T) {
	t.Parallel()
	for _, damaged := range []bool{false, true} {
		v := newVdir()
		v.put("anchor.ics", []string{"a"}, false)
		v.put("a.ics", []string{"1", "2"}, false)
		last := v.run(t, nil, false)
		change := earlier(t, last, "5")
		v.put("a.ics", []string{"1", "2"}, damaged)
		last = v.run(t, last, false, change)
		v.remove("a.ics")
		last = v.run(t, v.run(t, last, true), true)
		wants(t, "held back", last, "3 events, 2 calendars")
		last = v.run(t, last, false)
		wants(t, "let go", last, "1 events, 1 calendars")
		v.quiet(t, last)
	}
}

// AC-09: a run over one stream leaves the records of the other to a later run.
func TestVanishedFilesOfOneStream(t *testing.T) {
	t.Parallel()
	v := newVdir()
	v.put("anchor.ics", []string{"a"}, false)
	for i := range 5 {
		v.put(fmt.Sprintf("%d.ics", i), []string{"1"}, false)
	}
	last := v.run(t, nil, false)
	for i := range 4 {
		v.remove(fmt.Sprintf("%d.ics", i))
	}
	last = v.run(t, last, false, trial.Only(streamCalendars))
	wants(t, "calendars alone", last, "6 events, 6 calendars")
	last = v.run(t, last, true, trial.Only(streamEvents))
	wants(t, "events alone, held back", last, "6 events, 6 calendars")
	last = v.run(t, last, false, trial.Only(streamEvents))
	wants(t, "events alone", last, "2 events, 6 calendars")
	last = v.run(t, v.run(t, last, false, trial.Only(streamEvents)), false, trial.Only(streamEvents))
	if len(last.Enumerations) != 0 {
		t.Errorf("got the lists %v of a stream that has lost nothing more, want none", last.Enumerations)
	}
	last = v.run(t, last, true, trial.Only())
	wants(t, "both, held back", last, "2 events, 6 calendars")
	last = v.run(t, last, false)
	wants(t, "both", last, "2 events, 2 calendars")
	v.quiet(t, last)
}
