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

// AC-02, AC-04: what an archive has is in the store, or its reason and its place are told.
func TestNothingIsLeftOutInSilence(t *testing.T) {
	t.Parallel()
	post := func(id, text string) string {
		return `{"tweet":` + strings.NewReplacer(`"1"`, `"`+id+`"`, `"t"`, `"`+text+`"`).Replace(onePost) + `}`
	}
	tweets := func(part, list string) string { return `window.YTD.tweets.part` + part + ` = [` + list + `]` }
	note := func(id, text string) string {
		return `{"noteTweet":{"noteTweetId":"` + id + `","createdAt":"2026-01-03T04:05:06.000Z","core":{"text":"` + text + `"}}}`
	}
	notes := func(list ...string) string { return `window.YTD.note_tweet.part0 = [` + strings.Join(list, ",") + `]` }
	begin, cut := strings.Repeat("all work ", 20), strings.Repeat("all work ", 20)+"…"
	all := listsTweets + `,"tweets2":{},` + listsMessages
	all = strings.Replace(all, `"data/tweets.js"}`, `"data/tweets.js"},{"fileName":"data/tweets-part1.js"}`, 1)
	page := map[string]string{"Your archive.html": "x", "assets/js/a.js": "x"}
	type archives = map[string]map[string]string
	for name, c := range map[string]struct {
		given archives // in the folder itself under "."
		told  string
		posts []string
	}{
		"two long posts of one beginning, in one second": {archives{"a.zip": {
			"tweets.js": tweets("0", post("101", cut)+","+post("100", cut)), "note-tweet.js": notes(note("900", begin+"one"), note("901", begin+"two"))}},
			"archive_partial[direct_messages] post_text_cut_in_archive[a.zip: tweets.js, entry 1]", []string{"100=" + cut, "101=" + cut, "note:900=" + begin + "one", "note:901=" + begin + "two"}},
		"two long posts, of which one has its text": {archives{"a.zip": {
			"tweets.js": tweets("0", post("100", cut)+","+post("101", cut)), "note-tweet.js": notes(note("900", begin+"one"))}},
			"archive_partial[direct_messages] post_text_cut_in_archive[a.zip: tweets.js, entry 2]", []string{"100=" + begin + "one", "101=" + cut}},
		"a long post whose text is in an older archive": {archives{
			"2020-01-01.zip": {"tweets.js": tweets("0", post("100", cut)), "note-tweet.js": notes(note("900", begin+"one"))}, "2021-01-01.zip": {"tweets.js": tweets("0", post("100", cut))}},
			"archive_partial[direct_messages]", []string{"100=" + begin + "one"}},
		"a part between two others": {archives{"a.zip": {"tweets.js": tweets("0", post("1", "t")), "tweets-part2.js": tweets("2", post("2", "u"))}},
			"listed_file_missing[tweets-part1.js] archive_partial[tweets direct_messages]", []string{"1=t", "2=u"}},
		"the first part, unpacked": {archives{".": {"x/data/tweets-part1.js": tweets("1", post("2", "u"))}},
			"listed_file_missing[tweets.js] archive_partial[tweets direct_messages]", []string{"2=u"}},
		"all parts, each of which lists all": {archives{
			"x-1.zip": {"data/manifest.js": described("true", all), "data/tweets.js": tweets("0", post("1", "t"))},
			"x-2.zip": {"data/manifest.js": described("true", all), "data/tweets-part1.js": tweets("1", post("2", "u")), "data/direct-messages.js": oneMessage}},
			"", []string{"1=t", "2=u"}},
		"one of the parts, each of which lists all": {archives{"x-1.zip": {"data/manifest.js": described("true", all), "data/tweets.js": tweets("0", post("1", "t"))}},
			"listed_file_missing[direct-messages.js tweets-part1.js] stream_part_missing[direct_messages] archive_partial[tweets direct_messages]", []string{"1=t"}},
		"the page alone":           {archives{".": page}, "page_without_data[Your archive.html]", nil},
		"the page in an archive":   {archives{"a.zip": page}, "page_without_data[a.zip]", nil},
		"the page of another file": {archives{".": page, "a.zip": {"tweets.js": tweets("0", post("1", "t"))}}, "archive_partial[direct_messages]", []string{"1=t"}},
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
		for range 2 {
			var told, posts []string
			for _, s := range w.collect().Skips {
				_, at, _ := strings.Cut(string(s.Diagnostics), `"examples":["`)
				at, _, _ = strings.Cut(at, `"]`)
				told = append(told, s.Reason+"["+strings.ReplaceAll(at, `","`, " ")+"]")
			}
			if got := strings.Join(told, " "); got != c.told {
				t.Errorf("%s: the run says %q, want %q", name, got, c.told)
			}
			for _, id := range slices.Sorted(maps.Keys(w.store[streamTweets])) {
				rec := w.store[streamTweets][id]
				posts = append(posts, id+"="+rec.Text("text"))
			}
			if !slices.Equal(posts, c.posts) {
				t.Errorf("%s: got the posts %q, want %q", name, posts, c.posts)
			}
		}
	}
}

