package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
	"github.com/pdpp-host/pdpp-host/testplugins/providers/fault"
	"github.com/pdpp-host/pdpp-host/testplugins/providers/ynab"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/trial"
)

// vanish takes the first budget away.
func (w *world) vanish() {
	w.p.Edit(func(budgets []*ynab.Budget) []*ynab.Budget { return budgets[1:] })
	w.Pass(24 * time.Hour)
}

// without checks that only a budget's account_stats are stored or remembered.
func (w *world) without(name, budget string) {
	w.T.Helper()
	for stream, rows := range w.Rows {
		for key, r := range rows {
			if stream != streamAccountStats && (strings.HasPrefix(key, budget[:8]) || r.Text("budget_id") == budget) {
				w.T.Errorf("%s: %s has %s, want no row of the deleted budget", name, stream, key)
			}
		}
	}
	for stream, cursor := range w.State {
		if strings.Contains(cursor, budget) {
			w.T.Errorf("%s: the cursor of %s still has the budget, want no %v in cursor", name, stream, budget)
		}
	}
}

// A deleted budget takes all its rows with it, whichever run notices, and the run after
// does not mention it.
func TestAllOfABudgetIsGone(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{abi.ModeIncremental, abi.ModeFullRefresh} {
		for left := range 2 { // budgets that are still there
			w := newWorld(t, append([]*ynab.Budget{budget(1, 3, 14)}, []*ynab.Budget{budget(2, 2, 2)}[:left]...)...)
			w.OK(w.run())
			w.Pass(time.Hour)
			w.edit(func(b *ynab.Budget) {
				b.Put(ynab.Payees, ynab.Object{"id": id('f', 1, 9), "name": "new", "transfer_account_id": nil})
				b.Put(ynab.Transactions, transaction(1, 9))
				b.Delete(ynab.Transactions, id('e', 1, 1))
			})
			w.OK(w.run())
			stats := len(w.Rows[streamAccountStats])
			w.vanish()
			res := w.OK(w.run(func(o *sdktest.Options) { o.Mode = mode }))
			w.without(mode, budgetID(1))
			w.same(mode)
			for stream, n := range map[string]int{
				streamBudgets: 1, streamAccounts: 3, streamGroups: 1, streamCategories: 3, streamPayees: 4, streamLocations: 3, streamTransactions: 3,
				streamScheduled: 3, streamMonths: 14, streamMonthCategories: 28, streamAccountStats: 0,
			} {
				if got := len(buried(res, stream)); got != n {
					t.Errorf("%s: %d tombstones in %s, want %d", mode, got, stream, n)
				}
			}
			if len(w.Rows[streamAccountStats]) < stats || reasons(res) != "" {
				t.Errorf("%s: %d account_stats, want %d; reported %q, want nothing", mode, len(w.Rows[streamAccountStats]), stats, reasons(res))
			}
			w.Pass(time.Minute)
			if res = w.OK(w.run()); len(res.Changes()) != 0 {
				t.Errorf("%s: the run after: %d changes, want 0", mode, len(res.Changes()))
			}
		}
	}
}

// The run that notices is ended at any call: the runs after it bury the rest.
func TestBudgetIsGoneAndTheRunEnds(t *testing.T) {
	t.Parallel()
	world := func() *world {
		w := newWorld(t, budget(1, 3, 3), budget(2, 1, 1))
		w.OK(w.run())
		w.vanish()
		return w
	}
	whole := world()
	total := len(whole.OK(whole.run()).Calls)
	for stop := 1; stop <= total; stop++ {
		w := world()
		w.run(trial.StopAfter(stop))
		w.Pass(time.Minute)
		w.OK(w.run())
		w.without(fmt.Sprint("stop ", stop), budgetID(1))
	}
}

