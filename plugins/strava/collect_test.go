package main

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
	"github.com/pdpp-host/pdpp-host/testplugins/providers/fault"
	"github.com/pdpp-host/pdpp-host/testplugins/providers/strava"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/trial"
)

func TestRecord(t *testing.T) {
	t.Parallel()
	a := newAccount(0)
	a.Add(&strava.Activity{ID: 12345678987654321, Name: "Morgens", Sport: "TrailRun", Start: sdktest.Epoch, Distance: 24931.4, Kudos: 3},
		&strava.Activity{ID: 2, Start: sdktest.Epoch, Overrides: map[string]any{"average_heartrate": nil, "max_heartrate": nil, "map": nil, "start_latlng": nil}})
	res := a.Collect(t)
	for key, want := range map[string]string{
		"12345678987654321": `{"id":"12345678987654321","name":"Morgens","type":"TrailRun","sport_type":"TrailRun","start_date":"2026-01-02T03:04:05Z",` +
			`"start_date_local":"2026-01-02T04:04:05Z","timezone":"(GMT+01:00) Europe/Berlin","distance_m":24931.4,"moving_time_s":1800,"elapsed_time_s":1900,` +
			`"total_elevation_gain_m":12.5,"average_speed_mps":2.8,"max_speed_mps":4.1,"average_heartrate":141.2,"max_heartrate":178,"kudos_count":3,` +
			`"comment_count":1,"achievement_count":0,"start_latlng":[52.5,13.4],"end_latlng":[],"map_polyline":"ki{eFvqfiV"}`,
		"2": `{"id":"2","name":"","type":"Run","sport_type":"Run","start_date":"2026-01-02T03:04:05Z",` +
			`"start_date_local":"2026-01-02T04:04:05Z","timezone":"(GMT+01:00) Europe/Berlin","distance_m":0,"moving_time_s":1800,"elapsed_time_s":1900,` +
			`"total_elevation_gain_m":12.5,"average_speed_mps":2.8,"max_speed_mps":4.1,"average_heartrate":null,"max_heartrate":null,"kudos_count":0,` +
			`"comment_count":1,"achievement_count":0,"start_latlng":null,"end_latlng":[],"map_polyline":null}`,
	} {
		if got, _ := res.Record(streamActivities, key); string(got.Data) != want {
			t.Errorf("activity %s\n got %s\nwant %s", key, got.Data, want)
		}
	}
	if trial.Skips(res) != "" || len(res.All) != 2 {
		t.Errorf("%q, %d records, want no report and 2", trial.Skips(res), len(res.All))
	}
}

// RT-07: a second run changes nothing, an edit is one change, however old the activity is,
// and a deletion is found because the list is whole.
func TestRuns(t *testing.T) {
	t.Parallel()
	a := newAccount(450)
	res := a.Collect(t)
	if res = a.Again(t, res); changes(res) != "" || len(a.Requests()) != 5 {
		t.Fatalf("a second run changes %q with %d requests, want nothing with 5", changes(res), len(a.Requests()))
	}
	old := activity(900)
	old.Start = sdktest.Epoch.Add(-time.Hour)
	a.Add(activity(500), old)
	a.Delete(7)
	a.Delete(450)
	if res = a.Again(t, res); changes(res) != "-450,-7,500,900" || len(a.Requests()) != 9 {
		t.Fatalf("it changes %q with %d requests, want -450,-7,500,900 with 9, because what is missing is looked for twice", changes(res), len(a.Requests()))
	}
	a.Change(func() { old.Name = "Renamed" })
	if res = a.Again(t, res); changes(res) != "900" {
		t.Errorf("it changes %q, want 900", changes(res))
	}
	if full := a.Refresh(t, res); changes(full) != "" || len(full.All) != 450 {
		t.Errorf("a full refresh changes %q with %d records, want nothing with 450", changes(full), len(full.All))
	}
}

func TestRequests(t *testing.T) {
	t.Parallel()
	a := newAccount(3)
	for base, at := range map[string]string{"": "https://www.strava.com", "http://127.0.0.1:4000/": "http://127.0.0.1:4000"} {
		res := a.Collect(t, func(o *sdktest.Options) { o.Options = map[string]string{"base_url": base} })
		var got []string
		for _, r := range res.Requests {
			got = append(got, r.Credential+" "+r.URL)
		}
		want := fmt.Sprintf("strava %[1]s/api/v3/athlete,strava %[1]s/api/v3/athlete/activities?per_page=200&page=1,strava %[1]s/api/v3/athlete/activities?per_page=200&page=2", at)
		if strings.Join(got, ",") != want {
			t.Errorf("asked for %s\nwant %s", strings.Join(got, ","), want)
		}
	}
}

