package given

import (
	"archive/zip"
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"unicode/utf16"
)

// made is a folder whose maker knows what is in it.
type made struct {
	given

	records map[string]int // the different items that are whole, by the stream that holds them
	again   map[string]int // whole items that are there a second time
	amiss   int            // items that are damaged, and files that no connector knows
}

// maker makes folders of one connector. It numbers the items, so that no two are the same unless
// it repeats one.
type maker struct {
	*rand.Rand
	made

	items int
}

func newMaker(seed uint64) *maker {
	return &maker{Rand: rand.New(rand.NewPCG(seed, 15)), made: made{given: given{}, records: map[string]int{}, again: map[string]int{}}}
}

func (m *maker) number() int {
	m.items++
	return m.items
}

func (m *maker) chance(percent int) bool { return m.IntN(100) < percent }

// list draws the items of one file of a stream: whole ones, and now and then one that is repeated
// or that damage leaves unreadable. It calls whole and damaged for the text of each.
func (m *maker) list(stream string, whole, damaged func(n int) string) []string {
	var out []string
	hurt := m.chance(25)
	for range m.IntN(6) {
		text := whole(m.number())
		out = append(out, text)
		m.records[stream]++
		if m.chance(10) {
			out = append(out, text)
			m.again[stream]++
		}
		if hurt && m.chance(40) {
			out = append(out, damaged(m.number()))
			m.amiss++
		}
	}
	return out
}

// beside adds what people have beside an export: what no connector knows, and what each leaves alone.
func (m *maker) beside() {
	if m.chance(15) {
		m.given[m.pick("holiday.raw", "deep/er/holiday.raw", "Urlaub 2024 (1).raw")] = []byte("sand")
		m.amiss++
	}
	if m.chance(15) {
		m.given[m.pick(".DS_Store", "deep/.DS_Store", "._holiday.raw")] = []byte("\x00\x00\x00\x01Bud1")
	}
}

func (m *maker) pick(of ...string) string { return of[m.IntN(len(of))] }

// makers has the maker of each connector's folders.
var makers = map[string]func(m *maker){
	"calendar_files":  makeCalendars,
	"twitter_archive": makeTwitter,
	"google_takeout":  makeTakeout,
	"codex":           makeCodex,
	"claude_code":     makeClaude,
}

func makeCalendars(m *maker) {
	for file := range m.IntN(3) {
		events := m.list("events", func(n int) string {
			return fmt.Sprintf("BEGIN:VEVENT\nUID:%d@example.org\nDTSTAMP:20260101T000000Z\nDTSTART:20260%d02T080000Z\nSUMMARY:%s %d\nEND:VEVENT\n", n, 1+n%9, m.pick("Größe", "Tea", "日本"), n)
		}, func(n int) string {
			return fmt.Sprintf("BEGIN:VEVENT\nUID:%d@example.org\nDTSTART:20260102T080000Z\nSUMMARY:cut %d\n", n, n)
		})
		text := "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:-//Example//EN\n" + strings.Join(events, "") + "END:VCALENDAR\n"
		text = strings.ReplaceAll(text, "\n", m.pick("\n", "\r\n", "\r"))
		m.given[m.pick("", "more/")+fmt.Sprintf("c%d.ics", file)] = m.encode(text)
		m.records["calendars"]++
	}
}

// encode spells a text as systems do.
func (m *maker) encode(text string) []byte {
	switch m.IntN(4) {
	case 0:
		return append([]byte("\xef\xbb\xbf"), text...)
	case 1:
		out := []byte{0xff, 0xfe}
		for _, u := range utf16.Encode([]rune(text)) {
			out = append(out, byte(u), byte(u>>8))
		}
		return out
	}
	return []byte(text)
}

