package main

import (
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
)

// AC-07: a calendar is known by how it begins, whatever its name is; and what begins in another way
// is not understood, however short it is.
func TestCalendarsUnderOtherNames(t *testing.T) {
	t.Parallel()
	event := vcalendar(vevent("1", "one"))
	wide := "\xff\xfe" + strings.Join(strings.Split(strings.ReplaceAll(event, "\n", "\r"), ""), "\x00") + "\x00"
	for name, c := range map[string]struct{ text, fate string }{
		"Kalender.txt":      {event, abi.FileRead},
		"カレンダー":             {event, abi.FileRead},
		"calendar.ics.bak":  {"\ufeff\r\n  begin:vcalendar" + event[len("BEGIN:VCALENDAR"):], abi.FileRead},
		"wide.dat":          {wide, abi.FileRead},
		"contacts.vcf":      {"BEGIN:VCARD\r\nEND:VCARD\r\n", abi.FileUnknown},
		"a letter.txt":      {"Dear all,\nBEGIN:VCALENDAR\n", abi.FileUnknown},
		"empty.txt":         {"", abi.FileUnknown},
		"empty but in name": {"BEGIN:VCALENDAR", abi.FileKnown},
	} {
		f := newFolder()
		f.write("good.ics", vcalendar(vevent("2", "two")))
		f.write(name, c.text)
		res := f.collect(t)
		if got := res.File(rootName, name); got != c.fate && (c.fate != abi.FileKnown || got == abi.FileRead || got == "") {
			t.Errorf("%s: got %q, want %q", name, got, c.fate)
		}
		want := "two"
		if c.fate == abi.FileRead {
			want = "one two"
		}
		if got := strings.Join(strings.Fields(strings.ReplaceAll(summaries(res), ",", " ")), " "); got != want && !(got == "two one" && want == "one two") {
			t.Errorf("%s: events %q, want %q", name, got, want)
		}
	}
}

// AC-06, AC-07: events of a file that a calendar was in stay when it is one no more, whatever its name is.
func TestACalendarUnderAnotherNameThatIsDamaged(t *testing.T) {
	t.Parallel()
	f := newFolder()
	f.write("good.ics", vcalendar(vevent("2", "two")))
	f.write("Kalender.txt", vcalendar(vevent("1", "one")))
	first := f.collect(t)
	f.write("Kalender.txt", "<!DOCTYPE html><html>Sign in</html>")
	if second := again(t, first); len(deletes(second, streamEvents)) != 0 || second.File(rootName, "Kalender.txt") == abi.FileRead {
		t.Errorf("got %v and %q, want nothing deleted, and the file named", deletes(second, streamEvents), second.File(rootName, "Kalender.txt"))
	}
}
