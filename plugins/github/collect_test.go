package main

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
	"github.com/pdpp-host/pdpp-host/testplugins/providers/github"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/trial"
)

// RT-12.2 for the lane of pull requests.
func TestColdRunCollectsEverything(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2, small(5))
	res := w.OK(w.run())
	if len(res.Skips) != 0 || len(res.Gaps) != 0 {
		t.Errorf("%s, %d gaps, want len(res.Skips) = 0 and len(res.Gaps) = 0", reasons(res), len(res.Gaps))
	}
	w.Holds(streamUser, "42")
	w.Holds(streamUserStats, "42:2026-01-02")
	w.Holds(streamRepositories, keys(1, 5)...)
	w.Holds(streamStarred, keys(1, 5)...)
	w.Holds(streamGists, gistKeys(1, 5)...)
	w.Holds(streamIssues, keys(1, 5)...)
	w.Holds(streamPulls, keys(1001, 1005)...)
	if n := len(res.Changes()); n != 27 {
		t.Errorf("%d records, want 27", n)
	}
	pull := w.Rows[streamPulls]["1003"]
	for field, want := range map[string]any{
		"additions": json.Number("10"), "reactions_total_count": json.Number("2"), "state": "open", "repository_full_name": "me/repo-7", "repository_id": "7",
		"base_ref": "main",
	} {
		if pull.Fields[field] != want {
			t.Errorf("%s = %v, want %v", field, pull.Fields[field], want)
		}
	}
	if c := res.Coverage; len(c) != 1 || len(c[0].RequiredKeys) != 5 || len(c[0].HydratedKeys) != 5 || len(c[0].GapKeys) != 0 {
		t.Errorf("coverage %+v, want len(c) = 1, len(c[0].RequiredKeys) = 5, len(c[0].HydratedKeys) = 5 and len(c[0].GapKeys) = 0", c)
	}
	if got := w.Rows[streamRepositories]["2"]; got.Fields["license_key"] != "mit" || got.Text("owner_login") != "me" {
		t.Errorf("%v, want Fields[\"license_key\"] = mit and Text(\"owner_login\") = me", string(got.Data))
	}
	for stream, cursor := range w.State {
		if !strings.Contains(cursor, `"account":`) {
			t.Errorf("the cursor of %s does not name the account: %s, want %s in it", stream, cursor, `"account":`)
		}
	}
}

// Nothing changed: nothing is emitted, and lists of one page cost no quota.
func TestSecondRunIsEmpty(t *testing.T) {
	t.Parallel()
	for _, perPage := range []int{2, 100} {
		w := newWorld(t, perPage, small(5))
		w.OK(w.run())
		w.Pass(time.Hour)
		w.OK(w.run()) // learns the tags of the questions that follow a run
		w.p.Forget()
		w.Pass(time.Hour)
		res := w.OK(w.run())
		if len(res.Changes()) != 0 {
			t.Errorf("%d a page: %d changes, want 0", perPage, len(res.Changes()))
		}
		for _, r := range w.p.Requests() {
			if perPage == 100 && r.Status != http.StatusNotModified && r.Path != "/search/issues" {
				t.Errorf("%s: status %d, want 304", r.URL, r.Status)
			}
		}
	}
}

func TestEmptyAccount(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 100, small(0))
	res := w.OK(w.run())
	if len(res.All) != 2 || len(res.Skips) != 0 {
		t.Errorf("%d records, %s, want len(res.All) = 2 and len(res.Skips) = 0", len(res.All), reasons(res))
	}
	w.Pass(time.Hour)
	if res := w.OK(w.run()); len(res.Changes()) != 0 {
		t.Errorf("%d changes, want 0", len(res.Changes()))
	}
}

func TestUserStatsOnceADay(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 100, small(0))
	w.OK(w.run())
	w.Pass(time.Hour)
	w.OK(w.run())
	w.Pass(24 * time.Hour)
	res := w.OK(w.run())
	w.Holds(streamUserStats, "42:2026-01-02", "42:2026-01-03")
	if len(changed(res, streamUser)) != 0 {
		t.Error("the user has changed, want it as it was")
	}
}

// RT-07.1: a record deleted at the source becomes a tombstone. Edits of metadata are
// found although no list of changes reports them.
func TestDeletionsAndEdits(t *testing.T) {
	t.Parallel()
	for _, perPage := range []int{2, 100} {
		w := newWorld(t, perPage, small(6))
		w.OK(w.run())
		w.p.Edit(func(d *github.Data) {
			d.Repos = append(d.Repos[:1], d.Repos[2:]...)
			d.Stars = d.Stars[:3]
			d.Gists = append(d.Gists[:4], d.Gists[5:]...)
			d.Repos[0].Description = "edited; neither pushed nor updated"
			d.Stars[0].Stars = 999 // no change of the star
			d.Stars[1].Description = "edited"
		})
		w.Pass(time.Hour)
		res := w.OK(w.run())
		w.Holds(streamRepositories, "1", "3", "4", "5", "6")
		w.Holds(streamStarred, "1", "2", "3")
		w.Holds(streamGists, append(gistKeys(1, 4), gistKeys(6, 6)...)...)
		if buried(res, streamRepositories) != 1 || buried(res, streamStarred) != 3 || buried(res, streamGists) != 1 {
			t.Errorf("tombstones: %d %d %d, want 1, 3 and 1", buried(res, streamRepositories), buried(res, streamStarred), buried(res, streamGists))
		}
		if got := strings.Join(changed(res, streamRepositories), ",") + ";" + strings.Join(changed(res, streamStarred), ","); got != "1;2" {
			t.Errorf("emitted again: %s, want 1;2", got)
		}
		w.Pass(time.Hour)
		if again := w.OK(w.run()); len(again.Changes()) != 0 {
			t.Errorf("the run after: %d changes, want 0", len(again.Changes()))
		}
	}
}

