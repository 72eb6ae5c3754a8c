package main

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
	"github.com/pdpp-host/pdpp-host/testplugins/providers/fault"
	"github.com/pdpp-host/pdpp-host/testplugins/providers/jellyfin"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/trial"
)

func TestRecords(t *testing.T) {
	t.Parallel()
	s := newServer(0)
	s.Add(&jellyfin.Item{ID: "e1", Name: "Pilot", Library: "films", Type: "Episode", Plays: 2, Favourite: true, Overrides: map[string]any{"SeriesName": "The Series"}},
		&jellyfin.Item{ID: "e2", Name: "Bare", Library: "films", Overrides: map[string]any{"UserData": nil, "PremiereDate": nil, "ProviderIds": nil, "Genres": nil, "ProductionYear": nil, "ImageTags": nil}})
	res := s.first(t)
	for key, want := range map[string]string{
		"libraries films": `{"id":"films","name":"Films","collection_type":"movies"}`,
		"libraries music": `{"id":"music","name":"Music","collection_type":null}`,
		"playlists p1":    `{"id":"p1","name":"Evening","media_type":"Video","item_count":3}`,
		"items e1": `{"id":"e1","name":"Pilot","library_id":"films","type":"Episode","series_name":"The Series","played":true,"play_count":2,` +
			`"last_played_date":"2026-01-02T03:04:05.1234567Z","is_favorite":true,"genres":["Drama"],"release_date":"1998-05-04","image_tag":"tage1","provider_ids":{"Imdb":"tte1"},"production_year":1998}`,
		"items e2": `{"id":"e2","name":"Bare","library_id":"films","type":"Movie","series_name":null,"played":null,"play_count":null,` +
			`"last_played_date":null,"is_favorite":null,"genres":null,"release_date":null,"image_tag":null,"provider_ids":null,"production_year":null}`,
	} {
		stream, id, _ := strings.Cut(key, " ")
		if got, _ := res.Record(stream, id); string(got.Data) != want {
			t.Errorf("%s\n got %s\nwant %s", key, got.Data, want)
		}
	}
	if got := len(res.Records("items")); got != 4 || trial.Skips(res) != "" {
		t.Errorf("got %d items and the report %q, want 4 and none: a collection shows the items of others", got, trial.Skips(res))
	}
	for _, r := range res.Requests {
		if r.Credential != "jellyfin" || !strings.HasPrefix(r.URL, "https://media.example.org/jellyfin/") {
			t.Errorf("asked %s with %q, want the owner's server alone, with its key", r.URL, r.Credential)
		}
	}
}

// RT-07: a second run changes nothing; what is played or marked is a change, and what is gone
// is found, in every stream.
func TestRuns(t *testing.T) {
	t.Parallel()
	s := newServer(1203) // three pages
	res := s.first(t)
	if res = s.Again(t, res); changes(res) != "" {
		t.Fatalf("a second run changes %q, want nothing", changes(res))
	}
	seen := film(2000)
	s.Add(seen)
	s.Delete("f700")
	s.Delete("s2")
	s.Delete("p1")
	if res = s.Again(t, res); changes(res) != "-f700,-p1,-s2,f2000" {
		t.Errorf("the run changes %q, want -f700,-p1,-s2,f2000", changes(res))
	}
	s.Change(func() { seen.Plays, seen.Favourite = 1, true })
	if res = s.Again(t, res); changes(res) != "f2000" {
		t.Errorf("the run changes %q, want f2000", changes(res))
	}
}

// A deletion while a library is read hides an item, which is not taken for deleted.
func TestListThatShifts(t *testing.T) {
	t.Parallel()
	for at := 1; at < 12; at++ {
		s := newServer(1100)
		res := s.first(t)
		s.Before(func(n int, _ *http.Request) {
			if n == at {
				s.Delete("f1")
			}
		})
		if res = s.Again(t, res); changes(res) != "-f1" && changes(res) != "" {
			t.Errorf("deleted before request %d: the run changes %q, want f1 deleted or nothing", at, changes(res))
		}
	}
}

