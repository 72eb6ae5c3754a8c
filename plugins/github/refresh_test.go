package main

import (
	"embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
	"github.com/pdpp-host/pdpp-host/testplugins/providers/fault"
	"github.com/pdpp-host/pdpp-host/testplugins/providers/github"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/trial"
)

// emitted lists the keys of a stream's records that came, each once.
func emitted(res *sdktest.Result, stream string) []string {
	list := res.Keys(stream)
	slices.Sort(list)
	return slices.Compact(list)
}

// compared are the streams that are lists.
var compared = []string{streamRepositories, streamStarred, streamGists}

// remove takes one repository, two stars and one gist away.
func remove(d *github.Data) {
	d.Repos = append(d.Repos[:1], d.Repos[2:]...)
	d.Stars = d.Stars[:4]
	d.Gists = append(d.Gists[:4], d.Gists[5:]...)
}

// RT-07.1 for a full refresh: everything comes again, once, and rows that vanished
// since the run before become tombstones.
func TestFullRefreshBuriesWhatVanished(t *testing.T) {
	t.Parallel()
	for _, perPage := range []int{2, 100} {
		w := newWorld(t, perPage, small(6))
		w.OK(w.run())
		w.p.Edit(remove)
		w.Pass(time.Hour)
		res := w.OK(w.run(trial.FullRefresh))
		w.same("refreshed", compared...)
		for stream, want := range map[string][2]int{streamRepositories: {5, 1}, streamStarred: {4, 2}, streamGists: {5, 1}} {
			if r, d := len(emitted(res, stream)), buried(res, stream); r != want[0] || d != want[1] {
				t.Errorf("%d a page, %s: %d records and %d tombstones, want %v", perPage, stream, r, d, want)
			}
		}
		for stream, n := range map[string]int{streamUser: 1, streamUserStats: 1, streamIssues: 6, streamPulls: 6} {
			if r, d := len(emitted(res, stream)), buried(res, stream); r != n || d != 0 {
				t.Errorf("%s: %d records and %d tombstones, want %d and 0", stream, r, d, n)
			}
		}
		w.Pass(time.Hour)
		if again := w.OK(w.run()); len(again.Changes()) != 0 {
			t.Errorf("the run after: %d changes, want 0", len(again.Changes()))
		}
	}
}

// When nothing vanished, or no earlier cursor exists, a full refresh equals a first
// run.
func TestFullRefreshIsAFirstRun(t *testing.T) {
	t.Parallel()
	text := func(res *sdktest.Result) (out string) {
		for _, r := range res.All {
			out += fmt.Sprintln(r.Stream, r.Key, r.Delete, string(r.Data))
		}
		for _, r := range res.Requests {
			out += fmt.Sprintln(r.URL)
		}
		return out
	}
	for _, perPage := range []int{2, 100} {
		cold := newWorld(t, perPage, small(6))
		run := cold.OK(cold.run())
		first, records := strings.Join(calls(run), "\n"), text(run)
		bare := newWorld(t, perPage, small(6))
		if got := calls(bare.OK(bare.run(trial.FullRefresh))); strings.ReplaceAll(strings.Join(got, "\n"), abi.ModeFullRefresh, abi.ModeIncremental) != first {
			t.Errorf("%d a page: a full refresh without cursors differs from a first run", perPage)
		}
		before := cold.State
		res := cold.OK(cold.run(trial.FullRefresh))
		if text(res) != records {
			t.Errorf("%d a page: a full refresh of the same differs from a first run", perPage)
		}
		for stream := range before {
			if cold.State[stream] != before[stream] {
				t.Errorf("%s: cursor %s, want %s as before", stream, cold.State[stream], before[stream])
			}
		}
	}
}

// A row that a full refresh could not look for gets no tombstone and stays remembered,
// and a later run buries it.
func TestFullRefreshOfAPartBuriesNothing(t *testing.T) {
	t.Parallel()
	spoil := map[string]fault.Fault{
		"hidden":     fault.Header("X-GitHub-SSO", "partial-results; organizations=21955855"),
		"unreadable": fault.Body(func(b []byte) []byte { return []byte(strings.Replace(string(b), `"id":3,`, `"id":[3],`, 1)) }),
		"broken off": fault.Throttle(""),
	}
	for name, f := range spoil {
		for _, perPage := range []int{2, 100} {
			w := newWorld(t, perPage, small(6))
			w.OK(w.run(trial.Only(streamRepositories, streamStarred)))
			w.p.Edit(func(d *github.Data) { d.Repos = d.Repos[:4] })
			after := 0
			if name == "broken off" && perPage == 2 {
				after = 1 // the first page arrived, with its cursor
			}
			w.p.Faults.Add(fault.Rule{Match: fault.Path("/user/repos"), After: after, Times: -1, Fault: f})
			w.Pass(time.Hour)
			res := w.run(trial.Only(streamRepositories, streamStarred), trial.FullRefresh)
			if n := buried(res, streamRepositories); n != 0 {
				t.Errorf("%s, %d a page: %d tombstones, want 0", name, perPage, n)
			}
			w.Holds(streamRepositories, keys(1, 6)...)
			w.p.Faults.Clear()
			w.Pass(time.Hour)
			res = w.OK(w.run(trial.Only(streamRepositories, streamStarred)))
			if n := buried(res, streamRepositories); n != 2 {
				t.Errorf("%s, %d a page: %d tombstones in the run after, want 2", name, perPage, n)
			}
			w.same(name, streamRepositories, streamStarred)
		}
	}
}

