package sites

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/testplugins/contract"
	"github.com/pdpp-host/pdpp-host/testplugins/providers/reddit"
	"github.com/pdpp-host/pdpp-host/testplugins/rig"
)

// redditWorld is a host that runs reddit_web over an account with a little of everything.
func redditWorld(t *testing.T, saved int) (*world, *Reddit, *owner) {
	t.Helper()
	lists := reddit.New(reddit.Options{User: "ana"})
	thing := func(id string, comment bool) *reddit.Thing {
		return &reddit.Thing{ID: id, Comment: comment, Title: "Title of " + id, Text: "words & " + id, Created: time.Unix(1.7e9, 0)}
	}
	for i := range saved {
		lists.Put("saved", thing(fmt.Sprint("s", i), i%2 == 1))
	}
	lists.Put("submitted", thing("p", false))
	lists.Put("comments", thing("c", true))
	site := &Reddit{Username: "ana", Password: password, Code: code, Lists: lists}
	server := Serve(site)
	t.Cleanup(server.Close)
	w := newWorldOf(t, server, "reddit_web")
	w.unpaced = true
	o := &owner{}
	w.secrets, w.asker = map[string]string{"username": "ana", "password": password}, o
	return w, site, o
}

// T1: reddit_web signs its owner in at a page whose script asks for the code, reads lists of
// several pages as JSON, asks again when the site is busy or in trouble, and counts each request once; the next
// run asks nobody, and deletes what has left a list. Neither secrets nor the session stand
// anywhere in clear (BR-07, BR-13, BR-18.2, Invariant 5).
func TestReddit(t *testing.T) {
	t.Parallel()
	w, site, o := redditWorld(t, 150)
	var throttled atomic.Int64
	site.Fault = func(r *http.Request) int {
		if r.URL.Path == "/user/ana/saved.json" {
			switch throttled.Add(1) {
			case 1:
				return http.StatusTooManyRequests
			case 2:
				return http.StatusBadGateway
			}
		}
		return 0
	}
	for n, want := range []run.RecordCounts{{Upserted: 150}, {Unchanged: 149, Deleted: 1}} {
		before := len(w.site.Hits())
		if n == 1 {
			site.Lists.Take("saved", "t3_s6")
		}
		res := w.collect()
		got := res.Records["saved"]
		if res.Status != run.StatusSucceeded || got.Upserted != want.Upserted || got.Deleted != want.Deleted {
			t.Fatalf("run %d: got %s %s %+v, records %+v, want %+v of saved", n+1, res.Status, res.Reason, res.Error, res.Records, want)
		}
		if o.asked.Load() != 1 || site.Tries() != 1 {
			t.Errorf("run %d: got %d questions and %d passwords, want one of each in the first run alone", n+1, o.asked.Load(), site.Tries())
		}
		if d := w.sessions[n].DoubleWaits(); d != 0 {
			t.Errorf("run %d: %d requests waited twice, want none (RT-20.3)", n+1, d)
		}
		// The page that is left when the owner is signed in may take one along.
		if got, want := res.Requests.Sent, int64(len(w.site.Hits())-before); got != want && (n == 1 || got != want+1) {
			t.Errorf("run %d: the run counts %d requests, the site got %d, want each once", n+1, got, want)
		}
		t.Logf("run %d: %d ms, %d requests", n+1, res.DurationMS, res.Requests.Sent)
	}
	w.unseen(t, password, code)
}

// A password that was changed at the site is refused once and not sent again by itself; with the
// new one the owner is asked for a code anew.
func TestRedditPasswordChanged(t *testing.T) {
	t.Parallel()
	w, site, o := redditWorld(t, 3)
	if res := w.collect(); res.Status != run.StatusSucceeded {
		t.Fatalf("got %s %+v, want it to succeed", res.Status, res.Error)
	}
	const changed = "canary-changed"
	site.Change(func() { site.Password, site.sessions = changed, nil })
	res := w.collect()
	if res.Error == nil || res.Error.Code != "reddit_web_auth_failed" || res.Error.Retryable || site.Tries() != 2 || res.Records["saved"].Deleted != 0 {
		t.Fatalf("got %+v after %d passwords, want reddit_web_auth_failed, once", res.Error, site.Tries())
	}
	w.secrets["password"] = changed
	if res := w.collect(); res.Status != run.StatusSucceeded || o.asked.Load() != 2 {
		t.Errorf("got %s %+v after %d questions, want it to succeed after one more", res.Status, res.Error, o.asked.Load())
	}
	w.unseen(t, password, changed, code)
}

