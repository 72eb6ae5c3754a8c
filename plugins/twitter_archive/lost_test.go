package main

import (
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/exports"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

// AC-06: two copies of one part are not all parts of an archive, though the lists of both are the same.
func TestACopyOfAPart(t *testing.T) {
	t.Parallel()
	list := listsTweets + "," + listsMessages
	part := map[string]string{"data/manifest.js": described("true", list), "data/tweets.js": `window.YTD.tweets.part0 = [{"tweet":` + onePost + `}]`, "data/direct-messages.js": oneMessage}
	w := newWorld(t)
	w.put(t, "a.zip", account{id: "1", generated: "2022-11-13T08:00:00.000Z", tweets: []string{"5"}})
	w.collect()
	delete(w.folder, "a.zip")
	w.folder["x-1.zip"], w.folder["x-1 (1).zip"] = archived(t, part), archived(t, part)
	for range 2 {
		w.collect()
		w.has("1 5", problemPartial)
	}
	half := maps.Clone(part)
	delete(half, "data/tweets.js")
	w.folder["x-1 (1).zip"] = archived(t, half)
	w.collect()
	w.has("1 5", problemPartial)
	if _, there := w.store[streamMessages]["m1"]; !there {
		t.Error("the message of the part that is not there is gone, want it kept")
	}
}

// AC-06: nothing is deleted while a part is missing that the names of the others tell of.
func TestAPartThatTheNamesTellOf(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put(t, "a.zip", account{id: "1", generated: "2022-11-13T08:00:00.000Z", tweets: []string{"5"}})
	w.collect()
	delete(w.folder, "a.zip")
	w.put(t, "x-part2.zip", account{id: "1", generated: "2023-11-13T08:00:00.000Z", tweets: []string{"1"}})
	w.collect()
	w.has("1 5", problemPartial+" "+exports.PartMissing)
	w.folder["x-part1.zip"] = archived(t, map[string]string{"data/tweets_media/1.jpg": "J"})
	w.collect()
	w.has("1", "")
}

// AC-06: a file without a description that is newer than everything is no proof for an older archive: what the newest one
// had stays when that is gone, and so it is in the runs to come.
func TestANewerFileBesideAnOlderArchive(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	post := func(id, year string) string {
		return `window.YTD.tweets.part0 = [{"tweet":` + strings.NewReplacer(`"1"`, `"`+id+`"`, "2026", year).Replace(onePost) + `}]`
	}
	w.put(t, "a.zip", account{id: "1", generated: "2022-11-13T08:00:00.000Z", tweets: []string{"1"}})
	w.put(t, "b.zip", account{id: "1", generated: "2024-11-13T08:00:00.000Z", tweets: []string{"2"}})
	w.folder["tweets.js"] = &fstest.MapFile{Data: []byte(post("3", "2026")), ModTime: sdktest.Epoch}
	w.collect()
	w.has("1 2 3", "")
	b, later := w.folder["b.zip"], sdktest.Epoch.AddDate(0, 0, 1)
	delete(w.folder, "b.zip")
	for _, year := range []string{"2026", "2027"} {
		w.folder["tweets.js"] = &fstest.MapFile{Data: []byte(post("3", year)), ModTime: later}
		w.collect()
		w.has("1 2 3", problemPartial)
		later = later.AddDate(0, 0, 1)
	}
	w.folder["b.zip"] = b
	delete(w.folder, "a.zip")
	w.collect()
	w.has("2 3", "")
}

// secondFS has a file that is another one from its second opening on.
type secondFS struct {
	fs.FS

	name   string
	opened *int
}

func (f secondFS) Open(name string) (fs.File, error) {
	if name == f.name {
		if *f.opened++; *f.opened > 1 {
			return fstest.MapFS{name: {Data: []byte("hello, hello")}}.Open(name)
		}
	}
	return f.FS.Open(name)
}

// AC-06: an archive that is no archive any more when it is read, after it was looked at, deletes nothing.
func TestAnArchiveThatChangesMeanwhile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.folder["2018-05-01.zip"] = archived(t, map[string]string{"tweet.js": `window.YTD.tweet.part0 = [` + strings.Replace(onePost, "2026", "2018", 1) + `]`})
	w.put(t, "b.zip", account{id: "1", generated: "2023-11-13T08:00:00.000Z", tweets: []string{"2"}})
	w.collect()
	w.folder["2018-05-01.zip"].ModTime = sdktest.Epoch.AddDate(0, 0, 1)
	opened := 0
	w.last = w.last.SecondRun(t, func(o *sdktest.Options) {
		o.Roots = map[string]fs.FS{"twitter_archive": secondFS{fstest.MapFS(w.folder), "2018-05-01.zip", &opened}}
	})
	w.store.Apply(w.last)
	w.has("1 2", problemPartial+" archive_not_an_archive")
}

