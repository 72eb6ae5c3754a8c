package main

import (
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/testplugins/providers/fault"
	"github.com/pdpp-host/pdpp-host/testplugins/providers/github"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/trial"
)

// A page that names itself as the next one ends its stream, and only its stream.
func TestRepeatedNextIsAnError(t *testing.T) {
	t.Parallel()
	for path, stream := range map[string]string{"/user/starred": streamStarred, "/user/repos": streamRepositories, "/gists": streamGists} {
		w := newWorld(t, 2, small(5))
		w.p.LoopNext(path)
		res := w.run()
		if res.Done.Error == nil || res.Done.Error.Code != "stream_collection_failed" || !strings.Contains(res.Done.Error.Message, codePaging) {
			t.Fatalf("%s: %+v, want Done.Error not nil, Done.Error.Code = stream_collection_failed and %v in Done.Error.Message", path, res.Done, codePaging)
		}
		if got := reasons(res); got != stream+":stream_collection_failed" {
			t.Errorf("%s: %s, want %s", path, got, stream+":stream_collection_failed")
		}
		if n := w.count(path); n > 3 {
			t.Errorf("%s: requested %d times, want at most 3", path, n)
		}
		w.Holds(streamIssues, keys(1, 5)...)
		w.Holds(streamPulls, keys(1001, 1005)...)
	}
}

// Issues of one second that fill a page are paged through by Link.
func TestIssuesOfOneSecond(t *testing.T) {
	t.Parallel()
	d := small(9)
	for i := range d.Issues {
		d.Issues[i].UpdatedAt = day(50, 0)
	}
	w := newWorld(t, 2, d)
	w.OK(w.run())
	w.Holds(streamIssues, keys(1, 9)...)
	w.p.LoopNext("/issues")
	w.Pass(time.Hour)
	w.p.Edit(func(d *github.Data) {
		for i := range d.Issues {
			d.Issues[i].UpdatedAt = day(51, 0)
		}
	})
	if res := w.run(); res.Done.Error == nil || !strings.Contains(res.Done.Error.Message, codePaging) {
		t.Errorf("%+v, want Done.Error not nil and %v in Done.Error.Message", res.Done, codePaging)
	}
}

func TestNextElsewhereIsAnError(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2, small(5))
	w.p.Faults.Add(fault.Rule{Match: fault.Path("/user/starred"), Times: -1, Fault: fault.Header(
		"Link", `<https://evil.example/user/starred?page=2>; rel="next"`)})
	res := w.run()
	if got := reasons(res); got != streamStarred+":stream_collection_failed" {
		t.Errorf("%s, want %s", got, streamStarred+":stream_collection_failed")
	}
	for _, r := range res.Requests {
		if !strings.HasPrefix(r.URL, defaultBase+"/") {
			t.Errorf("asked %s, want %v at the start of it", r.URL, defaultBase+"/")
		}
	}
}

// For any rows added or removed while a list is read, no row is lost, and no existing
// row gets a tombstone.
func TestListsThatMoveWhileTheyAreRead(t *testing.T) {
	t.Parallel()
	cases := map[string]func(d *github.Data){
		"removed in front": func(d *github.Data) {
			d.Repos, d.Stars, d.Gists = d.Repos[1:], d.Stars[1:], d.Gists[:len(d.Gists)-1]
			d.Issues, d.Pulls = d.Issues[1:], d.Pulls[:len(d.Pulls)-1]
		},
		"removed behind": func(d *github.Data) {
			d.Repos, d.Stars, d.Gists = d.Repos[:len(d.Repos)-1], d.Stars[:len(d.Stars)-1], d.Gists[1:]
			d.Issues, d.Pulls = d.Issues[:len(d.Issues)-1], d.Pulls[1:]
		},
		"added behind": func(d *github.Data) {
			d.Repos, d.Stars, d.Gists = append(d.Repos, repo(99)), append(d.Stars, star(99)), append(d.Gists, gist(99))
			d.Issues, d.Pulls = append(d.Issues, issue(99)), append(d.Pulls, pullRequest(1099))
		},
		"added in front": func(d *github.Data) {
			d.Repos, d.Stars, d.Gists = append(d.Repos, repo(0)), append(d.Stars, star(0)), append(d.Gists, gist(100))
			d.Repos[len(d.Repos)-1].ID, d.Stars[len(d.Stars)-1].ID = 500, 500
		},
		"the first changed": func(d *github.Data) {
			d.Repos[0].PushedAt, d.Repos[0].UpdatedAt = day(900, 0), day(900, 0)
			d.Issues[0].UpdatedAt, d.Issues[0].Title = day(900, 0), "changed"
			d.Pulls[0].UpdatedAt, d.Pulls[0].Title = day(2000, 0), "changed"
			d.Pulls[8].UpdatedAt, d.Pulls[8].Title = day(2000, 1), "changed"
		},
	}
	paths := map[string]string{
		"/user/repos": streamRepositories, "/user/starred": streamStarred, "/gists": streamGists, "/issues": streamIssues, "/search/issues": streamPulls,
	}
	for name, change := range cases {
		for path, stream := range paths {
			for n := 2; n <= 4; n++ {
				for _, cold := range []bool{true, false} {
					w := newWorld(t, 3, small(12))
					if !cold {
						w.OK(w.run(trial.Only(stream)))
						w.Pass(time.Hour)
					}
					w.at(path, n, func() { w.p.Before(nil); w.p.Edit(change) })
					w.OK(w.run(trial.Only(stream)))
					w.p.Before(nil)
					w.kept(name, stream)
					w.Pass(time.Hour)
					w.OK(w.run(trial.Only(stream)))
					w.same(name, stream)
				}
			}
		}
	}
}

