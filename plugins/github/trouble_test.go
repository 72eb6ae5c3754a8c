package main

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
	"github.com/pdpp-host/pdpp-host/testplugins/providers/fault"
	"github.com/pdpp-host/pdpp-host/testplugins/providers/github"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/trial"
)

var lists = map[string]string{
	"/user/repos": streamRepositories, "/user/starred": streamStarred, "/gists": streamGists, "/issues": streamIssues, "/search/issues": streamPulls,
}

// One stream that fails is reported, does not stop the others, and is complete after a
// run without the fault.
func TestFaultsOfOneStream(t *testing.T) {
	t.Parallel()
	secondary := `{"message":"You have exceeded a secondary rate limit."}`
	faults := map[string]struct {
		f    fault.Fault
		text string
	}{
		"429 with Retry-After":    {fault.Throttle("30"), "github_rate_limited"},
		"429 without Retry-After": {fault.Throttle(""), "github_rate_limited"},
		"secondary, 403":          {fault.Status(403, secondary, "Retry-After", "60"), "github_rate_limited"},
		"secondary, no header":    {fault.Status(403, secondary), "github_rate_limited"},
		"quota used up":           {fault.Exhausted(5000, sdktest.Epoch.Add(time.Hour)), "github_rate_limited"},
		"no permission":           {fault.Status(403, `{"message":"Resource not accessible by personal access token"}`), "github_http_403"},
		"gone":                    {fault.Status(410, `{"message":"Issues are disabled"}`), "github_http_410"},
		"500":                     {fault.Status(500, "oops"), "retryable status 500"},
		"503":                     {fault.Status(503, ""), "retryable status 503"},
		"broken JSON":             {fault.BrokenJSON(), codeMalformed},
		"a short body":            {fault.Truncated(), codeMalformed},
		"a page for people":       {fault.Status(200, "<html>sorry</html>", "Content-Type", "text/html"), codeMalformed},
		"no list":                 {fault.Status(200, `{"message":"hello"}`), "github_answer_failed"},
		"a 304 out of the blue":   {fault.Status(304, ""), codeMalformed},
	}
	for path, stream := range lists {
		for name, c := range faults {
			w := newWorld(t, 2, small(5))
			w.p.Faults.Add(fault.Rule{Match: fault.Path(path), After: 1, Times: -1, Fault: c.f})
			other := streamStarred
			if stream == other {
				other = streamIssues
			}
			if name == "no list" && stream == streamPulls {
				c.text = codeMalformed // a search has its items under a name
			}
			res := w.run(trial.Only(stream, other))
			if e := res.Done.Error; e == nil || e.Code != "stream_collection_failed" || !e.Retryable || !strings.Contains(e.Message, c.text) {
				t.Errorf("%s, %s: %+v, want e not nil, e.Code = stream_collection_failed, e.Retryable and %v in e.Message", path, name, res.Done.Error, c.text)
			}
			if got := reasons(res); got != stream+":stream_collection_failed" {
				t.Errorf("%s, %s: %s, want %s", path, name, got, stream+":stream_collection_failed")
			}
			if len(w.Rows[other]) != 5 {
				t.Errorf("%s, %s: %s has %d rows, want 5", path, name, other, len(w.Rows[other]))
			}
			w.p.Faults.Clear()
			w.Pass(time.Hour)
			w.OK(w.run(trial.Only(stream, other)))
			w.same(path+", "+name, stream)
		}
	}
}

// RT-23.1 for the request that every run begins with.
func TestRateLimitedAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2, small(1))
	w.p.Faults.Add(fault.Rule{Times: -1, Fault: fault.Throttle("")})
	res := w.run()
	if e := res.Done.Error; e == nil || e.Code != "github_rate_limited" || e.Message != "github_rate_limited" || !e.Retryable {
		t.Errorf("%+v, want e not nil, e.Code = github_rate_limited, e.Message = github_rate_limited and e.Retryable", res.Done.Error)
	}
}

// The token expires at any moment: the run ends there, says what to do, and nothing is
// lost.
func TestTokenExpiresMidRun(t *testing.T) {
	t.Parallel()
	for n := range 30 {
		w := newWorld(t, 2, small(5))
		w.p.ExpireToken(n)
		res := w.run()
		if res.Done.Status == abi.DoneSucceeded {
			break
		}
		if e := res.Done.Error; e == nil || e.Code != codeAuthFailed || !strings.Contains(string(e.RecoveryHint), "refresh_credentials") {
			t.Fatalf("after %d: %+v, want e not nil, e.Code = %v and refresh_credentials in e.RecoveryHint", n, res.Done.Error, codeAuthFailed)
		}
		asked := len(w.p.Requests())
		if asked > n+5 {
			t.Errorf("after %d: %d requests were made, want at most %d", n, asked, n+5)
		}
		w.p.RenewToken()
		w.Pass(time.Hour)
		w.OK(w.run())
		w.same("expired", streamRepositories, streamStarred, streamGists, streamIssues, streamPulls)
	}
}

func TestMissingCredentials(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2, small(1))
	res := w.run(func(o *sdktest.Options) { o.Credentials = nil })
	if e := res.Done.Error; e == nil || !strings.Contains(e.Message, "GITHUB_PERSONAL_ACCESS_TOKEN") || len(res.Requests) != 0 {
		t.Errorf("%+v, want e not nil, GITHUB_PERSONAL_ACCESS_TOKEN in e.Message and len(res.Requests) = 0", res.Done)
	}
}