// Each thing that goes wrong at the site ends the run with a code that says so, and deletes
// nothing.
func TestRedditTrouble(t *testing.T) {
	t.Parallel()
	w, site, o := redditWorld(t, 120)
	if res := w.collect(); res.Status != run.StatusSucceeded {
		t.Fatalf("got %s %+v, want it to succeed", res.Status, res.Error)
	}
	list := func(r *http.Request) bool { return strings.HasPrefix(r.URL.Path, "/user/ana/saved") }
	for _, c := range []struct {
		name, code string
		change     func()
	}{
		{"signed out in the middle", "reddit_web_session_required", func() {
			site.Fault = func(r *http.Request) int {
				if list(r) && r.URL.Query().Get("after") != "" {
					site.SignOut()
				}
				return 0
			}
		}},
		{"another form", "reddit_web_page_changed", func() { site.sessions, site.Redrawn = nil, true }},
		{"a wrong code", "reddit_web_code_refused", func() { site.Code = "another" }},
		{"turned away", "reddit_web_blocked", func() {
			site.Code = code
			site.Blocked = func(r *http.Request) bool { return list(r) }
		}},
	} {
		site.Change(c.change)
		res := w.collect()
		got := ""
		if res.Error != nil {
			got = res.Error.Code
		}
		if got != c.code || res.Records["saved"].Deleted != 0 {
			t.Errorf("%s: got %s %+v, records %+v; want %s, and nothing deleted", c.name, res.Status, res.Error, res.Records, c.code)
		}
		site.Change(func() { site.Fault, site.Blocked, site.Redrawn = nil, nil, false })
	}
	if res := w.collect(); res.Status != run.StatusSucceeded {
		t.Errorf("afterwards: got %s %+v, want it to succeed", res.Status, res.Error)
	}
	if site.Tries() != 3 || o.asked.Load() != 3 { // of the first run, the wrong code and the next
		t.Errorf("got %d passwords and %d questions, want each asked for when it was needed alone", site.Tries(), o.asked.Load())
	}
	w.unseen(t, password, code)
}

// TestContract checks reddit_web against the contract of the ABI in a browser, as TestContractSuite
// of testplugins/chain checks the connectors of APIs.
func TestRedditContract(t *testing.T) {
	t.Parallel()
	w, site, _ := redditWorld(t, 6)
	site.Code = "" // the suite knows none
	other := rig.Engine(t, plugin.IsolationInline, plugin.DefaultLimits())
	report, err := contract.Check(t.Context(), contract.Options{
		File: w.file, Engine: w.engine, Second: other, Dir: t.TempDir(), Sender: w, Browser: (*machine)(w),
		Getenv: func(_, variable string) string {
			return map[string]string{"REDDIT_USERNAME": "ana", "REDDIT_PASSWORD": password}[variable]
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	passed := 0
	for _, c := range report.Clauses {
		switch {
		case c.Outcome == contract.Pass:
			passed++
		// At stop.complies the suite has no site, so the run is over at once.
		case c.Outcome == contract.Fail || c.ID != "collect.empty" && c.ID != "collect.files" && c.ID != "stop.complies":
			t.Errorf("%s %s: %s: %s, want it to pass", c.Outcome, c.ID, c.Title, c.Detail)
		}
	}
	t.Logf("%d clauses passed, %d records", passed, report.Records)
	if report.Records == 0 {
		t.Error("got no records, want those of the site")
	}
}