// provided returns the provider's rows of a stream: a text of each row by key.
func (w *world) provided(stream string) map[string]string {
	rows := map[string]string{}
	w.p.Edit(func(d *github.Data) {
		switch stream {
		case streamRepositories:
			for _, r := range d.Repos {
				rows[key(r.ID)] = r.Description
			}
		case streamStarred:
			for _, r := range d.Stars {
				rows[key(r.ID)] = r.Description
			}
		case streamGists:
			for _, g := range d.Gists {
				rows[g.ID] = g.Description
			}
		case streamIssues:
			for _, i := range d.Issues {
				rows[key(i.ID)] = i.Title
			}
		case streamPulls:
			for _, p := range d.Pulls {
				rows[key(p.ID)] = p.Title
			}
		}
	})
	return rows
}

// kept checks that one run skipped no row that existed all the time.
func (w *world) kept(name, stream string) {
	w.T.Helper()
	there := w.provided(stream)
	for _, k := range append(append(keys(1, 12), keys(1001, 1012)...), gistKeys(1, 12)...) {
		if _, ok := there[k]; !ok {
			continue
		}
		if _, ok := w.Rows[stream][k]; !ok {
			w.T.Errorf("%s: %s %s is missing, want every row", name, stream, k)
		}
	}
}

// same compares the store with the provider. Deleted issues and pull requests stay,
// because the API does not report them.
func (w *world) same(name string, streams ...string) {
	w.T.Helper()
	for _, stream := range streams {
		there := w.provided(stream)
		for k, want := range there {
			r, ok := w.Rows[stream][k]
			if got := r.Text("title") + r.Text("description"); !ok || got != want {
				w.T.Errorf("%s: %s %s: got %q, want %q", name, stream, k, got, want)
			}
		}
		if stream != streamIssues && stream != streamPulls && len(w.Rows[stream]) != len(there) {
			w.T.Errorf("%s: %s has %d rows, want %d", name, stream, len(w.Rows[stream]), len(there))
		}
	}
}

func key(id int64) string { return string(appendKey(nil, id)) }

func appendKey(b []byte, id int64) []byte {
	if id >= 10 {
		b = appendKey(b, id/10)
	}
	return append(b, byte('0'+id%10))
}

