package main

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
	"github.com/pdpp-host/pdpp-host/testplugins/providers/fault"
	"github.com/pdpp-host/pdpp-host/testplugins/providers/spotify"
)

const codeAccount = "spotify_account_changed"

// of is a furnished account of a user, without plays.
func of(user string) *account {
	a := newAccount(func(o *spotify.Options) { o.User = user })
	a.follow("common", user)
	a.save(len(user)*100, 60)
	a.SetTop("short_term", artist("common"), artist(user))
	a.SetTop("medium_term", artist(user))
	return a
}

// by has the next run use the sign-in of another account.
func by(a *account) func(*sdktest.Options) {
	return func(o *sdktest.Options) { o.Provider, o.Now = a.faults, a.now }
}

// refused checks that a run ended before it said anything of another account.
func refused(t *testing.T, res *sdktest.Result) {
	t.Helper()
	e := res.Done.Error
	if res.Done.Status != abi.DoneFailed || e.Code != codeAccount || string(e.RecoveryHint) != `"manual_action_required"` || e.Retryable {
		t.Fatalf("%+v %+v", res.Done, e)
	}
	if len(res.All)+len(res.States)+len(res.Skips) != 0 || len(res.Requests) != 1 {
		t.Errorf("%d records, %d cursors, %d skips, %d requests", len(res.All), len(res.States), len(res.Skips), len(res.Requests))
	}
}

// The sign-in of another account would mix its library with the one that is
// there: the run is refused, whichever streams it is for, and the first sign-in
// goes on.
func TestAnotherAccountIsRefused(t *testing.T) {
	t.Parallel()
	for _, scope := range []string{"", streamPlays, streamPlaylists, streamArtists, streamTracks} {
		mine, other := of("me"), of("someone")
		mine.play(0, 4)
		other.play(50, 4)
		res := mine.collect(t)
		next := res.SecondRun(t, func(o *sdktest.Options) {
			if by(other)(o); scope != "" {
				o.Streams = []string{scope}
			}
		})
		refused(t, next)
		if !maps.Equal(next.Committed(), res.Committed()) {
			t.Errorf("%q: the cursors moved", scope)
		}
		if again := mine.again(t, res); len(again.All) != 0 {
			t.Errorf("%q: the first sign-in: %d records", scope, len(again.All))
		}
	}
}

// A cursor of before the account was remembered is anybody's, once.
func TestCursorOfNobody(t *testing.T) {
	t.Parallel()
	mine := of("me")
	mine.play(0, 4)
	res := mine.collect(t)
	state := res.Committed()
	for stream, cursor := range state {
		from := strings.Index(cursor, `"account":`)
		if from < 0 {
			t.Fatalf("%s: %s", stream, cursor)
		}
		state[stream] = cursor[:from] + cursor[from+strings.Index(cursor[from:], ",")+1:]
	}
	next := res.SecondRun(t, func(o *sdktest.Options) { o.State = state })
	succeeded(t, next)
	if len(next.All) != 0 {
		t.Errorf("%d records", len(next.All))
	}
	refused(t, next.SecondRun(t, by(of("someone"))))
}

// A full refresh puts one account in the place of the other: everything that is
// not there is buried. Ended at any call it may be done again, and until it is
// through no other run mixes the two.
func TestFullRefreshOfAnotherAccount(t *testing.T) {
	t.Parallel()
	only := streams(streamPlaylists, streamArtists, streamTracks)
	for stop := range 40 {
		t.Run(fmt.Sprint(stop), func(t *testing.T) {
			t.Parallel()
			mine, other := of("me"), of("someone")
			there := other.stored(t, only)
			stored := sdktest.Store{}
			res := mine.collect(t, only)
			stored.Apply(res)
			res = res.SecondRun(t, func(o *sdktest.Options) { by(other)(o); fullRefresh(o); o.StopAfter = stop })
			stored.Apply(res)
			if stop == 0 && (res.Done.Status != abi.DoneSucceeded || stored.Differs(there) != "") {
				t.Fatalf("%+v, %d stored, %d are there", res.Done, stored.Len(), there.Len())
			}
			next := res.SecondRun(t, incremental)
			if next.Done.Error != nil {
				refused(t, next)
				next = res.SecondRun(t, fullRefresh)
			}
			stored.Apply(next)
			if next.Done.Status != abi.DoneSucceeded || stored.Differs(there) != "" {
				t.Errorf("%+v, %d stored, %d are there", next.Done, stored.Len(), there.Len())
			}
		})
	}
}

// Plays are never taken back: the refresh says that those of the other account
// stay, once.
func TestPlaysOfAnotherAccount(t *testing.T) {
	t.Parallel()
	mine, other := newAccount(func(o *spotify.Options) { o.User = "me" }), newAccount(func(o *spotify.Options) { o.User = "someone" })
	mine.play(0, 4)
	other.play(50, 4)
	res := mine.collect(t)
	res = res.SecondRun(t, func(o *sdktest.Options) { by(other)(o); fullRefresh(o) })
	succeeded(t, res)
	if reasons(res) != "recently_played spotify_plays_of_another_account" || len(res.Records(streamPlays)) != 4 || deleted(res) != "" {
		t.Fatalf("%s, emitted %s, deleted %s", reasons(res), emitted(res), deleted(res))
	}
	if res = res.SecondRun(t, incremental); reasons(res) != "" || len(res.All) != 0 {
		t.Errorf("the run after: %s, %s", reasons(res), emitted(res))
	}
	if res = res.SecondRun(t, fullRefresh); reasons(res) != "" || len(res.Records(streamPlays)) != 4 {
		t.Errorf("the refresh after: %s, %s", reasons(res), emitted(res))
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
		a.faults.Add(fault.Rule{Fault: f})
		res := a.failing(t)
		if e := res.Done.Error; e == nil || e.Code != code || len(res.All)+len(res.States) != 0 || len(res.Requests) != 1 {
			t.Errorf("%s: %+v, %d records", code, e, len(res.All))
		}
		if next := a.again(t, res); len(next.Records(streamTracks)) != 60 {
			t.Errorf("%s: then %d tracks", code, len(next.Records(streamTracks)))
		}
	}
}
