package main

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
	"github.com/pdpp-host/pdpp-host/testplugins/providers/strava"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/trial"
)

// RT-01.1, RT-11.1: the host accepts the manifest.
func TestManifestIsValid(t *testing.T) {
	t.Parallel()
	trial.Valid(t, manifest)
	trial.Worded(t, manifest, unreadable.Reason, "strava_auth_failed", "strava_http_403", "strava_malformed_response", "strava_paging_cycle", "strava_account_changed")
}

var schemas = trial.SchemasOf(manifest)

var credentials = map[string]bool{"client_id": true, "client_secret": true, "refresh_token": true, "access_token": true}

// account is a simulated account and the runs on it.
type account struct {
	*strava.Provider
	*trial.Account
}

// newAccount is an account with n activities, an hour apart, numbered from 1.
func newAccount(n int, change ...func(*strava.Options)) *account {
	a := &account{Account: trial.NewAccount(connector{}, schemas, credentials)}
	o := strava.Options{Now: a.Now}
	for _, c := range change {
		c(&o)
	}
	a.Provider = strava.New(o)
	a.At(a.Provider)
	for i := range n {
		a.Add(activity(i + 1))
	}
	return a
}

func activity(n int) *strava.Activity {
	return &strava.Activity{ID: int64(n), Name: "Run " + strconv.Itoa(n), Start: sdktest.Epoch.Add(time.Duration(n) * time.Hour), Distance: 5000.5, Kudos: 2}
}

// changes lists what a run changes at the host, by key, tombstones with a minus.
func changes(res *sdktest.Result) string {
	var keys []string
	for _, r := range res.Changes() {
		key := r.Key
		if r.Delete {
			key = "-" + key
		}
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return strings.Join(keys, ",")
}