// A list above the cap is reported. Rows behind the cap get no tombstone, and the
// newest rows are there.
func TestPageCapIsTold(t *testing.T) {
	t.Parallel()
	d := small(0)
	for i := 1; i <= 2*maxPages+50; i++ {
		d.Stars = append(d.Stars, star(i))
		if i <= 250 {
			d.Issues = append(d.Issues, issue(i))
		}
	}
	w := newWorld(t, 1, d)
	res := w.OK(w.run(trial.Only(streamStarred, streamIssues)))
	if got := reasons(res); got != streamStarred+":"+reasonPageCap+","+streamIssues+":policy_budget" {
		t.Errorf("%v, want %v", got, streamStarred+":"+reasonPageCap+","+streamIssues+":policy_budget")
	}
	// Each query of issues begins at the last row of the query before.
	if len(w.Rows[streamStarred]) != 2*maxPages || len(w.Rows[streamIssues]) != maxPages/2 {
		t.Errorf("%d stars, %d issues, want 2*maxPages and %d", len(w.Rows[streamStarred]), len(w.Rows[streamIssues]), maxPages/2)
	}
	if _, ok := w.Rows[streamStarred]["450"]; !ok {
		t.Error("the newest star is missing")
	}
	for range 2 {
		w.Pass(time.Hour)
		res = w.OK(w.run(trial.Only(streamStarred, streamIssues)))
		if buried(res, streamStarred) != 0 {
			t.Error("a row behind the cap got a tombstone")
		}
	}
	w.Holds(streamIssues, keys(1, 250)...)
	if res = w.OK(w.run(trial.Only(streamIssues))); len(res.Changes()) != 0 || reasons(res) != "" {
		t.Errorf("%d changes, %s, want 0 and \"\"", len(res.Changes()), reasons(res))
	}
}

// A long list is read whole once a day, and its newest part between.
func TestLongListCadence(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2, small(40))
	w.OK(w.run(trial.Only(streamRepositories, streamStarred, streamGists)))
	w.p.Edit(func(d *github.Data) {
		d.Stars = append(d.Stars[1:], star(500))
		d.Repos[3].PushedAt, d.Repos[3].Description = day(700, 0), "pushed"
		d.Gists[5].UpdatedAt, d.Gists[5].Description = w.Now(), "edited"
	})
	w.p.Forget()
	w.Pass(time.Hour)
	w.OK(w.run(trial.Only(streamRepositories, streamStarred, streamGists)))
	if w.count("/user/starred") != 2 || w.count("/user/repos") != 2 || w.count("/gists") != 1 {
		t.Errorf("%d, %d, %d pages for what is new, want 2, 2 and 1", w.count("/user/starred"), w.count("/user/repos"), w.count("/gists"))
	}
	w.Holds(streamStarred, append(keys(1, 40), "500")...)
	if w.Rows[streamRepositories]["4"].Text("description") != "pushed" || w.Rows[streamGists][gistKeys(6, 6)[0]].Text("description") != "edited" {
		t.Error("a change was not seen")
	}
	w.Pass(24 * time.Hour)
	res := w.OK(w.run(trial.Only(streamRepositories, streamStarred, streamGists)))
	if buried(res, streamStarred) != 1 {
		t.Error("the removed star has no tombstone")
	}
	w.same("after a day", streamRepositories, streamStarred, streamGists)
}

// A run that is broken off in the newest part must not leave a hole behind it.
func TestBrokenOffNewestPartIsReadAgain(t *testing.T) {
	t.Parallel()
	for stop := 3; stop < 12; stop += 2 {
		w := newWorld(t, 2, small(40))
		w.OK(w.run(trial.Only(streamStarred)))
		w.p.Edit(func(d *github.Data) {
			for i := 100; i < 110; i++ {
				d.Stars = append(d.Stars, star(i))
			}
		})
		w.Pass(time.Hour)
		w.run(trial.Only(streamStarred), trial.StopAfter(stop))
		w.Pass(time.Hour)
		w.OK(w.run(trial.Only(streamStarred)))
		w.Holds(streamStarred, append(keys(1, 40), keys(100, 109)...)...)
	}
}

// Organizations that hide their part make nothing look deleted.
func TestPartialResultsBuryNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 100, small(5))
	w.OK(w.run())
	w.p.Edit(func(d *github.Data) { d.Repos = d.Repos[:2] })
	w.p.Faults.Add(fault.Rule{Match: fault.Path("/user/repos"), Times: -1, Fault: fault.Header(
		"X-GitHub-SSO", "partial-results; organizations=21955855")})
	for range 2 {
		w.Pass(time.Hour)
		res := w.OK(w.run())
		if reasons(res) != streamRepositories+":"+reasonHidden {
			t.Errorf("%v, want %v", reasons(res), streamRepositories+":"+reasonHidden)
		}
		w.Holds(streamRepositories, keys(1, 5)...)
	}
	w.p.Faults.Clear()
	w.Pass(time.Hour)
	w.OK(w.run())
	w.Holds(streamRepositories, keys(1, 2)...)
}
