package main

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"errors"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/trial"
)

var schemas = trial.SchemasOf(manifest)

// folder has archives.
type folder fstest.MapFS

// account is the content of one archive.
type account struct {
	id, generated string
	partial       bool
	tweets        []string // the ids, or whole objects
	change        func(files map[string]string)
}

func (f folder) put(t testing.TB, name string, x account) {
	t.Helper()
	var tweets []string
	for _, tweet := range x.tweets {
		if tweet[0] != '{' {
			tweet = `{"tweet":{"id_str":"` + tweet + `","full_text":"post ` + tweet + `","created_at":"Wed Nov 09 12:34:56 +0000 2022"}}`
		}
		tweets = append(tweets, tweet)
	}
	files := map[string]string{
		"data/manifest.js": `window.__THAR_CONFIG = {"userInfo":{"accountId":"` + x.id + `","userName":"mira"},
			"archiveInfo":{"sizeBytes":"1","generationDate":"` + x.generated + `","isPartialArchive":` + strconv.FormatBool(x.partial) + `},
			"dataTypes":{"account":{"files":[{"fileName":"data/account.js","globalName":"YTD.account.part0","count":"1"}]},
			"tweets":{"mediaDirectory":"data/tweets_media","files":[{"fileName":"data/tweets.js","globalName":"YTD.tweets.part0","count":"` + strconv.Itoa(len(x.tweets)) + `"}]},
			"directMessages":{"files":[{"fileName":"data/direct-messages.js"}]},"directMessagesGroup":{"files":[{"fileName":"data/direct-messages-group.js"}]}}}`,
		"data/tweets.js": "window.YTD.tweets.part0 = [" + strings.Join(tweets, ",\n") + "]",
		"data/direct-messages.js": `window.YTD.direct_messages.part0 = [ {"dmConversation" : {"conversationId" : "1-2", "messages" : [
			{"messageCreate":{"recipientId":"2","reactions":[],"urls":[],"text":"Hi","mediaUrls":[],"senderId":"1","id":"m1","createdAt":"2022-11-09T12:34:56.789Z"}}]}}]`,
		"data/direct-messages-group.js": `window.YTD.direct_messages_group.part0 = [ {"dmConversation" : {"conversationId" : "77", "messages" : [
			{"joinConversation":{"initiatingUserId":"1"}},{"messageCreate":{"text":"All","senderId":"3","id":"m2","createdAt":"2022-11-10T00:00:00.000Z"}}]}}]`,
		"data/like.js":            "window.YTD.like.part0 = []",
		"data/deleted-tweets.js":  `window.YTD.deleted_tweets.part0 = [{"tweet":{"id_str":"9","created_at":"Wed Nov 09 12:34:56 +0000 2022"}}]`,
		"data/tweets_media/1.jpg": "JPEG",
		"Your archive.html":       "<html>",
	}
	if x.change != nil {
		x.change(files)
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, file := range slices.Sorted(maps.Keys(files)) {
		w, err := z.Create(file)
		if err == nil {
			_, err = io.WriteString(w, files[file])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	f[name] = &fstest.MapFile{Data: b.Bytes(), ModTime: sdktest.Epoch}
}

// world is a folder with the records that a host has of it.
type world struct {
	folder

	t     *testing.T
	store sdktest.Store
	last  *sdktest.Result
}

func newWorld(t *testing.T) *world {
	t.Helper()
	return &world{folder: folder{}, t: t, store: sdktest.Store{}}
}

// collect does the next run.
func (w *world) collect() *sdktest.Result {
	w.t.Helper()
	if w.last == nil {
		w.last = sdktest.Collect(w.t, connector{}, sdktest.Options{Roots: map[string]fs.FS{"twitter_archive": fstest.MapFS(w.folder)}})
	} else {
		w.last = w.last.SecondRun(w.t, nil)
	}
	schemas.Sound(w.t, w.last)
	if got := trial.Unaccounted(w.last); got != "" {
		w.t.Errorf("no file is accounted for with %s", got)
	}
	w.store.Apply(w.last)
	return w.last
}

// has checks the keys of the posts that the host has, and what the run says.
func (w *world) has(tweets, skips string) {
	w.t.Helper()
	var reasons []string
	for _, s := range w.last.Skips {
		reasons = append(reasons, s.Reason)
	}
	if got := strings.Join(slices.Sorted(maps.Keys(w.store["tweets"])), " "); got != tweets {
		w.t.Errorf("the host has the posts %q, want %q", got, tweets)
	}
	if got := strings.Join(reasons, " "); got != skips {
		w.t.Errorf("the run says %q, want %q", got, skips)
	}
}

func TestTheStreamsOfAnArchive(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put(t, "twitter-2022-11-13-ab.zip", account{id: "1", generated: "2022-11-13T08:00:00.000Z", tweets: []string{
		`{"tweet":{"id":"1.5E18","id_str":"1500000000000000001","full_text":"Look & see","created_at":"Wed Nov 09 12:34:56 +0000 2022","favorite_count":"3","retweet_count":"1.0","lang":"en",
			"in_reply_to_status_id_str":"7","in_reply_to_screen_name":"ana","entities":{"urls":[{"url":"https://t.co/a"}],"media":[{}]},"extended_entities":{"media":[{},{}]}}}`,
	}})
	res := w.collect()
	w.has("1500000000000000001", "")
	for stream, want := range map[string]string{
		"tweets": `{"id":"1500000000000000001","text":"Look & see","text_truncated":false,"created_at":"2022-11-09T12:34:56Z","favorite_count":3,"retweet_count":1,"in_reply_to_status_id":"7","in_reply_to_screen_name":"ana","lang":"en","media_count":2,"url_count":1}`,
		"direct_messages": `{"id":"m2","conversation_id":"77","sender_id":"3","recipient_id":null,"created_at":"2022-11-10T00:00:00Z","text":"All","text_truncated":false}` +
			`{"id":"m1","conversation_id":"1-2","sender_id":"1","recipient_id":"2","created_at":"2022-11-09T12:34:56.789Z","text":"Hi","text_truncated":false}`,
	} {
		got := ""
		for _, r := range res.Records(stream) {
			got += string(r.Data)
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", stream, got, want)
		}
	}
	if again := w.collect(); len(again.All) != len(stores) { // of what the archive has
		t.Errorf("the second run emits %d records, want the %d of coverage", len(again.All), len(stores))
	}
}

// RT-07: a newer archive in the place of the one before says what was deleted since.
func TestANewerArchiveInThePlaceOfAnother(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put(t, "b.zip", account{id: "1", generated: "2022-11-13T08:00:00.000Z", tweets: []string{"1", "2", "3"}})
	w.collect()
	w.has("1 2 3", "")
	older := w.folder["b.zip"]
	delete(w.folder, "b.zip")
	w.put(t, "a.zip", account{id: "1", generated: "2023-01-01T08:00:00.000Z", tweets: []string{"2", "3", "4"}})
	w.collect()
	w.has("2 3 4", "")

	// The older one alone is not read again.
	delete(w.folder, "a.zip")
	w.folder["b.zip"] = older
	w.collect()
	w.has("2 3 4", problemOlder)
}

// A record is a deletion only where the archive vouches for that.
func TestNothingIsBuriedWithoutProof(t *testing.T) {
	t.Parallel()
	for name, x := range map[string]struct {
		account account
		skips   string
	}{
		"partial": {account{partial: true}, problemPartial},
		"cut":     {account{change: func(files map[string]string) { files["data/tweets.js"] = files["data/tweets.js"][:110] }}, problemPartial + " jsonstream_truncated"},
		"missing": {account{change: func(files map[string]string) { delete(files, "data/tweets.js") }}, problemPartial + " " + problemMissing},
		"unlisted": {account{change: func(files map[string]string) {
			files["data/manifest.js"] = strings.Replace(files["data/manifest.js"], `"tweets":{`, `"x":{`, 1)
		}}, ""}, // nothing is left out
		"no time": {account{tweets: []string{"2", `{"tweet":{"id_str":"3"}}`}}, problemPartial + " " + problemTime},
	} {
		w := newWorld(t)
		w.put(t, "a.zip", account{id: "1", generated: "2022-11-13T08:00:00.000Z", tweets: []string{"1", "2"}})
		w.collect()
		x.account.id, x.account.generated = "1", "2023-01-01T08:00:00.000Z"
		if x.account.tweets == nil {
			x.account.tweets = []string{"2"}
		}
		w.put(t, "b.zip", x.account)
		w.collect()
		for _, key := range []string{"1", "2"} {
			if _, there := w.store["tweets"][key]; !there {
				t.Errorf("%s: the post %s is gone, want it kept", name, key)
			}
		}
		for _, res := range []*sdktest.Result{w.last, w.collect()} { // an unchanged archive says it again
			for _, reason := range strings.Fields(x.skips) {
				if !slices.ContainsFunc(res.Skips, func(s abi.SkipResult) bool {
					return s.Reason == reason && (reason == problemPartial || strings.HasPrefix(string(s.Diagnostics), `{"count":1,`)) // not for the other stream, too
				}) {
					t.Errorf("%s: the run says %v, want %s once", name, res.Skips, reason)
				}
			}
		}
	}
}

func TestAnotherAccountIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put(t, "a.zip", account{id: "1", generated: "2022-11-13T08:00:00.000Z", tweets: []string{"1"}})
	w.collect()
	w.put(t, "b.zip", account{id: "2", generated: "2023-11-13T08:00:00.000Z", tweets: []string{"9"}})
	delete(w.folder, "a.zip")
	res := w.last.SecondRun(t, nil)
	if res.Done.Error == nil || res.Done.Error.Code != "twitter_archive_account_changed" || len(res.All) != 0 {
		t.Errorf("the run ends with %+v and %d records, want twitter_archive_account_changed and none", res.Done.Error, len(res.All))
	}
}

// failingFS reads only so many bytes of a file.
type failingFS struct {
	fs.FS

	left *int
}

type failingFile struct {
	fs.File

	left *int
}

func (f failingFS) Open(name string) (fs.File, error) {
	file, err := f.FS.Open(name)
	if name == "." || err != nil {
		return file, err
	}
	return failingFile{file, f.left}, nil
}

func (f failingFile) Read(b []byte) (int, error) {
	n, err := f.File.Read(b)
	if *f.left -= n; *f.left < 0 {
		return 0, errors.New("the disk is gone")
	}
	return n, err
}

func (f failingFile) Seek(at int64, whence int) (int64, error) {
	return f.File.(io.Seeker).Seek(at, whence)
}

// A disk that fails says nothing of the archive: the next run reads it.
func TestAFailingDiskIsNoFaultOfTheArchive(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var tweets []string
	noise := rand.NewChaCha8([32]byte{})
	for i := range 400 { // of a text that does not shrink
		text := make([]byte, 700)
		_, _ = noise.Read(text)
		tweets = append(tweets, `{"tweet":{"id_str":"`+strconv.Itoa(i+1)+`","full_text":"`+base64.StdEncoding.EncodeToString(text)+`","created_at":"Wed Nov 09 12:34:56 +0000 2022"}}`)
	}
	w.put(t, "a.zip", account{id: "1", generated: "2022-11-13T08:00:00.000Z", tweets: tweets})
	size := len(w.folder["a.zip"].Data)
	left := 2*65_557 + 20_000 // the ends and directories of two readings, not the posts
	if size < 200_000 {
		t.Fatalf("the archive has %d bytes, want more than the reads around the posts take", size)
	}
	first := sdktest.Collect(t, connector{}, sdktest.Options{Roots: map[string]fs.FS{"twitter_archive": failingFS{fstest.MapFS(w.folder), &left}}})
	if len(first.Skips) != 1 || first.Skips[0].Reason != "archive_read_failed" {
		t.Errorf("the run says %v, want archive_read_failed", first.Skips)
	}
	left = 100 * size
	if n := len(first.SecondRun(t, nil).Records("tweets")); n != len(tweets) {
		t.Errorf("the next run emits %d posts, want %d", n, len(tweets))
	}
}

func TestWhatIsNoArchive(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.collect()
	w.has("", "nothing_found")
	w.put(t, "b.zip", account{change: func(files map[string]string) {
		for name := range files {
			if strings.HasPrefix(name, "data/") {
				delete(files, name)
			}
		}
	}})
	w.folder["c.zip"] = &fstest.MapFile{Data: []byte("hello")}
	w.collect()
	w.has("", problemPage+" archive_not_an_archive")
}

// Bytes that nobody vouches for end in no panic and in no record that the manifest refuses.
func FuzzFile(f *testing.F) {
	f.Add("window.YTD.tweets.part0 = [{\"tweet\":{\"id_str\":\"1\",\"created_at\":\"Wed Nov 09 12:34:56 +0000 2022\"}}]", "x = []", "")
	f.Add("", "window.YTD.direct_messages.part0 = [{\"dmConversation\":{\"conversationId\":\"1\",\"messages\":[{\"messageCreate\":{\"id\":\"1\",\"createdAt\":\"2022-11-09T12:34:56.789Z\"}}]}}]", "")
	f.Add("", "", `window.__THAR_CONFIG = {"userInfo":{"accountId":"1"},"archiveInfo":{"generationDate":"2022-11-13T08:00:00.000Z"}}`)
	f.Add(`window.YTD.tweet.part0 = [{"id":1,"text":"cut…","created_at":"2016-01-01 00:00:00 +0000"}{"x":1}];`,
		`window.YTD.note_tweet.part0 = [{"noteTweet":{"createdAt":"2016-01-01T00:00:00Z","core":{"text":"cut and whole"}}}]`, "")
	f.Add(`Grailbird.data.tweets_2016_01 = [{"id_str":"1","created_at":"Wed Nov 09 12:34:56 +0000 2022"}]`, oneMessage, described("true", listsTweets+","+listsMessages))
	f.Fuzz(func(t *testing.T, tweets, messages, description string) {
		archives := folder{}
		archives.put(t, "a.zip", account{id: "1", generated: "2022-11-13T08:00:00.000Z", change: func(files map[string]string) {
			files["data/tweets.js"], files["data/direct-messages.js"] = tweets, messages
			if description != "" {
				files["data/manifest.js"] = description
			}
		}})
		res := sdktest.Collect(t, connector{}, sdktest.Options{Roots: map[string]fs.FS{"twitter_archive": fstest.MapFS(archives)}})
		schemas.Conform(t, res)
		if res.Done.Status != abi.DoneSucceeded {
			t.Fatalf("the run ends with %+v, want %s", res.Done, abi.DoneSucceeded)
		}
	})
}
