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

// AC-02: the newest archive is the one whose content is newest, whatever the clock of its packer said,
// and each of the others is named in every run, with a word for its owner where the newest one does not
// show that it is whole.
func TestOlderArchivesAreNamed(t *testing.T) {
	t.Parallel()
	newest := account{id: "1", generated: "2026-01-01T00:00:00.000Z", tweets: []string{"1"}}
	partly := newest
	partly.partial = true
	for name, c := range map[string]struct {
		newest account
		older  map[string]string
		told   string
	}{
		"of 2014, in months": {newest, map[string]string{"data/js/tweets/2014_01.js": grailbird}, problemBeside},
		"of 2014, a table":   {newest, map[string]string{"tweets.csv": "\"tweet_id\",\"timestamp\",\"text\"\n\"5\",\"2014-01-01 00:00:00 +0000\",\"hi\"\n"}, problemBeside},
		"of 2018, bare":      {newest, map[string]string{"tweet.js": `window.YTD.tweet.part0 = [` + strings.Replace(onePost, "2026", "2018", 1) + `]`}, problemBeside},
		"of messages":        {newest, map[string]string{"direct-message.js": strings.Replace(oneMessage, "2026-01-01", "2025-12-31", 1)}, problemBeside},
		"without a time":     {newest, map[string]string{"account.js": `window.YTD.account.part0 = [{}]`}, problemBeside},
		"beside a part":      {partly, map[string]string{"data/js/tweets/2014_01.js": grailbird}, problemUnread + " " + problemPartial},
		"of someone else":    {newest, map[string]string{"data/manifest.js": strings.Replace(strings.Replace(described("false", ""), "2026", "2025", 1), `"1"`, `"2"`, 1)}, problemOthers},
	} {
		w := newWorld(t)
		w.put(t, "b.zip", c.newest)
		w.folder["a.zip"] = packedLate(t, c.older)
		for range 2 {
			res := w.collect()
			w.has("1", c.told)
			if said := string(res.Skips[0].Diagnostics); !strings.Contains(said, "a.zip") || res.File("twitter_archive", "a.zip") != abi.FileKnown {
				t.Errorf("%s: the run says %s, file %q, want a.zip, known", name, said, res.File("twitter_archive", "a.zip"))
			}
		}
	}
}

// AC-02: an older archive beside a newest one that is damaged is to be kept, and the newest one to be
// brought again; when that is there, the older one is superseded like any other.
func TestAnOlderArchiveBesideADamagedOne(t *testing.T) {
	t.Parallel()
	older := account{id: "1", generated: "2022-11-13T08:00:00.000Z", tweets: []string{"1", "2", "3"}}
	newer := account{id: "1", generated: "2023-01-01T08:00:00.000Z", tweets: []string{"2", "3", "4"}}
	for name, damage := range map[string]func(files map[string]string){
		"a file that is cut":  func(files map[string]string) { files["data/tweets.js"] = files["data/tweets.js"][:110] },
		"a file that is gone": func(files map[string]string) { delete(files, "data/tweets.js") },
		"fewer posts than said": func(files map[string]string) {
			files["data/manifest.js"] = strings.Replace(files["data/manifest.js"], `"data/tweets.js"`, `"data/tweets.js","count":"9"`, 1)
		},
	} {
		w := newWorld(t)
		broken := newer
		broken.change = damage
		w.put(t, "b.zip", broken)
		w.put(t, "a.zip", older)
		for range 2 {
			var said string
			for _, s := range w.collect().Skips {
				if s.Reason == problemSpare && strings.Contains(string(s.Diagnostics), "a.zip") {
					said = s.Message
				}
			}
			if !strings.HasSuffix(said, "keep these in the folder, and put the newest one there whole") {
				t.Errorf("%s: the run says %q, %v, want that the older one is to be kept", name, said, w.last.Skips)
			}
		}
		w.put(t, "b.zip", newer)
		w.collect()
		w.has("2 3 4", problemBeside)
	}
}

// An archive that names no account is not read beside what another one of an account had, and its owner
// learns which it is: no credentials are at fault.
func TestAnArchiveWithoutAnAccount(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put(t, "b.zip", account{id: "1", generated: "2013-01-01T00:00:00.000Z", tweets: []string{"1"}})
	w.collect()
	w.folder["a.zip"] = archived(t, map[string]string{"data/js/tweets/2014_01.js": grailbird})
	res := w.collect()
	w.has("1", problemUnnamed)
	if said := string(res.Skips[0].Diagnostics); !strings.Contains(said, "a.zip") {
		t.Errorf("the run says %s, want a.zip", said)
	}
	w.folder["z.zip"] = archived(t, map[string]string{"data/js/tweets/2014_01.js": strings.ReplaceAll(grailbird, "2014", "2011")})
	w.collect()
	w.has("1", problemBeside+" "+problemUnnamed)
	delete(w.folder, "b.zip")
	w.collect()
	w.has("1", problemUnread+" "+problemUnnamed) // of what was never collected nobody knows
	w.put(t, "c.zip", account{id: "2", generated: "2027-01-01T00:00:00.000Z", tweets: []string{"1"}})
	w.collect()
	w.has("1", problemUnread+" "+problemOthers+" "+problemUnnamed)
	delete(w.folder, "a.zip")
	delete(w.folder, "z.zip")
	other := sdktest.Collect(t, connector{}, sdktest.Options{Roots: map[string]fs.FS{"twitter_archive": fstest.MapFS(w.folder)}, State: res.Committed()})
	if e := other.Done.Error; e == nil || e.Code != "twitter_archive_account_changed" || !strings.Contains(e.Message, "c.zip") || strings.Contains(e.Message, "credentials") {
		t.Errorf("got %+v, want the archive's name, and no word of credentials", e)
	}
}

// AC-02: a newer archive of another account, or of nobody knows whom, hides none of the account collected so far.
func TestANewerArchiveOfAnother(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put(t, "mine.zip", account{id: "1", generated: "2026-01-01T00:00:00.000Z", tweets: []string{"1"}})
	w.collect()
	w.put(t, "mine2.zip", account{id: "1", generated: "2026-02-01T00:00:00.000Z", tweets: []string{"1", "2"}})
	w.put(t, "other.zip", account{id: "2", generated: "2026-03-01T00:00:00.000Z", tweets: []string{"7"}})
	w.put(t, "zero.zip", account{id: "", generated: "2026-04-01T00:00:00.000Z", tweets: []string{"8"}})
	for range 2 {
		res := w.collect()
		w.has("1 2", problemBeside+" "+problemOthers+" "+problemUnnamed)
		for _, s := range res.Skips[1:] {
			if !strings.HasSuffix(s.Message, "and add a connection for that folder") {
				t.Errorf("%s: %q, want where they have to go: another connection would read this folder, too", s.Reason, s.Message)
			}
		}
		for _, name := range []string{"other.zip", "zero.zip"} {
			if got := res.File("twitter_archive", name); got != abi.FileKnown {
				t.Errorf("%s is %q, want %q", name, got, abi.FileKnown)
			}
		}
	}
	delete(w.folder, "mine2.zip")
	res := w.collect()
	w.has("1 2", problemOlder+" "+problemOthers+" "+problemUnnamed)
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
	w.has("7", "older_archive_unread archive_partial") // a table beside an archive of later years is another archive
}
