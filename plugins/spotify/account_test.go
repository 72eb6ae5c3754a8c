package main

import (
	"fmt"
	"maps"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
	"github.com/pdpp-host/pdpp-host/testplugins/providers/fault"
	"github.com/pdpp-host/pdpp-host/testplugins/providers/spotify"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/trial"
)

// of is a furnished account of a user, without plays.
func of(user string) *account {
	a := newAccount(func(o *spotify.Options) { o.User = user })
	a.follow("common", user)
	a.save(len(user)*100, 60)
	a.SetTop("short_term", artist("common"), artist(user))
	a.SetTop("medium_term", artist(user))
	return a
}

func refused(t *testing.T, res *sdktest.Result) {
	t.Helper()
	trial.Refused(t, res, "spotify_account_changed")
}

// The sign-in of another account would mix its library with the collected one. The run
// is refused, whichever streams it is for, and the first sign-in goes on.
func TestAnotherAccountIsRefused(t *testing.T) {
	t.Parallel()
	for _, scope := range []string{"", streamPlays, streamPlaylists, streamArtists, streamTracks} {
		mine, other := of("me"), of("someone")
		mine.play(0, 4)
		other.play(50, 4)
		res := mine.Collect(t)
		next := res.SecondRun(t, func(o *sdktest.Options) {
			if other.SignIn(o); scope != "" {
				o.Streams = []string{scope}
			}
		})
		refused(t, next)
		if !maps.Equal(next.Committed(), res.Committed()) {
			t.Errorf("%q: the cursors moved, want next.Committed() = %v", scope, res.Committed())
		}
		if again := mine.Again(t, res); len(again.Changes()) != 0 {
			t.Errorf("%q: the first sign-in: %d records, want 0", scope, len(again.Changes()))
		}
	}
}

// A cursor of before the account was remembered is anybody's, once.
func TestCursorOfNobody(t *testing.T) {
	t.Parallel()
	mine := of("me")
	mine.play(0, 4)
	res := mine.Collect(t)
	next := res.SecondRun(t, trial.WithoutAccount(t, res))
	schemas.Succeeded(t, next)
	if len(next.Changes()) != 0 {
		t.Errorf("%d records, want 0", len(next.Changes()))
	}
	refused(t, next.SecondRun(t, of("someone").SignIn))
}

// A full refresh replaces one account with the other and buries every row that the new
// one lacks. It may be repeated after ending at any call, and until it is complete no
// other run mixes the two.
func TestFullRefreshOfAnotherAccount(t *testing.T) {
	t.Parallel()
	only := trial.Only(streamPlaylists, streamArtists, streamTracks)
	for stop := range 40 {
		t.Run(fmt.Sprint(stop), func(t *testing.T) {
			t.Parallel()
			mine, other := of("me"), of("someone")
			there := other.stored(t, only)
			stored := sdktest.Store{}
			res := mine.Collect(t, only)
			stored.Apply(res)
			res = res.SecondRun(t, func(o *sdktest.Options) { other.SignIn(o); trial.FullRefresh(o); o.StopAfter = stop })
			stored.Apply(res)
			if stop == 0 && (res.Done.Status != abi.DoneSucceeded || stored.Differs(there) != "") {
				t.Fatalf("%+v, %d rows stored, want succeeded with the %d rows of the new account", res.Done, stored.Len(), there.Len())
			}
			next := res.SecondRun(t, trial.Incremental)
			if next.Done.Error != nil {
				refused(t, next)
				next = res.SecondRun(t, trial.FullRefresh)
			}
			stored.Apply(next)
			if next.Done.Status != abi.DoneSucceeded || stored.Differs(there) != "" {
				t.Errorf("%+v, %d stored, %d are there, want next.Done.Status = %v and stored.Differs(there) = \"\"", next.Done, stored.Len(), there.Len(), abi.DoneSucceeded)
			}
		})
	}
}

// Plays are never removed: the refresh reports once that the other account's plays
// stay. Its owner need do nothing (HL-29.1).
func TestPlaysOfAnotherAccount(t *testing.T) {
	t.Parallel()
	mine, other := newAccount(func(o *spotify.Options) { o.User = "me" }), newAccount(func(o *spotify.Options) { o.User = "someone" })
	mine.play(0, 4)
	other.play(50, 4)
	res := mine.Collect(t)
	res = res.SecondRun(t, func(o *sdktest.Options) { other.SignIn(o); trial.FullRefresh(o) })
	schemas.Succeeded(t, res)
	if trial.Skips(res) != "recently_played spotify_plays_of_another_account" || string(res.Skips[0].RecoveryHint) != `"not_retriable"` || len(res.Records(streamPlays)) != 4 || deleted(res) != "" {
		t.Fatalf("reported %s, emitted %s, deleted %s, want the foreign plays reported, 4 plays emitted and no tombstone", trial.Skips(res), emitted(res), deleted(res))
	}
	if res = res.SecondRun(t, trial.Incremental); trial.Skips(res) != "" || len(res.Changes()) != 0 {
		t.Errorf("the run after: %s, %s, want trial.Skips(res) = \"\" and len(res.Changes()) = 0", trial.Skips(res), emitted(res))
	}
	if res = res.SecondRun(t, trial.FullRefresh); trial.Skips(res) != "" || len(res.Records(streamPlays)) != 4 {
		t.Errorf("the refresh after: %s, %s, want trial.Skips(res) = \"\" and len(res.Records(streamPlays)) = 4", trial.Skips(res), emitted(res))
	}
}

// Without an answer to whose sign-in it is, nothing is collected.
func TestAccountIsNotKnown(t *testing.T) {
	t.Parallel()
	for code, f := range map[string]fault.Fault{
		"send.attempts_exhausted":    fault.Status(500, ""),
		"spotify_rate_limited":       fault.Throttle("7"),
		"spotify_auth_failed":        fault.Status(401, ""),
		"spotify_http_403":           fault.Status(403, ""),
		"spotify_malformed_response": fault.Replace(`"id":`, `"name":`),
	} {
		a := of("me")
		a.Faults.Add(fault.Rule{Fault: f})
		res := a.Failing(t)
		if e := res.Done.Error; e == nil || e.Code != code || len(res.Changes())+len(res.States) != 0 || len(res.Requests) != 1 {
			t.Errorf("%s: %+v, %d records, want this code after 1 request, and nothing emitted", code, e, len(res.Changes()))
		}
		if next := a.Again(t, res); len(next.Records(streamTracks)) != 60 {
			t.Errorf("%s: then %d tracks, want 60", code, len(next.Records(streamTracks)))
		}
	}
}
