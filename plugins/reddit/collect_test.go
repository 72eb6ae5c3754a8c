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
	"github.com/pdpp-host/pdpp-host/testplugins/providers/reddit"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/trial"
)

func TestRecords(t *testing.T) {
	t.Parallel()
	a := furnished(0)
	linked := post("p5")
	linked.Link, linked.Text = "https://example.org/?a=1&b=2", ""
	a.Put("submitted", linked)
	a.Put("downvoted", comment("c3"))
	res := a.Collect(t)
	const at, site = `"created_utc":"2026-01-02T02:04:05Z"`, "https://www.reddit.com/r/golang/comments/"
	for _, want := range []struct{ stream, key, data string }{
		{"submitted", "t3_p1", `{"id":"t3_p1","subreddit":"golang","title":"Title of p1","url":"` + site + `p1/a_post/","domain":"self.golang","selftext":"Größe <b> & p1",` +
			`"is_self":true,"over_18":false,"selftext_len":14,"permalink":"` + site + `p1/a_post/",` + at + `,"score":7,"num_comments":2,"upvote_ratio":0.97,"gilded":0}`},
		{"submitted", "t3_p5", `{"id":"t3_p5","subreddit":"golang","title":"Title of p5","url":"https://example.org/?a=1&b=2","domain":"example.org","selftext":"",` +
			`"is_self":false,"over_18":false,"selftext_len":0,"permalink":"` + site + `p5/a_post/",` + at + `,"score":7,"num_comments":2,"upvote_ratio":0.97,"gilded":0}`},
		{"comments", "t1_c1", `{"id":"t1_c1","subreddit":"golang","body":"Größe <b> & c1","link_id":"t3_pc1","parent_id":"t3_pc1","body_len":14,"is_top_level":true,` +
			`"permalink":"` + site + `pc1/a_post/c1/",` + at + `,"score":7,"gilded":0}`},
		{"saved", "t1_c9", `{"id":"t1_c9","subreddit":"golang","kind":"t1","is_post":false,"title":"Title of c9","body":"Größe <b> & c9","body_len":14,` +
			`"url":"` + site + `pc9/a_post/","permalink":"` + site + `pc9/a_post/c9/",` + at + `}`},
		{"downvoted", "t1_c3", `{"id":"t1_c3","subreddit":"golang","kind":"t1","is_post":false,"title":"Title of c3","body":"Größe <b> & c3","body_len":14,` +
			`"url":"` + site + `pc3/a_post/","permalink":"` + site + `pc3/a_post/c3/",` + at + `,"score":7,"num_comments":2}`},
		{"hidden", "t3_p4", `{"id":"t3_p4","subreddit":"golang","kind":"t3","is_post":true,"title":"Title of p4","body":"Größe <b> & p4","body_len":14,` +
			`"url":"` + site + `p4/a_post/","permalink":"` + site + `p4/a_post/",` + at + `,"score":7,"num_comments":2}`},
	} {
		if got, _ := res.Record(want.stream, want.key); string(got.Data) != want.data {
			t.Errorf("%s\n got %s\nwant %s", want.stream, got.Data, want.data)
		}
	}
	if trial.Skips(res) != "" || len(res.All) != 10 {
		t.Errorf("%q, %d records, want no report and 10", trial.Skips(res), len(res.All))
	}
}

// RT-07: a second run emits nothing, a changed score alone is no change, and what leaves a
// list is found because the list is whole.
func TestRuns(t *testing.T) {
	t.Parallel()
	a := furnished(250)
	liked := post("liked")
	a.Put("saved", liked)
	a.Put("upvoted", liked)
	res := a.Collect(t)
	if res = a.Again(t, res); len(res.All) != 0 || changes(res) != "" || len(a.Requests()) != 9 {
		t.Fatalf("a second run emits %d, changes %q with %d requests, want nothing with 9", len(res.All), changes(res), len(a.Requests()))
	}
	a.Change(func() { liked.Score, liked.Replies = 99, 12 })
	if res = a.Again(t, res); len(res.All) != 0 {
		t.Errorf("another score: %d records, want none", len(res.All))
	}
	a.Change(func() { liked.Text = "edited" })
	a.Take("saved", "t3_s100")
	a.Take("hidden", "t3_p4")
	a.save(400, 1)
	if res = a.Again(t, res); changes(res) != "-hidden t3_p4,-saved t3_s100,saved t3_liked,saved t3_s400,upvoted t3_liked" {
		t.Fatalf("it changes %q, want two deletions, two edits and one new", changes(res))
	}
	if got, _ := res.Record("upvoted", "t3_liked"); fmt.Sprint(got.Fields["score"]) != "99" {
		t.Errorf("the score is %v, want that of the edit, 99", got.Fields["score"])
	}
	a.save(100, 1) // saved again
	if res = a.Again(t, res); changes(res) != "saved t3_s100" {
		t.Errorf("it changes %q, want saved t3_s100", changes(res))
	}
	if full := a.Refresh(t, res); len(full.All) != 260 || changes(full) != "" {
		t.Errorf("a full refresh emits %d and changes %q, want 260 and nothing", len(full.All), changes(full))
	}
}

