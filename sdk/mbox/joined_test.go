package mbox_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/mbox"
)

// AC-06: a whole envelope and two fields begin a message behind a line of text, too.
func TestMessagesWithoutAnEmptyLineBetween(t *testing.T) {
	t.Parallel()
	const envelope = "From 17@xxx Mon Jan 01 10:00:00 +0000 2024\n"
	fields := "Subject: two\nX-List: a\n b\nTo: c@d\n\nbody\n"
	long := "X-Long: " + strings.Repeat("x", 9_000) + "\n"
	for name, c := range map[string]struct{ behind, want, detail string }{
		"a message":                     {envelope + fields, "one two", ""},
		"of asctime":                    {"From a@b Mon Jan  1 10:00:00 2024\n" + fields, "one two", ""},
		"with a zone":                   {"From a@b Mon Jan  1 10:00 CET 2024 remote\n" + fields, "one two", ""},
		"with line ends of Windows":     {strings.ReplaceAll(envelope+fields, "\n", "\r\n"), "one two", ""},
		"two":                           {envelope + fields + strings.ReplaceAll(envelope+fields, "two", "three"), "one two three", ""},
		"with a field in several lines": {envelope + "Subject:\n two\nTo: c@d\n\n", "one two", ""},
		"cut behind two fields":         {envelope + "Subject: two\nTo:", "one mbox.truncated", "at byte 94"},
		"with a mark of the byte order": {"\ufeff" + envelope + "Subject: two\n\nbody\n", "one two", ""},
		"one field":                     {envelope + "Subject: two\n\nbody\n", "one mbox.damaged", "a line that may begin a message at byte 35"},
		"one field at the end":          {envelope + "Subject: two\n", "one mbox.damaged", "a line that may begin a message at byte 35"},
		"one field and text":            {envelope + "Subject: two\nwas what he wrote\n", "one", ""},
		"no field":                      {envelope + "was what he wrote\n", "one", ""},
		"nothing behind":                {envelope, "one", ""},
		"addresses are no fields":       {envelope + "https://example.org/a\nhttps://example.org/b\n\n", "one", ""},
		"no names":                      {envelope + ": a\n: b\n\n", "one", ""},
		"blanks in front are no fields": {envelope + " Subject: two\n To: c@d\n\n", "one", ""},
		"quoted":                        {">" + envelope + fields, "one", ""},
		"no sender":                     {"From Mon Jan 01 10:00:00 +0000 2024\n" + fields, "one", ""},
		"no year":                       {"From 17@xxx Mon Jan 01 10:00:00\n" + fields, "one", ""},
		"no day of the week":            {"From 17@xxx Tag Jan 01 10:00:00 +0000 2024\n" + fields, "one", ""},
		"no month":                      {"From 17@xxx Mon Jun! 01 10:00:00 +0000 2024\n" + fields, "one", ""},
		"no day":                        {"From 17@xxx Mon Jan 1st 10:00:00 +0000 2024\n" + fields, "one", ""},
		"no time":                       {"From 17@xxx Mon Jan 01 soon:00 +0000 2024\n" + fields, "one", ""},
		"text behind the time":          {"From 17@xxx Mon Jan 01 10:00:00 +0000 2024 he wrote to me\n" + fields, "one", ""},
		"a field that the look ends in": {envelope + "Subject: two\n" + long, "one two", ""},
		"a field that hides the second": {envelope + long + fields, "one two", ""},
	} {
		text := "From a 10:00:00\nSubject: one\n\nbody\n" + c.behind
		for reader, in := range map[string]io.Reader{"whole": strings.NewReader(text), "bytes": iotest.OneByteReader(strings.NewReader(text))} {
			r := mbox.New(in)
			var list []string
			for r.Next() {
				list = append(list, r.Header("subject"))
			}
			detail := ""
			var e *abi.Error
			if errors.As(r.Err(), &e) {
				detail, list = e.Detail, append(list, string(e.Code))
			}
			if got := strings.Join(list, " "); got != c.want || detail != c.detail {
				t.Errorf("%s, %s: got %q, %q, want %q, %q", name, reader, got, detail, c.want, c.detail)
			}
		}
	}
}

// AC-06: an envelope ends a header that has no empty line.
func TestAHeaderThatNothingEnds(t *testing.T) {
	t.Parallel()
	const in = "From a 10:00:00\nSubject: one\nFrom 17@xxx Mon Jan 01 10:00:00 +0000 2024\nSubject: two\nTo: c@d\n\n"
	if got, want := subjects(strings.NewReader(in)), "one/13/0 two/22/0"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// AC-07: a mark of the byte order is no part of a line.
func TestAMarkOfTheByteOrder(t *testing.T) {
	t.Parallel()
	const one, two = "\ufeffFrom a 10:00:00\nSubject: one\n\nbody\n\n", "\ufeffFrom b 11:00:00\nSubject: two\n\nbody\n\n"
	for in, want := range map[string]string{
		one + two:          "one/19/0 two/20/0",
		one + "\ufefftext": "one/27/0",
		"\ufeff":           "",
		"\ufeff\n\n" + one: "one/20/0",
		"\ufefftext\n":     "mbox.not_a_mailbox",
	} {
		for name, r := range map[string]io.Reader{"whole": strings.NewReader(in), "bytes": iotest.OneByteReader(strings.NewReader(in))} {
			if got := subjects(r); got != want {
				t.Errorf("%.60q, %s: got %q, want %q", in, name, got, want)
			}
		}
	}
}

// A mailbox whose lines end with CR, as old programs of the Mac wrote them, has the messages of one whose lines end with LF.
func TestLinesThatEndWithCR(t *testing.T) {
	t.Parallel()
	const two = "From a@b Mon Jan  1 10:00:00 2024\nSubject: one\nX: y\n z\n\nbody\n\nFrom a@b Mon Jan  1 10:00:00 2024\nSubject: two\n\nbody\n"
	for name, c := range map[string]struct{ text, want string }{
		"CR":                        {strings.ReplaceAll(two, "\n", "\r"), "one two"},
		"empty lines in front":      {"\r\r" + strings.ReplaceAll(two, "\n", "\r"), "one two"},
		"CR, and then CRLF":         {strings.ReplaceAll(two, "\n", "\r") + "\r" + strings.ReplaceAll(two, "\n", "\r\n"), "one two one two"},
		"CRLF, and a CR in a body":  {strings.ReplaceAll(two, "\n", "\r\n") + "\rFrom a@b Mon Jan  1 10:00:00 2024\rSubject: no\rTo: c@d\r\r", "one two"},
		"LF, and a CR in a subject": {strings.Replace(two, "one", "on\re", 1), "on\re two"},
		"a CR that ends the file":   {strings.ReplaceAll(two[:len(two)-1], "\n", "\r") + "\r", "one two"},
	} {
		for reader, in := range map[string]io.Reader{"whole": strings.NewReader(c.text), "bytes": iotest.OneByteReader(strings.NewReader(c.text)), "with the end": iotest.DataErrReader(strings.NewReader(c.text))} {
			r := mbox.New(in)
			var got []string
			var size int64
			for r.Next() {
				got = append(got, r.Header("Subject"))
				size += r.Size()
			}
			if text := strings.Join(got, " "); text != c.want || r.Err() != nil || size == 0 {
				t.Errorf("%s, %s: got %q, %v, want %q", name, reader, text, r.Err(), c.want)
			}
		}
	}
}
