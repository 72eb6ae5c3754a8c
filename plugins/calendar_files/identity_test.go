package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/trial"
)

// at is an event that starts on a day of March 2026.
func at(uid, summary string, day int, lines ...string) string {
	return strings.Replace(vevent(uid, summary, lines...), "20260302T090000Z", fmt.Sprintf("202603%02dT090000Z", day), 1)
}

// AC-04: several events under one UID are all collected, each by its start, whatever their order.
func TestEventsThatShareAUID(t *testing.T) {
	t.Parallel()
	f := newFolder()
	plan := []string{at("s", "first", 10), at("s", "second", 11), at("s", "third", 12), at("o", "other", 10)}
	f.write("a.ics", vcalendar(plan...))
	first := f.collect(t)
	if got := summaries(first); got != "first,second,third,other" || len(first.Skips) != 0 {
		t.Fatalf("events %q, skips %v, want first,second,third,other and none", got, first.Skips)
	}
	slices.Reverse(plan)
	f.write("a.ics", vcalendar(plan...))
	if got := again(t, first); summaries(got) != "" || len(deletes(got, streamEvents)) != 0 {
		t.Errorf("in another order: %q changed, %v deleted, want nothing", summaries(got), deletes(got, streamEvents))
	}
	f.write("a.ics", vcalendar(at("s", "second", 11), at("s", "third, edited", 12), at("s", "fourth", 13), at("o", "other", 10)))
	second := again(t, first)
	if got := deletes(second, streamEvents); summaries(second) != "third, edited,fourth" || len(got) != 1 || got[0].Key != bySummary(t, first, "first").Key {
		t.Errorf("a day later: %q changed, %v deleted, want the edited, the new and the first", summaries(second), got)
	}
	if bySummary(t, second, "third, edited").Key != bySummary(t, first, "third").Key {
		t.Error("an edit made another event of the third, want its key kept")
	}
	// An event that is left alone has the key that its UID always had.
	f.write("a.ics", vcalendar(at("s", "alone", 13)))
	third := again(t, second)
	f.write("a.ics", vcalendar(at("s", "alone, moved", 20)))
	if fourth := again(t, third); len(deletes(fourth, streamEvents)) != 0 || bySummary(t, fourth, "alone, moved").Key != bySummary(t, third, "alone").Key {
		t.Error("the start is part of a key that is unique without it, want the UID alone")
	}
}

// AC-04: what is in a file twice, or in an earlier version, is counted and told.
func TestCopiesAreCounted(t *testing.T) {
	t.Parallel()
	f := newFolder()
	f.write("a.ics", vcalendar(
		at("same", "same", 10), at("same", "same", 10), // a copy
		at("merged", "one", 10), at("merged", "two", 10), // one key, other content
		at("moved", "before", 10, "SEQUENCE:1"), at("moved", "after", 12, "SEQUENCE:2"), at("moved", "long before", 9), // versions
		at("split", "a", 10), at("split", "b", 11), at("split", "b", 11), at("split", "b'", 11), // shared, with a copy and another content
		at("both", "x", 10), at("both", "y", 11), at("both", "z", 12, "SEQUENCE:1"), at("both", "w", 13), // shared, and then superseded
		at("ex", "series", 10, "RRULE:FREQ=DAILY"), at("ex", "ex", 11, "RECURRENCE-ID:20260311T090000Z"), at("ex", "ex moved", 15, "RECURRENCE-ID:20260311T090000Z"),
		vevent("gone", "gone"), vevent("gone", "gone", "STATUS:CANCELLED")))
	first := f.collect(t)
	const all = "same,one,two,after,a,b,b',z,series,ex,ex moved"
	if got := summaries(first); got != all {
		t.Fatalf("events %q, want %s", got, all)
	}
	rows := covered(first)
	for store, want := range map[string]string{"duplicate_events": "collected 2", "alike_events": "collected 6", "superseded_events": "collected 6", "events": "collected 11"} {
		if rows[store] != want {
			t.Errorf("%s: %q, want %q", store, rows[store], want)
		}
	}
	// Each of the 20 that were met is one of these.
	for _, res := range []*sdktest.Result{first, again(t, first), again(t, again(t, first))} {
		if m := messages(res)[alike.Reason]; trial.Reasons(res) != alike.Reason+","+moved.Reason || !strings.HasPrefix(m, "6 events have the UID and the time of others") {
			t.Errorf("%s %s, want the 6 that share a key told in each run", trial.Reasons(res), m)
		}
		if m := messages(res)[moved.Reason]; !strings.HasPrefix(m, "5 events are earlier versions of others") || !strings.Contains(m, `["a.ics"]`) {
			t.Errorf("%s, want the 5 that have a later version with another start told in each run", m)
		}
		if got := res.Items(streamEvents); got.Merged != 0 || got.Met != 20 && res == first {
			t.Errorf("%+v, want 20 events, and no two of them one record", got)
		}
	}
	if next := again(t, first); len(next.Changes()) != 0 {
		t.Errorf("the next run: %v, want no change", next.Changes())
	}
}

