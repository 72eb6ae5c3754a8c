package main

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/trial"
)

// version020 is the cursor of a folder with one file as version 0.2.0 wrote it: the ids of its
// events with their fingerprints, or without.
func version020(t *testing.T, first *sdktest.Result, ids bool, cancelled ...string) string {
	t.Helper()
	var raw []byte
	for _, key := range slices.Concat(first.Keys(streamEvents), cancelled) {
		id, err := hex.DecodeString(key)
		if err != nil {
			t.Fatal(err)
		}
		if raw = append(raw, id...); !ids {
			sum := []byte{1, 2, 3, 4, 5, 6}
			if slices.Contains(cancelled, key) {
				sum = make([]byte, 6)
			}
			raw = append(raw, sum...)
		}
	}
	name := "events"
	if ids {
		name = "ids"
	}
	good := first.Committed()[streamEvents]
	sum := regexp.MustCompile(`"sum":\d+(,"ids":"[^"]*")?`)
	if !sum.MatchString(good) {
		t.Fatalf("%s has no sum", good)
	}
	return sum.ReplaceAllString(good, `"`+name+`":"`+base64.RawURLEncoding.EncodeToString(raw)+`"`)
}

// parts of another store: records that were emitted in no enumeration.
func withoutParts(t *testing.T, first *sdktest.Result, state string, o *sdktest.Options) {
	t.Helper()
	o.State = first.Committed()
	o.State[streamEvents] = state
	o.Stored = sdktest.Store{}
	for stream, rows := range first.Stored() {
		o.Stored[stream] = map[string]sdktest.Record{}
		for key, rec := range rows {
			o.Stored[stream][key] = sdktest.Record{Stream: rec.Stream, Key: rec.Key, Data: rec.Data, Fields: rec.Fields}
		}
	}
}

// A cursor of version 0.2.0 is gone on with. An unchanged folder is not read; what a changed
// or removed file has lost is left to the host by the next run, although it was emitted in no enumeration.
func TestEarlierCursors(t *testing.T) {
	t.Parallel()
	for _, ids := range []bool{false, true} {
		f := newFolder()
		f.write("a.ics", vcalendar(vevent("1", "one"), vevent("2", "two"), vevent("3", "three")))
		first := f.collect(t)
		state := version020(t, first, ids)
		run := func(change ...trial.Change) *sdktest.Result {
			return f.collect(t, append([]trial.Change{func(o *sdktest.Options) { withoutParts(t, first, state, o) }}, change...)...)
		}
		if same := run(); len(same.Changes()) != 0 || len(same.Records(streamEvents)) != 0 {
			t.Errorf("ids %v: an unchanged folder changes %v, want nothing read", ids, same.Changes())
		}
		f.write("a.ics", vcalendar(vevent("1", "one"), vevent("2", "two", "STATUS:CANCELLED")))
		next := run()
		if n := len(deletes(next, streamEvents)); n != 0 || summaries(next) != "" {
			t.Errorf("ids %v: %d deleted and %q changed, want nothing before the next run", ids, n, summaries(next))
		}
		if state := next.Committed()[streamEvents]; strings.Contains(state, `"events":"`) || strings.Contains(state, `"ids"`) {
			t.Errorf("ids %v: the cursor still has the ids: %s", ids, state)
		}
		next = again(t, next)
		if n := len(deletes(next, streamEvents)); n != 2 || len(next.Deletes(streamEvents)) != 0 || summaries(next) != "" {
			t.Errorf("ids %v: %d deleted and %q changed, want the 2 that are gone, by a list, and nothing", ids, n, summaries(next))
		}
		f.write("a.ics", vcalendar(vevent("9", "nine")))
		if last := again(t, next); len(deletes(last, streamEvents)) != 1 || summaries(last) != "nine" {
			t.Errorf("ids %v: %v, want the event that is left deleted and the new one", ids, last.Changes())
		}
		delete(f.files, "a.ics")
		bare := run()
		if n := len(deletes(bare, streamEvents)); n != 0 || len(deletes(bare, streamCalendars)) != 1 {
			t.Errorf("ids %v: %d events deleted and %v, want none, and the calendar of the removed file", ids, n, deletes(bare, streamCalendars))
		}
		if bare = again(t, bare); len(deletes(bare, streamEvents)) != 3 {
			t.Errorf("ids %v: %v, want all events of the removed file deleted", ids, bare.Changes())
		}
	}
}

// burying is a connector that has a calendar with one event, which it did not emit.
type burying struct{ calendar string }

func (burying) Manifest() string { return manifest }

func (c burying) Collect(h *sdk.Host) error {
	r, err := newRun(h)
	if err != nil {
		return err
	}
	part, err := h.Enumerate(streamEvents, c.calendar, "")
	if err != nil {
		return err
	}
	if err := r.bury(part, &survey{entries: map[eventID]entry{{1}: {fingerprint: 7}}}, &fileState{}); err != nil {
		return err
	}
	return h.State(streamEvents, []byte(`{"v":3}`))
}

