package main

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

// conversation is a file of messages with one conversation.
func conversation(entries string) string {
	return `window.YTD.direct_messages.part0 = [ {"dmConversation" : {"conversationId" : "1-2", "messages" : [` + entries + `]}}]`
}

// conversations is a file of messages with one conversation, and others beside it.
func conversations(entries string, others ...string) string {
	return strings.TrimSuffix(conversation(entries), "]") + "," + strings.Join(others, ",") + "]"
}

// named lists the names that a run did not know in a stream.
func named(res *sdktest.Result, stream string) string {
	var list []string
	for _, u := range res.Items(stream).Unknown {
		list = append(list, u.Name)
	}
	return strings.Join(list, " ")
}

// A text of another type is told by its member's name, and is no reason to keep the entry back.
func TestTextOfAnotherType(t *testing.T) {
	t.Parallel()
	for _, words := range []string{`["x"]`, `{"v":1}`, "17"} {
		w := newWorld(t)
		w.put(t, "a.zip", account{id: "1", generated: "2022-11-13T08:00:00.000Z", tweets: []string{"1"}, change: func(files map[string]string) {
			files["data/direct-messages.js"] = strings.Replace(conversation(`{"messageCreate":{"text":"x","senderId":"1","id":"m1","createdAt":"2022-11-09T12:34:56.789Z"}}`), `"text":"x"`, `"text":`+words, 1)
			for name, text := range files {
				if strings.HasSuffix(name, "tweets.js") {
					files[name] = strings.Replace(text, `"full_text":"`, `"full_text":`+words+`,"was":"`, 1)
				}
			}
		}})
		res := w.collect()
		if got := named(res, streamMessages); got != "text that is no text" || res.Items(streamMessages).KeptBack != 0 {
			t.Errorf("a message's text %s: got %q and %+v, want its name, and the message", words, got, res.Items(streamMessages))
		}
		if got := named(res, streamTweets); got != "full_text that is no text" {
			t.Errorf("a post's text %s: got %q, want its name", words, got)
		}
	}
}

