package main

import (
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
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

// shutAway lists files that the host cannot name or open.
type shutAway struct{ *folder }

type shutEntry struct{ fs.DirEntry }

func (shutEntry) Info() (fs.FileInfo, error) { return nil, fs.ErrInvalid }

func (s shutAway) ReadDir(name string) ([]fs.DirEntry, error) {
	list, err := fs.ReadDir(s.folder.FS, name)
	for i, e := range list {
		if strings.HasPrefix(e.Name(), "shut") {
			list[i] = shutEntry{e}
		}
	}
	return list, err
}

// AC-07: a file that cannot be examined counts once. One whose name is not UTF-8 is left to the host, which names it as such.
func TestFilesThatCannotBeExamined(t *testing.T) {
	t.Parallel()
	f := newFolder()
	for _, name := range []string{"a.ics", `shut\xe9.ics`, `shut\x41.ics`, "shut.ics"} {
		f.write(name, vcalendar(vevent("1", name)))
	}
	res := f.collect(t, func(o *sdktest.Options) { o.Roots = map[string]fs.FS{rootName: shutAway{f}} })
	if got := messages(res)[unreadableFile.Reason]; !strings.HasPrefix(got, "2 calendar files") || !strings.HasSuffix(got, `{"count":2,"files":["shut.ics","shut\\x41.ics"]}`) {
		t.Errorf("told %s, want the two files with names in UTF-8, each once", got)
	}
	if got := []string{res.File(rootName, "shut.ics"), res.File(rootName, `shut\xe9.ics`)}; !slices.Equal(got, []string{abi.FileKnown, ""}) {
		t.Errorf("the files end as %q, want the first as one that cannot be read, and nothing said of the other", got)
	}
	if got := covered(res)["files"]; got != "incomplete 1" {
		t.Errorf("files %s, want incomplete 1", got)
	}
}