// AC-06, HL-30: a full refresh stays with the account that was collected before, where the folder has an archive of it, or
// one that cannot be read; else it takes another account in its place.
func TestAFullRefreshBesideAnotherAccount(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(f folder)
		posts  string
		told   string
	}{
		"an archive of the first account": {func(folder) {}, "1", problemOthers},
		"one that cannot be read":         {func(f folder) { f["mine.zip"].Data = []byte("hello") }, "1", problemOthers + " archive_not_an_archive"},
		"one that needs a password":       {func(f folder) { f["mine.zip"].Data = locked(f["mine.zip"].Data) }, "1", problemOthers + " archive_encrypted"},
		"the other account alone":         {func(f folder) { delete(f, "mine.zip") }, "7", ""},
	} {
		w := newWorld(t)
		w.put(t, "mine.zip", account{id: "1", generated: "2026-01-01T00:00:00.000Z", tweets: []string{"1"}})
		w.collect()
		w.put(t, "other.zip", account{id: "2", generated: "2026-03-01T00:00:00.000Z", tweets: []string{"7"}})
		c.change(w.folder)
		w.run(abi.ModeFullRefresh, "")
		w.has(c.posts, c.told)
		if t.Failed() {
			t.Fatal(name)
		}
	}
	w := newWorld(t) // the cursor is the other account's from then on
	w.put(t, "mine.zip", account{id: "1", generated: "2026-01-01T00:00:00.000Z", tweets: []string{"1"}})
	mine := w.folder["mine.zip"]
	w.collect()
	w.put(t, "other.zip", account{id: "2", generated: "2026-03-01T00:00:00.000Z", tweets: []string{"7"}})
	delete(w.folder, "mine.zip")
	w.run(abi.ModeFullRefresh, "")
	w.folder["mine.zip"] = mine
	w.run(abi.ModeIncremental, "")
	w.has("7", problemOthers)
}

// AC-10: a stream that is not asked for lacks nothing.
func TestAStreamThatIsNotAskedFor(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put(t, "a.zip", account{id: "1", generated: "2022-11-13T08:00:00.000Z", tweets: []string{"1"}})
	res := sdktest.Collect(t, connector{}, sdktest.Options{Streams: []string{streamTweets}, Roots: map[string]fs.FS{"twitter_archive": fstest.MapFS(w.folder)}})
	if len(res.Skips) != 0 || len(res.Records(streamTweets)) != 1 {
		t.Errorf("the run says %v, and emits %d posts, want nothing and one", res.Skips, len(res.Records(streamTweets)))
	}
}