// An archive that needs a password is told as that, and not as somebody else's.
func TestAnArchiveWithAPassword(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put(t, "a.zip", account{id: "1", generated: "2022-11-13T08:00:00.000Z", tweets: []string{"1"}})
	data := w.folder["a.zip"].Data
	for i := range len(data) - 10 { // in front of each file, and in the directory
		switch string(data[i : i+4]) {
		case "PK\x03\x04":
			data[i+6] |= 1
		case "PK\x01\x02":
			data[i+8] |= 1
		}
	}
	for range 2 {
		res := w.collect()
		w.has("", "archive_encrypted")
		if got := res.File("twitter_archive", "a.zip"); got != abi.FileKnown {
			t.Errorf("the archive is %q, want %q", got, abi.FileKnown)
		}
	}
}

// AC-04: a message that was edited has what it said before.
func TestAMessageThatWasEdited(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put(t, "a.zip", account{id: "1", generated: "2022-11-13T08:00:00.000Z", tweets: []string{"1"}, change: func(files map[string]string) {
		files["data/direct-messages.js"] = strings.Replace(files["data/direct-messages.js"], `"text":"Hi"`, `"text":"Hi","editHistory":[{"createdAtSec":"1","editedText":"Ho"},{"createdAtSec":"2","body":"x"}]`, 1)
	}})
	res := w.collect()
	if got := string(w.store[streamMessages]["m1"].Data); !strings.Contains(got, `"earlier_texts":["Ho"]`) {
		t.Errorf("the message is %s, want its earlier text", got)
	}
	if got := named(res, streamMessages); got != "an edit without a text" {
		t.Errorf("not known: got %q, want the edit without a text", got)
	}
}

// AC-02: a file with an entry of an unknown kind is not whole in the store.
func TestAFileWithAnUnknownEntry(t *testing.T) {
	t.Parallel()
	for file, entry := range map[string]string{"data/tweets.js": `{"thread":{"id":"5"}}`, "data/direct-messages.js": `{"talk":{}}`} {
		stream := map[string]string{"data/tweets.js": streamTweets, "data/direct-messages.js": streamMessages}[file]
		w := newWorld(t)
		w.put(t, "a.zip", account{id: "1", generated: "2022-11-13T08:00:00.000Z", tweets: []string{"1"}, change: func(files map[string]string) {
			files[file] = strings.TrimSuffix(files[file], "]") + "," + entry + "]"
		}})
		for range 2 {
			if got := w.collect().File("twitter_archive", "a.zip"); got != abi.FileDamaged {
				t.Errorf("%s with %s: the archive is %q, want %q", file, entry, got, abi.FileDamaged)
			}
			w.has("1", problemPartial+" "+problemStrange)
			if got := w.last.Skips[1].Stream; got != stream { // the page has to say of the stream what it says of the connection
				t.Errorf("%s with %s: the run tells of the stream %q, want %q", file, entry, got, stream)
			}
		}
	}
}