func TestRequests(t *testing.T) {
	t.Parallel()
	a := furnished(101)
	res := a.Collect(t, func(o *sdktest.Options) { o.Options = map[string]string{"base_url": "http://127.0.0.1:4000/"} }, trial.Only("saved", "hidden"))
	var got []string
	for _, r := range res.Requests {
		got = append(got, r.Credential+" "+strings.TrimPrefix(r.URL, "http://127.0.0.1:4000"))
	}
	want := "reddit /api/v1/me,reddit /user/me/saved?limit=100&raw_json=1,reddit /user/me/saved?limit=100&raw_json=1&after=t3_s1,reddit /user/me/hidden?limit=100&raw_json=1"
	if strings.Join(got, ",") != want {
		t.Errorf("asked for %s\nwant %s", strings.Join(got, ","), want)
	}
	if u := furnished(0).Collect(t).Requests[0].URL; u != "https://oauth.reddit.com/api/v1/me" {
		t.Errorf("asked for %s, want https://oauth.reddit.com/api/v1/me", u)
	}
}

// The entry behind which the next page begins leaves the list: the page is empty, and the
// entries behind it are not taken for deleted.
func TestEntryThatLeaves(t *testing.T) {
	t.Parallel()
	a := furnished(250)
	res := a.Collect(t, trial.Only("saved"))
	a.Before(func(n int, r *http.Request) {
		if strings.Contains(r.URL.RawQuery, "after=t3_s150") && n < 4 {
			a.Take("saved", "t3_s150")
		}
	})
	if res = a.Again(t, res); changes(res) != "" || len(a.Requests()) != 6 {
		t.Fatalf("it changes %q with %d requests, want nothing with 6", changes(res), len(a.Requests()))
	}
	a.Before(nil)
	if res = a.Again(t, res); changes(res) != "-saved t3_s150" {
		t.Errorf("the next run changes %q, want -saved t3_s150", changes(res))
	}
}

// A list of a thousand is cut off: nothing of it is deleted, and the run says so.
func TestCutOff(t *testing.T) {
	t.Parallel()
	a := newAccount()
	a.save(0, 1100)
	res := a.Collect(t)
	if trial.Skips(res) != "saved reddit_list_cut_off" || len(res.All) != 1000 {
		t.Fatalf("%q, %d records, want saved reddit_list_cut_off and 1000", trial.Skips(res), len(res.All))
	}
	a.Take("saved", "t3_s500")
	a.save(2000, 1)
	if res = a.Again(t, res); changes(res) != "saved t3_s2000" || trial.Skips(res) != "saved reddit_list_cut_off" {
		t.Errorf("it changes %q, reports %q, want saved t3_s2000 and saved reddit_list_cut_off", changes(res), trial.Skips(res))
	}
}

// PB-D8, PB-D9: a run that ends after any number of requests, as by an owner's bound, deletes
// nothing that exists, and runs of one list's length reach every list.
func TestBounded(t *testing.T) {
	t.Parallel()
	want := furnished(0).Collect(t).Stored()
	for most := 2; most < 8; most++ {
		a := furnished(0)
		bounded := func(o *sdktest.Options) {
			asked := 0
			o.Fails = func(*http.Request) *abi.HTTPFailure {
				if asked++; asked <= most {
					return nil
				}
				return &abi.HTTPFailure{Code: "send.stopped", Message: "the bound", GapReason: abi.ReasonRetryExhausted, Final: true}
			}
		}
		res := a.Failing(t, bounded)
		for range 6 {
			a.Pass(time.Minute)
			res = res.SecondRun(t, bounded)
		}
		if d := res.Stored().Differs(want); d != "" {
			t.Errorf("seven runs of %d requests: %s, want every list", most, d)
		}
	}
}

