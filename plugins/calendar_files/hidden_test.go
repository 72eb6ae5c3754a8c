package main

import (
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
)

// A calendar whose name begins with a dot is read like any other. A run leaves alone what systems and
// editors keep under such a name, and hidden folders.
func TestHiddenCalendars(t *testing.T) {
	t.Parallel()
	f := newFolder()
	f.write("a.ics", vcalendar(vevent("1", "one")))
	f.write(".work.ics", vcalendar(vevent("2", "two")))
	f.write("sub/.home.ical", vcalendar(vevent("3", "three")))
	f.write("._a.ics", "\x00\x05\x16\x07 of a Mac")
	f.write(".#a.ics", vcalendar(vevent("4", "four")))
	f.write(".note.ics", "no calendar")
	f.write(".versions/a.ics", vcalendar(vevent("5", "five")))
	f.write(".DS_Store", "\x00\x00\x00\x01Bud1")
	res := f.collect(t)
	if got := sources(res); got != "map[.work.ics:1 a.ics:1 sub/.home.ical:1]" || len(res.Skips) != 0 {
		t.Errorf("events of %s, told %v, want those of each calendar and nothing told", got, res.Skips)
	}
	for p, want := range map[string]string{".work.ics": abi.FileRead, "sub/.home.ical": abi.FileRead, "._a.ics": "", ".note.ics": "", ".DS_Store": ""} {
		if got := res.File(rootName, p); got != want {
			t.Errorf("%s ends as %q, want %q", p, got, want)
		}
	}
	delete(f.files, ".work.ics")
	if res = again(t, res); len(deletes(res, streamEvents)) != 1 {
		t.Errorf("%v, want the event of the file that went deleted", res.Changes())
	}
}
