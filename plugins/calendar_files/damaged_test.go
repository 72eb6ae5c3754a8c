package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf16"

	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/trial"
)

// raw writes a file as it is, without the line ends of write.
func (f *folder) raw(name, text string) {
	f.write(name, "")
	f.files[name] = &fstest.MapFile{Data: []byte(text), ModTime: f.clock}
}

func wide(text string, bigEndian bool) string {
	var b strings.Builder
	for _, u := range utf16.Encode([]rune(text)) {
		if low, high := byte(u), byte(u>>8); bigEndian {
			b.Write([]byte{high, low})
		} else {
			b.Write([]byte{low, high})
		}
	}
	return b.String()
}

// AC-06: blanks, line ends and encodings as programs write them cost nothing, and are told where
// something was guessed.
func TestCalendarsAsProgramsWriteThem(t *testing.T) {
	t.Parallel()
	plain := vcalendar(vevent("1", "Größe"), vevent("2", "two"))
	crlf := strings.ReplaceAll(plain, "\n", "\r\n")
	lines := strings.Split(strings.TrimSuffix(plain, "\n"), "\n")
	for name, c := range map[string]struct{ text, reasons string }{
		"LF":                       {plain, ""},
		"CR":                       {strings.ReplaceAll(plain, "\n", "\r"), ""},
		"two CR and LF":            {strings.ReplaceAll(plain, "\n", "\r\r\n"), ""},
		"mixed ends":               {strings.Replace(strings.Replace(crlf, "\r\n", "\r", 5), "\r\n", "\n", 3), ""},
		"empty lines":              {strings.ReplaceAll(plain, "\n", "\r\n\r\n"), ""},
		"no end of the last line":  {strings.TrimSuffix(crlf, "\r\n"), ""},
		"blanks behind lines":      {strings.ReplaceAll(plain, "\n", " \t\r\n"), ""},
		"blanks around names":      {strings.NewReplacer("BEGIN:", "BEGIN : ", "END:", "END :\t", "SUMMARY:", "SUMMARY :", "DTSTART:", "DTSTART : ").Replace(crlf), ""},
		"indented":                 {"  " + strings.Join(lines, "\n  "), ""},
		"indented by levels":       {strings.NewReplacer("\nBEGIN:VEVENT", "\n  BEGIN:VEVENT", "\nUID", "\n\tUID", "\nDT", "\n\tDT", "\nSUM", "\n\tSUM").Replace(plain), ""},
		"blank lines at the end":   {crlf + " \r\n\t\r\n\r\n", ""},
		"names in small letters":   {strings.NewReplacer("BEGIN:VEVENT", "begin:vevent", "END:VEVENT", "End:vEvent", "BEGIN:VC", "begin:vc").Replace(crlf), ""},
		"a no-break space":         {strings.ReplaceAll(crlf, "VEVENT\r", "VEVENT\u00a0\r"), ""},
		"UTF-8 with a mark":        {"\ufeff" + crlf, ""},
		"UTF-16 little endian":     {"\xff\xfe" + wide(crlf, false), ""},
		"UTF-16 big endian":        {"\xfe\xff" + wide(crlf, true), ""},
		"UTF-16 without a mark":    {wide(crlf, false), ""},
		"Windows-1252":             {strings.ReplaceAll(crlf, "Größe", "Gr\xf6\xdfe"), "encoding_guessed"},
		"a declared encoding":      {strings.ReplaceAll(crlf, "SUMMARY:Größe", "SUMMARY;CHARSET=ISO-8859-1:Gr\xf6\xdfe"), ""},
		"quoted-printable":         {strings.ReplaceAll(crlf, "SUMMARY:Größe", "SUMMARY;ENCODING=QUOTED-PRINTABLE;CHARSET=UTF-8:Gr=C3=\r\n=B6=C3=9Fe"), ""},
		"quoted-printable, older":  {strings.ReplaceAll(crlf, "SUMMARY:Größe", "SUMMARY; QUOTED-PRINTABLE;CHARSET=windows-1252:Gr=F6=\r\n=DFe"), ""},
		"an encoding nobody knows": {strings.ReplaceAll(crlf, "SUMMARY:", "SUMMARY;ENCODING=X-ZIP:"), "encoding_guessed"},
		"two glued files":          {strings.Replace(crlf, "BEGIN:VEVENT\r\nUID:2", "END:VCALENDAR\r\n\ufeffBEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:2", 1), ""},
		"text that is not folded": {strings.Replace(crlf, "SUMMARY:two\r\n",
			"SUMMARY:two\r\nDESCRIPTION:Dear Team,\r\nplease read\r\nEND: of month report\r\nBEGIN:with this\r\nEND:SOON\r\n", 1), "malformed_lines"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFolder()
			f.raw("a.ics", c.text)
			res := f.collect(t)
			if got := strings.NewReplacer(" ", "", "\t", "").Replace(summaries(res)); got != "Größe,two" || trial.Reasons(res) != c.reasons {
				t.Fatalf("events %q, skips %q, want Größe,two and %q", got, trial.Reasons(res), c.reasons)
			}
			for _, r := range res.Records(streamEvents) {
				if r.Text("start_utc") != "2026-03-02T09:00:00Z" {
					t.Errorf("%s starts at %q, want 2026-03-02T09:00:00Z", r.Text("summary"), r.Text("start_utc"))
				}
			}
			if next := again(t, res); len(next.Changes()) != 0 || trial.Reasons(next) != c.reasons {
				t.Errorf("the next run changes %v, skips %q, want nothing and %q", next.Changes(), trial.Reasons(next), c.reasons)
			}
		})
	}
}