// A run that is killed silently at any call buries nothing.
func TestKilledAnywhere(t *testing.T) {
	t.Parallel()
	want := furnished(120).Collect(t).Stored()
	for kill := 1; kill < 30; kill++ {
		a := furnished(120)
		res := a.Failing(t, trial.Killed(kill)).SecondRun(t, trial.Unkilled)
		schemas.Succeeded(t, res)
		if d := res.Stored().Differs(want); d != "" {
			t.Errorf("killed at call %d: %s", kill, d)
		}
	}
}

// An answer that is none, or that no document describes, ends its list and deletes nothing;
// the other lists are read.
func TestTrouble(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault fault.Fault
		code  string
		ends  bool // the run
	}{
		"broken JSON":  {fault.BrokenJSON(), "reddit_malformed_response", false},
		"a web page":   {fault.Status(200, `<html></html>`), "reddit_malformed_response", false},
		"no children":  {fault.Replace(`"children":`, `"rows":`), "reddit_malformed_response", false},
		"no after":     {fault.Replace(`"after":`, `"next":`), "reddit_malformed_response", false},
		"empty after":  {fault.Body(emptyAfter), "reddit_malformed_response", false},
		"strange name": {fault.Replace(`"after":"`, `"after":"/../x&`), "reddit_malformed_response", false},
		"a circle":     {fault.Body(circle), "reddit_paging_cycle", false},
		"forbidden":    {fault.Status(403, `{"message":"Forbidden","error":403}`), "reddit_http_403", false},
		"not found":    {fault.Status(404, `{"message":"Not Found","error":404}`), "reddit_http_404", false},
		"server error": {fault.Status(500, ``), "send.attempts_exhausted", false},
		"unauthorized": {fault.Status(401, `{"message":"Unauthorized","error":401}`), "reddit_auth_failed", true},
		"throttled":    {fault.Throttle(""), "reddit_rate_limited", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := furnished(150)
			good := a.Collect(t)
			a.Take("saved", "t3_s5")
			a.Take("hidden", "t3_p4")
			a.Faults.Add(fault.Rule{Match: fault.Path("/user/me/saved"), Times: -1, Fault: c.fault})
			res := good.SecondRun(t, nil)
			code := res.Done.Error.Code
			if !c.ends {
				code = fmt.Sprint(trial.Skips(res), " ", string(res.Skips[0].Diagnostics))
				if !strings.HasPrefix(code, "saved stream_collection_failed ") || len(a.Requests()) < 6 {
					t.Errorf("%s with %d requests, want saved alone to fail", code, len(a.Requests()))
				}
			}
			if res.Done.Status != abi.DoneFailed || !strings.Contains(code, c.code) || strings.Contains(changes(res), "saved") {
				t.Errorf("%s with %s, changes %q, want a failure with %s and none of saved", res.Done.Status, code, changes(res), c.code)
			}
			a.Faults.Clear()
			if next := a.Again(t, res); !strings.Contains(changes(next), "-saved t3_s5") {
				t.Errorf("the next run changes %q, want -saved t3_s5 among it", changes(next))
			}
		})
	}
}

// circle has every page go on behind the same entry.
func circle(b []byte) []byte {
	return []byte(strings.Replace(strings.Replace(string(b), `"after":null`, `"after":"t3_s1"`, 1), `"after":"t3_s50"`, `"after":"t3_s1"`, 1))
}

// emptyAfter has no page say that it is the last one.
func emptyAfter(b []byte) []byte {
	return []byte(strings.Replace(string(b), `"after":null`, `"after":""`, 1))
}

// The consent to a list is missing: the owner can give it.
func TestForbiddenHint(t *testing.T) {
	t.Parallel()
	a := furnished(0)
	a.Faults.Add(fault.Rule{Match: fault.Path("/user/me/hidden"), Times: -1, Fault: fault.Status(403, "")})
	res := a.Failing(t)
	if len(res.Skips) != 1 || string(res.Skips[0].RecoveryHint) != `"refresh_credentials"` {
		t.Errorf("%+v, want one report with refresh_credentials", res.Skips)
	}
}

// RT-23.1: a provider that keeps refusing ends the run under its own name.
func TestRateLimited(t *testing.T) {
	t.Parallel()
	a := furnished(0, func(o *reddit.Options) { o.Limit = 3 })
	res := a.Failing(t)
	if e := res.Done.Error; e == nil || e.Code != "reddit_rate_limited" || !e.Retryable {
		t.Fatalf("%+v, want reddit_rate_limited, to be tried again", res.Done)
	}
}