// A full refresh of a list above the cap buries nothing and keeps the keys.
func TestFullRefreshAboveTheCap(t *testing.T) {
	t.Parallel()
	d := small(0)
	for i := 1; i <= maxPages+20; i++ {
		d.Stars = append(d.Stars, star(i))
	}
	w := newWorld(t, 1, d)
	w.OK(w.run(trial.Only(streamStarred)))
	w.p.Edit(func(d *github.Data) { d.Stars = d.Stars[1:] })
	w.Pass(time.Hour)
	if res := w.OK(w.run(trial.Only(streamStarred), trial.FullRefresh)); buried(res, streamStarred) != 0 {
		t.Error("a tombstone above the cap")
	}
	w.p.Edit(func(d *github.Data) { d.Stars = d.Stars[:50] })
	w.Pass(25 * time.Hour)
	w.OK(w.run(trial.Only(streamStarred)))
	w.Holds(streamStarred, keys(2, 51)...)
}

// A list that moves while a full refresh reads it loses no row.
func TestFullRefreshOfAListThatMoves(t *testing.T) {
	t.Parallel()
	for n := 2; n <= 6; n++ {
		w := newWorld(t, 3, small(12))
		w.OK(w.run(trial.Only(streamStarred)))
		w.Pass(time.Hour)
		w.at("/user/starred", n, func() { w.p.Before(nil); w.p.Edit(func(d *github.Data) { d.Stars = d.Stars[1:] }) })
		w.OK(w.run(trial.Only(streamStarred), trial.FullRefresh))
		w.p.Before(nil)
		w.kept("moved", streamStarred)
		w.Pass(time.Hour)
		w.OK(w.run(trial.Only(streamStarred)))
		w.same("moved", streamStarred)
	}
}

// A stop at any call of a full refresh, and then an incremental run: vanished rows are
// still buried.
func TestFullRefreshStopped(t *testing.T) {
	t.Parallel()
	world := func() *world {
		w := newWorld(t, 2, small(6))
		w.OK(w.run(trial.Only(compared...)))
		w.p.Edit(remove)
		w.Pass(time.Hour)
		return w
	}
	whole := world()
	total := len(whole.OK(whole.run(trial.Only(compared...), trial.FullRefresh)).Calls)
	for stop := 1; stop <= total; stop++ {
		w := world()
		w.run(trial.Only(compared...), trial.FullRefresh, trial.StopAfter(stop))
		w.Pass(time.Minute)
		w.OK(w.run(trial.Only(compared...)))
		w.same("stopped", compared...)
	}
}

// A full refresh with another account's token would bury the first account's records.
func TestFullRefreshOfAnotherAccountIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 100, small(3))
	w.OK(w.run())
	w.p.Edit(func(d *github.Data) { *d = small(1); d.User.ID = 43 })
	for _, scope := range []func(*sdktest.Options){trial.Only(), trial.Only(streamStarred)} {
		res := w.run(scope, trial.FullRefresh)
		if res.Done.Error == nil || res.Done.Error.Code != codeAccount || len(res.All) != 0 {
			t.Errorf("%+v, %d records, want Done.Error not nil, Done.Error.Code = %v and len(res.All) = 0", res.Done, len(res.All), codeAccount)
		}
	}
	w.Holds(streamStarred, keys(1, 3)...)
}

// The cursors that the version before wrote: it kept the keys of the lists in them.
// The lists have several pages in one, and one page in the other.
//
//go:embed testdata/state2.json testdata/state100.json
var cursorsBefore embed.FS

