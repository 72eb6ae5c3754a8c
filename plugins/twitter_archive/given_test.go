package main

import (
	"archive/zip"
	"bytes"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/trial"
)

// archived packs files as they are.
func archived(t testing.TB, files map[string]string) *fstest.MapFile {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		w, err := z.Create(name)
		if err == nil {
			_, err = io.WriteString(w, files[name])
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

// described is a data/manifest.js with its data types.
func described(partial, types string) string {
	return `window.__THAR_CONFIG = {"userInfo":{"accountId":"1"},"archiveInfo":{"generationDate":"2026-01-01T00:00:00.000Z","isPartialArchive":` + partial + `},"dataTypes":{` + types + `}}`
}

const (
	listsTweets   = `"tweets":{"files":[{"fileName":"data/tweets.js"}]}`
	listsMessages = `"directMessages":{"files":[{"fileName":"data/direct-messages.js"}]}`
	onePost       = `{"id_str":"1","full_text":"t","created_at":"Sat Jan 03 04:05:06 +0000 2026"}`
	oneMessage    = `window.YTD.direct_messages.part0 = [{"dmConversation":{"conversationId":"1-2","messages":[{"messageCreate":{"id":77,"senderId":1,"text":"hi","createdAt":"2026-01-01T00:00:00.000Z"}}]}}]`
)

// month is an archive of 2014 with one month of one post, and an index with these entries.
func month(index string) map[string]string {
	return map[string]string{
		"data/js/tweets/2014_03.js": `Grailbird.data.tweets_2014_03 = [{"id":1,"text":"t","created_at":"2014-03-01 10:00:00 +0000"}]`,
		"data/js/tweet_index.js":    `var tweet_index = [` + index + `]`, "data/js/payload_details.js": `var payload_details = {"tweets":8,"created_at":"2014-05-01 10:00:00 +0000"}`,
	}
}

var long = strings.Repeat("all work & no play ", 50)

// AC-02, AC-06, AC-07, AC-08: what an archive in each of its forms becomes: records, or words that
// name what is missing.
func TestWhatBecomesOfAnArchive(t *testing.T) {
	t.Parallel()
	cut := strings.ReplaceAll(long[:200], "&", "&amp;")
	type files = map[string]string
	for name, c := range map[string]struct {
		archives map[string]files
		loose    files
		texts    string // of the posts, each with ~ where it is cut
		messages int
		told     string
	}{
		"a long post": {
			archives: map[string]files{"a.zip": {
				"data/manifest.js":   described("false", listsTweets+`,"noteTweet":{"files":[{"fileName":"data/note-tweet.js"}]}`),
				"data/tweets.js":     `window.YTD.tweets.part0 = [{"tweet":{"id_str":"1","full_text":"@ana @bob ` + cut + `… https://t.co/abc","created_at":"Sat Jan 03 04:05:06 +0000 2026"}}]`,
				"data/note-tweet.js": `window.YTD.note_tweet.part0 = [{"noteTweet":{"noteTweetId":"9","createdAt":"2026-01-03T04:05:07.000Z","core":{"text":"` + long + `"}}}]`,
			}},
			texts: "1=" + long, told: "archive_partial",
		},
		"a long post without its note, and a note without its post": {
			archives: map[string]files{"a.zip": {
				"data/manifest.js":   described("false", listsTweets),
				"data/tweets.js":     `window.YTD.tweets.part0 = [{"tweet":{"id_str":"1","full_text":"cut…","created_at":"Sat Jan 03 04:05:06 +0000 2026"}}]`,
				"data/note-tweet.js": `window.YTD.note_tweet.part0 = [{"noteTweet":{"noteTweetId":"9","createdAt":"2026-01-03T04:05:07.000Z","core":{"text":"` + long + `"}}}]`,
			}},
			texts: "1~cut… note:9=" + long, told: "archive_partial post_text_cut_in_archive",
		},
		"of 2018, in the root, bare and without a description": {
			archives: map[string]files{"twitter-2018-05-01-ab.zip": {
				"account.js": `window.YTD.account.part0 = [{"account":{"accountId":"1"}}]`, "tweet.js": "window.YTD.tweet.part0 = [" + onePost + "]",
				"direct-message.js": strings.Replace(oneMessage, "direct_messages", "direct_message", 1), "README.txt": "x", "like.js": "window.YTD.like.part0 = []",
			}},
			texts: "1=t", messages: 1,
		},
		"of 2019, in the root": {
			archives: map[string]files{"a.zip": {
				"manifest.js": described("false", `"tweet":{"files":[{"fileName":"tweet.js"}]}`), "tweet.js": `window.YTD.tweet.part0 = [{"tweet":` + onePost + `}]`,
			}},
			texts: "1=t", told: "archive_partial",
		},
		"of 2016, by month": {
			archives: map[string]files{"1_ab.zip": {
				"tweets.csv": "\"tweet_id\",\"timestamp\",\"text\"\n\"1\",\"2016-01-01 00:00:00 +0000\",\"t\"\n", "index.html": "x", "js/tweets.js": "x = 1",
				"data/js/tweets/2016_01.js": `Grailbird.data.tweets_2016_01 = ` + "\n" + `[{"id":1,"text":"t","created_at":"2016-01-01 00:00:00 +0000"}]`,
				"data/js/user_details.js":   `var user_details = {"id":"1"}`, "data/js/payload_details.js": `var payload_details = {"tweets":1,"created_at":"2016-02-01 00:00:00 +0000"}`,
			}},
			texts: "1=t", told: "archive_partial",
		},
		"of 2014, by month, with all that its index says": {
			archives: map[string]files{"a.zip": month(`{"file_name":"data/js/tweets/2014_03.js","tweet_count":1}`)},
			texts:    "1=t", told: "archive_partial",
		},
		"of 2014, by month, with fewer posts than its index says, and without a month": {
			archives: map[string]files{"a.zip": month(`{"file_name":"data/js/tweets/2014_03.js","tweet_count":5},{"file_name":"data/js/tweets/2014_04.js","tweet_count":3}`)},
			texts:    "1=t", told: "listed_file_missing listed_entries_missing archive_partial",
		},
		"of 2016, a table alone": {
			archives: map[string]files{"1_ab.zip": {"tweets.csv": "\"tweet_id\",\"timestamp\",\"text\"\n\"1\",\"2016-01-01 00:00:00 +0000\",\"t, u\"\n"}},
			texts:    "1=t, u", told: "archive_partial",
		},
		"in two parts": {
			archives: map[string]files{
				"twitter-part1.zip": {"data/manifest.js": described("true", listsTweets), "data/tweets.js": `window.YTD.tweets.part0 = [{"tweet":` + onePost + `}]`},
				"twitter-part2.zip": {"data/manifest.js": described("true", listsMessages), "data/direct-messages.js": oneMessage},
			},
			texts: "1=t", messages: 1, told: "archive_partial",
		},
		"in two parts, of which the first is missing": {
			archives: map[string]files{"twitter-part2.zip": {"data/manifest.js": described("true", listsMessages), "data/direct-messages.js": oneMessage}},
			messages: 1, told: "stream_part_missing archive_partial export_part_missing",
		},
		"unpacked": {
			loose: files{"data/manifest.js": described("false", listsTweets+","+listsMessages), "data/tweets.js": `window.YTD.tweets.part0 = [{"tweet":` + onePost + `}];`,
				"data/direct-messages.js": oneMessage, "Your archive.html": "x", "assets/js/a.js": "x", "data/tweets_media/1.jpg": "J"},
			texts: "1=t", messages: 1,
		},
		"posts with numbers as ids, in a community, and deleted": {
			archives: map[string]files{"a.zip": {
				"data/manifest.js":        described("false", listsTweets+`,"communityTweet":{"files":[{"fileName":"data/community-tweet.js"}]},"deletedTweets":{"files":[{"fileName":"data/deleted-tweets.js"}]}`),
				"data/tweets.js":          `window.YTD.tweets.part0 = [{"tweet":{"id":1641875282431729689,"text":"n","created_at":"Sat Jan 03 04:05:06 +0000 2026","in_reply_to_status_id":7}}]`,
				"data/community-tweet.js": `window.YTD.community_tweet.part0 = [{"tweet":` + onePost + `}]`,
				"data/deleted-tweets.js":  `window.YTD.deleted_tweets.part0 = [{"tweet":{"id_str":"6","created_at":"Sat Jan 03 04:05:06 +0000 2026"}}]`,
			}},
			texts: "1641875282431729689=n 1=t", told: "archive_partial",
		},
		"posts for a circle, one of which is among the others": {
			archives: map[string]files{"a.zip": {
				"data/manifest.js":             described("false", listsTweets+`,"twitterCircleTweet":{"files":[{"fileName":"data/twitter-circle-tweet.js","count":"2"}]}`),
				"data/tweets.js":               `window.YTD.tweets.part0 = [{"tweet":` + onePost + `}]`,
				"data/twitter-circle-tweet.js": `window.YTD.twitter_circle_tweet.part0 = [{"tweet":` + onePost + `},{"tweet":` + strings.Replace(onePost, `"1"`, `"2"`, 1) + `}]`,
			}},
			texts: "1=t 1=t 2=t", told: "archive_partial",
		},
		"posts for a circle alone": {
			archives: map[string]files{"a.zip": {
				"data/manifest.js":             described("false", `"twitterCircleTweet":{"files":[{"fileName":"data/twitter-circle-tweet.js"}]}`),
				"data/twitter-circle-tweet.js": `window.YTD.twitter_circle_tweet.part0 = [{"tweet":` + onePost + `}]`,
			}},
			texts: "1=t", told: "archive_partial",
		},
		"of a year to come": {
			archives: map[string]files{"a.zip": {
				"data/manifest.js": described("false", listsTweets+","+listsMessages), "data/direct-messages.js": oneMessage, "data/tweets.js": `window.YTD.tweets.part0 = []`,
				"data/posts.js": `window.YTD.posts.part0 = [{"post":` + onePost + `}]`, "data/thoughts.js": `window.YTD.thoughts.part0 = [{"x":1}]`, "data/x.bin": "\x01",
			}},
			texts: "1=t", messages: 1, told: "",
		},
		"halves of characters": {
			archives: map[string]files{"a.zip": {
				"data/manifest.js":   described("false", listsTweets+`,"noteTweet":{"files":[{"fileName":"data/note-tweet.js"}]}`),
				"data/tweets.js":     `window.YTD.tweets.part0 = [{"tweet":` + strings.Replace(onePost, `"t"`, `"t\ud83d"`, 1) + `}]`,
				"data/note-tweet.js": `window.YTD.note_tweet.part0 = []`,
			}},
			texts: "1=t\ufffd", told: "archive_partial file_has_half_characters",
		},
		"halves of characters in a long post": {
			archives: map[string]files{"a.zip": {
				"data/manifest.js":   described("false", listsTweets+`,"noteTweet":{"files":[{"fileName":"data/note-tweet.js"}]}`),
				"data/tweets.js":     `window.YTD.tweets.part0 = [{"tweet":` + onePost + `}]`,
				"data/note-tweet.js": `window.YTD.note_tweet.part0 = [{"noteTweet":{"noteTweetId":"9","createdAt":"2026-01-03T04:05:07.000Z","core":{"text":"x\ude00"}}}]`,
			}},
			texts: "1=t note:9=x\ufffd", told: "archive_partial file_has_half_characters",
		},
		"posts whose beginning is missing": {
			archives: map[string]files{"a.zip": {
				"data/manifest.js": described("false", listsTweets+","+listsMessages), "data/direct-messages.js": oneMessage,
				"data/tweets.js": `x", "lang": "en"}}, {"tweet": ` + onePost + `}, {"tweet": {"id_str":"2","full_text":"u","created_at":"Sat Jan 03 04:05:07 +0000 2026"}}]`,
			}},
			texts: "1=t 2=u", messages: 1, told: "archive_partial jsonstream_syntax",
		},
		"a long conversation in front of which the beginning is missing": {
			archives: map[string]files{"a.zip": {
				"data/manifest.js": described("false", listsTweets+","+listsMessages), "data/tweets.js": `window.YTD.tweets.part0 = [{"tweet":` + onePost + `}]`,
				"data/direct-messages.js": strings.Repeat(`{"messageCreate":{"id":6,"text":"lost"}},`, 200) + `]}}, {"dmConversation":{"conversationId":"1-2","messages":[{"messageCreate":{"id":77,"senderId":1,"text":"hi","createdAt":"2026-01-01T00:00:00.000Z"}}]}}]`,
			}},
			texts: "1=t", messages: 1, told: "archive_partial jsonstream_syntax",
		},
		"deleted posts and headers of posts, whose beginnings are missing": {
			archives: map[string]files{"a.zip": {
				"data/manifest.js": described("false", listsTweets), "data/tweets.js": `window.YTD.tweets.part0 = [{"tweet":` + onePost + `}]`,
				"data/deleted-tweets.js": `"id":7}}, {"tweet":{"id_str":"6","full_text":"gone","created_at":"Sat Jan 03 04:05:06 +0000 2026"}}]`,
				"data/tweet-headers.js":  `"id":7}}, {"tweet":{"tweet_id":"6","created_at":"Sat Jan 03 04:05:06 +0000 2026"}}]`,
				"data/kopf.js":           `"id":7}}, {"tweet":{"tweet_id":"6","created_at":"Sat Jan 03 04:05:06 +0000 2026"}}]`,
			}},
			texts: "1=t", told: "archive_partial",
		},
		"messages whose beginning is missing, under another name": {
			archives: map[string]files{"a.zip": {
				"data/manifest.js": described("false", listsTweets), "data/tweets.js": `window.YTD.tweets.part0 = [{"tweet":` + onePost + `}]`,
				"data/nachrichten.js": `"id": 7}}]}}, {"dmConversation":{"conversationId":"1-2","messages":[{"messageCreate":{"id":77,"senderId":1,"text":"hi","createdAt":"2026-01-01T00:00:00.000Z"}}]}}]`,
			}},
			texts: "1=t", messages: 1, told: "archive_partial jsonstream_syntax",
		},
		"cut": {
			archives: map[string]files{"a.zip": {
				"data/manifest.js": described("false", listsTweets+","+listsMessages), "data/direct-messages.js": oneMessage,
				"data/tweets.js": `window.YTD.tweets.part0 = [{"tweet":` + onePost + `},{"tweet":oops},{"tweet":{"id_str":"2"`,
			}},
			texts: "1=t", messages: 1, told: "archive_partial jsonstream_truncated",
		},
	} {
		w := newWorld(t)
		for archive, files := range c.archives {
			w.folder[archive] = archived(t, files)
		}
		for file, content := range c.loose {
			w.folder[file] = &fstest.MapFile{Data: []byte(content), ModTime: sdktest.Epoch}
		}
		res := w.collect()
		var texts, told []string
		for _, post := range res.Records(streamTweets) {
			mark := "="
			if strings.Contains(string(post.Data), `"text_truncated":true`) {
				mark = "~"
			}
			texts = append(texts, post.Key+mark+post.Text("text"))
		}
		slices.Sort(texts)
		front, note, noted := strings.Cut(c.texts, " note:")
		want := strings.Fields(front)
		if strings.Contains(front, long) || strings.Contains(front, ",") {
			want = []string{front}
		}
		if noted {
			want = append(want, "note:"+note)
		}
		slices.Sort(want)
		if strings.Join(texts, " ") != strings.Join(want, " ") || len(res.Records(streamMessages)) != c.messages {
			t.Errorf("%s: got the posts %.300q and %d messages, want %.300q and %d", name, texts, len(res.Records(streamMessages)), want, c.messages)
		}
		for _, again := range []*sdktest.Result{res, w.collect()} {
			told = told[:0]
			for _, s := range again.Skips {
				told = append(told, s.Reason)
			}
			if got := strings.Join(told, " "); got != c.told {
				t.Errorf("%s: the run says %q, want %q", name, got, c.told)
			}
		}
	}
}

// AC-06: a file with fewer entries than the manifest says is told, and nothing is deleted by it.
func TestFewerEntriesThanTheManifestSays(t *testing.T) {
	t.Parallel()
	for said, cut := range map[string]bool{`"3"`: true, `3`: true, `"2"`: false, `"1"`: false, `"many"`: false, `null`: false} {
		w := newWorld(t)
		w.put(t, "a.zip", account{id: "1", generated: "2022-11-13T08:00:00.000Z", tweets: []string{"1", "2", "3"}})
		w.collect()
		delete(w.folder, "a.zip")
		w.put(t, "b.zip", account{id: "1", generated: "2023-11-13T08:00:00.000Z", tweets: []string{"2", "3"}, change: func(files map[string]string) {
			files["data/manifest.js"] = strings.Replace(files["data/manifest.js"], `"count":"2"`, `"count":`+said, 1)
		}})
		res := w.collect()
		if cut {
			w.has("1 2 3", "listed_entries_missing archive_partial")
			if text := string(res.Skips[0].Diagnostics); !strings.Contains(text, "b.zip: data/tweets.js, 2 entries of 3") {
				t.Errorf("the run says %s, want the file and what it lacks", text)
			}
		} else {
			w.has("2 3", "")
		}
		w.collect()
	}
}

// AC-02: an archive within one that is no archive of X is named, with what to do.
func TestAnArchiveWithinAnother(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.folder["download.zip"] = archived(t, map[string]string{"x/twitter-2026.zip": "PK", "x/readme.bin": "?", "__MACOSX/._twitter-2026.zip": "x"})
	w.folder["other.zip"] = archived(t, map[string]string{"__MACOSX/._twitter-2026.zip": "x"})
	for range 2 {
		res := w.collect()
		w.has("", "not_an_export archive_nested")
		if text := string(res.Skips[1].Diagnostics); !strings.Contains(text, "download.zip: x/twitter-2026.zip") {
			t.Errorf("the run says %s, want the archive within", text)
		}
		if got := res.File("twitter_archive", "download.zip"); got != abi.FileKnown {
			t.Errorf("the archive around is %q, want %q", got, abi.FileKnown)
		}
		if text := res.Skips[1].Message; !strings.HasSuffix(text, "unpack the archive around them, and put what it holds into the folder instead of it") {
			t.Errorf("the run says %q, want what its owner has to do", text)
		}
	}
	clear(w.folder) // its owner does that
	w.put(t, "x/twitter-2026.zip", account{id: "1", generated: "2022-11-13T08:00:00.000Z", tweets: []string{"1"}})
	w.collect()
	w.has("1", "")
}

// AC-06: a post that is too large is told as that, and counts as an entry.
func TestAPostThatIsTooLargeIsAnEntry(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put(t, "a.zip", account{id: "1", generated: "2022-11-13T08:00:00.000Z", tweets: []string{"1", `{"tweet":"` + trial.Noise(5<<20) + `"}`}})
	w.collect()
	w.has("1", "archive_partial value_too_large")
}

// AC-10: a text that is longer than any that X takes is cut, and says so: its record arrives, and no version of
// the connector is promised for it.
func TestATextAboveARecord(t *testing.T) {
	t.Parallel()
	draw := rand.New(rand.NewPCG(3, 4)) // an archive that packs too well is refused
	text := make([]byte, 1<<20)
	for i := range text {
		text[i] = 'a' + byte(draw.IntN(26))
	}
	w := newWorld(t)
	w.put(t, "a.zip", account{id: "1", generated: "2022-11-13T08:00:00.000Z", tweets: []string{"1", `{"tweet":{"id_str":"2","full_text":"` + string(text) + `","created_at":"Wed Nov 09 12:34:56 +0000 2022"}}`},
		change: func(files map[string]string) {
			files["data/direct-messages.js"] = strings.Replace(files["data/direct-messages.js"], `"text":"Hi"`, `"text":"`+string(text)+`"`, 1)
		}})
	res := w.collect()
	w.has("1 2", "")
	for stream, key := range map[string]string{"tweets": "2", "direct_messages": "m1"} {
		rec, _ := res.Record(stream, key)
		if got := strings.Count(string(rec.Data), string(text[:1000])); got != 1 {
			t.Errorf("%s: got the beginning of the text %d times, want it once", stream, got)
		}
		if !strings.Contains(string(rec.Data), `"text_truncated":true`) {
			t.Errorf("%s: the record has no mark that its text is cut", stream)
		}
		if a := res.Items(stream); a.Cut != 1 || a.KeptBack != 0 {
			t.Errorf("%s: got the account %+v, want one text cut and none kept back", stream, a)
		}
	}
}

// AC-06: an entry of a file with messages is a conversation.
func TestFewerConversationsThanTheManifestSays(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{"1": "", "2": "listed_entries_missing archive_partial", "3": "", "4": "listed_entries_missing archive_partial"} {
		w := newWorld(t)
		message := `{"messageCreate":{"id":"m9","senderId":"1","text":"x","createdAt":"2022-11-09T12:34:56.789Z"}},`
		w.put(t, "a.zip", account{id: "1", generated: "2022-11-13T08:00:00.000Z", tweets: []string{"1"}, change: func(files map[string]string) {
			files["data/manifest.js"] = strings.Replace(files["data/manifest.js"], `"data/direct-messages.js"`, `"data/direct-messages.js","count":"`+said+`"`, 1)
			files["data/direct-messages.js"] = strings.Replace(files["data/direct-messages.js"], `"messages" : [`, `"messages" : [`+message+strings.Replace(message, "m9", "m8", 1), 1)
		}})
		w.collect()
		w.has("1", want)
	}
}

// AC-06: an archive that was cut at its end has what closes before, and nothing of it is deleted.
func TestAnArchiveThatWasCut(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put(t, "a.zip", account{id: "1", generated: "2022-11-13T08:00:00.000Z", tweets: []string{"1", "2"}})
	w.collect()
	w.put(t, "b.zip", account{id: "1", generated: "2023-11-13T08:00:00.000Z", tweets: []string{"2", "3"}})
	whole := w.folder["b.zip"].Data
	w.folder["b.zip"].Data = whole[:len(whole)-100]
	res := w.collect()
	w.has("1 2 3", "archive_partial archive_truncated")
	if said := string(res.Skips[1].Diagnostics); !strings.Contains(said, "b.zip") || !strings.Contains(said, "byte") {
		t.Errorf("the run says %q, want the file and the place", said)
	}
}
