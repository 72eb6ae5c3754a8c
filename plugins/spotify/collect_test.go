package main

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
	"github.com/pdpp-host/pdpp-host/testplugins/providers/spotify"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/trial"
)

func TestRecords(t *testing.T) {
	t.Parallel()
	for _, modern := range []bool{false, true} {
		a := furnished(func(o *spotify.Options) { o.Modern = modern })
		res := a.Collect(t)
		popularity, rest := "0", `"popularity":60,"followers":1000`
		if modern {
			popularity, rest = "null", `"popularity":null,"followers":null`
		}
		of := `"artist_names":["One","Two"],"artist_ids":["artist-One","artist-Two"],"album_id":"album-Album","album_name":"Album","album_release_date":"1999-10",` +
			`"duration_ms":181000,"disc_number":1,"track_number":3,"explicit":false,"is_local":false,"isrc":"XX0","uri":"spotify:track:track0000",` +
			`"url":"https://open.spotify.com/track/track0000"`
		for stream, want := range map[string]struct{ key, data string }{
			streamPlaylists: {"listA", `{"id":"listA","name":"A","description":"About A","owner_id":"me","owner_name":"Name of me","public":true,"collaborative":false,` +
				`"track_count":3,"snapshot_id":"s1","uri":"spotify:playlist:listA","url":"https://open.spotify.com/playlist/listA"}`},
			streamTracks: {"track0000", `{"id":"track0000","name":"Track 0","added_at":"2026-01-02T03:04:05Z",` + of + `,"popularity":` + popularity + `}`},
			streamArtists: {`["artistx","long_term"]`, `{"id":"artistx","time_range":"long_term","rank":2,"name":"x","genres":["rock"],"uri":"spotify:artist:artistx",` +
				`"url":"https://open.spotify.com/artist/artistx",` + rest + `}`},
			streamPlays: {"track0000:1767323225000", `{"id":"track0000:1767323225000","track_id":"track0000","track_name":"Track 0","played_at":"2026-01-02T03:07:05.000Z",` +
				of + `,"context_type":"playlist","context_uri":"spotify:playlist:c1"}`},
		} {
			if got, _ := res.Record(stream, want.key); string(got.Data) != want.data {
				t.Errorf("%s\n got %s\nwant %s", stream, got.Data, want.data)
			}
		}
		if trial.Skips(res) != "" || len(res.Changes()) != 3+3+5+4 {
			t.Errorf("%s, %d records, want \"\" and 3+3+5+4", trial.Skips(res), len(res.Changes()))
		}
	}
}

// The three time ranges of one artist are three records.
func TestTimeRangesDoNotCollapse(t *testing.T) {
	t.Parallel()
	a := furnished()
	res := a.Collect(t, trial.Only(streamArtists))
	want := `top_artists ["artistx","long_term"],top_artists ["artistx","medium_term"],top_artists ["artistx","short_term"],` +
		`top_artists ["artisty","short_term"],top_artists ["artistz","long_term"]`
	if emitted(res) != want {
		t.Fatalf("%v, want %v", emitted(res), want)
	}
	a.SetTop("short_term", artist("y"))
	if res = a.Again(t, res); deleted(res) != `top_artists ["artistx","short_term"]` || emitted(res) != `top_artists ["artisty","short_term"]` {
		t.Errorf("deleted %s, emitted %s, want %s and %s", deleted(res), emitted(res), `top_artists ["artistx","short_term"]`, `top_artists ["artisty","short_term"]`)
	}
}

func TestRequests(t *testing.T) {
	t.Parallel()
	a := furnished()
	res := a.Collect(t, func(o *sdktest.Options) { o.Options = map[string]string{"base_url": "http://127.0.0.1:4000/"} })
	var got []string
	for _, r := range res.Requests {
		if r.Credential != "spotify" || r.Method != "" && r.Method != http.MethodGet {
			t.Errorf("%+v, want a GET with the credential spotify", r)
		}
		got = append(got, strings.TrimPrefix(r.URL, "http://127.0.0.1:4000/v1/me"))
	}
	// Spotify gives a next link as long as a page of plays is not empty.
	want := []string{
		"", "/player/recently-played?limit=50", "/player/recently-played?limit=50&before=1767323225000",
		"/playlists?limit=50", "/top/artists?limit=50&time_range=short_term", "/top/artists?limit=50&time_range=medium_term",
		"/top/artists?limit=50&time_range=long_term", "/tracks?limit=50",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %v", got, want)
	}
	a.Pass(time.Hour)
	second := res.SecondRun(t, nil)
	if u := second.Requests[1].URL; u != "http://127.0.0.1:4000/v1/me/player/recently-played?limit=50&after=1767323764999" || len(second.Requests) != 7 {
		t.Errorf("%s, %d requests, want http://127.0.0.1:4000/v1/me/player/recently-played?limit=50&after=1767323764999 and 7", u, len(second.Requests))
	}
	if u := furnished().Collect(t).Requests[0].URL; !strings.HasPrefix(u, "https://api.spotify.com/v1/") {
		t.Errorf("%v, want https://api.spotify.com/v1/ at the start of it", u)
	}
}