// many are events, more than go without a question.
func many(words ...string) string {
	for i := range fewEvents {
		words = append(words, fmt.Sprint("more ", i))
	}
	var b strings.Builder
	for _, word := range words {
		name, lines, _ := strings.Cut(word, "|")
		b.WriteString(vevent(name, name, strings.Fields(lines)...))
	}
	return b.String()
}

// An event that is in its file stays, although its record did not reach the store.
func TestRejectedEventStays(t *testing.T) {
	t.Parallel()
	f := newFolder()
	f.write("a.ics", vcalendar(many("one")))
	first := f.collect(t)
	one := bySummary(t, first, "one")
	stored := first.Stored()
	rejected := stored[streamEvents][one.Key]
	rejected.Key = eventID{1}.String()
	stored[streamEvents][rejected.Key] = rejected
	res := sdktest.Collect(t, burying{one.Text("calendar_id")}, sdktest.Options{Roots: map[string]fs.FS{"calendar_files": f}, Stored: stored})
	got := deletes(res, streamEvents)
	if len(got) != 1+fewEvents || slices.ContainsFunc(got, func(r sdktest.Record) bool { return r.Key == rejected.Key }) {
		t.Errorf("deleted %v, want all but %s", got, rejected.Key)
	}
}

// A calendar with many events is enumerated: what the store has and the file has not is
// deleted, also when the cursor is lost, and while the calendar shrinks and grows.
func TestLargeCalendarIsEnumerated(t *testing.T) {
	t.Parallel()
	f := newFolder()
	f.write("a.ics", vcalendar(many("one", "two", "three")))
	f.write("z.ics", vcalendar(vevent("z", "other")))
	res := f.collect(t)
	if len(res.Enumerations) == 0 || strings.Contains(strings.Split(res.Committed()[streamEvents], "z.ics")[0], `"ids"`) {
		t.Fatalf("enumerations %v and cursor %s, want one and no ids", res.Enumerations, res.Committed()[streamEvents])
	}
	for _, c := range []struct {
		file    string
		change  trial.Change
		changed string
		deleted int
	}{
		{many("one", "two|LOCATION:here"), nil, "two", 1},                         // edited, and one removed
		{many("one|STATUS:CANCELLED", "two|LOCATION:here", "new"), nil, "new", 1}, // cancelled
		{many("two|LOCATION:here", "new"), trial.FullRefresh, "", 0},              // refreshed
		{vevent("two", "two", "LOCATION:here"), trial.Incremental, "", fewEvents + 1},
		{vevent("two", "two"), nil, "two", 0}, // few
		{many("two", "new"), nil, "new", 0},
		{many("new"), nil, "", 1}, // many again
	} {
		f.write("a.ics", vcalendar(c.file))
		res = res.SecondRun(t, c.change)
		got, _, _ := strings.Cut(summaries(res), ",more")
		if got != c.changed || len(deletes(res, streamEvents)) != c.deleted {
			t.Errorf("%q: %q changed and %d deleted, want %q and %d", c.file[:40], summaries(res), len(deletes(res, streamEvents)), c.changed, c.deleted)
		}
		if more := again(t, res); len(more.Changes()) != 0 {
			t.Errorf("%q: the next run changes %v, want nothing", c.file[:40], more.Changes())
		}
	}
	f.write("a.ics", vcalendar(many("last")))
	lost := f.collect(t, trial.FullRefresh, func(o *sdktest.Options) { o.Stored = res.Stored() })
	if len(deletes(lost, streamEvents)) != 1 || summaries(lost) != "last" {
		t.Errorf("without a cursor: %q changed and %d deleted, want last and 1", summaries(lost), len(deletes(lost, streamEvents)))
	}
	delete(f.files, "a.ics")
	for i, want := range []string{"5 events, 0 calendars", "0 events, 1 calendars", "0 events, 0 calendars"} { // the host may have asked
		res = again(t, res)
		if got := fmt.Sprint(len(deletes(res, streamEvents)), " events, ", len(deletes(res, streamCalendars)), " calendars"); got != want {
			t.Errorf("the file is gone, run %d: deleted %s, want %s", i, got, want)
		}
	}
}

