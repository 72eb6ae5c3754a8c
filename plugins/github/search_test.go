package main

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/testplugins/providers/github"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/trial"
)

// A search that counts more results than it gives is split into smaller spans.
func TestMoreResultsThanOneSearchGives(t *testing.T) {
	t.Parallel()
	d := small(0)
	for i := range 1300 {
		p := pullRequest(10_000 + i)
		p.UpdatedAt = day(0, 0).Add(time.Duration(i) * 20 * time.Hour) // three years
		d.Pulls = append(d.Pulls, p)
	}
	w := newWorld(t, 100, d)
	w.OK(w.run(trial.Only(streamPulls)))
	w.Holds(streamPulls, keys(10_000, 11_299)...)
	years, pages := map[string]bool{}, 0
	for _, r := range w.p.Requests() {
		if r.Path != "/search/issues" {
			continue
		}
		u, err := url.Parse(r.URL)
		if err != nil {
			t.Fatal(err)
		}
		_, from, _ := strings.Cut(u.Query().Get("q"), "updated:")
		if years[strings.TrimPrefix(from, ">=")[:10]] = true; u.Query().Get("page") != "1" {
			pages++
		}
	}
	if !years["2026-01-01"] && !years["2025-01-01"] || pages > 0 {
		t.Errorf("searched from %v, %d by page number, want searches of single years and none by page number", years, pages)
	}
}

// When one second has more results than a page, its pages are requested by number, and
// a search that ends at its limit is reported.
func TestOneSecond(t *testing.T) {
	t.Parallel()
	d := small(0)
	for i := range 30 {
		p := pullRequest(100 + i)
		p.UpdatedAt = day(9, 0)
		d.Pulls = append(d.Pulls, p)
	}
	before, after := pullRequest(5), pullRequest(50)
	before.UpdatedAt, after.UpdatedAt = day(8, 0), day(10, 0)
	d.Pulls = append(d.Pulls, before, after)
	w := newWorld(t, 4, d)
	w.OK(w.run(trial.Only(streamPulls)))
	w.Holds(streamPulls, append(keys(100, 129), "5", "50")...)

	for i := range 40 {
		p := pullRequest(200 + i)
		p.UpdatedAt = day(9, 0)
		d.Pulls = append(d.Pulls, p)
	}
	w = newWorld(t, 4, d) // a search gives ten pages
	res := w.OK(w.run(trial.Only(streamPulls)))
	if _, ok := w.Rows[streamPulls]["5"]; !ok || reasons(res) != streamPulls+":"+reasonIncomplete {
		t.Errorf("%d rows, %s, want ok and reasons(res) = %s", len(w.Rows[streamPulls]), reasons(res), streamPulls+":"+reasonIncomplete)
	}
}

// A run that is killed behind a second with more results than a search gives has
// reported that second, or the next run reports it.
func TestOneSecondIsReportedBeforeTheCursorPassesIt(t *testing.T) {
	t.Parallel()
	d := small(0)
	for i := range 50 { // a search gives ten pages of four
		p := pullRequest(100 + i)
		p.UpdatedAt = day(9, 0)
		d.Pulls = append(d.Pulls, p)
	}
	for i := range 9 {
		p := pullRequest(1 + i)
		p.UpdatedAt = day(8, i)
		d.Pulls = append(d.Pulls, p)
	}
	d.Pulls[len(d.Pulls)-1].UpdatedAt = day(10, 0) // the overlap of the next run begins here
	passed := 0                                    // runs whose cursor passed the second before they were killed
	for at := 1; ; at++ {
		w := newWorld(t, 4, d)
		w.p.Before(func(int, *http.Request) { w.Pass(3 * time.Second) }) // a slice is due at each detail
		killed := w.run(trial.Only(streamPulls), trial.Killed(at))
		second := w.OK(w.run(trial.Only(streamPulls), trial.Unkilled))
		if got, want := reasons(killed)+reasons(second), streamPulls+":"+reasonIncomplete; !strings.Contains(got, want) {
			t.Fatalf("killed at call %d, the two runs report %q, want %q", at, got, want)
		}
		if killed.Done.Status != "" {
			break
		}
		if reasons(second) == "" {
			passed++
		}
	}
	if passed == 0 {
		t.Error("no run was killed behind the second, want some")
	}
}

// A search that did not finish is repeated for a smaller span. One that never finishes
// is reported, and the next run searches there again.
func TestIncompleteResults(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 2, 3, 5, 8, 14, 20, 40} {
		w := newWorld(t, 100, small(12))
		w.p.TimeOutSearches(n)
		first := w.OK(w.run(trial.Only(streamPulls)))
		if missing := 12 - len(w.Rows[streamPulls]); missing > 0 && reasons(first) == "" {
			t.Errorf("%d: %d rows are missing without a report", n, missing)
		}
		w.p.TimeOutSearches(0)
		w.Pass(time.Hour)
		second := w.OK(w.run(trial.Only(streamPulls)))
		w.Holds(streamPulls, keys(1001, 1012)...)
		if reasons(second) != "" {
			t.Errorf("%d: %s, want \"\"", n, reasons(second))
		}
		w.Pass(time.Hour)
		if third := w.OK(w.run(trial.Only(streamPulls))); len(third.All) != 0 {
			t.Errorf("%d: %d records again, want 0", n, len(third.All))
		}
	}
}

// A pull request that changed again after the run fetched it is up to date after the
// next run.
func TestChangedAgainMidRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 3, small(12))
	n := 0
	w.at("/repos/", 6, func() {
		w.p.Edit(func(d *github.Data) {
			for i := range d.Pulls {
				d.Pulls[i].UpdatedAt, d.Pulls[i].Title = day(1200+i, n), "again"
			}
		})
	})
	w.OK(w.run(trial.Only(streamPulls)))
	w.p.Before(nil)
	w.Pass(time.Hour)
	w.OK(w.run(trial.Only(streamPulls)))
	w.same("again", streamPulls)
}