// A stop at any call, and then runs to the end: nothing lost, little repeated.
func TestResumeAfterEveryStop(t *testing.T) {
	t.Parallel()
	whole := newWorld(t, 2, small(5))
	total := len(whole.OK(whole.run()).Calls)
	for stop := 1; stop <= total; stop++ {
		w := newWorld(t, 2, small(5))
		first := w.run(trial.StopAfter(stop))
		if first.Done.Status != abi.DoneCancelled && first.Done.Status != abi.DoneSucceeded {
			t.Fatalf("stop %d: %+v, want cancelled or succeeded", stop, first.Done)
		}
		w.Pass(time.Minute)
		second := w.OK(w.run())
		w.same("stopped", streamRepositories, streamStarred, streamGists, streamIssues, streamPulls)
		if again := len(first.Changes()) + len(second.Changes()) - len(whole.run0()); again != 0 {
			t.Errorf("stop %d: %d changes twice, want none", stop, again)
		}
		if len(second.Gaps) > 0 {
			t.Errorf("stop %d: gaps %v, want len(second.Gaps) = 0", stop, second.Gaps)
		}
	}
}

// run0 returns the records of a first run without a stop.
func (w *world) run0() []sdktest.Record {
	var all []sdktest.Record
	for _, rows := range w.Rows {
		for _, r := range rows {
			all = append(all, r)
		}
	}
	return all
}

// A field of another type becomes null and is reported. A row that cannot be a record
// is reported, and a later build reads it again.
func TestSchemaDrift(t *testing.T) {
	t.Parallel()
	for path, stream := range lists {
		w := newWorld(t, 3, small(5))
		w.p.Faults.Add(fault.Rule{Match: fault.Path(path), Times: -1, Fault: fault.Body(func(b []byte) []byte {
			return []byte(strings.NewReplacer(
				`"id":3,`, `"id":[3],`, `"id":1003,`, `"id":"1003",`, `"id":"`+gistKeys(3, 3)[0]+`"`, `"id":null`,
			).Replace(string(b)))
		})})
		res := w.run()
		found := false
		for _, s := range res.Skips {
			found = found || s.Stream == stream && s.Reason == reasonShape && strings.Contains(string(s.Diagnostics), `"count":`)
		}
		if !found {
			t.Errorf("%s: reported %s, want the changed shape among it", path, reasons(res))
		}
		if len(w.Rows[stream]) != 4 {
			t.Errorf("%s: %d rows; one of five was spoiled, want 4", path, len(w.Rows[stream]))
		}
		w.p.Faults.Clear()
		w.Pass(time.Hour)
		for name, cursor := range w.State { // as another build would find them
			w.State[name] = strings.Replace(cursor, `"v":2`, `"v":1`, 1)
		}
		w.OK(w.run())
		w.same("after an upgrade: "+path, stream)
	}
}

func TestOddFieldsBecomeNull(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 100, small(3))
	w.p.Faults.Add(
		fault.Rule{Match: fault.Path("/user/repos"), Times: -1, Fault: fault.Replace(`"language":"Go"`, `"language":{"name":"Go"}`)},
		fault.Rule{Match: fault.Path("/issues"), Times: -1, Fault: fault.Replace(`"labels":[`, `"labels":[7,`)},
		fault.Rule{Match: fault.Path("/gists"), Times: -1, Fault: fault.Replace(`"size":12`, `"size":"12 KB"`)},
		fault.Rule{Match: fault.Path("/repos/"), Times: -1, Fault: fault.Replace(`"additions":10,`, ``)},
		fault.Rule{Match: fault.Path("/user/starred"), Times: -1, Fault: fault.Replace(`"starred_at":"2024`, `"starred_at":"yesterday2024`)},
	)
	res := w.OK(w.run())
	for stream, field := range map[string]string{
		streamRepositories: "language", streamIssues: "labels", streamGists: "files", streamPulls: "additions", streamStarred: "starred_at",
	} {
		told := false
		for _, s := range res.Skips {
			var d struct {
				Count  int      `json:"count"`
				Fields []string `json:"fields"`
			}
			if s.Stream == stream && s.Reason == "field_type_changed" && json.Unmarshal(s.Diagnostics, &d) == nil {
				told = d.Count == 3 && len(d.Fields) == 1 && d.Fields[0] == field
			}
		}
		if !told || len(w.Rows[stream]) != 3 {
			t.Errorf("%s: %d rows, %s reported: %t, want 3 rows and the field reported", stream, len(w.Rows[stream]), field, told)
		}
		for _, r := range w.Rows[stream] {
			if v, ok := r.Fields[field]; field != "files" && (!ok || v != nil) {
				t.Errorf("%s %s = %v, want null", stream, field, v)
			}
		}
	}
}

// With the documented limits enforced a run stays within them as far as the
// host paces it: here the clock moves a second with each request.
func TestWithinTheDocumentedLimits(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2, small(5))
	w.p = github.New(github.Options{Token: trial.Token, Now: w.Now, Origin: defaultBase, Enforce: true}, small(40))
	w.p.Before(func(_ int, r *http.Request) {
		w.Pass(time.Second)
		if strings.HasPrefix(r.URL.Path, "/search/") {
			w.Pass(time.Second)
		}
	})
	w.OK(w.run())
	w.same("limits", streamPulls)
}