func TestEmptyAccount(t *testing.T) {
	t.Parallel()
	a := newAccount()
	res := a.Collect(t)
	if len(res.Changes()) != 0 || len(res.Skips) != 0 {
		t.Errorf("%+v %+v, want len(res.Changes()) = 0 and len(res.Skips) = 0", res.All, res.Skips)
	}
	if next := a.Again(t, res); len(next.Changes()) != 0 {
		t.Errorf("%v, want len(next.Changes()) = 0", next.All)
	}
}

// A run that finds nothing new emits nothing, and a run emits the rows that it finds
// new.
func TestIncremental(t *testing.T) {
	t.Parallel()
	a := furnished()
	res := a.Collect(t)
	if res = a.Again(t, res); len(res.Changes()) != 0 {
		t.Fatalf("%v, want len(res.Changes()) = 0", emitted(res))
	}
	a.save(10, 2)
	a.follow("D")
	a.play(10, 1)
	if res = a.Again(t, res); deleted(res) != "" || len(res.Changes()) != 4 {
		t.Errorf("emitted %s, deleted %s, want deleted(res) = \"\" and len(res.Changes()) = 4", emitted(res), deleted(res))
	}
	full := res.SecondRun(t, func(o *sdktest.Options) { o.Mode = abi.ModeFullRefresh })
	if n := rows(full); n != 19 {
		t.Errorf("a full refresh emitted %d, want 19", n)
	}
}

// A long library is read from its beginning down to a known row. An unexpected number
// of tracks brings the inventory forward.
func TestSavedTracks(t *testing.T) {
	t.Parallel()
	a := newAccount()
	a.save(0, 230)
	only := trial.Only(streamTracks)
	res := a.Collect(t, only)
	if len(res.Changes()) != 230 || len(a.Requests()) != 6 {
		t.Fatalf("%d tracks, %d requests, want 230 and 6", len(res.Changes()), len(a.Requests()))
	}
	if res = a.Again(t, res); len(a.Requests()) != 2 {
		t.Errorf("%d requests for nothing new, want 2", len(a.Requests()))
	}
	a.save(300, 60)
	if res = a.Again(t, res); len(res.Changes()) != 60 || len(a.Requests()) != 4 {
		t.Errorf("%d tracks, %d requests, want 60 and 4", len(res.Changes()), len(a.Requests()))
	}
	// After a removal the number differs, and two passes prove it.
	a.Unsave("track0007")
	if res = a.Again(t, res); deleted(res) != "saved_tracks track0007" || len(res.Changes()) != 1 {
		t.Errorf("deleted %s, emitted %s, want deleted(res) = saved_tracks track0007 and len(res.Changes()) = 1", deleted(res), emitted(res))
	}
	// One out, one in: more tracks are known than exist.
	a.Unsave("track0008")
	a.save(400, 1)
	if res = a.Again(t, res); deleted(res) != "saved_tracks track0008" || emitted(res) != "saved_tracks track0400" {
		t.Errorf("deleted %s, emitted %s, want saved_tracks track0008 and saved_tracks track0400", deleted(res), emitted(res))
	}
	// One track removed, one saved with an old time: only the daily inventory finds it.
	a.Unsave("track0009")
	late := track(450)
	late.AddedAt = sdktest.Epoch.Add(20 * time.Minute)
	a.Save(late)
	if res = a.Again(t, res); len(res.Changes()) != 0 {
		t.Errorf("deleted %s, emitted %s, want len(res.Changes()) = 0", deleted(res), emitted(res))
	}
	a.Pass(25 * time.Hour)
	if res = a.Again(t, res); deleted(res) != "saved_tracks track0009" || emitted(res) != "saved_tracks track0450" {
		t.Errorf("deleted %s, emitted %s, want saved_tracks track0009 and saved_tracks track0450", deleted(res), emitted(res))
	}
	// A track saved with an old time is in the middle of the list, and the number shows
	// it.
	old := track(500)
	old.AddedAt = sdktest.Epoch.Add(30 * time.Minute)
	a.Save(old)
	if res = a.Again(t, res); emitted(res) != "saved_tracks track0500" {
		t.Errorf("emitted %s, want saved_tracks track0500", emitted(res))
	}
	// Saved again: the same track with another time.
	a.Unsave("track0020")
	a.save(20, 1)
	if res = a.Again(t, res); emitted(res) != "saved_tracks track0020" || deleted(res) != "" {
		t.Errorf("emitted %s, want emitted(res) = saved_tracks track0020 and deleted(res) = \"\"", emitted(res))
	}
	if res = a.Again(t, res); len(res.Changes()) != 0 {
		t.Errorf("emitted %s, want len(res.Changes()) = 0", emitted(res))
	}
}

