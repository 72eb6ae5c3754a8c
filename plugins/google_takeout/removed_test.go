package main

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
)

// AC-04, AC-07: a video that was removed has no address. It is collected where its words, or the file that it is in, say
// that it was watched; where nothing tells what was done, it is kept back and told, in each language.
func TestVideosThatWereRemoved(t *testing.T) {
	t.Parallel()
	entry := func(title, more string) string {
		return fmt.Sprintf(`{"header":"YouTube","title":%q%s,"products":["YouTube"]}`, title, more)
	}
	at := func(second int) string { return fmt.Sprintf(`,"time":"2025-01-02T03:04:%02dZ"`, second) }
	address := func(a string) string { return `,"titleUrl":"https://www.youtube.com/` + a + `"` }
	for name, c := range map[string]struct {
		file          string
		list          []string
		kept, strange int
	}{
		"in Japanese": {"YouTube と YouTube Music/履歴/\u8996\u8074履歴.json", []string{
			entry("削除された動画を\u8996\u8074しました", at(1)), entry("削除された動画を\u8996\u8074しました", at(2))}, 2, 0},
		"in Korean": {"YouTube 및 YouTube Music/기록/시청 기록.json", []string{
			entry("x 을(를) 시청했습니다.", address("watch?v=x")+at(1)), entry("삭제된 동영상을 시청했습니다.", at(2))}, 2, 0},
		"in My Activity, among other things": {"Meine Aktivitäten/YouTube/MeineAktivitäten.json", []string{
			entry("Video a angesehen", address("watch?v=a")+at(1)), entry("Nach x gesucht", address("results?search_query=x")+at(2)),
			entry("Video b: Mag ich", address("watch?v=b")+at(3)), entry("Ein Video angesehen, das entfernt wurde", at(4))}, 2, 0},
		"under an address of another form": {"YouTube/history/watch-history.json", []string{
			entry("Watched e", address("attribution_link?u=/watch%3Fv%3De")+`,"activityControls":["YouTube watch history"]`+at(1)),
			entry("Viewed a post", address("post/x")+`,"activityControls":["YouTube watch history"]`+at(2))}, 1, 0},
		"in a language that is not known": {"YouTube/x/y.json", []string{entry("Thuas video", at(1)), entry("Thuas video", at(2))}, 0, 2},
		"in a language that is not known, beside a video": {"YouTube/x/watch-history.json", []string{
			entry("Thuas x", address("watch?v=x")+at(1)), entry("Thuas video", at(2)),
			entry("Reklam", `,"details":[{"name":"nga Google Ads"}]`+at(3))}, 2, 0},
		"what else is done in English": {"My Activity/YouTube/MyActivity.json", []string{entry("Used YouTube", at(1))}, 0, 0},
	} {
		f := folder{"Takeout/" + c.file: &fstest.MapFile{Data: []byte("[" + strings.Join(c.list, ",") + "]")}}
		res := f.collect(t)
		if got := len(res.Records(streamWatched)); got != c.kept {
			t.Errorf("%s: %d videos, want %d", name, got, c.kept)
		}
		if got := int(res.Items(streamWatched).KeptBack); got != c.strange || strings.Contains(skips(res), problemStrange) != (c.strange > 0) {
			t.Errorf("%s: %d were kept back, want %d; the run says %q", name, got, c.strange, skips(res))
		}
	}
}
