package main

import (
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

// AC-02, AC-04, AC-05: each calendar file ends in one word, in the first run and in the next, the
// events that were met add up, and a component that the connector does not know is named.
func TestAccounts(t *testing.T) {
	t.Parallel()
	f := newFolder()
	good := vcalendar(vevent("a", "A"), vevent("a", "A"), "BEGIN:X-MOOD\r\nEND:X-MOOD\r\n")
	f.write("good.ics", good)
	f.write("torn.ics", "BEGIN:VCALENDAR\r\n"+vevent("b", "B")+"BEGIN:VEVENT\r\nUID:c\r\n")
	f.write("sub/foreign.ics", "hello")
	f.write("empty.ics", "")
	check := func(res *sdktest.Result) {
		t.Helper()
		for path, want := range map[string]string{"good.ics": abi.FileRead, "torn.ics": abi.FileDamaged, "sub/foreign.ics": abi.FileUnknown, "empty.ics": abi.FileUnknown} {
			if got := res.File(rootName, path); got != want {
				t.Errorf("%s: got %q, want %q", path, got, want)
			}
		}
	}
	first := f.collect(t)
	check(first)
	items := first.Items(streamEvents)
	if items.Emitted != 2 || items.Duplicate != 1 || items.KeptBack != 2 || items.Met != 5 { // of torn.ics neither the event nor its calendar closes
		t.Errorf("got %+v, want 2 emitted, 1 duplicate, 2 kept back", items)
	}
	if len(items.Unknown) != 1 || items.Unknown[0].Count != 1 {
		t.Errorf("unknown: got %v, want the one component", items.Unknown)
	}
	next := again(t, first)
	check(next)
	if items := next.Items(streamEvents); items.Unchanged != 2 || items.Emitted != 0 {
		t.Errorf("the next run: got %+v, want 2 unchanged", items)
	}
}

// AC-04: the events of a file that was written anew with the same content are unchanged, and not
// counted as emitted.
func TestWrittenAnew(t *testing.T) {
	t.Parallel()
	f := newFolder()
	text := vcalendar(vevent("a", "A"), vevent("b", "B"))
	f.write("good.ics", text)
	first := f.collect(t)
	f.write("good.ics", text)
	next := again(t, first)
	if items := next.Items(streamEvents); items.Unchanged != 2 || items.Met != 2 || len(next.Records(streamEvents)) != 0 {
		t.Errorf("got %+v, want 2 unchanged", items)
	}
}

// AC-02, AC-04: an event that is cancelled is left out by a rule and counted, and a file without an event is
// no file that was read like others.
func TestWhatIsLeftOutByRule(t *testing.T) {
	t.Parallel()
	f := newFolder()
	todo := "BEGIN:VTODO\nUID:t\nEND:VTODO\n"
	f.write("mixed.ics", vcalendar(vevent("a", "A"), vevent("b", "B", "STATUS:CANCELLED"), todo))
	f.write("off.ics", "BEGIN:VCALENDAR\nMETHOD:CANCEL\n"+vevent("x", "x")+todo+"END:VCALENDAR\n")
	f.write("todos.ics", vcalendar(todo))
	f.write("journal.ics", vcalendar("BEGIN:VJOURNAL\nUID:j\nEND:VJOURNAL\n"))
	f.write("bare.ics", vcalendar())
	res := f.collect(t)
	if items := res.Items(streamEvents); items.Emitted != 1 || items.NotRecord != 2 {
		t.Errorf("got %+v, want 1 emitted and 2 that are no records", items)
	}
	for _, when := range []string{"first", "second"} {
		for path, want := range map[string]string{
			"mixed.ics": abi.FileRead, "off.ics": abi.FileRead, "bare.ics": abi.FileRead, "todos.ics": abi.FileRule, "journal.ics": abi.FileRule,
		} {
			if got := res.File(rootName, path); got != want {
				t.Errorf("the %s run: %s: got %q, want %q", when, path, got, want)
			}
		}
		if when == "second" {
			break
		}
		for store, want := range map[string]string{
			"files":            "one calendar a file; 2 files have no event, and to-dos, journal entries or free/busy times are not collected",
			"cancelled_events": "2 events or occurrences are cancelled (STATUS or METHOD), and not collected by rule",
		} {
			if row, _ := res.Record(streamCoverage, "coverage:"+store); row.Text("reason") != want {
				t.Errorf("%s: got %s, want %q", store, row.Data, want)
			}
		}
		res = again(t, res)
	}
}