// AC-04: events that differ in their content alone are all collected, whatever their order and what
// else has their UID.
func TestEventsThatDifferInTheirContent(t *testing.T) {
	t.Parallel()
	f := newFolder()
	plan := []string{at("s", "a", 10), at("s", "b", 11), at("s", "c", 10), at("s", "a", 10), at("s", "d", 10)}
	f.write("a.ics", vcalendar(plan...))
	first := f.collect(t)
	if got := summaries(first); got != "b,c,a,d" {
		t.Fatalf("events %q, want b,c,a,d", got)
	}
	slices.Reverse(plan)
	f.write("a.ics", vcalendar(plan...))
	if got := again(t, first); len(deletes(got, streamEvents))+len(summaries(got)) != 0 {
		t.Errorf("in another order: %q changed, %v deleted, want nothing", summaries(got), deletes(got, streamEvents))
	}
	for what, c := range map[string]struct{ more, want string }{
		"a later version":          {at("s", "e", 12, "SEQUENCE:1"), "e"},
		"one of another start":     {at("s", "e", 12), "a,c,d,b,e"},
		"a later one of the UID":   {at("s", "e", 10, "SEQUENCE:1") + at("s", "f", 10, "SEQUENCE:1"), "e,f"},
		"a word that cancels them": {at("s", "e", 10, "STATUS:CANCELLED"), "b"},
	} {
		f := newFolder()
		f.write("a.ics", vcalendar(at("s", "a", 10), at("s", "c", 10), at("s", "d", 10), at("s", "b", 11), c.more))
		if got := summaries(f.collect(t)); got != c.want {
			t.Errorf("%s: events %q, want %s", what, got, c.want)
		}
	}
	// An event that is left alone has the key of its UID.
	f.write("a.ics", vcalendar(at("s", "a", 10)))
	alone := again(t, first)
	g := newFolder()
	g.write("a.ics", vcalendar(at("s", "a", 10)))
	if got, want := bySummary(t, alone, "a").Key, bySummary(t, g.collect(t), "a").Key; got != want {
		t.Errorf("key %s, want %s", got, want)
	}
}

// The occurrences that are cancelled belong to each of the series of a key.
func TestCancelledOccurrencesOfTwins(t *testing.T) {
	t.Parallel()
	off := at("s", "off", 11, "RECURRENCE-ID:20260311T090000Z", "STATUS:CANCELLED")
	for _, other := range []string{"", at("s", "single", 20)} {
		f := newFolder()
		f.write("a.ics", vcalendar(at("s", "series", 10, "RRULE:FREQ=DAILY"), at("s", "same", 10, "RRULE:FREQ=DAILY"), at("s", "once", 10), other, off))
		res := f.collect(t)
		for summary, want := range map[string]string{"series": "[20260311T090000Z]", "same": "[20260311T090000Z]", "once": "[]"} {
			if got := fmt.Sprint(bySummary(t, res, summary).Fields["cancelled_occurrences"]); got != want {
				t.Errorf("%s: %s, want %s", summary, got, want)
			}
		}
	}
}

// The occurrences that are cancelled belong to the series among the events of a UID.
func TestCancelledOccurrencesOfASharedUID(t *testing.T) {
	t.Parallel()
	f := newFolder()
	f.write("a.ics", vcalendar(at("s", "series", 10, "RRULE:FREQ=DAILY"), at("s", "single", 20), at("s", "off", 11, "RECURRENCE-ID:20260311T090000Z", "STATUS:CANCELLED")))
	res := f.collect(t)
	for summary, want := range map[string]string{"series": "[20260311T090000Z]", "single": "[]"} {
		if got := fmt.Sprint(bySummary(t, res, summary).Fields["cancelled_occurrences"]); got != want {
			t.Errorf("%s: %s, want %s", summary, got, want)
		}
	}
}

// A start that is not understood still tells events apart.
func TestSharedUIDWithoutDates(t *testing.T) {
	t.Parallel()
	f := newFolder()
	day := func(summary, start string) string {
		return "BEGIN:VEVENT\nUID:s\nSUMMARY:" + summary + "\n" + start + "END:VEVENT\n"
	}
	f.write("a.ics", vcalendar(day("a", "DTSTART:tomorrow\n"), day("b", "DTSTART:today\n"), day("c", ""), day("d", "DTSTART;TZID=A:20260310T090000\n"), day("e", "DTSTART;TZID=B:20260310T090000\n")))
	if got := summaries(f.collect(t)); got != "a,b,c,d,e" {
		t.Errorf("events %q, want a,b,c,d,e", got)
	}
}

// AC-04: an earlier version is told where it started at another time, and neither is cancelled.
func TestEarlierVersionsAreTold(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		events []string
		told   int
	}{
		"the same start":            {[]string{at("s", "a", 10), at("s", "b", 10, "SEQUENCE:1")}, 0},
		"another start":             {[]string{at("s", "a", 10), at("s", "b", 11, "SEQUENCE:1")}, 1},
		"the later one first":       {[]string{at("s", "b", 11, "SEQUENCE:1"), at("s", "a", 10)}, 1},
		"the earlier one cancelled": {[]string{at("s", "a", 10, "STATUS:CANCELLED"), at("s", "b", 11, "SEQUENCE:1")}, 0},
		"the later one cancelled":   {[]string{at("s", "a", 10), at("s", "b", 11, "SEQUENCE:1", "STATUS:CANCELLED")}, 0},
		"one occurrence":            {[]string{at("s", "a", 10, "RECURRENCE-ID:20260309T090000Z"), at("s", "b", 11, "SEQUENCE:1", "RECURRENCE-ID:20260309T090000Z")}, 0},
		"two of one content apart":  {[]string{at("s", "a", 10), at("s", "a'", 10), at("s", "b", 11, "SEQUENCE:1")}, 2},
		"behind two later ones":     {[]string{at("s", "b", 11, "SEQUENCE:1"), at("s", "b'", 11, "SEQUENCE:1"), at("s", "a", 10)}, 1},
	} {
		f := newFolder()
		f.write("a.ics", vcalendar(c.events...))
		res := f.collect(t)
		if got := messages(res)[moved.Reason]; (got == "") != (c.told == 0) || c.told > 0 && !strings.HasPrefix(got, fmt.Sprint(c.told)) {
			t.Errorf("%s: told %q, want %d", what, got, c.told)
		}
	}
}
