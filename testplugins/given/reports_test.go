package given

import (
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/testplugins/rig/bed"
)

// reported is a folder as a public report has one, made small.
type reported struct {
	name   string
	folder given
	// records are those of each stream that the folder has. Healthy: nothing is amiss, so the verdict may say so.
	records map[string]int64
	healthy bool
}

// calendar is a file of events.
func calendar(ends string, lines ...string) []byte {
	all := append(append([]string{"BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//x//y//EN"}, lines...), "END:VCALENDAR", "")
	return []byte(strings.Join(all, ends))
}

func event(uid string, more ...string) []string {
	lines := append([]string{"BEGIN:VEVENT", "UID:" + uid, "DTSTAMP:20260101T000000Z"}, more...)
	return append(lines, "SUMMARY:"+uid, "END:VEVENT")
}

const starts = "DTSTART:20260102T090000Z"

func packed(files map[string]string) []byte {
	g := given{}
	for name, content := range files {
		g[name] = []byte(content)
	}
	return g.zip()
}

// archiveOfX is the description of an archive, with the data that stands in its files.
func archiveOfX(types, generated string) string {
	return `window.__THAR_CONFIG = {"userInfo":{"accountId":"1"},"archiveInfo":{"generationDate":"` + generated + `","isPartialArchive":false},"dataTypes":{` + types + `}}`
}

const (
	posts    = `"tweets":{"files":[{"fileName":"data/tweets.js"}]}`
	messages = `"directMessages":{"files":[{"fileName":"data/direct-messages.js"}]}`
	day      = "2026-01-01T00:00:00.000Z"
	onePost  = `{"id_str":"1","full_text":"a post","created_at":"Sat Jan 03 04:05:06 +0000 2026"}`
	activity = `{"header":"YouTube","title":"A angesehen","titleUrl":"https://www.youtube.com/watch?v=a","time":"2025-01-02T03:04:05Z"}`
	gone     = `{"header":"YouTube","title":"Ein Video angesehen, das entfernt wurde","time":"2025-01-03T03:04:05Z"}`
	chat     = "projects/-home-sam-app/11111111-2222-3333-4444-555555555555.jsonl"
	rollout  = "sessions/2026/01/01/rollout-2026-01-01T10-00-00-0199a213-0000-7000-8000-00000000000a.jsonl"
	meta     = `{"timestamp":"2026-01-01T10:00:00.000Z","type":"session_meta","payload":{"id":"0199a213-0000-7000-8000-00000000000a","timestamp":"2026-01-01T10:00:00.000Z","cwd":"/x","originator":"codex_cli_rs"}}` + "\n"
)

func typed(id, text string) string {
	return `{"type":"user","uuid":"` + id + `","sessionId":"11111111-2222-3333-4444-555555555555","timestamp":"2026-01-01T10:00:00.000Z","message":{"role":"user","content":"` + text + `"}}`
}

func said(role, text string) string {
	return `{"timestamp":"2026-01-01T10:00:01.000Z","type":"response_item","payload":{"type":"message","role":"` + role + `","content":[{"type":"input_text","text":"` + text + `"}]}}` + "\n"
}

// frame is a frame of zstd whose one block is not packed (RFC 8878, section 3.1.1).
func frame(text string) []byte {
	const single, small, last = 0x60, 256, 1
	size, block := len(text)-small, len(text)<<3|last
	head := []byte{0x28, 0xb5, 0x2f, 0xfd, single, byte(size), byte(size >> 8), byte(block), byte(block >> 8), byte(block >> 16)}
	return append(head, text...)
}

