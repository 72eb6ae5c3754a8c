package main

import (
	"strconv"

	"github.com/pdpp-host/pdpp-host/sdk"
)

// The streams, and the names of their objects in search.
const (
	streamPages     = "pages"
	streamDatabases = "databases"
	kindPage        = "page"
	kindDatabase    = "database"
)

// collect does one run. A stream that fails is reported, and the other one goes on; an
// error that ends both is returned at once.
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
	failed := sdk.FailedStreams{Ends: endsRun}
	for _, s := range []struct{ stream, kind string }{{streamDatabases, kindDatabase}, {streamPages, kindPage}} {
		if !h.Wants(s.stream) {
			continue
		}
		if err := failed.Note(h, newListing(a, s.stream, s.kind).collect(), s.stream); err != nil {
			return signIn(err)
		}
	}
	return failed.Err()
}

// endsRun reports whether an error ends the run, not only one stream.
func endsRun(err error) bool { return sdk.EndsRun(err) || sdk.Refused(err) }

func signIn(err error) error { return sdk.AuthFailed("notion", err) }

// counted is a SKIP_RESULT's diagnostics with a number.
func counted(n int) []byte {
	return []byte(`{"count":` + strconv.Itoa(n) + `}`)
}
