package main

import (
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/testplugins/providers/strava"
)

// AC-11, AC-12: since June 2026 an app of the standard tier works as long as its owner subscribes.
// Without that nothing is deleted, and the owner reads Strava's own words.
func TestLapsed(t *testing.T) {
	t.Parallel()
	first := newAccount(6).Collect(t)
	a := newAccount(6, func(o *strava.Options) { o.Lapsed = true })
	res := first.SecondRun(t, a.SignIn)
	e := res.Done.Error
	if e == nil || e.Code != "strava_http_403" || string(e.RecoveryHint) != `"manual_action_required"` || !strings.Contains(e.Message, "needs an active Strava subscription") {
		t.Errorf("got %+v, want strava_http_403 with Strava's words", e)
	}
	if changes(res) != "" {
		t.Errorf("changed %s, want nothing", changes(res))
	}
}

// AC-12: since July 2024 a hidden start is midnight and one second, without a place.
func TestHiddenStart(t *testing.T) {
	t.Parallel()
	res := newAccount(2, func(o *strava.Options) { o.Hidden = true }).Collect(t)
	r, _ := res.Record(streamActivities, "1")
	if !strings.HasSuffix(r.Text("start_date"), "T00:00:01Z") || len(res.Records(streamActivities)) != 2 || len(res.Skips) != 0 {
		t.Errorf("%s, %d activities, %v; want one at midnight, 2 and no report", r.Data, len(res.Records(streamActivities)), res.Skips)
	}
}