// reports are the cases of public reports that have files, by connector.
func reports() map[string][]reported {
	blanks := strings.NewReplacer("VEVENT\r\n", "VEVENT \r\n")
	wide := "\xff\xfe" + strings.Join(strings.Split(string(calendar("\r\n", event("a", starts)...)), ""), "\x00") + "\x00"
	lines := func(all ...[]string) (list []string) {
		for _, l := range all {
			list = append(list, l...)
		}
		return list
	}
	open := append([]string{"BEGIN:VEVENT", "UID:open", starts}, "END:VTOOD")
	one := map[string]int64{"events": 1}
	return map[string][]reported{
		"calendar_files": {
			{"blanks behind components", given{"a.ics": []byte(blanks.Replace(string(calendar("\r\n", event("a", starts)...))))}, one, true},
			{"a blank behind the end", given{"a.ics": []byte(strings.Replace(string(calendar("\r\n", event("a", starts)...)), "END:VCALENDAR", "END:VCALENDAR ", 1))}, one, true},
			{"one UID of several events", given{"a.ics": calendar("\r\n", lines(event("a", starts), event("a", "DTSTART:20260103T090000Z"), event("a", "DTSTART:20260104T090000Z"))...)}, map[string]int64{"events": 3}, true},
			{"one that does not close", given{"a.ics": calendar("\r\n", lines(event("a", starts), open, event("b", starts))...)}, map[string]int64{"events": 2}, false},
			{"quoted-printable", given{"a.vcs": calendar("\r\n", event("a", starts, "DESCRIPTION;ENCODING=QUOTED-PRINTABLE;CHARSET=UTF-8:Gr=C3=B6=C3=9Fe und=\r\n mehr")...)}, one, true},
			{"UTF-16", given{"a.ics": []byte(wide)}, one, true},
			{"carriage returns", given{"a.ics": calendar("\r", event("a", starts)...)}, one, true},
			{"two carriage returns", given{"a.ics": calendar("\r\r\n", event("a", starts)...)}, one, true},
			{"a zone of Windows", given{"a.ics": calendar("\r\n", event("a", "DTSTART;TZID=W. Europe Standard Time:20260102T090000")...)}, one, true},
			{"a zone of the IANA", given{"a.ics": calendar("\r\n", event("a", "DTSTART;TZID=Europe/Berlin:20260102T090000")...)}, one, true},
			{"a text with raw lines", given{"a.ics": calendar("\r\n", lines(event("a", starts, "DESCRIPTION:x", "END:of the day", "more"), event("b", starts))...)}, map[string]int64{"events": 2}, true},
		},
		"google_takeout": {
			{"a video that was removed", given{"takeout.zip": packed(map[string]string{"Takeout/YouTube und YouTube Music/Verlauf/Wiedergabeverlauf.json": "[" + activity + "," + gone + "]"})}, map[string]int64{"youtube_watch_history": 2}, true},
			{"a history as HTML", given{"takeout.zip": packed(map[string]string{"Takeout/Meine Aktivitäten/Suche/MeineAktivitäten.html": "<html>A angesehen</html>"})}, nil, false},
			{"a timeline", given{"takeout.zip": packed(map[string]string{"Takeout/Location History (Timeline)/Timeline.json": `{"semanticSegments": [{"startTime":"x"}]}`, "Takeout/Location History (Timeline)/Encrypted Backups.txt": "You have encrypted Timeline backups"})}, nil, false},
			{"a month of places", given{"takeout.zip": packed(map[string]string{"Takeout/Standortverlauf/Semantic Location History/2022/2022_DECEMBER.json": `{"timelineObjects": [{"placeVisit": {}}]}`})}, nil, false},
			{"a file without an archive", given{"watch-history.json": []byte("[" + activity + "]")}, map[string]int64{"youtube_watch_history": 1}, true},
			{"a photo of 1965", given{"takeout.zip": packed(map[string]string{"Takeout/Google Fotos/p.json": `{"title":"p","photoTakenTime":{"timestamp":"-141004800"},"url":"https://photos.google.com/photo/1"}`})}, map[string]int64{"photos": 1}, true},
			{"a label with a comma", given{"takeout.zip": packed(map[string]string{"Takeout/Mail/All.mbox": "From 1@xxx Thu Jan 01 10:00:00 +0000 2026\r\nX-Gmail-Labels: Inbox,\"Trips, 2024\"\r\nMessage-ID: <a@b>\r\nDate: Thu, 01 Jan 2026 10:00:00 +0000\r\nFrom: a@b\r\nSubject: s\r\n\r\ntext\r\n"})}, map[string]int64{"mail_messages": 1}, true},
		},
		"twitter_archive": {
			{"a long post and its note", given{"x.zip": packed(map[string]string{
				"data/manifest.js":        archiveOfX(posts+","+messages+`,"noteTweet":{"files":[{"fileName":"data/note-tweet.js"}]}`, day),
				"data/tweets.js":          `window.YTD.tweets.part0 = [{"tweet":` + strings.Replace(onePost, "a post", strings.Repeat("long ", 54)+"…", 1) + `}]`,
				"data/note-tweet.js":      `window.YTD.note_tweet.part0 = [{"noteTweet":{"noteTweetId":"9","createdAt":"2026-01-03T04:05:07.000Z","core":{"text":"` + strings.Repeat("long ", 200) + `"}}}]`,
				"data/direct-messages.js": `window.YTD.direct_messages.part0 = []`,
			})}, map[string]int64{"tweets": 1}, true},
			{"of 2018, in the root", given{"twitter-2018-05-01-ab.zip": packed(map[string]string{"tweet.js": `window.YTD.tweet.part0 = [` + onePost + `]`, "account.js": `window.YTD.account.part0 = [{"account":{"accountId":"1"}}]`})}, map[string]int64{"tweets": 1}, true},
			{"of 2016, a table", given{"2016.zip": packed(map[string]string{"tweets.csv": "\"tweet_id\",\"in_reply_to_status_id\",\"timestamp\",\"source\",\"text\"\n\"1\",\"\",\"2016-01-01 00:00:00 +0000\",\"web\",\"a post\"\n"})}, map[string]int64{"tweets": 1}, true},
			{"in two zips", given{
				"x-1.zip": packed(map[string]string{"data/manifest.js": archiveOfX(posts+","+messages, day), "data/tweets.js": `window.YTD.tweets.part0 = [{"tweet":` + onePost + `}]`}),
				"x-2.zip": packed(map[string]string{"data/manifest.js": archiveOfX(posts+","+messages, day), "data/direct-messages.js": `window.YTD.direct_messages.part0 = [{"dmConversation":{"conversationId":"1-2","messages":[{"messageCreate":{"id":"7","senderId":"1","text":"hi","createdAt":"2026-01-01T00:00:00.000Z"}}]}}]`}),
			}, map[string]int64{"tweets": 1, "direct_messages": 1}, true},
			{"numbers as ids, in a community, and deleted", given{"x.zip": packed(map[string]string{
				"data/manifest.js":        archiveOfX(posts+","+messages+`,"communityTweet":{"files":[{"fileName":"data/community-tweet.js"}]},"deletedTweets":{"files":[{"fileName":"data/deleted-tweets.js"}]}`, day),
				"data/tweets.js":          `window.YTD.tweets.part0 = [{"tweet":{"id":2,"text":"n","created_at":"Sat Jan 03 04:05:06 +0000 2026"}}]`,
				"data/community-tweet.js": `window.YTD.community_tweet.part0 = [{"tweet":` + onePost + `}]`, "data/direct-messages.js": `window.YTD.direct_messages.part0 = []`,
				"data/deleted-tweets.js": `window.YTD.deleted_tweets.part0 = [{"tweet":{"id_str":"6","created_at":"Sat Jan 03 04:05:06 +0000 2026"}}]`,
			})}, map[string]int64{"tweets": 2}, true},
		},
		"claude_code": {
			{"a prompt that was queued", given{chat: []byte(typed("u1", "one") + "\n" + `{"type":"attachment","uuid":"q1","sessionId":"11111111-2222-3333-4444-555555555555","timestamp":"2026-01-01T10:00:02.000Z","attachment":{"type":"queued_command","prompt":"two","commandMode":"prompt"}}` + "\n")}, map[string]int64{"messages": 2}, true},
			{"zeros, and lines that are glued", given{chat: []byte("\x00\x00\x00\x00" + typed("u1", "one") + "\n" + typed("u2", "two") + typed("u3", "three") + "\n" + typed("u4", "four") + "\n")}, map[string]int64{"messages": 4}, false},
		},
		"codex": {
			{"a line of 10 MB", given{rollout: []byte(meta + said("user", strings.Repeat("x", 10<<20)) + said("assistant", "seen"))}, map[string]int64{"messages": 2}, true},
			{"zeros, and lines that are glued", given{rollout: []byte(meta + "\x00\x00" + said("user", "one") + strings.TrimSuffix(said("user", "two"), "\n") + said("user", "three"))}, map[string]int64{"messages": 3}, false},
			{"a compressed rollout", given{rollout + ".zst": frame(meta + said("user", "one"))}, map[string]int64{"messages": 1}, true},
			{"what a program wrote", given{rollout: []byte(meta + said("developer", "rules") + said("user", "<environment_context>x</environment_context>") + said("user", "typed"))}, map[string]int64{"messages": 3}, true},
			{"a fork", given{
				rollout: []byte(meta + said("user", "one") + said("assistant", "two")),
				strings.ReplaceAll(rollout, "00000000000a", "00000000000b"): []byte(strings.NewReplacer(`"cwd"`, `"forked_from_id":"0199a213-0000-7000-8000-00000000000a","cwd"`, `00000000000a","timestamp`, `00000000000b","timestamp`).Replace(meta) +
					meta + said("user", "one") + said("assistant", "two") + said("user", "of the fork")),
			}, map[string]int64{"messages": 3}, true},
		},
	}
}

// AC-14: what public reports had passed over in silence, or merged into one: each is in the store, and
// "Healthy" is said where nothing is amiss.
func TestReports(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds modules, and runs them")
	}
	for connector, list := range reports() {
		t.Run(connector, func(t *testing.T) {
			t.Parallel()
			o := bed.New(t, connector)
			for _, r := range list {
				got := collect(t, o, connector, r.name, r.folder)
				for stream, n := range r.records {
					if got.records[stream] != n {
						t.Errorf("%s: got %v, want %d of %s", r.name, got.records, n, stream)
					}
				}
				if (got.tone == "green") != r.healthy {
					t.Errorf("%s: got %s, %q, want healthy: %v", r.name, got.tone, got.said, r.healthy)
				}
			}
		})
	}
}
