package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/sdk/files"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

// AC-04: two files are two records, whatever their names are.
func TestTwoFilesAreTwoRecords(t *testing.T) {
	t.Parallel()
	names := []string{"a.md", "a.MD", "a.MD.md", "a.md.md", "A.md", "b.Md", "x/a.md"}
	for _, c := range []struct{ stream, folder, prefix, want string }{
		{"slash_commands", "commands/", "commands:", "A a a.MD a.MD.md a.md.md b.Md x/a"},
		{"memory_notes", project + "memory/", "memory_notes:-home-ada-code-loom/", "A.md a.MD a.MD.md a.md a.md.md b.Md x/a.md"},
	} {
		h := small()
		for _, name := range names {
			h.put(c.folder+name, "Text of "+name)
		}
		first := run(t, h)
		var got []string
		for _, r := range first.Records(c.stream) {
			got = append(got, strings.TrimPrefix(r.Key, c.prefix))
			if r.Text("content") != "Text of "+strings.TrimPrefix(r.Text("path"), c.folder) {
				t.Errorf("%s: got %q, want the text of %s", r.Key, r.Text("content"), r.Text("path"))
			}
		}
		slices.Sort(got)
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: got the keys %q, want %q", c.stream, got, c.want)
		}
		if second := again(t, first); len(second.Records(c.stream)) != 0 || len(second.Gone(c.stream)) != 0 {
			t.Errorf("%s: the next run emitted %q, want nothing", c.stream, second.Keys(c.stream))
		}
		delete(h, c.folder+"a.MD")
		if third := again(t, first); strings.Join(third.Gone(c.stream), " ") != c.prefix+"a.MD" {
			t.Errorf("%s: got %q gone, want a.MD", c.stream, third.Gone(c.stream))
		}
	}
}

// AC-04: the record of a file under the key that an earlier version gave it goes when it has its own.
func TestRecordsOfJoinedKeys(t *testing.T) {
	t.Parallel()
	h := small()
	h.put("commands/b.MD", "B")
	first := run(t, h)
	res := checked(t, first.SecondRun(t, func(o *sdktest.Options) {
		record := o.Stored["slash_commands"]["commands:b.MD"]
		o.Stored["slash_commands"] = map[string]sdktest.Record{"commands:b": record}
		o.State["slash_commands"] = fmt.Sprintf(`{"v":1,"items":{"b":[1,%d,%d]}}`, h["commands/b.MD"].ModTime.UnixMilli(), files.Sum("B", "1"))
	}))
	if got := strings.Join(res.Keys("slash_commands"), " ") + " " + strings.Join(res.Gone("slash_commands"), " "); got != "commands:b.MD commands:b" {
		t.Errorf("got %q, want the new key, and the old one gone", got)
	}
}