// One answer that lacks a library does not make its items gone: the second reading asks for the
// libraries, too.
func TestLibraryThatIsMissingOnce(t *testing.T) {
	t.Parallel()
	s := newServer(3)
	res := s.first(t)
	s.Faults.Add(fault.Rule{Match: fault.Path("/jellyfin/UserViews"), After: 1, Times: 1, Fault: fault.Body(func(b []byte) []byte {
		var views map[string]any
		if err := json.Unmarshal(b, &views); err != nil {
			t.Error(err)
			return b
		}
		views["Items"], views["TotalRecordCount"] = views["Items"].([]any)[:1], 1 // the films alone
		b, _ = json.Marshal(views)
		return b
	})})
	res = s.Again(t, res) // the first answer is that of the stream libraries
	if changes(res) != "" || s.Faults.Fired() != 1 {
		t.Errorf("the run changes %q, with %d answers that lack a library, want nothing and 1", changes(res), s.Faults.Fired())
	}
	s.Faults.Clear()
	s.Delete("s1")
	if res = s.Again(t, res); changes(res) != "-s1" {
		t.Errorf("the run changes %q, want -s1", changes(res))
	}
}

// An item that cannot be read is counted once, however often its library is read.
func TestUnreadableItem(t *testing.T) {
	t.Parallel()
	s := newServer(3, func(o *jellyfin.Options) { o.TotalOff = true }) // so that it is read again
	s.Add(&jellyfin.Item{ID: "odd", Name: "Odd", Library: "films", Overrides: map[string]any{"Id": nil}})
	res := s.Collect(t, at)
	for _, skip := range res.Skips {
		if skip.Stream == "items" && skip.Reason == unreadable.Reason && !strings.HasPrefix(skip.Message, "1 ") {
			t.Errorf("the run says %q, want 1 item", skip.Message)
		}
	}
	if !strings.Contains(trial.Skips(res), unreadable.Reason) {
		t.Errorf("the run says %q, want %s", trial.Skips(res), unreadable.Reason)
	}
}

// The owner names the user, unless there is one.
func TestUsers(t *testing.T) {
	t.Parallel()
	for user, c := range map[string]struct {
		users []string
		code  string
	}{
		"": {[]string{"ana"}, ""}, "Ben": {[]string{"ana", "ben"}, ""}, jellyfin.UserID("ben"): {[]string{"ana", "ben"}, ""},
		"carl": {[]string{"ana"}, "jellyfin_user_unknown"}, "an": {[]string{"ana", "ben"}, "jellyfin_user_unknown"},
	} {
		s := newServer(1, func(o *jellyfin.Options) { o.Users = c.users })
		res := s.Failing(t, at, func(o *sdktest.Options) { o.Options["user"] = user })
		code := ""
		if res.Done.Error != nil {
			code = res.Done.Error.Code
		}
		if code != c.code || len(res.All) > 0 == (code != "") {
			t.Errorf("user %q of %v: got %d records and %q, want %q", user, c.users, len(res.All), code, c.code)
		}
	}
	s := newServer(1, func(o *jellyfin.Options) { o.Users = []string{"ana", "ben"} })
	if res := s.Failing(t, at); res.Done.Error == nil || res.Done.Error.Code != "jellyfin_user_unknown" {
		t.Errorf("without a name: got %+v, want jellyfin_user_unknown", res.Done.Error)
	}
	first := s.Collect(t, at, func(o *sdktest.Options) { o.Options["user"] = "ana" })
	other := first.SecondRun(t, func(o *sdktest.Options) { o.Options["user"] = "ben" })
	trial.Refused(t, other, "jellyfin_account_changed")
}