// A playlist's content shows in its snapshot; a new popularity alone is not a change.
func TestChangedRows(t *testing.T) {
	t.Parallel()
	a := furnished()
	list := &spotify.Playlist{ID: "mine", Name: "Mine", Snapshot: "s1", Tracks: 1}
	a.Follow(list)
	loud := track(77)
	a.Save(loud)
	res := a.Collect(t)
	a.Change(func() { list.Snapshot, list.Tracks = "s2", 2; loud.Popularity = 99 })
	a.Pass(25 * time.Hour)
	if res = a.Again(t, res); emitted(res) != "playlists mine" {
		t.Fatalf("%v, want playlists mine", emitted(res))
	}
	a.Change(func() { loud.Name = "Remastered" })
	a.Unfollow("mine")
	a.Pass(25 * time.Hour)
	res = a.Again(t, res)
	if rec, _ := res.Record(streamTracks, loud.ID); rec.Text("name") != "Remastered" || fmt.Sprint(rec.Fields["popularity"]) != "99" {
		t.Errorf("%s, want rec.Text(\"name\") = Remastered and fmt.Sprint(rec.Fields[\"popularity\"]) = 99", rec.Data)
	}
	if deleted(res) != "playlists mine" {
		t.Errorf("%v, want playlists mine", deleted(res))
	}
}

// When more than fifty plays happen between two runs, the loss is reported with its
// time range; when fewer happen, nothing is lost.
func TestPlays(t *testing.T) {
	t.Parallel()
	a := newAccount()
	a.play(0, 20)
	only := trial.Only(streamPlays)
	res := a.Collect(t, only)
	a.play(100, 49)
	if res = a.Again(t, res); len(res.Changes()) != 49 || trial.Skips(res) != "" {
		t.Fatalf("%d plays, %s, want 49 and \"\"", len(res.Changes()), trial.Skips(res))
	}
	last := a.Now().Add(-3 * time.Minute)
	a.play(200, 55)
	res = a.Again(t, res)
	if len(res.Changes()) != 50 || trial.Skips(res) != "recently_played spotify_plays_lost" {
		t.Fatalf("%d plays, %s, want 50 and recently_played spotify_plays_lost", len(res.Changes()), trial.Skips(res))
	}
	if r := res.Skips[0].TimeRange; r.Since != last.Format(time.RFC3339) || r.Until != last.Add(18*time.Minute).Format(time.RFC3339) {
		t.Errorf("lost %+v, the last play before was at %s, want Since = %v and Until = last.Add(18*time.Minute).Format(time.RFC3339)", r, last, last.Format(time.RFC3339))
	}
	if res = a.Again(t, res); len(res.Changes()) != 0 || trial.Skips(res) != "" {
		t.Errorf("%d plays, %s, want 0 and \"\"", len(res.Changes()), trial.Skips(res))
	}
	// The same track again is another play; the owner's local file has no id.
	a.play(254, 1)
	own := track(0)
	own.Overrides = map[string]any{"id": nil, "uri": "spotify:local:Me::Song:181", "is_local": true}
	a.Play(&spotify.Play{Track: own, At: a.Now()})
	if res = a.Again(t, res); len(res.Changes()) != 2 || !strings.Contains(emitted(res), "spotify:local:Me::Song:181:") {
		t.Errorf("%v, want len(res.Changes()) = 2 and spotify:local:Me::Song:181: in emitted(res)", emitted(res))
	}
}

// Two runs over the same account emit the same bytes.
func TestDeterminism(t *testing.T) {
	t.Parallel()
	run := func() []sdktest.Call {
		a := furnished()
		a.save(100, 120)
		res := a.Collect(t)
		a.Unsave("track0105")
		a.Unsave("track0104")
		a.Unfollow("listB")
		return append(res.Calls, a.Again(t, res).Calls...)
	}
	if a, b := run(), run(); !slices.Equal(a, b) {
		t.Error("the calls differ")
	}
}

func TestScope(t *testing.T) {
	t.Parallel()
	a := furnished()
	res := a.Collect(t, func(o *sdktest.Options) {
		o.Scope = []abi.StreamScope{
			{Name: streamArtists, Resources: []string{`["artistx","long_term"]`}, Fields: []string{"id", "time_range", "name"}},
			{Name: streamPlays, TimeRange: &abi.TimeRange{Since: "2026-01-02T03:14:00Z"}},
		}
	})
	if emitted(res) != `recently_played track0003:1767323765000,top_artists ["artistx","long_term"]` {
		t.Errorf("%v, want %v", emitted(res), `recently_played track0003:1767323765000,top_artists ["artistx","long_term"]`)
	}
}

// RT-08.2: with nobody to ask, the run names the missing credentials.
func TestMissingCredentials(t *testing.T) {
	t.Parallel()
	a := furnished()
	res := a.Failing(t, func(o *sdktest.Options) { o.Credentials = nil })
	if res.Done.Status != abi.DoneFailed || !strings.Contains(res.Done.Error.Message, "SPOTIFY_REFRESH_TOKEN") ||
		!strings.Contains(res.Done.Error.Message, "SPOTIFY_CLIENT_ID") || len(a.Requests()) != 0 {
		t.Errorf("%+v, want Done.Status = %v, SPOTIFY_REFRESH_TOKEN in Done.Error.Message, SPOTIFY_CLIENT_ID in Done.Error.Message and len(a.Requests()) = 0", res.Done, abi.DoneFailed)
	}
}
