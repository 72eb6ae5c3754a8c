package main

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/cursor"
	"github.com/pdpp-host/pdpp-host/sdk/files"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
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
			if r.Text("content") != "Text of "+strings.TrimPrefix(r.Text("relative_path"), c.folder) {
				t.Errorf("%s: got %q, want the text of %s", r.Key, r.Text("content"), r.Text("relative_path"))
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

// A transcript that an earlier version read is read once more, condensed or not: its records have other words, and the same keys.
func TestRecordsGetOtherWords(t *testing.T) {
	t.Parallel()
	for _, condensed := range []bool{false, true} {
		first := run(t, small())
		res := checked(t, first.SecondRun(t, func(o *sdktest.Options) {
			for key, record := range o.Stored["messages"] {
				record.Data = []byte(`{"id":"` + key + `","type":"text"}`)
				o.Stored["messages"][key] = record
			}
			before := o.State["sessions"]
			if o.State["sessions"] = strings.ReplaceAll(before, fmt.Sprintf(`"reader":%d`, readerVersion), `"reader":6`); o.State["sessions"] == before {
				t.Fatalf("got the cursor %s, want its reader in it", before)
			}
			if condensed {
				c := newCollection(nil)
				doc, err := jsonvalue.Parse([]byte(before))
				if err != nil {
					t.Fatal(err)
				}
				c.readCursor(doc)
				c.condense(1, 0)
				o.State["sessions"] = strings.ReplaceAll(string(cursor.Encode(cursorVersion, sdk.Account{}, c)), fmt.Sprintf(`"reader":%d`, readerVersion), `"reader":6`)
			}
		}))
		for _, stream := range []string{"messages", "sessions", "attachments"} {
			if got, want := strings.Join(res.Keys(stream), " "), strings.Join(first.Keys(stream), " "); got != want {
				t.Errorf("condensed %v, %s: got %q emitted, want %q", condensed, stream, got, want)
			}
		}
		if got := len(res.Stored()["messages"]); got != len(first.Stored()["messages"]) {
			t.Errorf("got %d messages, want as many as before", got)
		}
		emitted(t, again(t, res))
	}
}

// Listed files and rows of coverage move to the keys that the public connector gives them, and nothing is listed for that.
func TestListedFilesMoveToTheirKeys(t *testing.T) {
	t.Parallel()
	h := small()
	names := []string{"cache", "cache/a", "cache/b", "cache/c", "cache/d", "cache/e"}
	for _, name := range names[1:] {
		h.put(name, "x")
	}
	first := run(t, h)
	hash := func(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }
	var items []string
	for _, name := range names {
		items = append(items, fmt.Sprintf("%q:7", hash(name)))
	}
	res := checked(t, first.SecondRun(t, func(o *sdktest.Options) {
		o.Stored["cache_inventory"] = map[string]sdktest.Record{}
		for _, name := range names {
			o.Stored["cache_inventory"]["cache:"+hash(name)] = sdktest.Record{Stream: "cache_inventory", Key: "cache:" + hash(name)}
		}
		o.State["cache_inventory"] = `{"v":1,"items":{` + strings.Join(items, ",") + `}}`
		o.State["coverage_diagnostics"] = `{"v":1,"items":{"coverage:sessions":7,"coverage:slash_commands":7}}`
	}))
	moved := map[string]string{}
	for _, r := range res.All {
		moved[r.MovedFrom] = r.Key
	}
	for _, name := range names {
		if moved["cache:"+hash(name)] != "cache:"+hash("claude_code:"+name) || res.Stored()["cache_inventory"]["cache:"+hash("claude_code:"+name)].Key == "" {
			t.Errorf("%s: got it moved to %q, want its record there", name, moved["cache:"+hash(name)])
		}
	}
	if len(res.Enumerations) != 0 || len(res.Stored()["cache_inventory"]) != len(names) || moved["coverage:sessions"] != "coverage:projects" || moved["coverage:slash_commands"] != "coverage:commands" {
		t.Errorf("got the lists %+v, %d records and %v, want no list, as many as before, and two rows moved", res.Enumerations, len(res.Stored()["cache_inventory"]), moved)
	}
	emitted(t, again(t, res))
}