// An answer that is none ends the list and deletes nothing.
func TestTrouble(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault fault.Fault
		code  string // in the report of the streams; of the run, when it has none
		skip  bool
	}{
		"a web page":   {fault.Status(200, `<html></html>`), "jellyfin_page_answered", true},
		"no JSON":      {fault.Status(200, `ok`), "jellyfin_malformed_response", true},
		"no list":      {fault.Status(200, `{"Items":null,"TotalRecordCount":0}`), "jellyfin_malformed_response", true},
		"gone":         {fault.Status(404, ``), "jellyfin_http_404", true},
		"server error": {fault.Status(500, ``), "status 500", true},
		"unauthorized": {fault.Status(401, ``), "jellyfin_auth_failed", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(600)
			first := s.first(t)
			match := fault.Path("/jellyfin/Items")
			if !c.skip {
				match = fault.Path("/")
			}
			s.Faults.Add(fault.Rule{Match: match, Times: -1, Fault: c.fault})
			res := first.SecondRun(t, nil)
			if reported := trial.Skips(res) != ""; reported != c.skip {
				t.Errorf("the streams say %q, want a report: %v", trial.Skips(res), c.skip)
			}
			if changes(res) != "" || res.Done.Error == nil || !strings.Contains(res.Done.Error.Code+res.Done.Error.Message+trial.Skips(res), c.code) {
				t.Errorf("the run changes %q and ends with %+v, %s; want nothing and %s", changes(res), res.Done.Error, trial.Skips(res), c.code)
			}
		})
	}
	for name, change := range map[string]func(*jellyfin.Options){
		"the key is none":          func(o *jellyfin.Options) { o.Key = "another" },
		"the key is none, in 12.0": func(o *jellyfin.Options) { o.Key, o.Modern = "another", true },
	} {
		if res := newServer(1, change).Failing(t, at); res.Done.Error == nil || res.Done.Error.Code != "jellyfin_auth_failed" {
			t.Errorf("%s: got %+v, want jellyfin_auth_failed", name, res.Done.Error)
		}
	}
}

// A page in the place of an answer, as a reverse proxy or another program at the address gives, whatever its
// status, is for the owner to put right: neither a later run nor another key nor a new version gets past it.
func TestAPageInTheServersPlace(t *testing.T) {
	t.Parallel()
	for name, page := range map[string]fault.Fault{
		"a sign-in":            fault.Status(200, "<!DOCTYPE html><title>Sign in</title>", "Content-Type", "text/html"),
		"a proxy's 401":        fault.Status(401, "<html>401 Authorization Required</html>", "Content-Type", "text/html; charset=utf-8"),
		"another path":         fault.Status(404, "\n<html><h1>404 Not Found</h1></html>"),
		"a proxy that refuses": fault.Status(403, "<html>403 Forbidden</html>", "Content-Type", "text/html"),
	} {
		s := newServer(1)
		s.Faults.Add(fault.Rule{Match: fault.Path("/"), Times: -1, Fault: page})
		e := s.Failing(t, at).Done.Error
		if e == nil || e.Code != "jellyfin_page_answered" || e.Retryable || string(e.RecoveryHint) != `"manual_action_required"` || !strings.Contains(e.Message, "base_url") || !strings.Contains(e.Message, "proxy") {
			t.Errorf("%s: got %+v, want what its owner has to look at", name, e)
		}
	}
	s := newServer(1)
	s.Faults.Add(fault.Rule{Match: fault.Path("/"), Times: -1, Fault: fault.Status(502, "<html>502 Bad Gateway</html>", "Content-Type", "text/html")})
	if e := s.Failing(t, at).Done.Error; e == nil || !e.Retryable {
		t.Errorf("a server that is down behind its proxy: got %+v, want that a later run tries again", e)
	}
}

// AC-12: Jellyfin 12 takes the scheme MediaBrowser alone, which earlier servers take, too.
func TestHeaders(t *testing.T) {
	t.Parallel()
	for _, modern := range []bool{false, true} {
		res := newServer(2, func(o *jellyfin.Options) { o.Modern = modern }).first(t)
		if len(res.Records("items")) != 4 || len(res.Records("playlists")) != 1 {
			t.Errorf("modern %v: %d items, %d playlists, want 4 and 1", modern, len(res.Records("items")), len(res.Records("playlists")))
		}
	}
}

// A list that says another length than it has is read again, and nothing of it is deleted.
func TestWrongTotal(t *testing.T) {
	t.Parallel()
	s := newServer(3)
	first := s.first(t)
	s.Delete("f2")
	short := newServer(2, func(o *jellyfin.Options) { o.TotalOff = true })
	res := first.SecondRun(t, func(o *sdktest.Options) { o.Provider = short.Provider })
	if changes(res) != "" || !strings.Contains(trial.Skips(res), "jellyfin_list_unstable") {
		t.Errorf("the run changes %q and says %s, want nothing and jellyfin_list_unstable", changes(res), trial.Skips(res))
	}
}
