package main

import (
	_ "embed"
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

// before is the history below as the version of this connector wrote it that kept the keys
// of its lists in the cursors.
//
//go:embed testdata/history.txt
var before string

// The connector writes the records, tombstones, gaps, reports and failures that it wrote
// before it left the lists of rows to the host.
func TestHistoryIsAsBefore(t *testing.T) {
	t.Parallel()
	trial.SameHistory(t, history(t), before)
}

func history(t *testing.T) string {
	t.Helper()
	var h trial.History
	d := small(7)
	for i := 20; i < 50; i++ {
		d.Stars = append(d.Stars, star(i)) // more pages than are read in each run
	}
	d.Repos[1].Topics, d.Repos[1].License, d.Repos[1].Private, d.Repos[1].PushedAt = []string{"a", "\u00fc"}, "", true, time.Time{}
	d.Gists[1].Files = append(d.Gists[1].Files, github.File{Name: "b \"x\".txt", Size: 0})
	d.Issues[1].Pull, d.Issues[1].Draft, d.Issues[1].Author, d.Issues[1].Body = true, true, "", "text\n\U0001f600"
	d.Issues[2].State, d.Issues[2].Reason, d.Issues[2].ClosedAt, d.Issues[2].Milestone = "closed", "completed", day(40, 0), "v1"
	d.Pulls[2].State, d.Pulls[2].MergedAt, d.Pulls[2].MergedBy, d.Pulls[2].Reason = "closed", day(1100, 0), "you", "completed"
	w := newWorld(t, 3, d)
	res := w.run()
	h.Add("first run", res)
	run := func(step string, change ...trial.Change) {
		t.Helper()
		served := res
		res = w.run(append([]trial.Change{trial.Served(served)}, change...)...)
		h.Add(step, res)
	}
	w.Pass(time.Hour)
	run("nothing new")
	w.p.Edit(func(d *github.Data) {
		d.Repos[0].Description, d.Stars[0].Stars, d.Stars[1].Description = "edited", 999, "edited"
		d.Stars = append(d.Stars, star(60), star(61))
		d.Gists[2].Description, d.Gists[2].UpdatedAt = "edited", w.Now()
		d.Issues[0].Title, d.Issues[0].UpdatedAt = "edited", day(400, 0)
		d.Issues = append(d.Issues, issue(300))
		d.Pulls[1].Title, d.Pulls[1].UpdatedAt = "edited", day(1500, 0)
		d.User.Name, d.User.Followers = "Other", 4
	})
	w.Pass(time.Hour)
	run("edits")
	w.p.Edit(func(d *github.Data) {
		d.Repos, d.Stars, d.Gists = append(d.Repos[:2], d.Repos[3:]...), append(d.Stars[:3], d.Stars[5:]...), d.Gists[1:]
	})
	w.Pass(time.Hour)
	run("removals, not all in the newest part")
	w.Pass(24 * time.Hour)
	run("removals")
	w.p.Faults.Add(
		fault.Rule{Match: fault.Path("/user/repos"), Times: -1, Fault: fault.Replace(`"language":"Go"`, `"language":{"name":"Go"}`)},
		fault.Rule{Match: fault.Path("/issues"), Times: -1, Fault: fault.Replace(`"labels":[`, `"labels":[7,`)},
		fault.Rule{Match: fault.Path("/gists"), Times: -1, Fault: fault.Replace(`"size":12`, `"size":"12 KB"`)},
		fault.Rule{Match: fault.Path("/repos/"), Times: -1, Fault: fault.Replace(`"additions":10`, `"additions":"10"`)},
		fault.Rule{Match: fault.Path("/user/starred"), Times: -1, Fault: fault.Replace(`"starred_at":"2024`, `"starred_at":"yesterday2024`)},
	)
	w.p.Edit(func(d *github.Data) {
		d.Issues[3].UpdatedAt = day(500, 0)
		d.Pulls[4].UpdatedAt = day(1600, 0)
	})
	w.Pass(25 * time.Hour)
	run("odd fields")
	w.p.Faults.Clear()
	w.Pass(25 * time.Hour)
	run("the fields are as before")
	w.p.Faults.Add(fault.Rule{Match: func(r *http.Request) bool { return !strings.HasPrefix(r.URL.Path, "/repos/") }, Times: -1, Fault: fault.Body(func(b []byte) []byte {
		return []byte(strings.NewReplacer(`"id":4,`, `"id":[4],`, `"id":1005,`, `"id":"1005",`, `"id":"`+gistKeys(3, 3)[0]+`"`, `"id":null`).Replace(string(b)))
	})})
	w.p.Edit(func(d *github.Data) {
		d.Repos, d.Stars, d.Gists = d.Repos[1:], d.Stars[2:], d.Gists[:4]
		d.Issues[3].UpdatedAt, d.Pulls[4].UpdatedAt = day(600, 0), day(1700, 0)
	})
	w.Pass(25 * time.Hour)
	run("rows that cannot be read")
	w.p.Faults.Clear()
	w.Pass(25 * time.Hour)
	run("rows that can be read again")
	w.p.Edit(func(d *github.Data) {
		d.Repos = d.Repos[1:]
		d.Pulls[5].UpdatedAt, d.Pulls[6].UpdatedAt, d.Issues[5].UpdatedAt = day(1800, 0), day(1800, 1), day(700, 0)
	})
	w.p.Faults.Add(
		fault.Rule{Match: fault.Path("/user/repos"), Times: -1, Fault: fault.Header("X-GitHub-SSO", "partial-results; organizations=21955855")},
		fault.Rule{Match: fault.Path("/gists"), Times: -1, Fault: fault.Status(403, `{"message":"Resource not accessible"}`)},
		fault.Rule{Match: fault.Path("/repos/me/repo-7/pulls/1006"), Times: -1, Fault: fault.Status(500, "")},
	)
	w.Pass(time.Hour)
	run("a hidden part, a stream and a detail that fail")
	w.p.Faults.Clear()
	w.Pass(time.Hour)
	run("only what is left", func(o *sdktest.Options) { o.RecoveryOnly = true })
	run("to the end")
	w.p.Edit(func(d *github.Data) {
		d.Issues[6].UpdatedAt, d.Issues[4].UpdatedAt = day(800, 0), day(800, 1)
		d.Stars = append(d.Stars, star(70), star(71), star(72), star(73), star(74))
	})
	w.p.Faults.Add(fault.Rule{Match: fault.Path("/user/starred"), After: 1, Times: -1, Fault: fault.Throttle("7")})
	w.Pass(time.Hour)
	run("refused half-way")
	w.p.Faults.Clear()
	w.Pass(time.Hour)
	run("to the end again")
	w.p.Edit(func(d *github.Data) {
		d.Repos, d.Stars, d.Gists = d.Repos[1:], d.Stars[1:], d.Gists[1:]
		d.Stars[0].Stars = 1000
	})
	w.Pass(time.Hour)
	run("a full refresh", trial.FullRefresh)
	w.Pass(time.Hour)
	run("after it")
	w.p.Edit(func(d *github.Data) {
		d.Pulls[0].UpdatedAt, d.Pulls[2].UpdatedAt, d.Pulls[6].UpdatedAt = day(2000, 0), day(2001, 0), day(2002, 0)
	})
	run("at the owner's bound", limits(abi.DetailLimits{MaxFetches: 1, MaxTailGaps: 1}))
	w.Pass(time.Hour)
	run("after the bound")
	w.p.Edit(func(d *github.Data) { d.User.ID = 43 })
	w.Pass(time.Hour)
	run("another account")
	w.p.Edit(func(d *github.Data) { d.User.ID = 42 })
	run("a narrowed run", trial.Only(streamStarred, streamUserStats))
	return h.String()
}