// AC-06: a part that does not close costs itself. The parts around it are collected, the report
// has the line where it begins, and nothing of the file is deleted until it closes.
func TestAPartThatDoesNotClose(t *testing.T) {
	t.Parallel()
	one, two, three := vevent("1", "one"), vevent("2", "two"), vevent("3", "three")
	head := strings.TrimSuffix(vcalendar(), "END:VCALENDAR\n") // four lines
	for name, c := range map[string]struct {
		text, events, place, reasons string
	}{
		"a to-do with another end":      {head + one + "BEGIN:VTODO\nUID:t\nEND:VTOOD\n" + two + "END:VCALENDAR\n", "one,two", "line 11", "file_incomplete,malformed_lines"},
		"an event without an end":       {head + one + strings.TrimSuffix(two, "END:VEVENT\n") + three + "END:VCALENDAR\n", "one,three", "line 11", "file_incomplete"},
		"the last event":                {head + one + strings.TrimSuffix(two, "END:VEVENT\n") + "END:VCALENDAR\n", "one", "line 11", "file_incomplete"},
		"an alarm":                      {head + vevent("1", "one", "BEGIN:VALARM", "TRIGGER:-PT5M") + two + "END:VCALENDAR\n", "one,two", "line 10", "file_incomplete"},
		"a zone":                        {head + strings.Replace(zoneBerlin, "END:VTIMEZONE\n", "", 1) + one + "END:VCALENDAR\n", "one", "line 5", "file_incomplete"},
		"one of two calendars":          {head + one + head + two + "END:VCALENDAR\n", "one,two", "line 1", "file_incomplete"},
		"the file ends in an event":     {head + one + "BEGIN:VEVENT\nUID:2\nSUMM", "one", "line 11", "file_incomplete,malformed_lines"},
		"the file ends after an event":  {head + one + two, "one,two", "line 1", "file_incomplete"},
		"events without a calendar":     {one + two, "one,two", "line 1", "file_incomplete"},
		"an event behind the end":       {head + one + "END:VCALENDAR\n" + two, "one,two", "line 12", "file_incomplete"},
		"a component that nobody knows": {head + one + "BEGIN:X-THING\nA:b\n" + two + "END:VCALENDAR\n", "one,two", "line 11", "file_incomplete"},
		"a beginning without a colon":   {head + one + strings.Replace(two, "BEGIN:", "BEGIN ", 1) + three + "END:VCALENDAR\n", "one,three", "line 11", "file_incomplete,malformed_lines"},
		"a beginning behind a text":     {head + one + "END:VCALENDAR\nx y " + two, "one", "line 12", "file_incomplete,malformed_lines"},
		"a beginning of another name":   {head + one + strings.Replace(two, "BEGIN:", "BEGNI:", 1) + three + "END:VCALENDAR\n", "one,three", "line 14", "file_incomplete,malformed_lines"},
		"no beginning":                  {head + one + strings.Replace(two, "BEGIN:VEVENT\n", "", 1) + three + "END:VCALENDAR\n", "one,three", "line 13", "file_incomplete,malformed_lines"},
		"properties behind the end":     {head + one + "END:VCALENDAR\nSUMMARY:x\nUID:2\n", "one", "line 12", "file_incomplete,malformed_lines"},
		"far too deep":                  {head + one + strings.Repeat("BEGIN:X-DEEP\n", 40) + two + "END:VCALENDAR\n", "one,two", "line 25", "file_incomplete,malformed_lines"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFolder()
			f.write("a.ics", vcalendar(vevent("old", "old"), vevent("2", "before")))
			first := f.collect(t)
			f.write("a.ics", c.text)
			for i, want := range []string{c.events, ""} { // told in each run, and read in the first
				first = again(t, first)
				if got := summaries(first); got != want || len(deletes(first, streamEvents)) != 0 || trial.Reasons(first) != c.reasons {
					t.Fatalf("run %d: events %q, deleted %v, skips %q, want %q, none and %q", i, got, deletes(first, streamEvents), trial.Reasons(first), want, c.reasons)
				}
				if m := messages(first)[torn.Reason]; !strings.Contains(m, `["a.ics, `+c.place+`"]`) || hints(first)[torn.Reason] != `"manual_action_required"` {
					t.Errorf("run %d: %s, hint %s, want %s and manual_action_required", i, m, hints(first)[torn.Reason], c.place)
				}
				if slices.ContainsFunc(first.Changes(), func(r sdktest.Record) bool { return r.Stream == streamCalendars }) {
					t.Errorf("run %d: the calendar's record changes, want it as it was: what the file lacks may be part of it", i)
				}
				if got := covered(first)["files"]; i == 0 && got != "incomplete 1" {
					t.Errorf("files %s, want incomplete 1", got)
				}
			}
			f.write("a.ics", vcalendar(vevent("2", "mended")))
			stored := len(first.Stored()[streamEvents])
			if last := again(t, first); summaries(last) != "mended" || len(last.Skips) != 0 || len(deletes(last, streamEvents)) != stored-1 {
				t.Errorf("mended: events %q, skips %v, %d of %d deleted, want mended, none and all others", summaries(last), last.Skips, len(deletes(last, streamEvents)), stored)
			}
			delete(f.files, "a.ics")
			if last := again(t, first); len(deletes(last, streamEvents)) != stored {
				t.Errorf("removed: %d of %d deleted, want all", len(deletes(last, streamEvents)), stored)
			}
		})
	}
}

