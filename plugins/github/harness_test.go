package main

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
	"github.com/pdpp-host/pdpp-host/testplugins/providers/github"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/trial"
)

const (
	defaultBase     = "https://api.github.com"
	codeMalformed   = "github_malformed_response"
	codeRateLimited = "github_rate_limited"
	codePaging      = "github_paging_invalid"
	codeAuthFailed  = "github_auth_failed"
	codeAccount     = "github_account_changed"
)

var (
	reasonShape  = unreadable.Reason
	reasonHidden = hidden.Reason
)

var schemas = trial.SchemasOf(manifest)

// world is a provider and a store with the results of the runs so far.
type world struct {
	*trial.World

	p *github.Provider
}

func newWorld(t *testing.T, perPage int, d github.Data) *world {
	t.Helper()
	w := &world{World: trial.NewWorld(t, connector{}, schemas)}
	w.p = github.New(github.Options{Token: trial.Token, Now: w.Now, Origin: defaultBase, PerPage: perPage}, d)
	return w
}

func (w *world) run(change ...trial.Change) *sdktest.Result {
	w.T.Helper()
	return w.Play(w.p, change...)
}

func calls(res *sdktest.Result) []string {
	var out []string
	for _, c := range res.Calls {
		out = append(out, c.Payload)
	}
	return out
}

func limits(l abi.DetailLimits) trial.Change {
	return func(o *sdktest.Options) { o.DetailLimits = &l }
}

func reasons(res *sdktest.Result) string {
	var list []string
	for _, s := range res.Skips {
		list = append(list, s.Stream+":"+s.Reason)
	}
	return strings.Join(list, ",")
}

// day is a time of the data: days and seconds after the beginning of 2024.
func day(days, seconds int) time.Time {
	return time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, days).Add(time.Duration(seconds) * time.Second)
}

func repo(id int) github.Repo {
	return github.Repo{
		ID: int64(id), FullName: "me/repo-" + strconv.Itoa(id), Description: "number " + strconv.Itoa(id), Language: "Go", License: "mit",
		Topics: []string{"a"}, Stars: 3, CreatedAt: day(id, 0), UpdatedAt: day(id, 1), PushedAt: day(id, 2),
	}
}

func star(id int) github.Star { return github.Star{Repo: repo(id), StarredAt: day(id, 5)} }

func gist(id int) github.Gist {
	return github.Gist{
		ID: fmt.Sprintf("%032x", id), Public: true, Files: []github.File{{Name: "a.go", Language: "Go", Size: 12}},
		CreatedAt: day(id, 0), UpdatedAt: day(id, 1),
	}
}

func issue(id int) github.Issue {
	return github.Issue{
		ID: int64(id), Number: int64(id), Repo: repo(7), Title: "issue " + strconv.Itoa(id), State: "open", Author: "me",
		Labels: []string{"bug"}, Assignees: []string{"me"}, Reactions: 2, CreatedAt: day(id, 0), UpdatedAt: day(id, 30),
	}
}

func pullRequest(id int) github.Pull {
	i := issue(id)
	i.Pull, i.Title = true, "pull "+strconv.Itoa(id)
	return github.Pull{Issue: i, Commits: 2, Additions: 10, Deletions: 3, ChangedFiles: 1, Base: "main", Head: "topic", Reviewers: []string{"you"}}
}

// small is an account with n of each.
func small(n int) github.Data {
	d := github.Data{User: github.User{
		ID: 42, Login: "me", Name: "Me", PublicRepos: int64(n), Followers: 3, CreatedAt: day(0, 0), UpdatedAt: day(0, 0), AvatarURL: "https://a.example/42",
	}}
	for i := 1; i <= n; i++ {
		d.Repos = append(d.Repos, repo(i))
		d.Stars = append(d.Stars, star(i))
		d.Gists = append(d.Gists, gist(i))
		d.Issues = append(d.Issues, issue(i))
		d.Pulls = append(d.Pulls, pullRequest(1000+i))
	}
	return d
}

func keys(from, to int) []string {
	var out []string
	for i := from; i <= to; i++ {
		out = append(out, strconv.Itoa(i))
	}
	return out
}

func gistKeys(from, to int) []string {
	var out []string
	for i := from; i <= to; i++ {
		out = append(out, fmt.Sprintf("%032x", i))
	}
	return out
}

// at calls f before the n-th request from now on whose path begins with path.
func (w *world) at(path string, n int, f func()) {
	seen := 0
	w.p.Before(func(_ int, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, path) {
			if seen++; seen == n {
				f()
			}
		}
	})
}

func (w *world) count(path string) int {
	n := 0
	for _, r := range w.p.Requests() {
		if strings.HasPrefix(r.Path, path) {
			n++
		}
	}
	return n
}

// changed lists the keys of a stream's records that a run changed at the host, as they came.
func changed(res *sdktest.Result, stream string) (keys []string) {
	for _, r := range res.Changes() {
		if r.Stream == stream && !r.Delete {
			keys = append(keys, r.Key)
		}
	}
	return keys
}

// buried counts the records of a stream that a run has turned into tombstones.
func buried(res *sdktest.Result, stream string) (n int) {
	for _, r := range res.Changes() {
		if r.Stream == stream && r.Delete {
			n++
		}
	}
	return n
}
