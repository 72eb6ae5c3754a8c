package main

import (
	"strings"

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

// collect does one run. A stream that fails is reported, and the others go on;
// what ends them all is returned at once. The plays come first: they are what
// is lost for good when the rest takes too long.
func collect(h *sdk.Host) error {
	if err := h.RequireCredentials(); err != nil {
		return err
	}
	if h.RecoveryOnly() {
		return nil // no detail lane, so nothing to recover
	}
	a := newAPI(h)
	failed := ""
	for _, s := range []struct {
		stream  string
		collect func(*api) error
	}{{streamPlays, collectPlays}, {streamPlaylists, collectPlaylists}, {streamArtists, collectArtists}, {streamTracks, collectTracks}} {
		if !h.Wants(s.stream) {
			continue
		}
		err := s.collect(a)
		if err == nil {
			continue
		}
		if endsRun(err) {
			return signIn(err)
		}
		if err := reportFailed(h, s.stream, err); err != nil {
			return err
		}
		failed += ", " + s.stream
	}
	if failed != "" {
		return &sdk.Failure{
			Code: string(abi.ReasonStreamCollectionFailed), Retryable: true,
			Message: "not collected to the end: " + failed[2:],
		}
	}
	return nil
}

// endsRun reports whether an error is of the run and not of one stream: a stop,
// a mistake of the connector, credentials that are refused, a host that sends
// nothing any more, a provider that asks to be left alone (RT-23.1).
func endsRun(err error) bool {
	if e, ok := sdk.AsFetchError(err); ok {
		return e.Final || e.GapReason == abi.ReasonRateLimited || ofCredential(e)
	}
	if f, ok := sdk.AsFailure(err); ok {
		return strings.HasSuffix(f.Code, "_auth_failed")
	}
	return true
}

// ofCredential reports whether the host had no credential to send with: none
// was given, it cannot be used, or the sign-in is not renewed any more.
func ofCredential(e *sdk.FetchError) bool {
	return strings.HasPrefix(string(e.Code), "send.credential_") || e.Code == "send.renewal_refused"
}

// signIn says of a credential that the host could not send what is said of one
// that the provider refused.
func signIn(err error) error {
	if e, ok := sdk.AsFetchError(err); ok && ofCredential(e) {
		return &sdk.Failure{Code: "spotify_auth_failed", Message: e.Message, Hint: "refresh_credentials", Err: err}
	}
	return err
}

// reportFailed tells the host that a stream was not collected to its end.
func reportFailed(h *sdk.Host, stream string, err error) error {
	code, message, hint, status := "", err.Error(), "retry_by_runtime", 0
	if e, ok := sdk.AsFetchError(err); ok {
		code, message, status = string(e.Code), e.Message, e.Status
	} else if f, ok := sdk.AsFailure(err); ok {
		if code, message = f.Code, f.Message; f.Hint != "" {
			hint = f.Hint
		} else if code == codeForbidden {
			hint = "refresh_credentials" // the consent does not cover this list
		}
	}
	d := jsonappend.String(jsonappend.Name([]byte{'{'}, "code"), code)
	if status != 0 {
		d = jsonappend.Int(jsonappend.Name(d, "http_status"), int64(status))
	}
	return skip(h, stream, string(abi.ReasonStreamCollectionFailed), message, hint, append(d, '}'))
}

func skip(h *sdk.Host, stream, reason, message, hint string, diagnostics []byte) error {
	return h.Skip(abi.SkipResult{
		Stream: stream, Reason: reason, Message: message,
		RecoveryHint: jsonappend.String(nil, hint), Diagnostics: diagnostics,
	})
}