// A page with fewer rows than asked for is not the end.
func TestShortPages(t *testing.T) {
	t.Parallel()
	a := newAccount(45)
	a.PageSize(10)
	if res := a.Collect(t); len(res.All) != 45 || len(a.Requests()) != 7 {
		t.Errorf("%d activities with %d requests, want 45 with 7", len(res.All), len(a.Requests()))
	}
}

// A deletion while the list is read moves an activity to a page that was read before. It is
// not taken for deleted.
func TestListThatShifts(t *testing.T) {
	t.Parallel()
	for at := 2; at < 6; at++ {
		a := newAccount(45)
		a.PageSize(20)
		res := a.Collect(t)
		a.Before(func(n int, _ *http.Request) {
			if n == at {
				a.Delete(45)
				a.Delete(44)
			}
		})
		want := "" // the page that had the two was read before
		if at == 2 {
			want = "-44,-45"
		}
		if res = a.Again(t, res); changes(res) != want {
			t.Errorf("deleted before request %d: the run changes %q, want %q", at, changes(res), want)
		}
		a.Before(nil)
		a.Again(t, res).Stored().Holds(t, streamActivities, keys(43)...)
	}
}

func keys(n int) (list []string) {
	for i := range n {
		list = append(list, fmt.Sprint(i+1))
	}
	return list
}

// PB-D8: ended at any call, the runs together lose nothing, bury nothing that exists, and go
// on at the page where they were broken off.
func TestStoppedAnywhere(t *testing.T) {
	t.Parallel()
	for stop := 1; stop < 24; stop++ {
		a := newAccount(40)
		a.PageSize(7)
		stored := sdktest.Store{}
		res, emitted := trial.ToTheEnd(t, a.Failing(t, trial.StopAfter(stop)), stop, stored, func() { a.Delete(40) })
		a.Delete(40) // where the runs ended too early
		a.Again(t, res).Stored().Holds(t, streamActivities, keys(39)...)
		if emitted > 4*40 {
			t.Errorf("stop %d: %d records emitted, want at most %d: one reading, and two more for the deletion", stop, emitted, 4*40)
		}
	}
}

// A run that is killed silently at any call buries nothing either.
func TestKilledAnywhere(t *testing.T) {
	t.Parallel()
	for kill := 1; kill < 20; kill++ {
		a := newAccount(40)
		a.PageSize(7)
		res := a.Failing(t, trial.Killed(kill))
		res = res.SecondRun(t, trial.Unkilled)
		schemas.Succeeded(t, res)
		res.Stored().Holds(t, streamActivities, keys(40)...)
	}
}

// An answer that is none, or that no document describes, ends the list and deletes nothing.
func TestTrouble(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault fault.Fault
		code  string // in the report of the stream; of the run, when it has none
		skip  bool
	}{
		"broken JSON":  {fault.BrokenJSON(), "strava_malformed_response", true},
		"a web page":   {fault.Status(200, `<html></html>`), "strava_malformed_response", true},
		"no list":      {fault.Status(200, `{"message":"hello"}`), "strava_answer_failed", true},
		"forbidden":    {fault.Status(403, `{"message":"Forbidden"}`), "strava_http_403", true},
		"not found":    {fault.Status(404, `{"message":"Record Not Found"}`), "strava_http_404", true},
		"server error": {fault.Status(500, ``), "send.attempts_exhausted", true},
		"unauthorized": {fault.Status(401, `{"message":"Authorization Error"}`), "strava_auth_failed", false},
		"throttled":    {fault.Throttle(""), "strava_rate_limited", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for after := range 2 {
				a := newAccount(25)
				a.PageSize(20)
				good := a.Collect(t)
				a.Delete(5)
				a.Faults.Add(fault.Rule{Match: fault.Path("/api/v3/athlete/activities"), After: after, Times: -1, Fault: c.fault})
				res := good.SecondRun(t, nil)
				code := res.Done.Error.Code
				if c.skip && len(res.Skips) == 1 {
					code = string(res.Skips[0].Diagnostics)
				}
				if res.Done.Status != abi.DoneFailed || !strings.Contains(code, c.code) || changes(res) != "" {
					t.Errorf("after %d pages: %s with %s, changes %q, want a failure with %s and no change", after, res.Done.Status, code, changes(res), c.code)
				}
				a.Faults.Clear()
				if next := a.Again(t, res); changes(next) != "-5" {
					t.Errorf("the next run changes %q, want -5", changes(next))
				}
			}
		})
	}
}

// RT-23.1: a provider that keeps refusing ends the run under its own name; the limits of the
// application are the provider's, and its headers the host's to read.
func TestRateLimited(t *testing.T) {
	t.Parallel()
	a := newAccount(3, func(o *strava.Options) { o.Limit = true })
	for range 33 {
		a.Collect(t)
	}
	res := a.Failing(t)
	if e := res.Done.Error; e == nil || e.Code != "strava_rate_limited" || !e.Retryable {
		t.Fatalf("%+v, want strava_rate_limited, to be tried again", res.Done)
	}
	a.Pass(15 * time.Minute)
	if next := a.Again(t, res); len(next.All) != 3 {
		t.Errorf("a quarter of an hour later: %d records, want 3", len(next.All))
	}
}

