package main

import (
	"archive/zip"
	"bytes"
	"io"
	"maps"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

// AC-02: posts of an archive of 2012 to 2017 that its table alone has are collected, and of those that a month has, too, the month's
// record stays, whichever file is read first.
func TestATableHasPostsThatTheMonthsLack(t *testing.T) {
	t.Parallel()
	const table = "\"tweet_id\",\"timestamp\",\"text\"\n\"5\",\"2014-01-01 00:00:00 +0000\",\"of the table\"\n\"6\",\"2014-02-01 00:00:00 +0000\",\"ho\"\n"
	const details = `var user_details = {"id":"1"}`
	for name, file := range map[string]string{"read first": "a/tweets.csv", "read last": "z/tweets.csv", "loose": "tweets.csv"} {
		w := newWorld(t)
		all := map[string]string{file: table, "data/js/tweets/2014_01.js": grailbird, "data/js/user_details.js": details}
		if name == "loose" {
			for path, content := range all {
				w.folder[path] = &fstest.MapFile{Data: []byte(content), ModTime: sdktest.Epoch}
			}
		} else {
			w.folder["a.zip"] = archived(t, all)
		}
		res := w.collect()
		w.has("5 6", problemPartial)
		if got, _ := res.Stored()[streamTweets]["5"]; got.Text("text") != "hi" {
			t.Errorf("%s: got the text %q, want that of the month", name, got.Text("text"))
		}
		if got := w.collect(); len(got.Changes()) != 0 {
			t.Errorf("%s: the next run changed %v, want nothing", name, got.Changes())
		}
	}
}

// Two archives in one file are not read as one, since nothing says whose a post is, and delete nothing.
func TestArchivesInOneFile(t *testing.T) {
	t.Parallel()
	part := func(folder, account, day, id string) map[string]string {
		return map[string]string{
			folder + "/data/manifest.js": strings.NewReplacer(`"accountId":"1"`, `"accountId":"`+account+`"`, "2026-01-01", day).Replace(described("false", listsTweets)),
			folder + "/data/tweets.js":   `window.YTD.tweets.part0 = [` + strings.Replace(onePost, `"1"`, `"`+id+`"`, 1) + `]`,
		}
	}
	old := func(folder, account, id string) map[string]string {
		return map[string]string{folder + "/data/js/tweets/2014_01.js": strings.Replace(grailbird, `"5"`, `"`+id+`"`, 1), folder + "/data/js/user_details.js": `var user_details = {"id":"` + account + `"}`}
	}
	for name, c := range map[string]struct {
		one, two map[string]string
		mixed    bool
	}{
		"of two accounts":         {part("one", "1", "2026-01-02", "2"), part("two", "2", "2026-01-02", "3"), true},
		"of two days":             {part("one", "1", "2026-01-02", "2"), part("two", "1", "2026-01-03", "3"), true},
		"of two accounts in 2014": {old("one", "1", "2"), old("two", "2", "3"), true},
		"the same one twice":      {part("one", "1", "2026-01-02", "2"), part("two", "1", "2026-01-02", "2"), false},
	} {
		w := newWorld(t)
		w.folder["a.zip"] = archived(t, part(".", "1", "2026-01-01", "1"))
		w.collect()
		both := c.one
		maps.Copy(both, c.two)
		w.folder["b.zip"] = archived(t, both)
		res, keys := w.collect(), ""
		for _, key := range []string{"1", "2", "3"} {
			if _, there := res.Stored()[streamTweets][key]; there {
				keys += key
			}
		}
		said := false
		for _, s := range res.Skips {
			said = said || s.Reason == problemMixed
		}
		if said != c.mixed || (keys == "1") != c.mixed {
			t.Errorf("%s: got the posts %s, and told of several archives: %v, want %v, with the first post alone", name, keys, said, c.mixed)
		}
	}
}

// Of two files of one name in an archive the first is read, and the second is told.
func TestAFileThatAnArchiveHasTwice(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, file := range [][2]string{
		{"data/manifest.js", described("false", listsTweets)}, {"data/tweets.js", `window.YTD.tweets.part0 = [` + onePost + `]`},
		{"data/tweets.js", `window.YTD.tweets.part0 = [` + strings.Replace(onePost, `"1"`, `"2"`, 1) + `]`},
	} {
		f, err := z.Create(file[0])
		if err == nil {
			_, err = io.WriteString(f, file[1])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	w := newWorld(t)
	w.folder["a.zip"] = &fstest.MapFile{Data: b.Bytes(), ModTime: sdktest.Epoch}
	w.collect()
	w.has("1", "archive_partial archive_duplicate_name")
}
