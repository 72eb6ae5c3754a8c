package main

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/api"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
	"github.com/pdpp-host/pdpp-host/testplugins/providers/fault"
	"github.com/pdpp-host/pdpp-host/testplugins/providers/spotify"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/trial"
)

// RT-23.1: a provider that keeps refusing ends the run under its own name. The
// collected rows stay, and the next run emits the rest.
func TestRateLimited(t *testing.T) {
	t.Parallel()
	for after := range 15 {
		a := furnished()
		a.save(100, 120)
		a.Faults.Add(fault.Rule{After: after, Fault: fault.Throttle("7")})
		res := a.Failing(t)
		if a.Faults.Fired() == 0 {
			break
		}
		if e := res.Done.Error; res.Done.Status != abi.DoneFailed || e.Code != "spotify_rate_limited" || e.Message != "spotify_rate_limited" || !e.Retryable {
			t.Fatalf("%+v, want Done.Status = %v, e.Code = spotify_rate_limited, e.Message = spotify_rate_limited and e.Retryable", e, abi.DoneFailed)
		}
		next := a.Again(t, res)
		if n := len(res.Changes()) + len(next.Changes()); n < 135 || n > 135+4 { // the plays have one slice
			t.Errorf("after %d requests: %d and %d records, want 135 to 139 together", after, len(res.Changes()), len(next.Changes()))
		}
	}
}

// The errors that end a run and those that end one stream. A sign-in that the host
// could not renew counts as one that the provider refuses.
func TestEndsRun(t *testing.T) {
	t.Parallel()
	trial.Ends(t, "spotify", api.EndsRun, func(err error) error { return sdk.AuthFailed("spotify", err) })
}

// A stream that fails is named, and the others are collected.
func TestOneStreamFails(t *testing.T) {
	t.Parallel()
	for path, stream := range map[string]string{
		"/v1/me/playlists": streamPlaylists, "/v1/me/tracks": streamTracks, "/v1/me/top/": streamArtists, "/v1/me/player/": streamPlays,
	} {
		for name, c := range map[string]struct {
			fault fault.Fault
			code  string
		}{
			"server error": {fault.Status(500, ``), "send.attempts_exhausted"},
			"forbidden":    {fault.Status(403, `{"error":{"status":403,"message":"Insufficient client scope"}}`), "spotify_http_403"},
			"broken JSON":  {fault.BrokenJSON(), "spotify_malformed_response"},
			"a web page":   {fault.Status(200, `<html></html>`, "Content-Type", "text/html"), "spotify_malformed_response"},
			"no items":     {fault.Replace(`"items":`, `"rows":`), "spotify_malformed_response"},
			"items null":   {fault.Status(200, `{"items":null,"total":0}`), "spotify_malformed_response"},
			"next":         {fault.Status(200, `{"items":[],"total":0,"next":5}`), "spotify_malformed_response"},
		} {
			t.Run(stream+" "+name, func(t *testing.T) {
				t.Parallel()
				a := furnished()
				good := a.Collect(t)
				a.Faults.Add(fault.Rule{Match: fault.Path(path), Times: -1, Fault: c.fault})
				a.follow("D")
				a.save(100, 1)
				a.play(100, 1)
				a.SetTop("long_term", artist("z"), artist("x"), artist("new"))
				a.Pass(25 * time.Hour)
				res := good.SecondRun(t, nil)
				if res.Done.Status != abi.DoneFailed || res.Done.Error.Code != "stream_collection_failed" || !res.Done.Error.Retryable {
					t.Fatalf("%+v %+v, want Done.Status = %v, Done.Error.Code = stream_collection_failed and Done.Error.Retryable", res.Done, res.Done.Error, abi.DoneFailed)
				}
				if trial.Skips(res) != stream+" stream_collection_failed" || !strings.Contains(string(res.Skips[0].Diagnostics), c.code) {
					t.Errorf("%s %s, want trial.Skips(res) = %s and %v in res.Skips[0].Diagnostics", trial.Skips(res), res.Skips[0].Diagnostics, stream+" stream_collection_failed", c.code)
				}
				if deleted(res) != "" || len(res.Changes()) != 3 {
					t.Errorf("emitted %s, deleted %s, want deleted(res) = \"\" and len(res.Changes()) = 3", emitted(res), deleted(res))
				}
				a.Faults.Clear()
				next := a.Again(t, res)
				if len(next.Changes()) != 1 || next.Changes()[0].Stream != stream {
					t.Errorf("next run: %s %s, want len(next.Changes()) = 1 and next.Changes()[0].Stream = %v", emitted(next), deleted(next), stream)
				}
			})
		}
	}
}

