package main

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
)

// AC-04, AC-07: what a file has under forms that say less than others becomes the same records.
func TestFormsThatSayLess(t *testing.T) {
	t.Parallel()
	n := 0
	act := func(header, title, address string) string {
		n++
		if address != "" {
			address = `,"titleUrl":"` + address + `"`
		}
		return fmt.Sprintf(`{"header":%q,"title":%q%s,"time":"2025-01-02T03:04:%02dZ","products":["x"]}`, header, title, address, n%60)
	}
	list := func(entries ...string) string { return "[" + strings.Join(entries, ",") + "]" }
	const video, results = "https://www.youtube.com/watch?v=a", "https://www.google.com/search?q=K%C3%B6ln"
	mail := func(from, headers string) string { return "From " + from + "\n" + headers + "Subject: x\n\nbody\n" }
	for name, c := range map[string]struct {
		file, text, stream, field string
		want                      string // the field of each record
	}{
		"a search without an address":      {"h.json", list(act("Search", "Searched for sea", "")), streamSearches, "query", "sea"},
		"a search on a map":                {"h.json", list(act("Maps", "Cercato il mare", "https://www.google.com/maps/search/il+mare/@1,2,3z?hl=it")), streamSearches, "query", "il mare"},
		"a search behind a hash":           {"h.json", list(act("Search", "Searched for x y", "https://www.google.com/#q=x%20y&hl=en")), streamSearches, "query", "x y"},
		"a search of another product":      {"h.json", list(act("Trends", "Searched for sea", "https://trends.google.com/trends/explore?q=sea")), streamSearches, "query", "sea"},
		"a search that says it in words":   {"h.json", list(act("Search", "Searched for sea", "https://www.google.com/search?tbs=x")), streamSearches, "query", "sea"},
		"words of another language":        {"h.json", list(act("Suche", "Nach Köln gesucht", results), act("Suche", "Nach Rom gesucht", ""), act("Suche", "1 Benachrichtigung", "")), streamSearches, "query", "Köln Rom"},
		"no words and no search":           {"h.json", list(act("Search", "Viewed sea", ""), act("Search", "Visited x", "https://x.example/#q=1"), act("Maps", "Used Maps", "https://www.google.com/maps")), streamSearches, "query", ""},
		"YouTube's searches":               {"YouTube/history/search-history.json", list(act("YouTube", "Searched for a", "https://www.youtube.com/results?search_query=a"), act("YouTube", "Searched for b", "")), streamSearches, "query", "a b"},
		"what was done besides watching":   {"YouTube/history/watch-history.json", list(act("YouTube", "Watched sea", video), act("YouTube", "Answered survey question 1", ""), act("YouTube", "Viewed Ads On YouTube Homepage", ""), act("YouTube", "Watched a video that has been removed", "")), streamWatched, "video_title", "sea a video that has been removed"},
		"nothing but that":                 {"YouTube/history/watch-history.json", list(act("YouTube", "Viewed Ads On YouTube Homepage", ""), act("YouTube", "Answered survey question 1", "")), streamWatched, "video_title", ""},
		"in German":                        {"YouTube/Verlauf/Wiedergabeverlauf.json", list(act("YouTube", "A angesehen", video), act("YouTube", "Umfrage beantwortet", ""), act("YouTube", "Ein Video angesehen, das entfernt wurde", "")), streamWatched, "video_title", "A Ein Video angesehen, das entfernt wurde"},
		"a subscription without a header":  {"s.csv", "UC8,http://www.youtube.com/channel/UC8,Sea\n", streamSubscriptions, "channel_title", "Sea"},
		"subscriptions without a header":   {"s.csv", "UC8,http://www.youtube.com/channel/UC8,Sea\nUC9,http://www.youtube.com/channel/UC9,Sand\n", streamSubscriptions, "channel_title", "Sea Sand"},
		"what was done at a place":         {"Records.json", `{"locations":[{"latitudeE7":1,"longitudeE7":1,"timestamp":"2025-01-02T03:04:05Z","activity":[{"activity":[{"type":"STILL","confidence":9},{"type":"x"}]},{"activity":[{"type":"y"}]}]}]}`, streamLocations, "activity_type", "STILL"},
		"what was done in older exports":   {"h.json", `{"locations":[{"latitudeE7":1,"longitudeE7":1,"timestampMs":"1400000000000","activitys":[{"timestampMs":"1","activities":[{"type":"onBicycle","confidence":9},{"type":"x"}]}]}]}`, streamLocations, "activity_type", "onBicycle"},
		"an empty guess in front":          {"h.json", `{"locations":[{"latitudeE7":1,"longitudeE7":1,"timestampMs":"1400000000000","activity":[],"activitys":[{"activities":[]},{"activities":[{"type":"still"}]}]}]}`, streamLocations, "activity_type", "still"},
		"a title that comes twice":         {"h.json", `[{"header":"YouTube","title":"Watched x","title":"Watched y","titleUrl":"` + video + `","time":"2025-01-02T03:04:05Z"}]`, streamWatched, "video_title", "y"},
		"a year of two digits":             {"a.mbox", mail("- Mon Jan 05 09:00:00 2026", "Date: 5 Jan 26 10:00 +0000\n"), streamMail, "received_at", "2026-01-05T10:00:00Z"},
		"a zone with a name":               {"a.mbox", mail("- Mon Jan 05 09:00:00 2026", "Date: Mon, 5 Jan 2026 10:00:00 EST\n"), streamMail, "received_at", "2026-01-05T15:00:00Z"},
		"a first line of Thunderbird's":    {"a.mbox", mail("- Mon Jan 05 10:00:00 2026", ""), streamMail, "received_at", "2026-01-05T10:00:00Z"},
		"a first line in the form of ISO":  {"a.mbox", mail("a b@x 2026-01-05T10:00:00Z", ""), streamMail, "received_at", "2026-01-05T10:00:00Z"},
		"a first line with a zone's name":  {"a.mbox", mail("a@x Mon Jan  5 10:00:00 CET 2026", ""), streamMail, "received_at", "2026-01-05T09:00:00Z"},
		"a message that was passed around": {"a.mbox", mail("- Mon Jan 05 09:00:00 2026", "Received: from a by b; Mon, 5 Jan 2026 10:00:00 +0100\n"), streamMail, "received_at", "2026-01-05T09:00:00Z"},
	} {
		f := folder{"Takeout/" + c.file: &fstest.MapFile{Data: []byte(c.text)}}
		res := f.collect(t)
		var got []string
		for _, r := range res.Records(c.stream) {
			got = append(got, r.Text(c.field))
		}
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("%s: got %q, want %q", name, text, c.want)
		}
		want := ""
		if name == "a first line of Thunderbird's" {
			want = problemZone
		}
		if name == "in German" { // which has a survey
			want = problemStrange
		}
		if skips(res) != want {
			t.Errorf("%s: the run says %q, want %q", name, skips(res), want)
		}
		others := map[string]int64{"what was done besides watching": 2, "nothing but that": 2, "words of another language": 1, "no words and no search": 3}
		if got := res.Items(streamSearches).NotRecord + res.Items(streamWatched).NotRecord; got != others[name] {
			t.Errorf("%s: %d activities of other kinds, want %d", name, got, others[name])
		}
	}
}
