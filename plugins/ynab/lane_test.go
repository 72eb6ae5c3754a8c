package main

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
	"github.com/pdpp-host/pdpp-host/testplugins/providers/fault"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/trial"
)

// pace moves the clock with each request.
func (w *world) pace(d time.Duration) {
	w.p.Before(func(int, *http.Request) { w.Pass(d) })
}

// A month that cannot be had is a gap; the next run fills it. RT-12.3.
func TestFailedMonthIsAGap(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]fault.Fault{
		"429": fault.Throttle(""), "500": fault.Status(500, ""), "broken": fault.BrokenJSON(), "403": fault.Status(403, `{}`),
		"another month": fault.Replace(`"month":"2025-03-01"`, `"month":"2025-04-01"`), "no categories": fault.Replace(`"categories"`, `"others"`),
	} {
		w := newWorld(t, budget(1, 1, 5))
		w.p.Faults.Add(fault.Rule{Match: fault.Path("/v1/budgets/" + budgetID(1) + "/months/2025-03-01"), Times: -1, Fault: f})
		first := w.OK(w.run())
		if len(first.Gaps) != 1 || len(w.Rows[streamMonthCategories]) != 8 || len(first.Coverage) != 1 || len(first.Coverage[0].GapKeys) != 1 {
			t.Fatalf("%s: %d gaps, %d rows, want 1 gap that the coverage names and 8 rows", name, len(first.Gaps), len(w.Rows[streamMonthCategories]))
		}
		w.p.Faults.Clear()
		w.p.Forget()
		w.Pass(time.Hour)
		second := w.OK(w.run(trial.Served(first)))
		w.same(name)
		if len(second.GapOutcomes) != 2 || second.GapOutcomes[1].Type != abi.TypeGapRecovered {
			t.Errorf("%s: %+v, want len(second.GapOutcomes) = 2 and second.GapOutcomes[1].Type = %v", name, second.GapOutcomes, abi.TypeGapRecovered)
		}
	}
}

// A month that failed and has not changed is emitted again, because the host accepts no
// recovery without a record.
func TestServedMonthComesUnchanged(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]fault.Fault{"there": nil, "empty": fault.Status(200, `{"data":{"month":{"month":"2025-05-01","categories":[]}}}`)} {
		w := newWorld(t, budget(1, 1, 5))
		always := func(f fault.Fault) {
			w.p.Faults.Clear()
			w.Pass(time.Hour)
			if f != nil {
				w.p.Faults.Add(fault.Rule{Match: fault.Path("/v1/budgets/" + budgetID(1) + "/months/2025-05-01"), Times: -1, Fault: f})
			}
		}
		always(answer)
		w.OK(w.run())
		always(fault.Status(500, ""))
		failed := w.OK(w.run())
		if len(failed.Gaps) != 1 {
			t.Fatalf("%s: %d gaps, want 1", name, len(failed.Gaps))
		}
		always(answer)
		res := w.OK(w.run(trial.Served(failed)))
		came := len(res.Records(streamMonthCategories)) + len(res.Deletes(streamMonthCategories))
		if len(res.GapOutcomes) != 2 || res.GapOutcomes[1].Type != abi.TypeGapRecovered || came == 0 {
			t.Errorf("%s: %+v with %d records, want the month's and its recovery", name, res.GapOutcomes, came)
		}
	}
}

// At YNAB's pace the cursor is handed over after each month, with the months that are
// left.
func TestMonthsAreSliced(t *testing.T) {
	t.Parallel()
	w := newWorld(t, budget(1, 1, 30))
	w.pace(18 * time.Second)
	var left []int
	for _, s := range w.OK(w.run(trial.Only(streamMonthCategories))).States {
		var cursor struct {
			Budgets map[string]struct {
				Todo []string `json:"todo"`
			} `json:"budgets"`
		}
		if err := json.Unmarshal(s.Cursor, &cursor); err != nil {
			t.Fatal(err)
		}
		left = append(left, len(cursor.Budgets[budgetID(1)].Todo))
	}
	var want []int
	for n := 29; n > 3; n-- {
		want = append(want, n)
	}
	if want = append(want, 0); !slices.Equal(left, want) { // the last four come together
		t.Errorf("the cursors leave %v months to do, want %v", left, want)
	}
}

// RT-16.2, RT-19.1, RT-19.3: at the owner's bound the rest becomes gaps and one backlog gap,
// over all budgets, and later runs work it off.
func TestOwnersBound(t *testing.T) {
	t.Parallel()
	w := newWorld(t, budget(1, 1, 30), budget(2, 1, 14))
	bound := func(o *sdktest.Options) { o.DetailLimits = &abi.DetailLimits{MaxFetches: 5, MaxTailGaps: 3} }
	res := w.OK(w.run(bound))
	if len(res.Records(streamMonthCategories)) != 10 || len(res.Gaps) > 6 {
		t.Fatalf("%d records, %d gaps, want 10 and at most 6", len(res.Records(streamMonthCategories)), len(res.Gaps))
	}
	for runs := 0; len(res.PendingGaps()) > 0; runs++ {
		if runs > 20 {
			t.Fatalf("after 20 runs %d gaps and %d rows, want no gap", len(res.PendingGaps()), len(w.Rows[streamMonthCategories]))
		}
		w.Pass(time.Hour)
		res = w.OK(w.run(bound, trial.Served(res)))
	}
	w.same("bound")
}

func TestRecoveryOnly(t *testing.T) {
	t.Parallel()
	w := newWorld(t, budget(1, 1, 4))
	w.p.Faults.Add(fault.Rule{Match: fault.Path("/v1/budgets/" + budgetID(1) + "/months/"), Times: 2, Fault: fault.Status(502, "")})
	first := w.OK(w.run())
	if len(first.Gaps) != 2 {
		t.Fatalf("%v, want 2", len(first.Gaps))
	}
	w.p.Forget()
	res := w.OK(w.run(trial.Served(first), func(o *sdktest.Options) { o.RecoveryOnly = true }))
	w.same("recovered")
	for _, path := range w.paths() {
		if !strings.HasPrefix(path, "/budgets/1/months/") {
			t.Errorf("asked %s, want /budgets/1/months/ at the start of it", path)
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
		``, `[]`, `{}`, `{"budget":"../..","month":"2026-01-01"}`, `{"budget":"b?x","month":"2026-01-01"}`, `{"budget":"b","month":"2026-01-02"}`,
		`{"budget":"b","month":"../accounts"}`, `{"budget":"b","month":7}`, `{"budget":"","month":"2026-01-01"}`, `{"budget":"c","month":"2026-01-01"}`,
	} {
		if _, ok := readDetail(sdk.Detail{Key: []string{"b:2026-01-01"}, Locator: []byte(text)}); ok {
			t.Errorf("%s was accepted as a locator, want it refused", text)
		}
	}
	m := budgetMonth{"b", "2026-01-01"}
	if got, ok := readDetail(m.detail()); !ok || got != m {
		t.Errorf("%+v, want ok and got = %+v", got, m)
	}
}