// AC-05: an entry of a conversation is a message, no record by a rule, or kept back by its name; what an
// older archive had of the stream is not deleted then.
func TestEntriesOfAConversation(t *testing.T) {
	t.Parallel()
	message := func(form, id string) string {
		return `{"` + form + `":{"text":"x","senderId":"1","id":"` + id + `","createdAt":"2022-11-09T12:34:56.789Z"}}`
	}
	one := message("messageCreate", "m1")
	for name, c := range map[string]struct {
		file    string
		keys    string // of the messages that the host has
		unknown string
		items   abi.StreamAccount
	}{
		"messages":                {conversation(one + "," + message("welcomeMessageCreate", "m7")), "m1 m7", "", abi.StreamAccount{Met: 2, Emitted: 2}},
		"what is no message":      {conversation(one + `,{"joinConversation":{}},{"participantsJoin":{}},{"participantsLeave":{}},{"conversationNameUpdate":{}}`), "m1", "", abi.StreamAccount{Met: 5, Emitted: 1, NotRecord: 4}},
		"a new kind":              {conversation(one + "," + message("messageCreateV2", "m8")), "m1 m8 m9", "messageCreateV2", abi.StreamAccount{Met: 2, Emitted: 1, KeptBack: 1}},
		"no object":               {conversation(one + `,17,{}`), "m1 m8 m9", "an entry without a name", abi.StreamAccount{Met: 3, Emitted: 1, KeptBack: 2}},
		"a renamed conversation":  {strings.Replace(conversation(one), "dmConversation", "talk", 1), "m1 m8 m9", "talk", abi.StreamAccount{Met: 1, KeptBack: 1}},
		"renamed messages":        {strings.Replace(conversation(one), `"messages"`, `"events"`, 1), "m1 m8 m9", "dmConversation", abi.StreamAccount{Met: 1, KeptBack: 1}},
		"a list that lies deeper": {`window.YTD.direct_messages.part0 = {"list":[1]}`, "m1 m8 m9", "list", abi.StreamAccount{Met: 1, KeptBack: 1}},
		"another wrapper beside":  {conversations(one, `{"conversation":{"conversationId":"1-3","messages":[`+one+`]}}`), "m1 m8 m9", "conversation", abi.StreamAccount{Met: 2, Emitted: 1, KeptBack: 1}},
		"no wrapper beside":       {conversations(one, `{}`, `17`, `["x"]`), "m1 m8 m9", "an entry without a name", abi.StreamAccount{Met: 4, Emitted: 1, KeptBack: 3}},
		"messages no list":        {conversations(one, `{"dmConversation":{"conversationId":"1-3","messages":`+one+`}}`), "m1 m8 m9", "dmConversation", abi.StreamAccount{Met: 2, Emitted: 1, KeptBack: 1}},
		"messages a text":         {conversations(one, `{"dmConversation":{"messages":"none"}}`), "m1 m8 m9", "dmConversation", abi.StreamAccount{Met: 2, Emitted: 1, KeptBack: 1}},
		"no messages beside":      {conversations(one, `{"dmConversation":{"conversationId":"1-3"}}`), "m1 m8 m9", "dmConversation", abi.StreamAccount{Met: 2, Emitted: 1, KeptBack: 1}},
		"an empty one beside":     {conversations(one, `{"dmConversation":{"conversationId":"1-3","messages":[]}}`), "m1", "", abi.StreamAccount{Met: 1, Emitted: 1}},
		"no id":                   {conversations(`{"joinConversation":{}}`, `{"dmConversation":{"messages":[`+one+`]}}`), "m1 m8 m9", "a conversation without an id", abi.StreamAccount{Met: 2, Emitted: 1, NotRecord: 1}},
		"an empty list":           {"window.YTD.direct_messages.part0 = [\n]", "", "", abi.StreamAccount{}},
		"a conversation without":  {conversation(" "), "", "", abi.StreamAccount{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			archive := func(generated, file string) account {
				return account{id: "1", generated: generated, tweets: []string{"1"}, change: func(files map[string]string) {
					files["data/direct-messages.js"], files["data/direct-messages-group.js"] = file, `window.YTD.direct_messages_group.part0 = []`
				}}
			}
			w := newWorld(t)
			w.put(t, "a.zip", archive("2022-11-13T08:00:00.000Z", conversation(one+","+message("messageCreate", "m8")+","+message("messageCreate", "m9"))))
			w.collect()
			delete(w.folder, "a.zip")
			w.put(t, "b.zip", archive("2023-01-01T08:00:00.000Z", c.file))
			res := w.collect()
			var keys []string
			for key := range w.store[streamMessages] {
				keys = append(keys, key)
			}
			slices.Sort(keys)
			if got := strings.Join(keys, " "); got != c.keys {
				t.Errorf("the host has the messages %q, want %q", got, c.keys)
			}
			if got := named(res, streamMessages); got != c.unknown {
				t.Errorf("not known: got %q, want %q", got, c.unknown)
			}
			got := res.Items(streamMessages)
			if got.Met != c.items.Met || got.Emitted+got.Unchanged != c.items.Emitted || got.KeptBack != c.items.KeptBack || got.NotRecord != c.items.NotRecord {
				t.Errorf("got %+v, want %+v", got, c.items)
			}
			told := slices.ContainsFunc(res.Skips, func(s abi.SkipResult) bool { return s.Reason == problemStrange })
			if want := c.unknown != "" && name != "no id"; told != want {
				t.Errorf("the run tells of entries that are not known: %v, want %v", told, want)
			}
			if m := res.Records(streamMessages); name == "no id" && (len(m) != 1 || m[0].Text("conversation_id") != "") {
				t.Errorf("got the messages %v, want one without a conversation", m)
			}
		})
	}
}

