package archive_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/sdk/archive"
)

// AC-06: every zip of a file that several were joined in is read, and what is wrong with one is told.
func TestZipsBehindOneAnother(t *testing.T) {
	t.Parallel()
	one, two, three := packZip(t, item{"a", "one", true}, item{"same", "1", false}), packZip(t, item{"b", "two", false}, item{"same", "2", true}), packZip(t, item{"c", "three", true})
	join := slices.Concat[[]byte]
	damaged := bytes.Clone(one)
	damaged[bytes.Index(damaged, []byte("PK\x01\x02"))+1] = 'X'
	masked := bytes.Clone(one)
	masked[len(masked)-18] = 1 // its end names the second disk
	for name, c := range map[string]struct {
		in   []byte
		want string
	}{
		"two":                                        {join(one, two), "b=two\nsame=2\na=one\nsame=1"},
		"three":                                      {join(one, two, three), "c=three\nb=two\nsame=2\na=one\nsame=1"},
		"the first without its end":                  {join(one[:len(one)-30], two), "b=two\nsame=2\na=one\nsame=1\narchive.truncated"},
		"the first with a bad directory":             {join(damaged, two), "b=two\nsame=2\na=one\nsame=1\narchive.corrupt"},
		"the first of several disks":                 {join(masked, two), "b=two\nsame=2\narchive.unsupported"},
		"zeros between":                              {join(one, make([]byte, 100), two), "b=two\nsame=2\na=one\nsame=1"},
		"the second without its end":                 {join(one, two[:len(two)-30]), "a=one\nsame=1\nb=two\nsame=2\narchive.truncated"},
		"the last of three without its end":          {join(one, two, three[:len(three)-30]), "b=two\nsame=2\na=one\nsame=1\nc=three\narchive.truncated"},
		"the last without its end, behind a comment": {join(one[:len(one)-2], []byte{1, 0, '!'}, two[:len(two)-30]), "a=one\nsame=1\nb=two\nsame=2\narchive.truncated"},
		"the first without its beginning":            {join(one[10:], two), "b=two\nsame=2\nsame=1\narchive.corrupt"},
		"both faults":                                {join(masked, one, two[:len(two)-30]), "a=one\nsame=1\narchive.unsupported"},
		"a program that has the signature":           {join([]byte("#!PK\x05\x06"+strings.Repeat("\x00", 18)+"a program\n"), one), "a=one\nsame=1"},
		"something behind":                           {join(one, []byte("and a text that is longer than a header")), "a=one\nsame=1"},
		"a beginning of a header behind":             {join(one, []byte("PK\x03\x04")), "a=one\nsame=1"},
		"a program in front":                         {join([]byte("#!/bin/sh\n"), one), "a=one\nsame=1"},
		"a beginning of a header in front":           {join([]byte("PK\x03\x04"), one), "a=one\nsame=1\narchive.truncated"},
	} {
		got := walk(c.in, archive.Limits{})
		if !strings.HasPrefix(got, c.want) || strings.Contains(got, "archive.") != strings.Contains(c.want, "archive.") {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
	r, err := open(join(one, two, three), archive.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for last := int64(0); r.Next(); {
		done, _ := r.Progress()
		if done < last {
			t.Errorf("%d bytes were passed, after %d", done, last)
		}
		last = done
	}
}