// pack puts the entries into the folder: as an archive, or unpacked.
func (m *maker) pack(name string, entries map[string]string) {
	if m.chance(30) {
		for path, text := range entries {
			m.given[path] = []byte(text)
		}
		return
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, path := range sorted(entries) {
		w, err := z.Create(path)
		if err == nil {
			_, err = w.Write([]byte(entries[path]))
		}
		if err != nil {
			panic(err)
		}
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	m.given[name] = b.Bytes()
}

func makeTwitter(m *maker) {
	if m.chance(15) {
		return
	}
	tweet := func(n int) string {
		return fmt.Sprintf(`{"tweet":{"id_str":"16%08d","id":"16%08d","created_at":"Mon Mar 02 08:00:00 +0000 2026","full_text":"post %d","lang":"en","favorite_count":"1","retweet_count":"0","favorited":false,"retweeted":false,"truncated":false}}`, n, n, n)
	}
	message := func(n int) string {
		return fmt.Sprintf(`{"messageCreate":{"recipientId":"43","reactions":[],"urls":[],"text":"hello %d","mediaUrls":[],"senderId":"42","id":"17%08d","createdAt":"2026-03-02T08:00:00.000Z"}}`, n, n)
	}
	damaged := func(n int) string { return fmt.Sprintf(`{"tweet":{"id_str":"16%08d","id":@@@@}}`, n) }
	entries := map[string]string{
		"Your archive.html": "<html></html>",
		"data/account.js":   `window.YTD.account.part0 = [ {"account":{"username":"mira","accountId":"42","createdAt":"2009-01-01T00:00:00.000Z","accountDisplayName":"Mira"}} ]`,
		"data/tweets.js":    "window.YTD.tweets.part0 = [" + strings.Join(m.list("tweets", tweet, damaged), ",\n") + "]",
		"data/direct-messages.js": `window.YTD.direct_messages.part0 = [{"dmConversation":{"conversationId":"42-43","messages":[` +
			strings.Join(m.list("direct_messages", message, func(n int) string { return fmt.Sprintf(`{"messageCreate":{"id":"17%08d","text":@@@@}}`, n) }), ",\n") + `]}}]`,
	}
	if m.chance(40) {
		entries["data/tweets-part1.js"] = "window.YTD.tweets.part1 = [" + strings.Join(m.list("tweets", tweet, damaged), ",\n") + "]"
	}
	if m.chance(20) {
		entries["data/holograms.bin"] = "no one knows"
		m.amiss++
	}
	m.pack("twitter-2026-03-02-archive.zip", entries)
}

func makeTakeout(m *maker) {
	if m.chance(15) {
		return
	}
	watched := func(n int) string {
		return fmt.Sprintf(`{"header":"YouTube","title":"Watched video %d","titleUrl":"https://www.youtube.com/watch?v\u003dvid%08d","time":"2026-03-02T08:00:%02d.%03dZ","products":["YouTube"],"activityControls":["YouTube watch history"]}`, n, n, n%60, n%1000)
	}
	searched := func(n int) string {
		return fmt.Sprintf(`{"header":"Search","title":"Searched for thing %d","titleUrl":"https://www.google.com/search?q\u003dthing+%d","time":"2026-03-02T09:00:%02d.%03dZ","products":["Search"]}`, n, n, n%60, n%1000)
	}
	place := func(n int) string {
		return fmt.Sprintf(`{"latitudeE7":52%07d,"longitudeE7":13%07d,"accuracy":9,"source":"WIFI","deviceTag":-577680260,"timestamp":"2026-03-02T10:%02d:%02dZ"}`, n, n, n/60%60, n%60)
	}
	damaged := func(n int) string { return fmt.Sprintf(`{"header":"YouTube","title":@@@@ %d}`, n) }
	entries := map[string]string{"Takeout/archive_browser.html": "<html><body>Your files</body></html>"}
	entries["Takeout/YouTube and YouTube Music/history/watch-history.json"] = "[" + strings.Join(m.list("youtube_watch_history", watched, damaged), ",\n") + "]"
	if m.chance(60) {
		entries["Takeout/My Activity/Search/MyActivity.json"] = "[" + strings.Join(m.list("search_history", searched, damaged), ",\n") + "]"
	}
	if m.chance(60) {
		entries["Takeout/Location History (Timeline)/Records.json"] = `{"locations":[` +
			strings.Join(m.list("location_history", place, func(n int) string { return fmt.Sprintf(`{"latitudeE7":@@@@%d}`, n) }), ",\n") + "]}"
	}
	if m.chance(20) {
		entries["Takeout/Holograms/one.bin"] = "no one knows"
		m.amiss++
	}
	m.pack("takeout-20260302T080000Z-001.zip", entries)
}

// uuid spells a number as one.
func uuid(n int) string { return fmt.Sprintf("0198c0de-0000-7000-8000-%012d", n) }

func makeCodex(m *maker) {
	for range m.IntN(3) {
		id := uuid(m.number())
		lines := []string{fmt.Sprintf(`{"timestamp":"2026-03-02T08:00:00.000Z","type":"session_meta","payload":{"id":%q,"timestamp":"2026-03-02T08:00:00.000Z","cwd":"/home/mira/code","originator":"codex_cli_rs","cli_version":"0.98.0","source":"cli"}}`, id)}
		hurt := m.chance(25)
		for range m.IntN(6) {
			n := m.number()
			lines = append(lines, fmt.Sprintf(`{"timestamp":"2026-03-02T08:00:%02d.000Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"ask %d"}]}}`, n%60, n))
			m.records["messages"]++
			if hurt && m.chance(40) {
				lines = append(lines, fmt.Sprintf(`{"timestamp":"2026-03-02T08:00:00.000Z","type":"response_item","payload":{"type":"message" @@@ %d`, m.number()))
				m.amiss++
			}
		}
		m.records["sessions"]++
		m.given["sessions/2026/03/02/rollout-2026-03-02T08-00-00-"+id+".jsonl"] = []byte(strings.Join(lines, "\n") + "\n")
	}
}

func makeClaude(m *maker) {
	for range m.IntN(3) {
		session, parent := uuid(m.number()), "null"
		hurt := m.chance(25)
		var lines []string
		for range 1 + m.IntN(6) {
			n := m.number()
			lines = append(lines, fmt.Sprintf(`{"parentUuid":%s,"isSidechain":false,"userType":"external","cwd":"/home/mira/code","sessionId":%q,"version":"2.1.34","gitBranch":"main","type":"user","message":{"role":"user","content":"ask %d"},"uuid":%q,"timestamp":"2026-03-02T08:00:%02d.000Z"}`,
				parent, session, n, uuid(n), n%60))
			parent = fmt.Sprintf("%q", uuid(n))
			m.records["messages"]++
			if hurt && m.chance(40) {
				lines = append(lines, fmt.Sprintf(`{"parentUuid":null,"sessionId":%q,"type":"user","message":{"role" @@@ %d`, session, m.number()))
				m.amiss++
			}
		}
		m.records["sessions"]++
		m.given["projects/-home-mira-code/"+session+".jsonl"] = []byte(strings.Join(lines, "\n") + "\n")
	}
}