// A row without an id is reported, and nothing counts as deleted while it is in the list.
func TestUnreadableRows(t *testing.T) {
	t.Parallel()
	a := newAccount(3)
	res := a.Collect(t)
	odd := &strava.Activity{ID: 9, Start: sdktest.Epoch, Overrides: map[string]any{"id": "x"}}
	a.Add(odd)
	a.Delete(2)
	if res = a.Again(t, res); changes(res) != "" || trial.Skips(res) != "activities strava_item_unreadable" {
		t.Errorf("changes %q, reports %q, want none and activities strava_item_unreadable", changes(res), trial.Skips(res))
	}
	a.Change(func() { odd.Overrides = nil })
	if res = a.Again(t, res); changes(res) != "-2,9" || trial.Skips(res) != "" {
		t.Errorf("changes %q, reports %q, want -2,9 and none", changes(res), trial.Skips(res))
	}
}

// A run that is asked to stop at the last page has read the list: the next one does not begin
// it again.
func TestStoppedAtTheLastPage(t *testing.T) {
	t.Parallel()
	stopped := 0
	for stop := 2; stop < 24; stop++ {
		a := newAccount(14)
		a.PageSize(7)
		res := a.Failing(t, trial.StopAfter(stop))
		if res.Done.Status != abi.DoneCancelled {
			continue
		}
		stopped++
		if last := a.Requests()[len(a.Requests())-1].URL; strings.Contains(last, "page=3") { // the empty one behind the last rows
			t.Errorf("stop %d: the run read %s and was stopped, want it to succeed", stop, last)
		}
	}
	if stopped == 0 {
		t.Error("no run was stopped, want some")
	}
}

// A value of an undocumented type becomes null and is reported.
func TestSchemaDrift(t *testing.T) {
	t.Parallel()
	a := newAccount(1)
	a.Add(&strava.Activity{ID: 5, Start: sdktest.Epoch, Overrides: map[string]any{"distance": "far", "moving_time": 1.5, "start_latlng": []any{"x"}}})
	res := a.Collect(t)
	got, _ := res.Record(streamActivities, "5")
	for _, field := range []string{"distance_m", "moving_time_s", "start_latlng"} {
		if got.Fields[field] != nil {
			t.Errorf("%s is %v, want null", field, got.Fields[field])
		}
	}
	if trial.Skips(res) == "" {
		t.Error("nothing is reported, want the fields that did not fit")
	}
}

// Another athlete's sign-in is refused before anything is emitted; a full refresh takes it.
func TestAnotherAthlete(t *testing.T) {
	t.Parallel()
	a := newAccount(2)
	res := a.Collect(t)
	other := newAccount(1, func(o *strava.Options) { o.Athlete = 7 })
	trial.Refused(t, res.SecondRun(t, other.SignIn), "strava_account_changed")
	full := res.SecondRun(t, func(o *sdktest.Options) { other.SignIn(o); trial.FullRefresh(o) })
	if changes(full) != "-2" {
		t.Errorf("a full refresh changes %q, want -2", changes(full))
	}
}

func TestScope(t *testing.T) {
	t.Parallel()
	a := newAccount(5)
	for name, c := range map[string]struct {
		scope abi.StreamScope
		want  string
	}{
		"one key": {abi.StreamScope{Resources: []string{"3"}}, "3"},
		"a time":  {abi.StreamScope{TimeRange: &abi.TimeRange{Since: sdktest.Epoch.Add(4 * time.Hour).Format(time.RFC3339)}}, "4,5"},
	} {
		res := a.Collect(t, func(o *sdktest.Options) { c.scope.Name = streamActivities; o.Scope = []abi.StreamScope{c.scope} })
		if changes(res) != c.want {
			t.Errorf("%s: %q, want %q", name, changes(res), c.want)
		}
	}
}

// RT-08.2: with nobody to ask, the run names the missing credentials.
func TestMissingCredentials(t *testing.T) {
	t.Parallel()
	a := newAccount(1)
	res := a.Failing(t, func(o *sdktest.Options) { o.Credentials = nil })
	for _, name := range []string{"STRAVA_CLIENT_ID", "STRAVA_CLIENT_SECRET", "STRAVA_REFRESH_TOKEN"} {
		if res.Done.Error == nil || !strings.Contains(res.Done.Error.Message, name) || len(a.Requests()) != 0 {
			t.Errorf("%+v with %d requests, want %s named and no request", res.Done.Error, len(a.Requests()), name)
		}
	}
}