// A full refresh that does not reach a budget still knows its rows when the budget is
// deleted.
func TestBudgetIsGoneAfterAPart(t *testing.T) {
	t.Parallel()
	w := newWorld(t, budget(1, 3, 3), budget(2, 2, 2))
	w.OK(w.run())
	w.p.Faults.Add(fault.Rule{Match: fault.Path("/v1/budgets/" + budgetID(1) + "/"), Times: -1, Fault: fault.Status(404, `{}`)})
	w.Pass(time.Hour)
	if res := w.run(trial.FullRefresh); res.Done.Status == abi.DoneSucceeded {
		t.Fatal("the fault has no effect")
	}
	w.p.Faults.Clear()
	w.vanish()
	w.OK(w.run())
	w.without("part", budgetID(1))
}

// A list of budgets with one that has no usable id buries nothing.
func TestBudgetsAreUnsure(t *testing.T) {
	t.Parallel()
	w := newWorld(t, budget(1, 2, 2), budget(2, 2, 2))
	w.OK(w.run())
	w.p.Faults.Add(fault.Rule{Match: fault.Path("/v1/budgets"), Fault: fault.Replace(`"id":"`+budgetID(1)+`"`, `"id":null`)})
	w.Pass(time.Hour)
	res := w.OK(w.run())
	for _, r := range res.Changes() {
		if r.Delete {
			t.Errorf("%s %s got a tombstone, want none", r.Stream, r.Key)
		}
	}
	w.vanish()
	w.OK(w.run())
	w.without("unsure", budgetID(1))
}

// The cursors that the version before wrote: it kept the keys of all rows in them.
//
//go:embed testdata/state.json
var cursorsBefore []byte

// A run goes on from the cursors of before: it changes no row, asks for nothing whole, and
// finds what has changed, removals and a deleted budget among it.
func TestCursorsOfBefore(t *testing.T) {
	t.Parallel()
	world := func() *world {
		w := newWorld(t, budget(1, 4, 14), budget(2, 2, 3), budget(3, 2, 2))
		w.OK(w.run())
		if err := json.Unmarshal(cursorsBefore, &w.State); err != nil {
			t.Fatal(err)
		}
		w.Pass(time.Hour)
		w.p.Forget()
		return w
	}
	w := world()
	if res := w.OK(w.run()); len(res.Changes()) != 0 || len(w.p.Requests()) != 1+3*7+3*2 {
		t.Errorf("%d changes with %d requests: %v, want none with one for each list and two months of each budget", len(res.Changes()), len(w.p.Requests()), w.paths())
	}
	for _, path := range w.paths() {
		if strings.Contains(path, "transactions") && !strings.Contains(path, "last_knowledge_of_server") {
			t.Errorf("asked for %s, want the changes alone", path)
		}
	}
	for _, mode := range []string{abi.ModeIncremental, abi.ModeFullRefresh} {
		w = world()
		w.edit(remove)
		w.OK(w.run(func(o *sdktest.Options) { o.Mode = mode }))
		w.gone(mode, true)
		w = world()
		w.vanish()
		w.OK(w.run(func(o *sdktest.Options) { o.Mode = mode }))
		w.without(mode, budgetID(1))
		w.same(mode)
	}
}

// A run that moves no cursor fills a month that was left as a gap. Its rows go with the
// budget like any others.
func TestFilledGapsGoWithTheBudget(t *testing.T) {
	t.Parallel()
	w := newWorld(t, budget(1, 1, 3), budget(2, 1, 1))
	w.p.Faults.Add(fault.Rule{Match: fault.Path("/v1/budgets/" + budgetID(1) + "/months/" + monthName(0)), Fault: fault.Status(500, `{}`)})
	first := w.run()
	if len(first.Gaps) != 1 {
		t.Fatalf("%d gaps, want 1", len(first.Gaps))
	}
	w.Pass(time.Hour)
	w.run(trial.Served(first), func(o *sdktest.Options) { o.RecoveryOnly = true })
	if len(w.Rows[streamMonthCategories]) != 8 {
		t.Fatalf("%d rows, want 8", len(w.Rows[streamMonthCategories]))
	}
	w.vanish()
	w.OK(w.run())
	w.without("filled", budgetID(1))
}
