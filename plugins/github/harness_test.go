package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
	"github.com/pdpp-host/pdpp-host/testplugins/providers/github"
)

const token = "secret-token"

// world is a provider, its clock, and what the runs so far left in a store.
type world struct {
	t     *testing.T
	p     *github.Provider
	clock time.Time

	state map[string]string
	rows  sdktest.Store
}

func newWorld(t *testing.T, perPage int, d github.Data) *world {
	t.Helper()
	w := &world{t: t, clock: sdktest.Epoch, state: map[string]string{}, rows: sdktest.Store{}}
	w.p = github.New(github.Options{Token: token, Now: func() time.Time { return w.clock }, Origin: defaultBase, PerPage: perPage}, d)
	return w
}

// run does one run and keeps what a host would.
func (w *world) run(change ...func(*sdktest.Options)) *sdktest.Result {
	w.t.Helper()
	o := sdktest.Options{
		Provider: w.p, State: w.state, Credentials: map[string]bool{"token": true}, Now: func() time.Time { return w.clock },
	}
	for _, c := range change {
		c(&o)
	}
	res := sdktest.Collect(w.t, connector{}, o)
	conform(w.t, res)
	w.state = res.Committed()
	w.rows.Apply(res)
	for _, text := range append(append([]string{}, res.Logs...), calls(res)...) {
		if strings.Contains(text, token) {
			w.t.Error("the token is in a message")
		}
	}
	return res
}

func calls(res *sdktest.Result) []string {
	var out []string
	for _, c := range res.Calls {
		out = append(out, c.Payload)
	}
	return out
}

func only(streams ...string) func(*sdktest.Options) {
	return func(o *sdktest.Options) { o.Streams = streams }
}

func stopAfter(n int) func(*sdktest.Options) {
	return func(o *sdktest.Options) { o.StopAfter = n }
}

func limits(l abi.DetailLimits) func(*sdktest.Options) {
	return func(o *sdktest.Options) { o.DetailLimits = &l }
}

func (w *world) later(d time.Duration) { w.clock = w.clock.Add(d) }

func (w *world) ok(res *sdktest.Result) *sdktest.Result {
	w.t.Helper()
	if res.Exit != 0 || res.Done.Status != abi.DoneSucceeded {
		w.t.Fatalf("done %+v %+v", res.Done, res.Done.Error)
	}
	return res
}

// holds checks that the store has exactly these keys of a stream.
func (w *world) holds(stream string, keys ...string) {
	w.t.Helper()
	w.rows.Holds(w.t, stream, keys...)
}

var schemas = sync.OnceValue(func() map[string]*jsonschema.Schema {
	var m abi.Manifest
	if err := json.Unmarshal([]byte(manifest), &m); err != nil {
		panic(err)
	}
	compiled := map[string]*jsonschema.Schema{}
	for _, s := range m.Streams {
		c := jsonschema.NewCompiler()
		c.AssertFormat()
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(s.Schema)))
		if err != nil {
			panic(err)
		}
		if err := c.AddResource(s.Name, doc); err != nil {
			panic(err)
		}
		compiled[s.Name] = c.MustCompile(s.Name)
	}
	return compiled
})

// conform holds every record against its stream's schema.
func conform(t *testing.T, res *sdktest.Result) {
	t.Helper()
	for _, rec := range res.All {
		if rec.Delete {
			continue
		}
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(rec.Data)))
		if err != nil {
			t.Fatal(err)
		}
		if err := schemas()[rec.Stream].Validate(doc); err != nil {
			t.Errorf("%s %s: %v\n%s", rec.Stream, rec.Key, err, rec.Data)
		}
	}
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

// at has f called before the n-th request from now on whose path begins so.
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
