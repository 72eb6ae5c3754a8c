package main

import (
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/trial"
)

// vdir is a folder of calendars as a program keeps it, in which files come, go, grow, shrink, are cut
// short and cannot be read.
type vdir struct {
	*folder

	has    map[string][]string // the events of each file
	cut    map[string]bool     // files of which the end is missing
	locked map[string]bool     // files that cannot be opened
}

func newVdir() *vdir {
	return &vdir{folder: newFolder(), has: map[string][]string{}, cut: map[string]bool{}, locked: map[string]bool{}}
}

func (v *vdir) Open(name string) (fs.File, error) {
	if v.locked[name] {
		return nil, fs.ErrPermission
	}
	return v.folder.Open(name)
}

func (v *vdir) put(name string, events []string, cut bool) {
	var parts []string
	for _, e := range events {
		parts = append(parts, vevent(e+"@"+name, name+" "+e))
	}
	text := vcalendar(parts...)
	if v.cut[name] = cut; cut {
		text += "BEGIN:VCALENDAR\n"
	}
	v.has[name] = events
	v.write(name, text)
}

func (v *vdir) remove(name string) {
	for _, of := range []map[string]bool{v.cut, v.locked} {
		delete(of, name)
	}
	delete(v.has, name)
	delete(v.files, name)
}

// change does something to one file.
func (v *vdir) change(rnd *rand.Rand) {
	name := fmt.Sprintf("%d.ics", rnd.IntN(7))
	events := []string{}
	for i := range 9 {
		if rnd.IntN(9) < 3 || rnd.IntN(20) == 0 {
			events = append(events, fmt.Sprint(i))
		}
	}
	switch rnd.IntN(6) {
	case 0:
		v.remove(name)
	case 1:
		if v.files[name] != nil {
			v.locked[name] = !v.locked[name]
		}
	default:
		v.put(name, events[:min(len(events), 1+rnd.IntN(8))], rnd.IntN(4) == 0)
	}
}

// read notes which events the host has to have after a run that succeeded, by file: what could be read
// of it, and what had been read before it was cut or locked.
func (v *vdir) read(stays map[string]map[string]bool) {
	maps.DeleteFunc(stays, func(file string, _ map[string]bool) bool { return v.files[file] == nil })
	for file, events := range v.has {
		switch {
		case v.locked[file]:
			continue
		case !v.cut[file] || stays[file] == nil:
			stays[file] = map[string]bool{}
		}
		for _, e := range events {
			stays[file][e] = true
		}
	}
}

// holds returns the summaries of the events that the host has, by file.
func holds(stored sdktest.Store) map[string][]string {
	of := map[string][]string{}
	for _, r := range stored[streamEvents] {
		file := r.Text("source_file")
		of[file] = append(of[file], strings.TrimPrefix(r.Text("summary"), file+" "))
	}
	for _, list := range of {
		slices.Sort(list)
	}
	return of
}

// AC-09: whatever becomes of the files, in which order, with which mode, killed wherever and with the
// host asking or not, no record is deleted by its key: the host weighs what the lists lack. Nothing goes
// whose file has it, or cannot be read. When the folder can be read, three runs later the host has what is there.
func TestNoFileThatVanishesDeletesByKey(t *testing.T) {
	t.Parallel()
	for seed := range uint64(25) {
		rnd := rand.New(rand.NewPCG(seed, 9))
		v := newVdir()
		v.put("anchor.ics", []string{"a"}, false)
		stays := map[string]map[string]bool{}
		var last *sdktest.Result
		var story []string
		run := func(change ...trial.Change) {
			o := sdktest.Options{Roots: map[string]fs.FS{rootName: v}}
			if last != nil {
				o.State, o.Stored = last.Committed(), last.Stored()
				o = last.Followed(o)
			}
			for _, c := range change {
				c(&o)
			}
			last = sdktest.Collect(t, connector{}, o)
			if n := len(last.Deletes(streamEvents)) + len(last.Deletes(streamCalendars)); n != 0 {
				t.Fatalf("seed %d: %q: %d records are deleted by their keys, want none", seed, story, n)
			}
			if last.Done.Status == abi.DoneSucceeded {
				v.read(stays)
			} else { // it may have read some of them
				for file, events := range stays {
					if !v.cut[file] && !v.locked[file] {
						maps.DeleteFunc(events, func(e string, _ bool) bool { return !slices.Contains(v.has[file], e) })
					}
				}
			}
			now := holds(last.Stored())
			for file, events := range stays {
				for e := range events {
					if !slices.Contains(now[file], e) {
						t.Fatalf("seed %d: %q: event %s of %s is not stored, want it", seed, story, e, file)
					}
				}
			}
		}
		for range 14 {
			for range 1 + rnd.IntN(4) {
				v.change(rnd)
			}
			how := rnd.IntN(8)
			story = append(story, fmt.Sprintf("%d: %v cut %v locked %v", how, v.has, slices.Sorted(maps.Keys(v.cut)), v.locked))
			switch how {
			case 0:
				run(trial.FullRefresh)
			case 1, 2:
				run(func(o *sdktest.Options) { o.HoldsBack = true })
			case 3:
				run(trial.Killed(2 + rnd.IntN(25)))
				run() // a cursor has to know a file before it vanishes
			default:
				run()
			}
		}
		for name := range maps.Clone(v.has) {
			v.locked[name] = false
			v.put(name, v.has[name], false)
		}
		for range 3 {
			run()
		}
		if got, want := fmt.Sprint(holds(last.Stored())), fmt.Sprint(withoutEmpty(v.has)); got != want {
			t.Fatalf("seed %d: %q: got the events %s, want %s", seed, story, got, want)
		}
		if n := len(last.Stored()[streamCalendars]); n != len(v.has) {
			t.Fatalf("seed %d: %q: got %d calendars, want %d", seed, story, n, len(v.has))
		}
		run()
		if len(last.Enumerations) != 0 || len(last.Changes()) != 0 {
			t.Fatalf("seed %d: a run over the same files lists %v and changes %v, want neither", seed, last.Enumerations, last.Changes())
		}
	}
}

func withoutEmpty(has map[string][]string) map[string][]string {
	all := map[string][]string{}
	for name, events := range has {
		if len(events) > 0 {
			all[name] = events
		}
	}
	return all
}

// AC-09: a large calendar that is gone waits for the answer about its events. A full refresh may have the owner's word for
// both.
func TestALargeCalendarGoesBehindItsEvents(t *testing.T) {
	t.Parallel()
	v := newVdir()
	v.put("anchor.ics", []string{"a"}, false)
	v.put("a.ics", []string{"1", "2", "3", "4", "5"}, false)
	last := v.run(t, nil, false)
	v.remove("a.ics")
	last = v.run(t, last, true)
	wants(t, "a full refresh", v.run(t, last, false, trial.FullRefresh), "1 events, 1 calendars")
	last = v.run(t, last, false)
	wants(t, "the events", last, "1 events, 2 calendars")
	last = v.run(t, last, false)
	wants(t, "the calendar", last, "1 events, 1 calendars")
	v.quiet(t, last)
}