// AC-09: events of a calendar that are gone are never deleted by their keys, so that the host can weigh
// how many they are. Until it has deleted them, each run lists the calendar again, and emits nothing.
func TestLossesAreLeftToTheHost(t *testing.T) {
	t.Parallel()
	var all []string
	for i := range 40 {
		all = append(all, vevent(fmt.Sprint(i), fmt.Sprint("event ", i)))
	}
	for name, left := range map[string]int{"to nothing": 0, "to few": 3, "to less than half": 12, "to the half": 20, "removed": -1} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFolder()
			f.write("home.ics", vcalendar(all...))
			f.write("work.ics", vcalendar(vevent("w", "work")))
			first := f.collect(t)
			if left < 0 {
				delete(f.files, "home.ics")
			} else {
				f.write("home.ics", vcalendar(all[:left]...))
			}
			stored, last := first.Stored(), first
			for i := range 3 {
				last = last.SecondRun(t, func(o *sdktest.Options) { o.Stored = stored }) // the host holds them back
				schemas.Sound(t, last)
				if len(last.Deletes(streamEvents)) != 0 {
					t.Fatalf("run %d deletes events by their keys", i)
				}
				if n, calendars := len(deletes(last, streamEvents)), len(deletes(last, streamCalendars)); n != 40-max(left, 0) || calendars != 0 {
					t.Errorf("run %d: lists without %d events and %d calendars, want %d and none", i, n, calendars, 40-max(left, 0))
				}
				if n, said := len(last.Records(streamEvents)), len(last.Enumerations); i > 0 && (n != 0 || said > 3) {
					t.Errorf("run %d emits %d events in %d messages of lists, want none and at most 3", i, n, said)
				}
			}
			last = again(t, last) // the host has deleted them
			if n := len(deletes(last, streamEvents)); n != 0 || len(deletes(last, streamCalendars)) != -min(left, 0) {
				t.Errorf("%d events deleted and %v, want none, and the calendar that is gone", n, deletes(last, streamCalendars))
			}
			last = again(t, last)
			if state := last.Committed()[streamEvents]; strings.Contains(state, "unmet") || strings.Contains(state, "removed") {
				t.Errorf("the cursor %s, want nothing unmet", state)
			}
			if done := again(t, last); len(done.Enumerations) != 0 {
				t.Errorf("enumerations %v, want none of a folder that did not change", done.Enumerations)
			}
		})
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
		strings.Replace(good, `"v":3`, `"v":99`, 1), strings.Replace(good, `"sum":`, `"sum":1`, 1), `{"v":3,"files":[]}`, `{}`,
		`{"v":3,"files":{"a.ics":{"size_bytes":"x","events":7}}}`,
	} {
		second := first.SecondRun(t, func(o *sdktest.Options) { o.State = map[string]string{"events": state} })
		if _, ok := second.Record("events", bySummary(t, first, "one").Key); !ok && !strings.Contains(state, "99") {
			t.Errorf("%s: the event was not emitted", state)
		}
		if third := second.SecondRun(t, nil); len(third.Changes()) != 0 {
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
	if problem != nil || len(v.entries) != 20000 {
		t.Fatalf("problem %v, %d entries, want none and 20000", problem, len(v.entries))
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
	f.Add(vcalendar(vevent("s", "a"), at("s", "b", 3), at("s", "b", 3), at("s", "c", 4, "SEQUENCE:2"), vevent("s", "x", "STATUS:CANCELLED")))
	f.Add(vcalendar(vevent("s", "x", "STATUS:CANCELLED")))
	f.Add(vcalendar("BEGIN : VEVENT \nUID:1\nEND:VEVNT\nBEGIN:VTODO\nEND:VTOOD\n", vevent("2", "two")) + vevent("3", "stray"))
	f.Add("\xff\xfe" + wide(vcalendar(vevent("1", "Größe")), false))
	f.Add(strings.ReplaceAll(vcalendar(vevent("1", "Gr\xf6\xdfe", "DESCRIPTION;QUOTED-PRINTABLE;CHARSET=x:=C3=\n=B6=", "X-A:1")), "\n", "\r\r\n"))
	f.Fuzz(func(t *testing.T, text string) {
		folder := newFolder()
		folder.write("a.ics", text)
		o := sdktest.Options{Roots: map[string]fs.FS{"calendar_files": folder}, Now: func() time.Time { return sdktest.Epoch }}
		res := sdktest.Collect(t, connector{}, o)
		schemas.Sound(t, res)
		if second := res.SecondRun(t, nil); len(second.Changes()) != 0 {
			t.Fatalf("an unchanged file emitted %d records, want 0", len(second.Changes()))
		}
		// A full refresh emits the same with an earlier cursor and without one.
		fresh := folder.collect(t, trial.FullRefresh)
		if known := refresh(t, res); !slices.Equal(calls(known), calls(fresh)) {
			t.Fatalf("a full refresh made %d calls, want the %d of one without a cursor", len(calls(known)), len(calls(fresh)))
		}
	})
}

// A file that is damaged while the host holds its events back is listed again when it is whole.
func TestHeldBackAndDamaged(t *testing.T) {
	t.Parallel()
	f := newFolder()
	f.write("a.ics", vcalendar(many("one", "two", "three")))
	last := f.collect(t)
	stored := last.Stored()
	few, held := vevent("one", "one"), func(o *sdktest.Options) { o.Stored = stored }
	for i, c := range []struct {
		text    string
		deleted int
	}{{few, fewEvents + 2}, {"", fewEvents + 3}, {few, fewEvents + 2}, {few + "BEGIN:VTODO\n", 0}, {few + "BEGIN:VTODO\n", 0}, {few + "BEGIN:VTODO\nEND:VTODO\n", fewEvents + 2}} {
		f.write("a.ics", vcalendar(c.text))
		last = last.SecondRun(t, held)
		if len(last.Deletes(streamEvents)) != 0 {
			t.Errorf("run %d deletes events by their keys", i)
		}
		if n := len(deletes(last, streamEvents)); n != c.deleted {
			t.Errorf("run %d: a list without %d events, want %d", i, n, c.deleted)
		}
	}
}
