package main

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
	"github.com/pdpp-host/pdpp-host/testplugins/providers/fault"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/trial"
)

var fuzzedPaths = []string{"/user", "/user/repos", "/user/starred", "/gists", "/issues", "/search/issues", "/repos/"}

// For any answer of a provider the run ends, sends a bounded number of requests to the
// API only, and emits only messages that the host accepts.
func FuzzAnswers(f *testing.F) {
	f.Add(uint8(0), []byte(`{"id":42,"login":"me"}`), ``, 200)
	f.Add(uint8(1), []byte(`[{"id":1,"full_name":"a/b","topics":["x"]},{"id":null},7,{"id":1e3,"full_name":"\ud800"}]`), `<https://api.github.com/x>; rel="next"`, 200)
	f.Add(uint8(2), []byte(`[{"starred_at":"2024-01-01T00:00:00Z","repo":{"id":1,"full_name":"a/b"}}]`), `<https://api.github.com/user/starred?page=2>; rel="prev next"`, 200)
	f.Add(uint8(3), []byte(`[{"id":"abc","files":{"a":{"size":1},"b":3},"public":true}]`), ``, 200)
	f.Add(uint8(4), []byte(`[{"id":1,"updated_at":"2024-01-01T00:00:00Z","labels":["a",{"name":"b"}],"pull_request":{}}]`), `<https://api.github.com/issues?page=2>; rel="next"`, 200)
	f.Add(uint8(5), []byte(`{"total_count":5000,"incomplete_results":true,"items":[{"id":1,"number":2,"repository_url":"https://x/repos/a/b","updated_at":"2024-01-01T00:00:00Z"}]}`), ``, 200)
	f.Add(uint8(5), []byte(`{"total_count":99,"items":[]}`), ``, 200)
	f.Add(uint8(6), []byte(`{"number":1001,"merged_at":"x","base":{"repo":[]},"assignees":{}}`), ``, 200)
	f.Add(uint8(6), []byte(``), ``, 304)
	f.Fuzz(func(t *testing.T, which uint8, body []byte, link string, status int) {
		if status < 200 || status > 599 {
			status = 200
		}
		w := newWorld(t, 100, small(2))
		path := fuzzedPaths[int(which)%len(fuzzedPaths)]
		match := func(r *http.Request) bool {
			return r.URL.Path == path || path == "/repos/" && strings.HasPrefix(r.URL.Path, path)
		}
		if strings.ContainsAny(link, "\r\n\x00") {
			link = ""
		}
		w.p.Faults.Add(fault.Rule{Match: match, Times: -1, Fault: fault.Status(status, string(body), "Link", link)})
		for range 2 {
			res := w.run()
			if res.Exit != 0 {
				t.Fatalf("exit %d, want 0", res.Exit)
			}
			for _, r := range res.Requests {
				if !strings.HasPrefix(r.URL, defaultBase+"/") {
					t.Fatalf("asked %s, want %v at the start of it", r.URL, defaultBase+"/")
				}
			}
			if len(res.Requests) > 2*maxPages+50 {
				t.Fatalf("%d requests, want at most 2*maxPages+50", len(res.Requests))
			}
			w.Pass(time.Hour)
		}
	})
}

// A cursor from elsewhere is read without harm.
func FuzzCursors(f *testing.F) {
	f.Add([]byte(`{"account":"42","format":1,"inventory_at":"2026-01-01T00:00:00Z","pages":1,"etag":"W/\"x\"","items":{"1":5,"2":-7,"x y":1}}`))
	f.Add([]byte(`{"account":"42","format":1,"last_updated_at":"2024-02-01T00:00:00Z","pending":[["2008-01-01T00:00:00Z","2024-01-01T00:00:00Z"],[1],7],"recent":{"1":[1,2],"2":[],"3":7}}`))
	f.Add([]byte(`{"v":2,"inventory_at":"2026-01-01T00:00:00Z","pages":12,"etag":"x","newest":"2024-01-01T00:00:00Z","begun_by":"r","page":"https://api.github.com/gists","known":{"1":"3abcdefg"}}`))
	f.Add([]byte(`{"v":2,"last_updated_at":"2024-02-01T00:00:00Z","pending":[{"from":"2008-01-01T00:00:00Z"},7],"recent":{"1":5},"tag":"x","partial":true}`))
	f.Add([]byte(`{"format":0,"revisit_from":"1990-01-01T00:00:00Z","last_updated_at":"x","partial":"yes","overflow":1}`))
	f.Fuzz(func(t *testing.T, cursor []byte) {
		v, err := jsonvalue.Parse(cursor)
		if err != nil || v.Kind() != jsonvalue.Object || v.Get("account").Exists() {
			t.Skip()
		}
		text := string(v.AppendJSON(nil))
		w := newWorld(t, 100, small(2))
		for _, mode := range []func(*sdktest.Options){trial.Only(), trial.FullRefresh} {
			for _, stream := range []string{streamUser, streamUserStats, streamRepositories, streamStarred, streamGists, streamIssues, streamPulls} {
				w.State[stream] = text
			}
			if res := w.run(mode); res.Exit != 0 || len(res.Requests) > 300 {
				t.Fatalf("%+v, %d requests, want Exit = 0 and len(res.Requests) at most 300", res.Done, len(res.Requests))
			}
		}
	})
}

func FuzzLocators(f *testing.F) {
	p := pull{id: "7", repo: "a/b", number: 9, reactions: 3}
	f.Add(p.locator())
	f.Add([]byte(`{"id":"1","repository":"a/../b","number":1}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		p, ok := readLocator(text)
		if !ok {
			return
		}
		if strings.Count(p.repo, "/") != 1 || strings.ContainsAny(p.repo, "?#%\\ ") || strings.Contains(p.repo, "..") && isDots(p.repo) {
			t.Errorf("%q was read as a repository, want OWNER/NAME", p.repo)
		}
		if again, ok := readLocator(p.locator()); !ok || again.id != p.id || again.repo != p.repo || again.number != p.number {
			t.Errorf("%+v became %+v, want ok, again.id = %v, again.repo = %v and again.number = %v", p, again, p.id, p.repo, p.number)
		}
	})
}

func isDots(repo string) bool {
	owner, name, _ := strings.Cut(repo, "/")
	return owner == ".." || name == ".." || owner == "." || name == "."
}
