package main

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

// AC-02, AC-10: what a run tells of an archive is true, and names the file that it is about.
func TestWhatIsToldOfAnArchive(t *testing.T) {
	t.Parallel()
	tweets := func(list string) string { return `window.YTD.tweets.part0 = [` + list + `]` }
	note := func(at string) string {
		return `window.YTD.note_tweet.part0 = [{"noteTweet":{"noteTweetId":"9","createdAt":"` + at + `","core":{"text":"` + long + `"}}}]`
	}
	begin := strings.Replace(onePost, `"t"`, `"`+strings.ReplaceAll(long[:200], "&", "&amp;")+`…"`, 1)
	whole := map[string]string{"data/manifest.js": described("false", listsTweets+","+listsMessages), "data/tweets.js": tweets(onePost), "data/direct-messages.js": oneMessage, "Your archive.html": "x"}
	with := func(more ...string) map[string]string {
		files := map[string]string{}
		for name, text := range whole {
			files[name] = text
		}
		for i := 0; i < len(more); i += 2 {
			if files[more[i]] = more[i+1]; more[i+1] == "" {
				delete(files, more[i])
			}
		}
		return files
	}
	table := "\"tweet_id\",\"timestamp\",\"text\"\n\"4\",\"2013-01-01 10:00:00 +0000\",\"t\"\n"
	type archives = map[string]map[string]string
	for name, c := range map[string]struct {
		given archives // in the folder itself under "."
		told  string   // reasons with their places
		posts string
		count [2]int // of messages, and of items that are kept back
		files string // that are neither read nor passed over
	}{
		"a part without a description": {archives{"x-part1.zip": with("data/direct-messages.js", ""), "sub/x-part2.zip": {"data/direct-messages.js": oneMessage}}, "", "1=t", [2]int{1, 0}, ""},
		"a part of pictures":           {archives{"x-part1.zip": with(), "x-part2.zip": {"data/tweets_media/1.jpg": "J"}}, "", "1=t", [2]int{1, 0}, "x-part2.zip=known"},
		"a text without its post":      {archives{"a.zip": with("data/note-tweet.js", strings.Replace(note("2020-01-01T00:00:00.000Z"), `"noteTweetId":"9",`, "", 1))}, "long_post_without_post[a.zip: data/note-tweet.js]", "1=t", [2]int{1, 0}, ""},
		"a post without its text":      {archives{"a.zip": with("data/tweets.js", tweets(begin))}, "post_text_cut_in_archive[a.zip: data/tweets.js, entry 1]", "", [2]int{1, 0}, ""},
		"an older table beside":        {archives{".": with("tweets.csv", table)}, "", "1=t 4=t", [2]int{1, 0}, ""},
		"an older table beside a part": {archives{".": with("tweets.csv", table, "data/direct-messages.js", "")}, "listed_file_missing[direct-messages.js] archive_partial[direct_messages]", "1=t 4=t", [2]int{0, 0}, "data/manifest.js=damaged"},
		"two posts of one id":          {archives{"a.zip": with("data/tweets.js", tweets(onePost+","+strings.Replace(onePost, `"t"`, `"u"`, 1)+","+onePost))}, "archive_partial[tweets] id_twice[a.zip: data/tweets.js, entry 2]", "1=t 1=t", [2]int{1, 1}, "a.zip=damaged"},
		"two messages of one id": {archives{"a.zip": with("data/direct-messages.js", strings.Replace(oneMessage, `[{"messageCreate"`, `[{"messageCreate":{"id":77,"text":"ho","createdAt":"2026-01-01T00:00:00.000Z"}},{"messageCreate"`, 1))},
			"archive_partial[direct_messages] id_twice[a.zip: data/direct-messages.js, entry 3]", "1=t", [2]int{1, 1}, "a.zip=damaged"},
		"a conversation without an id": {archives{"a.zip": with("data/direct-messages.js", strings.Replace(oneMessage, `"conversationId":"1-2",`, "", 1))},
			"archive_partial[direct_messages] conversation_without_id[a.zip: data/direct-messages.js, entry 2]", "1=t", [2]int{1, 0}, ""},
	} {
		w := newWorld(t)
		for archive, files := range c.given {
			if archive != "." {
				w.folder[archive] = archived(t, files)
				continue
			}
			for file, text := range files {
				w.folder[file] = &fstest.MapFile{Data: []byte(text), ModTime: sdktest.Epoch}
			}
		}
		first := w.collect()
		var posts, files []string
		for _, post := range first.Records(streamTweets) {
			if text := post.Text("text"); len(text) == 1 {
				posts = append(posts, post.Key+"="+text)
			}
		}
		for _, res := range []*sdktest.Result{first, w.collect()} {
			var told []string
			for _, s := range res.Skips {
				_, at, _ := strings.Cut(string(s.Diagnostics), `"examples":["`)
				at, _, _ = strings.Cut(at, `"]`)
				told = append(told, s.Reason+"["+at+"]")
			}
			if got := strings.Join(told, " "); got != c.told {
				t.Errorf("%s: the run says %q, want %q", name, got, c.told)
			}
		}
		for _, file := range slices.Sorted(maps.Keys(w.folder)) {
			if got := first.File("twitter_archive", file); got != abi.FileRead && got != abi.FileRule {
				files = append(files, file+"="+got)
			}
		}
		if got := strings.Join(files, " "); got != c.files {
			t.Errorf("%s: the files %q, want %q", name, got, c.files)
		}
		kept := int(first.Items(streamTweets).KeptBack + first.Items(streamMessages).KeptBack)
		if got := [2]int{len(first.Records(streamMessages)), kept}; strings.Join(posts, " ") != c.posts || got != c.count {
			t.Errorf("%s: got the posts %q, and %d messages and kept back, want %q and %d", name, posts, got, c.posts, c.count)
		}
	}
}
