package main

import (
	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
)

// The streams.
const (
	streamPlaylists = "playlists"
	streamTracks    = "saved_tracks"
	streamArtists   = "top_artists"
	streamPlays     = "recently_played"
)

// collect does one run. A stream that fails is reported, and the others go on; an error
// that ends them all is returned at once. The plays come first, because they are lost
// for good when the rest takes too long.
func collect(h *sdk.Host) error {
	if err := h.RequireCredentials(); err != nil {
		return err
	}
	if h.RecoveryOnly() {
		return nil // no detail lane, so nothing to recover
	}
	a := newAPI(h)
	if err := a.identify(); err != nil {
		return signIn(err)
	}
	failed := sdk.FailedStreams{Ends: endsRun, Hint: hint}
	for _, s := range []struct {
		stream  string
		collect func(*api) error
	}{{streamPlays, collectPlays}, {streamPlaylists, collectPlaylists}, {streamArtists, collectArtists}, {streamTracks, collectTracks}} {
		if !h.Wants(s.stream) {
			continue
		}
		if err := failed.Note(h, s.collect(a), s.stream); err != nil {
			return signIn(err)
		}
	}
	return failed.Err()
}

// endsRun reports whether an error ends the run, not only one stream.
func endsRun(err error) bool { return sdk.EndsRun(err) || sdk.Refused(err) }

func signIn(err error) error { return sdk.AuthFailed("spotify", err) }

// hint is for a list that the consent does not cover.
func hint(code string) string {
	if code == codeForbidden {
		return "refresh_credentials"
	}
	return ""
}

func skip(h *sdk.Host, stream, reason, message, hint string, diagnostics []byte) error {
	return h.Skip(abi.SkipResult{
		Stream: stream, Reason: reason, Message: message,
		RecoveryHint: jsonappend.String(nil, hint), Diagnostics: diagnostics,
	})
}