// The consent to a list is missing: the owner can give it.
func TestForbiddenHint(t *testing.T) {
	t.Parallel()
	a := furnished()
	a.Faults.Add(fault.Rule{Match: fault.Path("/v1/me/top/"), Times: -1, Fault: fault.Status(403, "")})
	res := a.Failing(t)
	if len(res.Skips) != 1 || string(res.Skips[0].RecoveryHint) != `"refresh_credentials"` {
		t.Errorf("%+v, want len(res.Skips) = 1 and res.Skips[0].RecoveryHint = %s", res.Skips, `"refresh_credentials"`)
	}
}

// A token that ends in the middle of a run, and that the host could not renew,
// ends the run; the next one goes on.
func TestTokenExpiry(t *testing.T) {
	t.Parallel()
	for at := 1; at < 13; at++ {
		a := furnished()
		a.save(100, 300)
		a.Before(func(n int, _ *http.Request) {
			if n == at {
				a.ExpireNow()
			}
		})
		res := a.Failing(t)
		e := res.Done.Error
		if e == nil || e.Code != "spotify_auth_failed" || string(e.RecoveryHint) != `"refresh_credentials"` || e.Retryable {
			t.Fatalf("request %d: %+v, want e not nil, e.Code = spotify_auth_failed, e.RecoveryHint = %s and not e.Retryable", at, res.Done, `"refresh_credentials"`)
		}
		if n := len(a.Requests()); n > at+2 { // two more may be in flight
			t.Errorf("%d requests, want at most 2 more than %d, where the token expired", n, at)
		}
	}
}

// Links that lead elsewhere are not followed, and links that lead in a circle not for
// ever; neither counts as the end of a list.
func TestNextFaults(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		faults spotify.Faults
		code   string
	}{
		"another host":      {spotify.Faults{NextHost: "https://api.spotify.com.evil.example", PageSize: 2}, "spotify_next_refused"},
		"user information":  {spotify.Faults{NextHost: "https://api.spotify.com@evil.example", PageSize: 2}, "spotify_next_refused"},
		"without TLS":       {spotify.Faults{NextHost: "http://api.spotify.com", PageSize: 2}, "spotify_next_refused"},
		"to the page again": {spotify.Faults{RepeatNext: true, PageSize: 2}, "spotify_paging_cycle"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAccount()
			a.save(0, 9)
			a.follow("A", "B", "C", "D", "E")
			only := trial.Only(streamPlaylists, streamTracks)
			good := a.Collect(t, only)
			a.Forget()
			a.Misbehave(c.faults)
			a.Pass(25 * time.Hour)
			res := good.SecondRun(t, nil)
			if trial.Skips(res) != "playlists stream_collection_failed,saved_tracks stream_collection_failed" || deleted(res) != "" ||
				!strings.Contains(string(res.Skips[0].Diagnostics), c.code) || len(a.Requests()) > 6 {
				t.Errorf("reported %s %s, deleted %s, %d requests, want both lists failed, no deletion and at most 6 requests", trial.Skips(res), res.Skips[0].Diagnostics, deleted(res), len(a.Requests()))
			}
			for _, r := range res.Requests[1:] {
				if !strings.HasPrefix(r.URL, "https://api.spotify.com/v1/me/") {
					t.Errorf("a request to %s, want https://api.spotify.com/v1/me/ at the start of it", r.URL)
				}
			}
		})
	}
}

// A null entry could be any row: no row beside it counts as removed.
func TestEmptyItems(t *testing.T) {
	t.Parallel()
	a := newAccount()
	a.follow("A", "B", "C", "D")
	only := trial.Only(streamPlaylists)
	res := a.Collect(t, only)
	a.Misbehave(spotify.Faults{NullItem: true})
	a.Unfollow("listB")
	if res = a.Again(t, res); deleted(res) != "" || trial.Skips(res) != "playlists spotify_items_empty" {
		t.Errorf("%s %s, want \"\" and playlists spotify_items_empty", deleted(res), trial.Skips(res))
	}
	a.Misbehave(spotify.Faults{})
	if res = a.Again(t, res); deleted(res) != "playlists listB" || trial.Skips(res) != "" {
		t.Errorf("%s %s, want playlists listB and \"\"", deleted(res), trial.Skips(res))
	}
}

