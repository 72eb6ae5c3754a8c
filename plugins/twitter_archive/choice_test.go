package main

import (
	"archive/zip"
	"bytes"
	"io"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

const grailbird = `Grailbird.data.tweets_2014_01 = [{"id_str":"5","text":"hi","created_at":"2014-01-01 00:00:00 +0000"}]`

// packedLate packs files with a clock that is ahead of every archive's time.
func packedLate(t *testing.T, files map[string]string) *fstest.MapFile {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, text := range files {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Modified: time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)})
		if err == nil {
			_, err = io.WriteString(w, text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return &fstest.MapFile{Data: b.Bytes(), ModTime: sdktest.Epoch}
}

// AC-02: every archive in the folder is read, whatever the clock of its packer said: of a post that several have, the
// newest one's state stays, and what an older one alone has is kept.
func TestOlderArchivesAreRead(t *testing.T) {
	t.Parallel()
	newest := account{id: "1", generated: "2026-01-01T00:00:00.000Z", tweets: []string{"1"}}
	partly := newest
	partly.partial = true
	older := func(id, text string) map[string]string {
		post := strings.NewReplacer(`"t"`, `"`+text+`"`, `"1"`, `"`+id+`"`).Replace(onePost)
		return map[string]string{"data/manifest.js": strings.Replace(described("false", listsTweets), "2026", "2025", 1), "data/tweets.js": `window.YTD.tweets.part0 = [{"tweet":` + post + `}]`}
	}
	for name, c := range map[string]struct {
		newest            account
		older             map[string]string
		posts, told, file string
	}{
		"of 2014, in months": {newest, map[string]string{"data/js/tweets/2014_01.js": grailbird}, "1 5", "", abi.FileRead},
		"of 2014, a table":   {newest, map[string]string{"tweets.csv": "\"tweet_id\",\"timestamp\",\"text\"\n\"5\",\"2014-01-01 00:00:00 +0000\",\"hi\"\n"}, "1 5", "", abi.FileRead},
		"of 2018, bare":      {newest, map[string]string{"tweet.js": `window.YTD.tweet.part0 = [` + strings.Replace(strings.Replace(onePost, "2026", "2018", 1), `"1"`, `"5"`, 1) + `]`}, "1 5", "", abi.FileRead},
		"of another post":    {newest, older("5", "old"), "1 5", "", abi.FileRead},
		"of the same post":   {newest, older("1", "old"), "1", "", abi.FileRead},
		"of messages":        {newest, map[string]string{"direct-message.js": strings.Replace(oneMessage, "2026-01-01", "2025-12-31", 1)}, "1", "", abi.FileRead},
		"without a post":     {newest, map[string]string{"account.js": `window.YTD.account.part0 = [{}]`}, "1", "", abi.FileKnown},
		"beside a part":      {partly, map[string]string{"data/js/tweets/2014_01.js": grailbird}, "1 5", problemPartial, abi.FileRead},
		"of someone else":    {newest, map[string]string{"data/manifest.js": strings.Replace(strings.Replace(described("false", ""), "2026", "2025", 1), `"1"`, `"2"`, 1)}, "1", problemOthers, abi.FileKnown},
	} {
		w := newWorld(t)
		w.put(t, "b.zip", c.newest)
		w.folder["a.zip"] = packedLate(t, c.older)
		for range 2 {
			res := w.collect()
			w.has(c.posts, c.told)
			if got := res.File("twitter_archive", "a.zip"); got != c.file {
				t.Errorf("%s: the file is %q, want %q", name, got, c.file)
			}
		}
		if got := w.store["tweets"]["1"]; got.Text("text") != "post 1" {
			t.Errorf("%s: the post says %q, want what the newest archive says", name, got.Text("text"))
		}
	}
}

// AC-02: what the folder has stays when a newer archive is put beside the one that was collected, or a file of posts
// without a date; it goes when no archive has it any more, unless the newest one itself is gone.
func TestWhatTheFolderHasStays(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put(t, "a.zip", account{id: "1", generated: "2022-01-01T00:00:00.000Z", tweets: []string{"1", "2"}})
	w.collect()
	w.put(t, "b.zip", account{id: "1", generated: "2026-01-03T04:05:06.000Z", tweets: []string{"2", "3"}, change: func(files map[string]string) {
		files["data/direct-messages.js"] = "window.YTD.direct_messages.part0 = []"
	}})
	w.collect()
	w.has("1 2 3", "")
	if _, there := w.store[streamMessages]["m1"]; !there {
		t.Error("the message of the older archive is gone, want it kept")
	}
	for _, at := range []string{"2021", "2026", "2027"} { // before the archives, at the time of one, and behind them
		w.folder["tweets.js"] = &fstest.MapFile{Data: []byte(`window.YTD.tweets.part0 = [{"tweet":` + strings.NewReplacer(`"1"`, `"4"`, "2026", at).Replace(onePost) + `}]`), ModTime: sdktest.Epoch}
		res := w.collect()
		w.has("1 2 3 4", "")
		if got := res.File("twitter_archive", "tweets.js"); got != abi.FileRead {
			t.Errorf("the file of posts of %s is %q, want it read", at, got)
		}
	}
	delete(w.folder, "tweets.js")
	w.collect()
	w.has("1 2 3", "")
	delete(w.folder, "a.zip")
	w.collect()
	w.has("2 3", "")
	w.put(t, "a.zip", account{id: "1", generated: "2022-01-01T00:00:00.000Z", tweets: []string{"1", "2"}})
	delete(w.folder, "b.zip")
	w.collect()
	w.has("2 3", problemOlder)
}

// AC-06: nothing is deleted beside an archive that is damaged, or lacks a part, whichever it is, and what the others
// have is read.
func TestADamagedArchiveBesideAnother(t *testing.T) {
	t.Parallel()
	older := account{id: "1", generated: "2022-11-13T08:00:00.000Z", tweets: []string{"1", "2", "3"}}
	newer := account{id: "1", generated: "2023-01-01T08:00:00.000Z", tweets: []string{"2", "3", "4"}}
	for name, c := range map[string]struct {
		damage func(files map[string]string)
		told   string
	}{
		"a file that is cut":  {func(files map[string]string) { files["data/tweets.js"] = files["data/tweets.js"][:110] }, problemPartial + " jsonstream_truncated"},
		"a file that is gone": {func(files map[string]string) { delete(files, "data/tweets.js") }, problemMissing + " " + problemPartial},
		"fewer posts than said": {func(files map[string]string) {
			files["data/manifest.js"] = strings.Replace(files["data/manifest.js"], `"count":"3"`, `"count":"99"`, 1)
		}, problemFewer + " " + problemPartial},
	} {
		for _, broken := range []string{"a.zip", "b.zip"} {
			w := newWorld(t)
			archives := map[string]account{"a.zip": older, "b.zip": newer}
			w.put(t, "c.zip", account{id: "1", generated: "2021-01-01T08:00:00.000Z", tweets: []string{"0"}})
			w.collect()
			delete(w.folder, "c.zip")
			for file, x := range archives {
				if file == broken {
					x.change = c.damage
				}
				w.put(t, file, x)
			}
			for range 2 {
				w.collect()
				left := map[string]string{"a.zip": "0 2 3 4", "b.zip": "0 1 2 3"}[broken]
				if c.told == problemFewer+" "+problemPartial {
					left = "0 1 2 3 4"
				}
				w.has(left, c.told)
			}
			w.put(t, broken, archives[broken])
			w.collect()
			if w.has("1 2 3 4", ""); t.Failed() {
				t.Fatalf("%s in %s", name, broken)
			}
		}
	}
}

// AC-04: a text that the newest archive has cut is taken from an older one that has the whole of it.
func TestAWholeTextInAnOlderArchive(t *testing.T) {
	t.Parallel()
	post := func(text string) []string {
		return []string{`{"tweet":{"id_str":"1","full_text":"` + text + `","created_at":"Wed Nov 09 12:34:56 +0000 2022"}}`}
	}
	w := newWorld(t)
	w.put(t, "a.zip", account{id: "1", generated: "2022-11-13T08:00:00.000Z", tweets: post("a text as it was")})
	w.put(t, "b.zip", account{id: "1", generated: "2023-11-13T08:00:00.000Z", tweets: post("a text …")})
	for range 2 {
		w.collect()
		w.has("1", "")
		if got := w.store[streamTweets]["1"]; got.Text("text") != "a text as it was" {
			t.Errorf("the post says %q, want the whole text", got.Text("text"))
		}
	}
	delete(w.folder, "a.zip")
	w.collect()
	w.has("1", problemBegin)
}

// An archive that names no account is the account's whose folder it lies in.
func TestAnArchiveWithoutAnAccount(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put(t, "b.zip", account{id: "1", generated: "2013-01-01T00:00:00.000Z", tweets: []string{"1"}})
	w.collect()
	w.folder["a.zip"] = archived(t, map[string]string{"data/js/tweets/2014_01.js": grailbird})
	w.collect()
	w.has("1 5", "")
	w.put(t, "c.zip", account{id: "2", generated: "2027-01-01T00:00:00.000Z", tweets: []string{"9"}})
	w.collect()
	w.has("1 5", problemOthers)
	delete(w.folder, "b.zip")
	res := w.collect()
	w.has("1 5", problemOthers+" "+problemPartial)
	delete(w.folder, "a.zip")
	other := sdktest.Collect(t, connector{}, sdktest.Options{Roots: map[string]fs.FS{"twitter_archive": fstest.MapFS(w.folder)}, State: res.Committed()})
	if e := other.Done.Error; e == nil || e.Code != "twitter_archive_account_changed" || !strings.Contains(e.Message, "c.zip") || strings.Contains(e.Message, "credentials") {
		t.Errorf("got %+v, want the archive's name, and no word of credentials", e)
	}
}

// AC-02: a newer archive of another account hides none of the account collected so far.
func TestANewerArchiveOfAnother(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put(t, "mine.zip", account{id: "1", generated: "2026-01-01T00:00:00.000Z", tweets: []string{"1"}})
	w.collect()
	w.put(t, "mine2.zip", account{id: "1", generated: "2026-02-01T00:00:00.000Z", tweets: []string{"1", "2"}})
	w.put(t, "other.zip", account{id: "2", generated: "2026-03-01T00:00:00.000Z", tweets: []string{"7"}})
	for range 2 {
		res := w.collect()
		w.has("1 2", problemOthers)
		if s := res.Skips[0]; !strings.HasSuffix(s.Message, "and add a connection for that folder") {
			t.Errorf("%s: %q, want where they have to go: another connection would read this folder, too", s.Reason, s.Message)
		}
		if got := res.File("twitter_archive", "other.zip"); got != abi.FileKnown {
			t.Errorf("other.zip is %q, want %q", got, abi.FileKnown)
		}
	}
	delete(w.folder, "mine2.zip")
	res := w.collect()
	w.has("1 2", problemOlder+" "+problemOthers)
	if got := res.File("twitter_archive", "mine.zip"); got != abi.FileKnown || !strings.Contains(string(res.Skips[0].Diagnostics), "mine.zip") {
		t.Errorf("mine.zip is %q, %s, want it known and named", got, res.Skips[0].Diagnostics)
	}
}

// An archive that changed behind its size and its time of modification is read again. A cursor that does not know
// when its archive was changed learns it.
func TestAnArchiveInThePlaceOfAnother(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	x := account{id: "1", generated: "2022-11-13T08:00:00.000Z", tweets: []string{"1", "2"}}
	w.put(t, "a.zip", x)
	w.collect()
	for _, c := range []struct {
		ms   int64
		sent int
	}{{5, 0}, {5, 0}, {6, 2}, {6, 0}} {
		w.folder["a.zip"].Sys = time.UnixMilli(c.ms)
		res := w.collect()
		if got := len(res.Records("tweets")); got != c.sent {
			t.Errorf("changed at %d: got %d posts sent, want %d", c.ms, got, c.sent)
		}
		if got := res.Committed()["tweets"]; !strings.Contains(got, `"changes":`) {
			t.Errorf("changed at %d: got the cursor %s, want it to know of the change", c.ms, got)
		}
	}
	w.has("1 2", "")
}

// AC-02: an archive of 2012 to 2017 that was unpacked right into the folder is one archive, with its page.
func TestAnOldArchiveRightInTheFolder(t *testing.T) {
	t.Parallel()
	table := "\"tweet_id\",\"timestamp\",\"text\"\n\"1\",\"2016-01-01 00:00:00 +0000\",\"t\"\n"
	page := map[string]string{"index.html": "x", "README.txt": "x", "css/a.css": "x", "img/a.png": "x", "js/application.js": "(function(){})();", "lib/b/c.js": "x"}
	for name, files := range map[string]map[string]string{
		"by month":           month(`{"file_name":"data/js/tweets/2014_03.js","tweet_count":1}`),
		"a table beside":     {"tweets.csv": table, "data/js/tweets/2014_03.js": month("")["data/js/tweets/2014_03.js"], "data/js/user_details.js": `var user_details = {"id":"1"}`},
		"a table alone":      {"tweets.csv": table},
		"a table, and words": {"tweets.csv": table, "data/js/user_details.js": `var user_details = {"id":"1"}`, "data/js/payload_details.js": `var payload_details = {"tweets":1,"created_at":"2016-02-01 00:00:00 +0000"}`},
	} {
		w := newWorld(t)
		for _, all := range []map[string]string{files, page} {
			for file, content := range all {
				w.folder[file] = &fstest.MapFile{Data: []byte(content), ModTime: sdktest.Epoch}
			}
		}
		for range 2 {
			res := w.collect()
			w.has("1", "archive_partial")
			for file := range w.folder {
				if got := res.File("twitter_archive", file); got != abi.FileRead && got != abi.FileRule {
					t.Errorf("%s: the file %s is %q, want it read or passed over by a rule", name, file, got)
				}
			}
		}
		w.folder["js/mine/list.txt"] = &fstest.MapFile{Data: []byte("x"), ModTime: sdktest.Epoch}
		if got := w.collect().File("twitter_archive", "js/mine/list.txt"); got != abi.FileUnknown {
			t.Errorf("%s: a file of somebody's is %q, want %q", name, got, abi.FileUnknown)
		}
	}
	w := newWorld(t)
	w.folder["tweets.csv"] = &fstest.MapFile{Data: []byte(table), ModTime: sdktest.Epoch}
	w.folder["data/tweets.js"] = &fstest.MapFile{Data: []byte(`window.YTD.tweets.part0 = [{"tweet":` + strings.Replace(onePost, `"1"`, `"7"`, 1) + `}]`), ModTime: sdktest.Epoch}
	w.collect()
	w.has("1 7", "archive_partial") // a table beside an archive of later years is another archive
}
