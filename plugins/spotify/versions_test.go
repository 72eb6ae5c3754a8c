package main

import (
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/testplugins/providers/spotify"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/trial"
)

// AC-11, AC-12: an app in development mode works as long as its owner has Premium, since February
// 2026. Without that the run asks the owner, in Spotify's own words, and deletes nothing.
func TestLapsed(t *testing.T) {
	t.Parallel()
	first := furnished().Collect(t)
	a := furnished(func(o *spotify.Options) { o.Lapsed = true })
	res := first.SecondRun(t, a.SignIn)
	e := res.Done.Error
	if e == nil || e.Code != "spotify_http_403" || string(e.RecoveryHint) != `"manual_action_required"` || !strings.Contains(e.Message, "Active premium subscription required for the owner of the app.") {
		t.Errorf("got %+v, want spotify_http_403 with Spotify's words", e)
	}
	if len(res.Changes()) != 0 {
		t.Errorf("%d changes, want 0", len(res.Changes()))
	}
}

// AC-12: a list that Spotify has withdrawn fails by itself, and waits for a new version of the
// connector; the others are collected, and nothing of it is deleted.
func TestWithdrawn(t *testing.T) {
	t.Parallel()
	for path, stream := range map[string]string{"/me/top/artists": streamArtists, "/me/playlists": streamPlaylists, "/me/tracks": streamTracks} {
		first := furnished().Collect(t)
		a := furnished(func(o *spotify.Options) { o.Withdrawn = path })
		res := first.SecondRun(t, a.SignIn)
		if got := trial.Skips(res); got != stream+" stream_collection_failed" || string(res.Skips[0].RecoveryHint) != `"retry_on_connector_upgrade"` || len(res.Deletes(stream)) != 0 {
			t.Errorf("%s: reported %s with %v, and deleted %d; want the one stream, for a new version, and 0", path, got, res.Skips, len(res.Deletes(stream)))
		}
	}
}