// A list that is shorter than its stated length proves nothing, and is not read for
// ever.
func TestShortList(t *testing.T) {
	t.Parallel()
	a := newAccount()
	a.follow("A", "B", "C", "D")
	res := a.Collect(t, trial.Only(streamPlaylists))
	a.Unfollow("listC")
	a.Faults.Add(fault.Rule{Times: -1, Fault: fault.Replace(`"total":3}`, `"total":5}`)})
	if res = a.Again(t, res); deleted(res) != "" || trial.Skips(res) != "playlists spotify_list_unstable" || len(a.Requests()) != 3 {
		t.Fatalf("%s %s, %d requests, want \"\", playlists spotify_list_unstable and 3", deleted(res), trial.Skips(res), len(a.Requests()))
	}
	a.Faults.Clear()
	if res = a.Again(t, res); deleted(res) != "playlists listC" {
		t.Errorf("%s, want playlists listC", deleted(res))
	}
}

// Answers that no document describes are passed on, so that the host reports
// them, and they are emitted again as soon as they fit.
func TestSchemaDrift(t *testing.T) {
	t.Parallel()
	for member, value := range map[string]any{
		"name": nil, "artists": "One", "duration_ms": 1.5, "explicit": "no", "external_ids": []any{1}, "album": 3, "popularity": "high", "is_local": 0,
	} {
		t.Run(member, func(t *testing.T) {
			t.Parallel()
			a := newAccount()
			a.save(0, 2)
			odd := track(5)
			odd.Overrides = map[string]any{member: value}
			a.Save(odd)
			res := a.Run(t, trial.Only(streamTracks), func(o *sdktest.Options) { o.Tolerate = true })
			_, early := res.Record(streamTracks, odd.ID)
			if !early && len(res.Problems) == 0 {
				t.Fatalf("a track was lost without a report: %+v", res.Skips)
			}
			a.Change(func() { odd.Overrides = nil })
			a.Pass(25 * time.Hour)
			next := res.SecondRun(t, nil)
			if _, ok := next.Record(streamTracks, odd.ID); !ok && !early {
				t.Error("the track was not emitted when it fitted")
			}
		})
	}
}

func TestUnreadableRows(t *testing.T) {
	t.Parallel()
	a := newAccount()
	a.save(0, 2)
	for _, id := range []any{7, "../me", "", strings.Repeat("a", 80)} {
		odd := track(9)
		odd.Overrides = map[string]any{"id": id}
		a.Save(odd)
	}
	a.play(0, 1)
	a.Play(&spotify.Play{Track: track(1), At: a.Now(), Overrides: map[string]any{"played_at": "just now"}})
	a.Play(&spotify.Play{Track: track(1), At: a.Now(), Overrides: map[string]any{"track": nil}})
	res := a.Collect(t)
	if trial.Skips(res) != "recently_played spotify_item_unreadable,saved_tracks spotify_item_unreadable" ||
		string(res.Skips[0].Diagnostics) != `{"count":2}` || string(res.Skips[1].Diagnostics) != `{"count":4}` {
		t.Errorf("reported %s %+v, want 2 plays and 4 tracks unreadable", trial.Skips(res), res.Skips)
	}
	if len(res.Changes()) != 3 {
		t.Errorf("%v, want len(res.Changes()) = 3", emitted(res))
	}
	if again := a.Again(t, res); len(again.Changes()) != 0 || trial.Skips(again) == "" {
		t.Errorf("%s %s, want len(again.Changes()) = 0 and trial.Skips(again) not \"\"", emitted(again), trial.Skips(again))
	}
}

// Somebody changes the library while its pages are read. No existing row is buried, and
// none is missed for longer than until the next inventory.
func TestLibraryMovesWhileItIsRead(t *testing.T) {
	t.Parallel()
	changes := map[string]func(a *account, n int){
		"removals": func(a *account, n int) {
			a.Unsave(fmt.Sprintf("track%04d", 59-n))
			a.Unfollow("list" + string(rune('a'+n)))
		},
		"additions": func(a *account, n int) {
			a.save(1000+n, 1)
			a.follow(fmt.Sprintf("new%d", n))
		},
		"both": func(a *account, n int) {
			a.Unsave(fmt.Sprintf("track%04d", 59-n))
			a.save(2000+n, 1)
			a.Unfollow("list" + string(rune('a'+n)))
			a.follow(fmt.Sprintf("new%d", n))
		},
		"in turn": func(a *account, n int) {
			if n%2 == 0 {
				a.Unsave(fmt.Sprintf("track%04d", 59-n))
				return
			}
			a.save(3000+n, 1)
		},
	}
	for name, change := range changes {
		for every := 1; every < 5; every++ {
			t.Run(fmt.Sprint(name, every), func(t *testing.T) {
				t.Parallel()
				a := newAccount()
				a.save(0, 60)
				for c := 'a'; c <= 'z'; c++ {
					a.follow(string(c))
				}
				a.Misbehave(spotify.Faults{PageSize: 10})
				only := trial.Only(streamPlaylists, streamTracks)
				stored := sdktest.Store{}
				res := a.Collect(t, only)
				stored.Apply(res)
				a.Pass(25 * time.Hour)
				moves := 0
				a.Before(func(n int, _ *http.Request) {
					if n%every == 0 && moves < 15 {
						change(a, moves)
						moves++
					}
				})
				res = a.Again(t, res)
				a.Before(nil)
				there := a.stored(t, only)
				for _, r := range res.Changes() {
					if _, alive := there[r.Stream][r.Key]; r.Delete && alive {
						t.Errorf("%s %s got a tombstone, want none: the row exists", r.Stream, r.Key)
					}
				}
				stored.Apply(res)
				a.Pass(25 * time.Hour)
				res = a.Again(t, res)
				stored.Apply(res)
				if want := a.stored(t, only); stored.Differs(want) != "" {
					t.Errorf("%d rows stored, %d are there", stored.Len(), want.Len())
				}
			})
		}
	}
}