// A run goes on from the cursors of before: it changes no row, asks for no detail again, finds
// what has changed since, and refuses the token of another account.
func TestCursorsOfBefore(t *testing.T) {
	t.Parallel()
	for _, perPage := range []int{2, 100} {
		world := func() *world {
			w := newWorld(t, perPage, small(25))
			w.OK(w.run())
			text, err := cursorsBefore.ReadFile("testdata/state" + key(int64(perPage)) + ".json")
			if err == nil {
				err = json.Unmarshal(text, &w.State)
			}
			if err != nil {
				t.Fatal(err)
			}
			w.Pass(2 * time.Hour)
			w.p.Forget()
			return w
		}
		for _, mode := range []trial.Change{trial.Incremental, trial.FullRefresh} {
			w := world()
			w.p.Edit(func(d *github.Data) { d.User.ID = 43 })
			if res := w.run(mode); res.Done.Error == nil || res.Done.Error.Code != codeAccount || len(res.All) != 0 {
				t.Errorf("%d a page: %+v, %d records, want another account refused", perPage, res.Done.Error, len(res.All))
			}
		}
		w := world()
		if res := w.OK(w.run()); len(res.Changes()) != 0 || w.count("/repos/") != 0 || w.count("/issues") > 2 {
			t.Errorf("%d a page: %d changes, %d details, %d pages of issues, want none, none and the newest", perPage, len(res.Changes()), w.count("/repos/"), w.count("/issues"))
		}
		w.p.Edit(func(d *github.Data) {
			remove(d)
			d.Issues[2].UpdatedAt, d.Issues[2].Title = day(400, 0), "changed"
			d.Pulls[1].UpdatedAt, d.Pulls[1].Title = day(1500, 0), "changed"
		})
		w.Pass(25 * time.Hour)
		w.OK(w.run())
		w.same("after the cursors of before", append([]string{streamIssues, streamPulls}, compared...)...)
	}
}

// A list that no run can read to its end is read over several of them, and what is gone is
// found at its end.
func TestListOverSeveralRuns(t *testing.T) {
	t.Parallel()
	for _, cold := range []bool{true, false} {
		w := newWorld(t, 2, small(30))
		if !cold {
			w.OK(w.run(trial.Only(streamStarred)))
			w.p.Edit(func(d *github.Data) { d.Stars, d.Stars[5].Stars = d.Stars[1:], 99 })
			w.Pass(25 * time.Hour)
		}
		runs := 1
		for ; w.run(trial.Only(streamStarred), trial.StopAfter(12)).Done.Status != abi.DoneSucceeded; runs++ {
			if w.Pass(time.Minute); runs == 40 {
				t.Fatalf("cold %v: after %d runs the list is not at its end", cold, runs)
			}
		}
		if runs < 3 {
			t.Errorf("cold %v: %d runs prove nothing, want several", cold, runs)
		}
		w.same("over several runs", streamStarred)
		if stars := w.Rows[streamStarred]["7"].Fields["stargazers_count"]; stars != json.Number("3") {
			t.Errorf("cold %v: the count of a star is %v, want 3 as before", cold, stars)
		}
	}
}

// A row that could not be read may be any record: a list that was read over several runs
// buries nothing when one of them met such a row.
func TestUnreadableRowOfAnEarlierRun(t *testing.T) {
	t.Parallel()
	for stop := 3; stop <= 12; stop++ {
		w := newWorld(t, 2, small(10))
		w.OK(w.run(trial.Only(streamStarred)))
		w.p.Faults.Add(fault.Rule{Match: fault.Path("/user/starred"), Times: -1, Fault: fault.Body(func(b []byte) []byte {
			return []byte(strings.Replace(string(b), `"id":1,`, `"id":[1],`, 1))
		})})
		w.Pass(25 * time.Hour)
		w.run(trial.Only(streamStarred), trial.StopAfter(stop))
		w.run(trial.Only(streamStarred), trial.StopAfter(10))
		for range 2 {
			w.Pass(time.Minute)
			w.OK(w.run(trial.Only(streamStarred)))
			w.Holds(streamStarred, keys(1, 10)...)
		}
		w.p.Faults.Clear()
		w.p.Edit(func(d *github.Data) { d.Stars = d.Stars[1:] })
		w.Pass(time.Minute)
		w.OK(w.run(trial.Only(streamStarred)))
		w.Holds(streamStarred, keys(2, 10)...)
	}
}

// The same goes for a page from which an organization hid its part.
func TestHiddenPartOfAnEarlierRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2, small(10))
	w.OK(w.run(trial.Only(streamStarred)))
	w.p.Edit(func(d *github.Data) { d.Stars = d.Stars[1:] })
	w.p.Faults.Add(fault.Rule{Match: fault.Path("/user/starred"), Times: 1, Fault: fault.Header("X-GitHub-SSO", "partial-results; organizations=21955855")})
	w.Pass(25 * time.Hour)
	if res := w.run(trial.Only(streamStarred), trial.StopAfter(6)); res.Done.Status != abi.DoneCancelled {
		t.Fatalf("the run ended %s, want it stopped within the list", res.Done.Status)
	}
	w.Pass(time.Minute)
	w.OK(w.run(trial.Only(streamStarred)))
	w.Holds(streamStarred, keys(1, 10)...)
}
