package main

import (
	"fmt"
	"io"
	"io/fs"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/trial"
)

func TestPack(t *testing.T) {
	t.Parallel()
	entries := map[eventID]entry{{1}: {fingerprint: 7}, {2, 255}: {fingerprint: printMask}, {3}: {fingerprint: 0}}
	got, ok := unpack(pack(entries, true), true)
	if !ok || len(got) != 3 {
		t.Fatalf("%v, %v, want 3 entries", got, ok)
	}
	for id, en := range entries {
		if got[id] != en.fingerprint {
			t.Errorf("%s: %d, want %d", id, got[id], en.fingerprint)
		}
	}
	ids, ok := unpack(dropPrints(pack(entries, true)), false)
	if !ok || len(ids) != 2 || ids[eventID{1}] != unknownPrint || pack(entries, false) != dropPrints(pack(entries, true)) {
		t.Fatalf("%v, %v, want 2 ids without fingerprints", ids, ok)
	}
	for _, bad := range []string{"x", "####", "AAAA", strings.Repeat("A", 25)} {
		if _, ok := unpack(bad, true); ok {
			t.Errorf("%q was unpacked, want it refused", bad)
		}
	}
}

func TestCursorKeepsWithinItsLimit(t *testing.T) {
	t.Parallel()
	c := cursor{}
	for f, n := range map[string]int{"small.ics": 10, "middle.ics": 5000, "large.ics": 40000} {
		entries := map[eventID]entry{}
		for i := range n {
			entries[eventID{byte(i), byte(i >> 8), byte(i >> 16), byte(len(f))}] = entry{fingerprint: uint64(i + 1)}
		}
		c[f] = &fileState{size: 1, mtimeMS: 2, memory: memoryPrints, packed: pack(entries, true), live: int64(n)}
	}
	for _, step := range []struct {
		limit  int
		memory string
	}{{2 << 20, "2 2 2"}, {900 << 10, "1 2 2"}, {740000, "1 1 2"}, {200 << 10, "0 1 1"}, {5 << 10, "0 0 1"}} {
		c.fit(step.limit)
		if got := fmt.Sprint(c["large.ics"].memory, c["middle.ics"].memory, c["small.ics"].memory); got != step.memory {
			t.Errorf("limit %d: %s, want %s", step.limit, got, step.memory)
		}
		if n := len(c.encode()); n > step.limit {
			t.Errorf("limit %d: %d bytes, want at most the limit", step.limit, n)
		}
	}
}

func TestReducedCursorStillFindsWhatItCan(t *testing.T) {
	t.Parallel()
	f := newFolder()
	f.write("a.ics", vcalendar(vevent("1", "one"), vevent("2", "two"), vevent("3", "three")))
	first := f.collect(t)
	v, err := jsonvalue.Parse([]byte(first.Committed()["events"]))
	if err != nil {
		t.Fatal(err)
	}
	f.write("a.ics", vcalendar(vevent("1", "one"), vevent("2", "two", "STATUS:CANCELLED")))
	for limit, want := range map[int]string{5000: "0 records, 2 deleted", 370: "1 records, 2 deleted", 310: "1 records, 1 deleted"} {
		c := decodeCursor(v)
		c.fit(limit)
		second := first.SecondRun(t, func(o *sdktest.Options) {
			o.State = map[string]string{"events": string(c.encode())}
		})
		if got := fmt.Sprintf("%d records, %d deleted", len(second.Records("events")), len(second.Deletes("events"))); got != want {
			t.Errorf("limit %d: %s, want %s", limit, got, want)
		}
	}
}