// One row removed and one added between two pages leave the length of the list as it
// was. The row that the shift hid is not buried, and neither is one that another shift
// hid from the next pass.
func TestShiftThatTheLengthHides(t *testing.T) {
	t.Parallel()
	for _, second := range []bool{false, true} {
		a := newAccount()
		a.save(0, 60)
		a.Misbehave(spotify.Faults{PageSize: 10})
		only := trial.Only(streamTracks)
		res := a.Collect(t, only)
		a.Pass(25 * time.Hour)
		shift := func(n int) {
			a.Unsave(fmt.Sprintf("track%04d", 59-n)) // on the first page
			old := track(700 + n)
			old.AddedAt = sdktest.Epoch // on the last one
			a.Save(old)
		}
		passes := -2 // the question whose sign-in it is comes first
		a.Before(func(_ int, r *http.Request) {
			switch offset := r.URL.Query().Get("offset"); {
			case offset == "":
				passes++
			case passes == 0 && offset == "20":
				shift(0)
			case passes == 1 && offset == "40" && second:
				shift(1)
			}
		})
		res = a.Again(t, res)
		a.Before(nil)
		there := a.stored(t, only)
		for _, r := range res.Changes() {
			if _, alive := there[streamTracks][r.Key]; r.Delete && alive {
				t.Errorf("%s got a tombstone, want none: the row exists", r.Key)
			}
		}
		if res = a.Again(t, res); len(res.Records(streamTracks)) > 2 {
			t.Errorf("emitted again: %s, want len(res.Records(streamTracks)) at most 2", emitted(res))
		}
	}
}

// A cursor of another version costs an inventory, and no removal.
func TestForeignCursor(t *testing.T) {
	t.Parallel()
	a := furnished()
	res := a.Collect(t)
	a.Unfollow("listA")
	state := res.Committed()
	for stream := range state {
		state[stream] = strings.NewReplacer(`"v":1`, `"v":0`, `"v":2`, `"v":0`).Replace(state[stream])
	}
	next := res.SecondRun(t, func(o *sdktest.Options) { o.State = state })
	if rows(next) != 14 || emitted(next) != "" || deleted(next) != "playlists listA" {
		t.Errorf("%d rows, changed %s, deleted %s, want 14 rows, none changed and list A deleted", rows(next), emitted(next), deleted(next))
	}
}

// PB-D8: ended at any call, the runs together lose nothing and repeat little.
func TestStoppedAnywhere(t *testing.T) {
	t.Parallel()
	for stop := 1; stop < 31; stop++ {
		a := furnished()
		a.save(100, 25)
		a.Misbehave(spotify.Faults{PageSize: 10})
		stored := sdktest.Store{}
		res, count := trial.ToTheEnd(t, a.Failing(t, trial.StopAfter(stop)), stop, stored, func() { a.Unsave("track0110") })
		a.Pass(25 * time.Hour)
		stored.Apply(a.Again(t, res))
		if want := a.stored(t); stored.Differs(want) != "" || count > 40+1 {
			t.Errorf("stop %d: %d stored, want %d; %d records emitted", stop, stored.Len(), want.Len(), count)
		}
	}
}

// A run that is killed silently at any call loses nothing either.
func TestKilledAnywhere(t *testing.T) {
	t.Parallel()
	for kill := 1; kill < 30; kill++ {
		a := furnished()
		a.save(100, 25)
		a.Misbehave(spotify.Faults{PageSize: 10})
		res := a.Failing(t, trial.Killed(kill))
		stored := sdktest.Store{}
		stored.Apply(res)
		stored.Apply(res.SecondRun(t, trial.Unkilled))
		if want := a.stored(t); stored.Differs(want) != "" {
			t.Errorf("killed at call %d: %d stored, want %d", kill, stored.Len(), want.Len())
		}
	}
}