// AC-02: a folder's name hides no archive, and a script that nobody knows is not passed over.
func TestArchivesInFoldersOfTheViewer(t *testing.T) {
	t.Parallel()
	for _, place := range []string{"assets/", "x/lib/", "css/", "js/", "my_media/"} {
		w := newWorld(t)
		files := map[string]string{
			"data/manifest.js": described("false", listsTweets+","+listsMessages), "data/tweets.js": `window.YTD.tweets.part0 = [{"tweet":` + onePost + `}]`,
			"data/direct-messages.js": oneMessage, "data/sketches.js": `var sketches = [{"id":1}]`,
			"assets/js/a.js": `var a={"x":1}`, "data/tweets_media/1.jpg": "J", "Your archive.html": "x",
		}
		for name, text := range files {
			w.folder[place+name] = &fstest.MapFile{Data: []byte(text), ModTime: sdktest.Epoch}
		}
		res := w.collect()
		w.has("1", "")
		if n := len(res.Records(streamMessages)); n != 1 {
			t.Errorf("%s: got %d messages, want 1", place, n)
		}
		for name, want := range map[string]string{
			"data/tweets.js": abi.FileRead, "data/sketches.js": abi.FileUnknown, "assets/js/a.js": abi.FileRule, "data/tweets_media/1.jpg": abi.FileRule, "Your archive.html": abi.FileRule,
		} {
			if got := res.File("twitter_archive", place+name); got != want {
				t.Errorf("%s: got %q, want %q", place+name, got, want)
			}
		}
	}
}

// AC-02: a table without a byte is no list of posts.
func TestATableWithoutAByte(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.folder["a.zip"] = archived(t, map[string]string{"tweets.csv": "", "data/js/user_details.js": `var user_details = {"id":"1"}`})
	if got := w.collect().File("twitter_archive", "a.zip"); got == abi.FileRead {
		t.Errorf("an archive whose posts are a table without a byte: got %q, want another word", got)
	}
}

// AC-05: an entry of a list of posts, or of the whole texts of long ones, is read or told, whatever its form is.
func TestEntriesOfPosts(t *testing.T) {
	t.Parallel()
	const tweets, notes = "data/tweets.js", "data/note-tweet.js"
	for name, c := range map[string]struct{ file, entry, told string }{
		"no post":           {tweets, `{"other":1}`, problemStrange},
		"no object":         {tweets, `17`, problemStrange},
		"a list":            {tweets, `[{"tweet":{}}]`, problemStrange},
		"another kind":      {tweets, `{"superTweet":{"id":"2","text":"x"}}`, problemStrange},
		"no time":           {tweets, `{"tweet":{"id":"2","text":"x"}}`, problemTime},
		"no time, bare":     {tweets, `{"id":"2","text":"x"}`, problemTime},
		"no text":           {tweets, strings.Replace(`{"tweet":`+onePost+`}`, `"full_text"`, `"body"`, 1), problemStrange},
		"another wrapper":   {notes, `{"longTweet":{}}`, problemNote},
		"no object of text": {notes, `{"noteTweet":"x"}`, problemNote},
		"no note":           {notes, `17`, problemNote},
	} {
		w := newWorld(t)
		files := map[string]string{tweets: `{"tweet":` + onePost + `}`, notes: ""}
		files[c.file] = strings.TrimPrefix(files[c.file]+","+c.entry, ",")
		w.folder["a.zip"] = archived(t, map[string]string{
			"data/manifest.js": described("false", listsTweets+","+listsMessages), "data/direct-messages.js": oneMessage,
			tweets: `window.YTD.tweets.part0 = [` + files[tweets] + `]`, notes: `window.YTD.note_tweet.part0 = [` + files[notes] + `]`,
		})
		res := w.collect()
		if !slices.ContainsFunc(res.Skips, func(s abi.SkipResult) bool { return s.Reason == c.told }) || len(w.store[streamTweets]) != 1 {
			t.Errorf("%s: the run tells %v, and the host has %d posts, want %s and one", name, res.Skips, len(w.store[streamTweets]), c.told)
		}
	}
}

// AC-10: no advice empties the folder, which would end the collection: a file may be the only one.
func TestNoAdviceEmptiesTheFolder(t *testing.T) {
	t.Parallel()
	for _, p := range problems {
		if strings.Contains(p.Text, "take ") && strings.Contains(p.Text, " out") {
			t.Errorf("%s: %q has a file taken out, which may be the only one", p.Code, p.Text)
		}
	}
}
