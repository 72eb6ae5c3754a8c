package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
	"github.com/pdpp-host/pdpp-host/testplugins/providers/fault"
	"github.com/pdpp-host/pdpp-host/testplugins/providers/github"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/trial"
)

// A detail that cannot be fetched is a gap and never an incomplete row; the next run
// fills it. RT-12.3.
func TestFailedDetailIsAGap(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]fault.Fault{
		"429": fault.Throttle(""), "500": fault.Status(500, ""), "broken": fault.BrokenJSON(), "403": fault.Status(403, `{"message":"no"}`),
		"another": fault.Replace(`"number":3`, `"number":4`),
	} {
		w := newWorld(t, 2, small(5))
		w.p.Edit(func(d *github.Data) {
			for i := range d.Pulls {
				d.Pulls[i].Number = int64(i + 1)
			}
		})
		w.p.Faults.Add(fault.Rule{Match: fault.Path("/repos/me/repo-7/pulls/3"), Times: -1, Fault: f})
		first := w.OK(w.run())
		if len(first.Gaps) != 1 || len(w.Rows[streamPulls]) != 4 || len(first.Coverage) != 1 || len(first.Coverage[0].GapKeys) != 1 {
			t.Fatalf("%s: %d gaps, %d rows, coverage %+v, want 1 gap that the coverage names and 4 rows", name, len(first.Gaps), len(w.Rows[streamPulls]), first.Coverage)
		}
		if name == "429" && first.Gaps[0].Reason != "rate_limited" {
			t.Errorf("reason %s, want rate_limited", first.Gaps[0].Reason)
		}
		w.p.Faults.Clear()
		w.p.Forget()
		w.Pass(time.Hour)
		second := w.OK(w.run(trial.Served(first)))
		w.Holds(streamPulls, keys(1001, 1005)...)
		if len(second.GapOutcomes) != 2 || second.GapOutcomes[1].Type != abi.TypeGapRecovered || w.count("/repos/") != 1 {
			t.Errorf("%s: %+v, %d details, want len(second.GapOutcomes) = 2, second.GapOutcomes[1].Type = %v and count(\"/repos/\") = 1", name, second.GapOutcomes, w.count("/repos/"), abi.TypeGapRecovered)
		}
		if got := w.Rows[streamPulls]["1003"]; got.Fields["reactions_total_count"] != json.Number("2") {
			t.Errorf("%s: the recovered record is thin: %s, want Fields[\"reactions_total_count\"] = %v", name, got.Data, json.Number("2"))
		}
	}
}

// A secondary limit ends the lane: a further request would only prolong the limit. The
// next run fetches the rest.
func TestSecondaryLimitEndsTheLane(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 3, small(12))
	w.p.Faults.Add(fault.Rule{Match: fault.Path("/repos/"), After: 5, Times: -1, Fault: fault.Status(403, `{"message":"secondary rate limit"}`, "Retry-After", "60")})
	res := w.run()
	if e := res.Done.Error; e == nil || !strings.Contains(e.Message, codeRateLimited) || w.count("/repos/") > 5+4 {
		t.Errorf("%+v, %d details, want e not nil, %v in e.Message and count(\"/repos/\") at most 5+4", res.Done.Error, w.count("/repos/"), codeRateLimited)
	}
	w.p.Faults.Clear()
	w.Pass(time.Hour)
	w.OK(w.run())
	w.Holds(streamPulls, keys(1001, 1012)...)
}

// AC-10: a pull request that the search lists and that is not found is a gap, which the host gives up
// after its second refusal. It is not deleted, whether it is one of them or all.
func TestADetailThatIsNotFoundIsAGap(t *testing.T) {
	t.Parallel()
	for _, gone := range []int{1, 3} {
		w := newWorld(t, 100, small(3))
		w.OK(w.run())
		w.p.Edit(func(d *github.Data) {
			for i := range gone {
				d.Pulls[i].Gone, d.Pulls[i].UpdatedAt = true, day(3000, i)
			}
		})
		w.Pass(time.Hour)
		res := w.OK(w.run())
		w.Holds(streamPulls, "1001", "1002", "1003")
		if len(res.Deletes(streamPulls)) != 0 || len(res.Gaps) != gone {
			t.Errorf("of %d that are not found: %d tombstones, %d gaps, want none and each", gone, len(res.Deletes(streamPulls)), len(res.Gaps))
		}
	}
}