// A mended file that has the same events as the damaged one still loses what was removed.
func TestMendedWithoutANewEvent(t *testing.T) {
	t.Parallel()
	f := newFolder()
	f.write("a.ics", vcalendar(vevent("1", "one"), vevent("2", "two")))
	first := f.collect(t)
	f.write("a.ics", vcalendar(vevent("1", "one"), "BEGIN:VTODO\n"))
	second := again(t, first)
	f.write("a.ics", vcalendar(vevent("1", "one"), "BEGIN:VTODO\nEND:VTODO\n"))
	third := again(t, second)
	if len(deletes(second, streamEvents)) != 0 || len(deletes(third, streamEvents)) != 1 || len(third.Skips) != 0 {
		t.Errorf("damaged: %v, mended: %v %v, want none deleted, then one", deletes(second, streamEvents), deletes(third, streamEvents), third.Skips)
	}
}

// AC-05: names that the connector does not know are counted by name, without a gap.
func TestNamesNobodyKnows(t *testing.T) {
	t.Parallel()
	f := newFolder()
	f.write("a.ics", vcalendar(vevent("1", "one", "X-ONE:1", "COLOUR:red", "ATTACH:x", "BEGIN:PARTICIPANT", "X-INNER:1", "END:PARTICIPANT"),
		vevent("2", "two", "X-ONE:1", "DESCRIPTION;ENCODING=UUENCODE:x"), "BEGIN:VAVAILABILITY\nEND:VAVAILABILITY\nBEGIN:VPOLL\nEND:VPOLL\n"))
	f.write("b.ics", vcalendar(vevent("1", "one", "X-ONE:1", "X-TWO:1")))
	reason := func() string {
		res := f.collect(t)
		r, _ := res.Record(streamCoverage, "coverage:unknown_names")
		return fmt.Sprint(r.Text("status"), " ", r.Fields["count"], " ", r.Text("reason"))
	}
	want := "unsupported 10 not known, and not collected: property X-ONE (3), component PARTICIPANT (1), component VAVAILABILITY (1), component VPOLL (1), " +
		"encoding UUENCODE (1), property ATTACH (1), property COLOUR (1), property X-TWO (1)"
	if got := reason(); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	first := f.collect(t)
	delete(f.files, "a.ics")
	second := again(t, first)
	f.write("c.ics", vcalendar(vevent("1", "one", "X-THREE:1")))
	third := again(t, second)
	r, _ := third.Record(streamCoverage, "coverage:unknown_names")
	if got := r.Text("reason"); got != "not known, and not collected: property X-ONE (1), property X-THREE (1), property X-TWO (1)" {
		t.Errorf("%s, want the names of the files that are there", got)
	}
	if names := third.Committed()[streamEvents]; strings.Contains(names, "COLOUR") {
		t.Errorf("the cursor names what no file has: %s", names)
	}
	var many []string
	for i := range 3 * maxUnknown {
		many = append(many, fmt.Sprintf("X-%d:1", i))
	}
	f.write("b.ics", vcalendar(vevent("1", "one", many...)))
	r, _ = again(t, third).Record(streamCoverage, "coverage:unknown_names")
	if got := r.Text("reason"); strings.Count(got, ",") > maxUnknown+1 || !strings.Contains(got, "others (") || fmt.Sprint(r.Fields["count"]) != fmt.Sprint(3*maxUnknown+1) {
		t.Errorf("%v %s, want a bounded list that counts all", r.Fields["count"], got)
	}
}