// AC-02: a script in a folder of somebody's that cannot be opened is told, and each other file there as what it is.
func TestAScriptThatCannotBeOpened(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put(t, "a.zip", account{id: "1", generated: "2022-11-13T08:00:00.000Z", tweets: []string{"1"}})
	w.collect()
	for _, name := range []string{"x/a.js", "x/holiday.raw"} {
		w.folder[name] = &fstest.MapFile{Data: []byte("sand"), ModTime: sdktest.Epoch}
	}
	res := w.run(abi.ModeIncremental, "x/a.js")
	for name, want := range map[string]string{"x/a.js": abi.FileKnown, "x/holiday.raw": abi.FileUnknown} {
		if got := res.File("twitter_archive", name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

// noteList is a list of whole texts, one each so many seconds behind the other.
func noteList(from, n, size, seconds int) string {
	var b strings.Builder
	for i := from; i < from+n; i++ {
		fmt.Fprintf(&b, `,{"noteTweet":{"noteTweetId":"%d","createdAt":"%s","core":{"text":"%04d%s"}}}`, i,
			time.Unix(int64(i*seconds), 0).UTC().Format(timeForm), i, strings.Repeat("x", size-4))
	}
	return `window.YTD.note_tweet.part0 = [` + strings.TrimPrefix(b.String(), ",") + `]`
}

// The whole texts of all archives have one room together, of which each takes some beside its text, and one that several
// archives have takes the text's once.
func TestTheRoomForWholeTexts(t *testing.T) {
	t.Parallel()
	const size = 1000
	for name, c := range map[string]struct {
		lists []string
		rooms int // of texts of that size
		lost  int64
	}{
		"in two archives":          {[]string{noteList(1, 3, size, 1), noteList(11, 3, size, 1)}, 5, 1},
		"in two archives, and fit": {[]string{noteList(1, 3, size, 1), noteList(11, 3, size, 1)}, 6, 0},
		"the same in two archives": {[]string{noteList(1, 3, size, 1), noteList(1, 3, size, 1)}, 4, 0},
		"tiny ones":                {[]string{noteList(1, 2*(size+noteBytes)/noteBytes, 4, 1)}, 1, 6},
	} {
		all, left := notes{}, room{left: c.rooms * (size + noteBytes)}
		for _, list := range c.lists {
			n := notes{room: &left}
			s := script{whole: strings.NewReader(list)}
			if err := n.read(s, ""); err != nil {
				t.Fatal(err)
			}
			all.add(&n)
		}
		if all.lost != c.lost || left.left < 0 {
			t.Errorf("%s: %d texts are lost and %d bytes are left, want %d lost", name, all.lost, left.left, c.lost)
		}
	}
}

// AC-06: more whole texts of one second than are compared are told, and none that was collected before is deleted.
func TestManyWholeTextsOfOneSecond(t *testing.T) {
	t.Parallel()
	files := func(list string) map[string]string {
		return map[string]string{"data/manifest.js": described("false", listsTweets), "data/tweets.js": `window.YTD.tweets.part0 = [{"tweet":` + onePost + `}]`, "data/note-tweet.js": list}
	}
	const whole, lost = problemPartial, problemPartial + " " + problemNote
	for name, c := range map[string]struct{ first, second, told string }{
		"in one archive":            {noteList(1, noteSecond+1, 9, 0), "", lost},
		"in two archives":           {noteList(1, noteSecond, 9, 0), noteList(1001, 1, 9, 0), lost},
		"in two archives, the same": {noteList(1, noteSecond, 9, 0), noteList(1, noteSecond, 9, 0), whole},
	} {
		w := newWorld(t)
		w.folder["0.zip"] = archived(t, files(noteList(5001, 1, 9, 1)))
		w.collect()
		delete(w.folder, "0.zip")
		w.folder["a.zip"] = archived(t, files(c.first))
		if c.second != "" {
			w.folder["2020-01-01.zip"] = archived(t, map[string]string{"note-tweet.js": c.second})
		}
		w.collect()
		w.has(strings.Join(slices.Sorted(maps.Keys(w.store[streamTweets])), " "), c.told)
		want := 1 + noteSecond
		if c.told == lost {
			want++ // the one that was collected before
		}
		if got := len(w.store[streamTweets]); got != want {
			t.Errorf("%s: the host has %d posts and texts, want %d", name, got, want)
		}
	}
}

// AC-05: a list without an entry of a known name, or with fewer than the archive says, is told of its stream.
func TestAListIsToldOfItsStream(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ file, text, why, stream string }{
		"posts of another name":    {"data/tweets.js", `window.YTD.tweets.part0 = {"thoughts":[{"id":"5"}]}`, problemStrange, streamTweets},
		"messages of another name": {"data/direct-messages.js", `window.YTD.direct_messages.part0 = {"talks":[{"id":"5"}]}`, problemStrange, streamMessages},
		"fewer posts":              {"data/tweets.js", `window.YTD.tweets.part0 = []`, problemFewer, streamTweets},
	} {
		w := newWorld(t)
		w.put(t, "a.zip", account{id: "1", generated: "2022-11-13T08:00:00.000Z", tweets: []string{"1"}, change: func(files map[string]string) { files[c.file] = c.text }})
		res := w.collect()
		at := slices.IndexFunc(res.Skips, func(s abi.SkipResult) bool { return s.Reason == c.why })
		if at < 0 || res.Skips[at].Stream != c.stream {
			t.Errorf("%s: the run says %v, want %s of %s", name, res.Skips, c.why, c.stream)
		}
	}
}

// AC-06: an archive whose name has lost its ending is none that is gone when it cannot be opened.
func TestAnArchiveWithoutAnEnding(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put(t, "download", account{id: "1", generated: "2022-11-13T08:00:00.000Z", tweets: []string{"1"}})
	w.put(t, "b.zip", account{id: "1", generated: "2023-11-13T08:00:00.000Z", tweets: []string{"2"}})
	w.collect()
	for range 2 {
		res := w.run(abi.ModeIncremental, "download")
		w.has("1 2", problemPartial+" "+exports.Unreadable)
		if got := res.File("twitter_archive", "download"); got != abi.FileKnown {
			t.Errorf("the archive is %q, want %q", got, abi.FileKnown)
		}
	}
}

// AC-06: an unchanged archive is listed again in each run while the host asks its owner about records that it lacks, and
// not read once they are gone.
func TestDeletionsThatWait(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put(t, "a.zip", account{id: "1", generated: "2022-11-13T08:00:00.000Z", tweets: []string{"1", "2", "3", "4", "5", "6"}})
	w.collect()
	w.put(t, "a.zip", account{id: "1", generated: "2023-11-13T08:00:00.000Z", tweets: []string{"1"}})
	next := func(held bool, tweets string, read bool) {
		t.Helper()
		w.last = w.last.SecondRun(t, func(o *sdktest.Options) { o.HoldsBack, o.Stored = held, w.store.Clone() })
		w.store.Apply(w.last)
		w.has(tweets, "")
		if got := slices.ContainsFunc(w.last.All, func(r sdktest.Record) bool { return r.Stream == streamTweets }); got != read {
			t.Errorf("the run reads the archive: %t, want %t", got, read)
		}
	}
	for range 3 {
		next(true, "1 2 3 4 5 6", true)
	}
	next(false, "1", true)
	next(true, "1", true)
	next(true, "1", false)
}