// RT-16.2, RT-19.1, RT-19.3: at the owner's bound the rest becomes one chunk of gaps and one
// backlog gap, and later runs work it off.
func TestOwnersBound(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 3, small(14))
	bound := limits(abi.DetailLimits{MaxFetches: 2, MaxTailGaps: 3})
	res := w.OK(w.run(bound))
	if len(res.Records(streamPulls)) != 2 || len(res.Gaps) != 4 {
		t.Fatalf("%d records, %d gaps, want 2 and 4", len(res.Records(streamPulls)), len(res.Gaps))
	}
	for _, g := range res.Gaps {
		if g.Reason != "retry_exhausted" || g.LastError == nil || g.LastError.HTTPStatus != nil {
			t.Errorf("%+v, want g.Reason = retry_exhausted, g.LastError not nil and g.LastError.HTTPStatus = nil", g)
		}
	}
	for runs := 0; len(res.PendingGaps()) > 0; runs++ {
		if runs > 12 {
			t.Fatalf("after 12 runs %d gaps and %d rows, want no gap", len(res.PendingGaps()), len(w.Rows[streamPulls]))
		}
		w.Pass(time.Hour)
		res = w.OK(w.run(bound, trial.Served(res)))
	}
	w.Holds(streamPulls, keys(1001, 1014)...)
}

// A backlog goes on below a second with more results than a search gives: that second
// is reported, and no detail is fetched twice.
func TestBacklogBelowOneSecond(t *testing.T) {
	t.Parallel()
	d := small(0)
	add := func(id int, at time.Time) {
		p := pullRequest(id)
		p.UpdatedAt = at
		d.Pulls = append(d.Pulls, p)
	}
	for i := range 50 { // a search gives ten pages of four
		add(100+i, day(9, 0))
	}
	for i := range 9 {
		add(1+i, day(8, i))
	}
	for i := range 6 {
		add(200+i, day(10, i))
	}
	w := newWorld(t, 4, d)
	res := w.OK(w.run(trial.Only(streamPulls), limits(abi.DetailLimits{MaxFetches: 2, MaxTailGaps: 2})))
	w.p.Forget()
	for runs := 0; len(res.PendingGaps()) > 0; runs++ {
		if runs == 12 {
			t.Fatalf("after %d runs %d gaps and %d rows, want no gap", runs, len(res.PendingGaps()), len(w.Rows[streamPulls]))
		}
		w.Pass(2 * time.Hour)
		res = w.OK(w.run(trial.Only(streamPulls), limits(abi.DetailLimits{MaxFetches: 30, MaxTailGaps: 2}), trial.Served(res)))
		if got, want := reasons(res), streamPulls+":"+reasonIncomplete; runs == 0 && got != want {
			t.Errorf("the run that reads the second reports %q, want %q", got, want)
		}
	}
	if got, want := len(w.Rows[streamPulls]), 6+40+9; got != want {
		t.Errorf("%d rows, want the %d that the search gives", got, want)
	}
	if got, want := w.count("/repos/"), 4+40+9; got != want {
		t.Errorf("%d details in the runs with a backlog, want %d", got, want)
	}
}

// A run that only recovers asks for nothing else.
func TestRecoveryOnly(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 100, small(4))
	w.p.Faults.Add(fault.Rule{Match: fault.Path("/repos/"), Times: 2, Fault: fault.Status(502, "")})
	first := w.OK(w.run())
	if len(first.Gaps) != 2 {
		t.Fatalf("%v, want 2", len(first.Gaps))
	}
	w.p.Forget()
	res := w.OK(w.run(trial.Served(first), func(o *sdktest.Options) { o.RecoveryOnly = true }))
	w.Holds(streamPulls, keys(1001, 1004)...)
	for _, r := range w.p.Requests() {
		if r.Path != "/user" && !strings.HasPrefix(r.Path, "/repos/") {
			t.Errorf("requested %s, want the user and details only", r.URL)
		}
	}
	if len(res.States) != 0 {
		t.Errorf("a cursor moved: %+v, want len(res.States) = 0", res.States)
	}
}

// A locator that somebody else wrote leads nowhere.
func TestHostileLocators(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		``, `[]`, `{}`, `{"id":"1","repository":"a/../../user","number":1}`, `{"id":"1","repository":"a/b?x=1","number":1}`,
		`{"id":"1","repository":"a/..","number":1}`, `{"id":"1/2","repository":"a/b","number":1}`, `{"id":"1","repository":"a/b","number":-1}`,
		`{"id":"1","repository":"a/b","number":1.5}`, `{"id":"1","repository":"/b","number":1}`, `{"id":"1","repository":"a//b","number":1}`,
	} {
		if _, ok := readLocator([]byte(text)); ok {
			t.Errorf("%s was accepted as a locator, want it refused", text)
		}
	}
	p := pull{id: "7", repo: "a/b.c-d_e", number: 9, reactions: 3, stateReason: "x"}
	if got, ok := readLocator(p.locator()); !ok || got != p {
		t.Errorf("%+v, want ok and got = %+v", got, p)
	}
}
