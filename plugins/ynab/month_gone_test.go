package main

import (
	"net/http"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
	"github.com/pdpp-host/pdpp-host/testplugins/providers/fault"
	"github.com/pdpp-host/pdpp-host/testplugins/providers/ynab"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/trial"
)

// A month that YNAB calls deleted takes its categories with it.
func TestAMonthThatIsDeleted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, budget(1, 1, 6), budget(2, 1, 2))
	w.OK(w.run())
	w.edit(func(b *ynab.Budget) { b.Delete(ynab.Months, monthName(1)) })
	w.Pass(time.Hour)
	res := w.OK(w.run())
	if got := len(res.Deletes(streamMonthCategories)); got != 2 {
		t.Errorf("%d tombstones, want those of the two categories", got)
	}
	w.same("deleted")
	w.Pass(time.Hour)
	if res = w.OK(w.run()); len(res.Changes()) != 0 {
		t.Errorf("the next run: %v, want no change", res.Changes())
	}
	// The newest month, in the run that finds a budget gone.
	w.edit(func(b *ynab.Budget) { b.Delete(ynab.Months, monthName(5)) })
	w.p.Edit(func(budgets []*ynab.Budget) []*ynab.Budget { return budgets[:1] })
	w.Pass(time.Hour)
	res = w.OK(w.run())
	w.same("the newest, and a budget")
	if len(res.Gaps) != 0 {
		t.Errorf("the newest is deleted: %d gaps, want none", len(res.Gaps))
	}
	w.Pass(time.Hour)
	if res = w.OK(w.run()); len(res.Changes()) != 0 || len(res.Gaps) != 0 {
		t.Errorf("the run after: %v and %d gaps, want no change and none", res.Changes(), len(res.Gaps))
	}
}

// Where a budget is listed in a form that hides which one it is, a month of another one is deleted alone.
func TestAMonthThatIsDeletedBesideABudgetThatIsUnsure(t *testing.T) {
	t.Parallel()
	w := newWorld(t, budget(1, 1, 6), budget(2, 1, 2))
	w.OK(w.run())
	w.edit(func(b *ynab.Budget) { b.Delete(ynab.Months, monthName(1)) })
	only := func(r *http.Request) bool { return r.URL.Path == "/v1/budgets" }
	w.p.Faults.Add(fault.Rule{Match: only, Fault: fault.Replace(`"id":"`+budgetID(2)+`"`, `"id":null`)})
	w.Pass(time.Hour)
	w.OK(w.run())
	w.same("unsure")
}

// AC-10: a month that is listed and not found is a gap, which the host gives up after its second
// refusal: it is not empty, and nothing of it is deleted, whether it is one of them or all.
func TestAMonthThatIsNotFoundIsAGap(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		path string
		gaps int // of two months that are fetched in each run
	}{"one": {monthName(3), 1}, "all": {"", 2}} {
		for _, status := range []int{404, 410} {
			w := newWorld(t, budget(1, 2, 4))
			w.OK(w.run())
			path := "/v1/budgets/" + budgetID(1) + "/months/" + c.path
			w.p.Faults.Add(fault.Rule{Match: fault.Path(path), Times: -1, Fault: fault.Status(status, `{}`)})
			w.Pass(time.Hour)
			refused := w.OK(w.run())
			if len(refused.Gaps) != c.gaps || len(refused.Deletes(streamMonthCategories)) != 0 {
				t.Errorf("%s, %d: %d gaps and %d tombstones, want %d and none", name, status, len(refused.Gaps), len(refused.Deletes(streamMonthCategories)), c.gaps)
			}
			w.same(name)
			w.p.Faults.Clear()
			w.Pass(time.Hour)
			back := w.OK(w.run(trial.Served(refused), func(o *sdktest.Options) { o.RecoveryOnly = true }))
			if len(back.PendingGaps()) != 0 {
				t.Errorf("%s, %d, and there again: %d gaps are pending, want none", name, status, len(back.PendingGaps()))
			}
			w.same(name)
		}
	}
}