func TestIncremental(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 3, small(8))
	w.OK(w.run())
	w.p.Edit(func(d *github.Data) {
		d.Issues[2].UpdatedAt, d.Issues[2].State = day(400, 0), "closed"
		d.Pulls[1].UpdatedAt, d.Pulls[1].MergedAt, d.Pulls[1].State = day(1500, 0), day(1500, 0), "closed"
		d.Issues = append(d.Issues, issue(300))
		d.Stars = append(d.Stars, star(300))
	})
	w.Pass(time.Hour)
	w.p.Forget()
	res := w.OK(w.run())
	if got := strings.Join(changed(res, streamIssues), ","); got != "300,3" {
		t.Errorf("issues %s, want 300,3", got)
	}
	if got := strings.Join(res.Keys(streamPulls), ","); got != "1002" || w.Rows[streamPulls]["1002"].Text("state") != "merged" {
		t.Errorf("pull requests %s, want got = 1002 and Rows[streamPulls][\"1002\"].Text(\"state\") = merged", got)
	}
	if got := strings.Join(changed(res, streamStarred), ","); got != "300" {
		t.Errorf("stars %s, want 300", got)
	}
	if n := w.count("/repos/"); n != 1 {
		t.Errorf("%d details for one change, want 1", n)
	}
	if n := w.count("/issues"); n != 1 {
		t.Errorf("%d pages of issues for two changes, want 1", n)
	}
}

func TestScopeOfOneStream(t *testing.T) {
	t.Parallel()
	for _, stream := range []string{streamUser, streamUserStats, streamRepositories, streamStarred, streamIssues, streamPulls, streamGists} {
		w := newWorld(t, 100, small(3))
		res := w.OK(w.run(trial.Only(stream)))
		for _, r := range res.All {
			if r.Stream != stream {
				t.Errorf("a run of %s alone emits a record of %s, want none", stream, r.Stream)
			}
		}
		if len(res.All) == 0 {
			t.Errorf("%s: nothing, want len(res.All) not 0", stream)
		}
		if again := w.OK(w.run(trial.Only(stream))); len(again.Changes()) != 0 {
			t.Errorf("%s: %d changes again, want 0", stream, len(again.Changes()))
		}
	}
}

// The same answers make the same calls, byte for byte.
func TestDeterminism(t *testing.T) {
	t.Parallel()
	one := func() string {
		w := newWorld(t, 2, small(7))
		a := w.OK(w.run())
		w.p.Edit(func(d *github.Data) { d.Stars, d.Repos = d.Stars[:2], d.Repos[3:] })
		b := w.OK(w.run())
		return strings.Join(calls(a), "\n") + strings.Join(calls(b), "\n")
	}
	if first := one(); first != one() {
		t.Error("two equal runs differ")
	}
}

// The answers to details may come in any order.
func TestAnswersInAnyOrder(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 100, small(9))
	w.OK(w.run(func(o *sdktest.Options) { o.Completes = sdktest.Last }))
	w.Holds(streamPulls, keys(1001, 1009)...)
}

func TestBaseURL(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2, small(5))
	w.p = github.New(github.Options{Token: trial.Token, Now: w.Now, PerPage: 2}, small(5))
	res := w.OK(w.run(func(o *sdktest.Options) { o.Options = map[string]string{"base_url": "http://127.0.0.1:8080/"} }))
	w.Holds(streamStarred, keys(1, 5)...)
	for _, r := range res.Requests {
		if !strings.HasPrefix(r.URL, "http://127.0.0.1:8080/") || r.Credential != "token" {
			t.Errorf("%s %q, want http://127.0.0.1:8080/ at the start of it and %q", r.URL, r.Credential, "token")
		}
	}
}

// A token of another account would make everything look deleted.
func TestAnotherAccountIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 100, small(3))
	w.OK(w.run())
	w.p.Edit(func(d *github.Data) { *d = small(1); d.User.ID = 43 })
	for _, scope := range []func(*sdktest.Options){trial.Only(), trial.Only(streamStarred)} {
		res := w.run(scope)
		if res.Done.Error == nil || res.Done.Error.Code != codeAccount || len(res.All) != 0 {
			t.Errorf("%+v, %d records, want Done.Error not nil, Done.Error.Code = %v and len(res.All) = 0", res.Done, len(res.All), codeAccount)
		}
	}
}
