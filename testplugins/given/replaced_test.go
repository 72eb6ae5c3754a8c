package given

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/testplugins/generate/corpus"
)

// before and after are as long as each other.
const before, after = "a text of before", "other text of it"

// replaceable has a file of each connector with the text before.
var replaceable = map[string]given{
	"calendar_files":  {"a.ics": []byte("BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:1\r\nDTSTART:20260102T100000Z\r\nSUMMARY:" + before + "\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n")},
	"google_takeout":  {"Takeout/My Activity/Search/MyActivity.json": []byte(`[{"header":"Search","title":"Searched for ` + before + `","titleUrl":"https://www.google.com/search?q=1","time":"2026-02-01T10:00:00.000Z","products":["Search"]}]`)},
	"twitter_archive": {"data/tweets.js": []byte(`window.YTD.tweets.part0 = [{"tweet":{"id_str":"1","full_text":"` + before + `","created_at":"Mon Jan 05 10:00:00 +0000 2026"}}]`)},
	"claude_code":     {"projects/p/00000000-0000-4000-8000-000000000001.jsonl": []byte(`{"type":"user","sessionId":"00000000-0000-4000-8000-000000000001","uuid":"1","message":{"role":"user","content":"` + before + `"},"timestamp":"2026-01-05T10:00:00.000Z"}` + "\n")},
	"codex": {"sessions/2026/01/02/rollout-2026-01-02T00-00-00-00000000-0000-4000-8000-000000000001.jsonl": []byte(
		`{"timestamp":"2026-01-02T00:00:00.000Z","type":"session_meta","payload":{"id":"00000000-0000-4000-8000-000000000001","timestamp":"2026-01-02T00:00:00.000Z"}}` + "\n" +
			`{"timestamp":"2026-01-02T00:00:01.000Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"` + strings.Repeat(" ", 1<<16) + before + strings.Repeat(" ", 1<<13) + `"}]}}` + "\n"),
	},
}

// A file in whose place another one of its size was put, with the time of modification set back, is read
// again, once.
func TestAFileIsReplacedInItsSizeAndTime(t *testing.T) {
	t.Parallel()
	for _, connector := range corpus.Kinds() {
		t.Run(connector, func(t *testing.T) {
			t.Parallel()
			c, g := newCollector(t, connector), replaceable[connector]
			dir := filepath.Join(c.dir, "folder")
			g.write(t, dir)
			changed := func() (n int64) {
				t.Helper()
				res, _ := c.verdict(t.Context(), t, "one", dir)
				for stream, counts := range res.Records {
					if stream != "coverage_diagnostics" {
						n += counts.Upserted
					}
				}
				return n
			}
			c.over(t, func() {
				if n := changed(); n == 0 {
					t.Fatalf("got no record, want one of %q", before)
				}
				for name, text := range g {
					at := filepath.Join(dir, name)
					info, err := os.Stat(at)
					if err != nil {
						t.Fatal(err)
					}
					if err := os.WriteFile(at, []byte(strings.ReplaceAll(string(text), before, after)), 0o600); err != nil {
						t.Fatal(err)
					}
					if err := os.Chtimes(at, info.ModTime(), info.ModTime()); err != nil {
						t.Fatal(err)
					}
				}
				if n := changed(); n == 0 {
					t.Errorf("got no record of what came instead, want one of %q", after)
				}
				if n := changed(); n > 0 {
					t.Errorf("then %d records were written again, want none", n)
				}
			})
		})
	}
}