// A cursor of another version, or a broken one, costs a reading and no more.
func TestForeignCursors(t *testing.T) {
	t.Parallel()
	f := newFolder()
	f.write("a.ics", vcalendar(vevent("1", "one"), vevent("2", "two")))
	first := f.collect(t)
	f.write("a.ics", vcalendar(vevent("1", "one")))
	good := first.Committed()["events"]
	for _, state := range []string{
		strings.Replace(good, `"v":2`, `"v":99`, 1), strings.Replace(good, `"events":"`, `"events":"AAAA`, 1), `{"v":2,"files":[]}`, `{}`,
		`{"v":2,"files":{"a.ics":{"size_bytes":"x","events":7}}}`,
	} {
		second := first.SecondRun(t, func(o *sdktest.Options) { o.State = map[string]string{"events": state} })
		if _, ok := second.Record("events", bySummary(t, first, "one").Key); !ok && !strings.Contains(state, "99") {
			t.Errorf("%s: the event was not emitted", state)
		}
		if third := second.SecondRun(t, nil); len(third.All) != 0 {
			t.Errorf("%s: the third run emits records again, want none", state)
		}
	}
}

// endless is a calendar of n events that is made while it is read.
type endless struct {
	n, i int
	rest string
}

func (e *endless) Read(p []byte) (int, error) {
	for e.rest == "" {
		switch {
		case e.i == 0:
			e.rest = "BEGIN:VCALENDAR\r\n"
		case e.i <= e.n:
			e.rest = "BEGIN:VEVENT\r\nUID:" + fmt.Sprint(e.i) + "\r\nDTSTART:20260101T000000Z\r\nDESCRIPTION:" + strings.Repeat("x", 2000) + "\r\nEND:VEVENT\r\n"
		case e.i == e.n+1:
			e.rest = "END:VCALENDAR\r\n"
		default:
			return 0, io.EOF
		}
		e.i++
	}
	n := copy(p, e.rest)
	e.rest = e.rest[n:]
	return n, nil
}

// The first pass holds an entry an event, whatever the events' size.
//
//nolint:paralleltest // it measures the whole process's heap: nothing may run beside it
func TestSurveyIsSmall(t *testing.T) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	v, problem := surveyFile(&endless{n: 20000}, make([]byte, 64<<10), "c")
	runtime.GC()
	runtime.ReadMemStats(&after)
	if problem != "" || len(v.entries) != 20000 {
		t.Fatalf("problem %q, %d entries, want none and 20000", problem, len(v.entries))
	}
	if held := int64(after.HeapAlloc) - int64(before.HeapAlloc); held > 6<<20 {
		t.Fatalf("%d bytes held for 20000 events of a 40 MB file, want at most 6<<20", held)
	}
	runtime.KeepAlive(v)
}

func FuzzFile(f *testing.F) {
	f.Add(vcalendar(zoneBerlin, vevent("1", "one", "RRULE:FREQ=DAILY", "EXDATE;TZID=Europe/Berlin:20260101T000000")))
	f.Add(vcalendar(vevent("s", "x", "RECURRENCE-ID;TZID=Europe/Berlin:20260309T090000", "STATUS:CANCELLED"), vevent("s", "y")))
	f.Add("BEGIN:VCALENDAR\nBEGIN:VEVENT\nATTENDEE;CN=\"a")
	f.Fuzz(func(t *testing.T, text string) {
		folder := newFolder()
		folder.write("a.ics", text)
		o := sdktest.Options{Roots: map[string]fs.FS{"ical": folder}, Now: func() time.Time { return sdktest.Epoch }}
		res := sdktest.Collect(t, connector{}, o)
		schemas.Sound(t, res)
		if second := res.SecondRun(t, nil); len(second.All) != 0 {
			t.Fatalf("an unchanged file emitted %d records, want 0", len(second.All))
		}
		// A full refresh emits the same with an earlier cursor and without one.
		fresh := folder.collect(t, trial.FullRefresh)
		if known := refresh(t, res); !slices.Equal(known.Calls, fresh.Calls) {
			t.Fatalf("a full refresh emitted %d records, want %d as without a cursor", len(known.All), len(fresh.All))
		}
	})
}