// An entry without a valid name is reported, and nothing counts as deleted while it is there.
func TestUnreadableEntries(t *testing.T) {
	t.Parallel()
	for name, over := range map[string]map[string]any{
		"no name": {"name": nil}, "another kind": {"name": "t1_odd"}, "a path": {"name": "t3_../x", "id": "../x"}, "no id": {"id": 5},
	} {
		a := furnished(3)
		res := a.Collect(t)
		odd := post("odd")
		odd.Overrides = over
		a.Put("saved", odd)
		a.Take("saved", "t3_s1")
		if res = a.Again(t, res); changes(res) != "" || trial.Skips(res) != "saved reddit_item_unreadable" {
			t.Errorf("%s: changes %q, reports %q, want none and saved reddit_item_unreadable", name, changes(res), trial.Skips(res))
		}
		a.Change(func() { odd.Overrides = nil })
		if res = a.Again(t, res); changes(res) != "-saved t3_s1,saved t3_odd" || trial.Skips(res) != "" {
			t.Errorf("%s: changes %q, reports %q, want -saved t3_s1,saved t3_odd and none", name, changes(res), trial.Skips(res))
		}
	}
}

// A value of an undocumented type becomes null, is reported, and is emitted again when it fits.
func TestSchemaDrift(t *testing.T) {
	t.Parallel()
	a := newAccount()
	odd := post("odd")
	odd.Overrides = map[string]any{"selftext": 5, "over_18": "no", "permalink": []any{}}
	a.Put("submitted", odd)
	res := a.Collect(t)
	got, _ := res.Record("submitted", "t3_odd")
	for _, field := range []string{"selftext", "selftext_len", "over_18", "permalink"} {
		if got.Fields[field] != nil {
			t.Errorf("%s is %v, want null", field, got.Fields[field])
		}
	}
	if trial.Skips(res) == "" {
		t.Error("nothing is reported, want the fields that did not fit")
	}
	if res = a.Again(t, res); len(res.All) != 1 {
		t.Errorf("%d records while it does not fit, want 1, because the host may lack it", len(res.All))
	}
	a.Change(func() { odd.Overrides = nil })
	if res = a.Again(t, res); changes(res) != "submitted t3_odd" {
		t.Errorf("it changes %q, want submitted t3_odd", changes(res))
	}
}

// Another person's sign-in is refused before anything is emitted; a full refresh takes it. A
// name that is no part of a path is refused as well.
func TestAnotherAccount(t *testing.T) {
	t.Parallel()
	a := furnished(0)
	res := a.Collect(t)
	other := newAccount(func(o *reddit.Options) { o.User = "other" })
	other.Put("saved", post("p1"))
	trial.Refused(t, res.SecondRun(t, other.SignIn), "reddit_account_changed")
	full := res.SecondRun(t, func(o *sdktest.Options) { other.SignIn(o); trial.FullRefresh(o) })
	if full.Stored().Len() != 1 {
		t.Errorf("a full refresh leaves %d records, want the one of the other account", full.Stored().Len())
	}
	odd := newAccount(func(o *reddit.Options) { o.User = "../../api" })
	if res := odd.Failing(t); res.Done.Error == nil || res.Done.Error.Code != "reddit_malformed_response" || len(odd.Requests()) != 1 {
		t.Errorf("%+v after %d requests, want reddit_malformed_response after 1", res.Done, len(odd.Requests()))
	}
}

func TestScope(t *testing.T) {
	t.Parallel()
	a := furnished(3)
	late := post("late")
	late.Created = sdktest.Epoch
	a.Put("saved", late)
	for want, scope := range map[string]abi.StreamScope{
		"saved t3_s1":   {Resources: []string{"t3_s1"}},
		"saved t3_late": {TimeRange: &abi.TimeRange{Since: sdktest.Epoch.Format(time.RFC3339)}},
	} {
		res := a.Collect(t, func(o *sdktest.Options) { scope.Name = "saved"; o.Scope = []abi.StreamScope{scope} })
		if changes(res) != want {
			t.Errorf("got %q, want %q", changes(res), want)
		}
	}
}

// RT-08.2: with nobody to ask, the run names the missing credentials.
func TestMissingCredentials(t *testing.T) {
	t.Parallel()
	a := furnished(0)
	res := a.Failing(t, func(o *sdktest.Options) { o.Credentials = nil })
	for _, name := range []string{"REDDIT_CLIENT_ID", "REDDIT_CLIENT_SECRET", "REDDIT_REFRESH_TOKEN"} {
		if res.Done.Error == nil || !strings.Contains(res.Done.Error.Message, name) || len(a.Requests()) != 0 {
			t.Errorf("%+v with %d requests, want %s named and no request", res.Done.Error, len(a.Requests()), name)
		}
	}
}
