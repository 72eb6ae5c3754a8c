package main

import (
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
				if got := len(res.Deletes(stream)); got != n {
					t.Errorf("%s: %d tombstones in %s, want %d", mode, got, stream, n)
				}
			}
			if len(w.Rows[streamAccountStats]) < stats || reasons(res) != "" {
				t.Errorf("%s: %d account_stats, want %d; reported %q, want nothing", mode, len(w.Rows[streamAccountStats]), stats, reasons(res))
			}
			w.Pass(time.Minute)
			if res = w.OK(w.run()); len(res.All) != 0 {
				t.Errorf("%s: the run after: %d records, want 0", mode, len(res.All))
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
	for _, r := range res.All {
		if r.Delete {
			t.Errorf("%s %s got a tombstone, want none", r.Stream, r.Key)
		}
	}
	w.vanish()
	w.OK(w.run())
	w.without("unsure", budgetID(1))
}

// A row that is not remembered may stay, and the run reports that; a full refresh
// before it would have remembered the row.
func TestRowsThatAreNotRemembered(t *testing.T) {
	t.Parallel()
	delta := []string{streamGroups, streamCategories, streamPayees, streamTransactions, streamScheduled, streamMonths, streamMonthCategories}
	for _, again := range []bool{false, true} {
		w := newWorld(t, budget(1, 2, 2), budget(2, 1, 1))
		w.OK(w.run())
		for _, stream := range delta { // as an earlier build wrote it
			cursor := w.State[stream]
			for from := strings.Index(cursor, `"keys":[`); from >= 0; from = strings.Index(cursor, `"keys":[`) {
				cursor = cursor[:from] + cursor[from+strings.Index(cursor[from:], `]`)+2:]
			}
			w.State[stream] = cursor
		}
		w.Pass(time.Hour)
		if again {
			w.OK(w.run(trial.FullRefresh))
		} else if res := w.OK(w.run()); len(res.All) != 0 {
			t.Errorf("%d records for keys that are not known, want 0", len(res.All))
		}
		w.vanish()
		res := w.OK(w.run())
		if again {
			w.without("refreshed", budgetID(1))
			if reasons(res) != "" {
				t.Errorf("%v, want \"\"", reasons(res))
			}
			continue
		}
		for _, s := range res.Skips { // HL-29.1: there is nothing that its owner could do
			if s.Reason == reasonKept && string(s.RecoveryHint) != `"not_retriable"` {
				t.Errorf("%s: hint %s, want not_retriable", s.Stream, s.RecoveryHint)
			}
		}
		for _, stream := range delta {
			if !strings.Contains(reasons(res), stream+":"+reasonKept) {
				t.Errorf("%s does not say that its rows may stay: %s, want %v in it", stream, reasons(res), stream+":"+reasonKept)
			}
		}
		w.Holds(streamAccounts, id('a', 2, 1))
		w.Pass(time.Hour)
		if res = w.OK(w.run()); reasons(res) != "" {
			t.Errorf("said again: %s, want \"\"", reasons(res))
		}
	}
}

// A run that moves no cursor fills a month that was left as a gap, so its rows may not
// be remembered.
func TestGapsAreNotRemembered(t *testing.T) {
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
	if res := w.OK(w.run()); reasons(res) != streamMonthCategories+":"+reasonKept {
		t.Errorf("%v, want %v", reasons(res), streamMonthCategories+":"+reasonKept)
	}
	if left := len(w.Rows[streamMonthCategories]); left != 2+2 {
		t.Errorf("%d rows are left, want 2+2", left)
	}
}

// The largest cursor stays below the limit of a STATE, and rows without room in it do
// not count as remembered.
func TestLargestKeys(t *testing.T) {
	t.Parallel()
	c := make(cursor)
	b := budgetID(1)
	for i := range maxItems {
		c.remember(b, fmt.Sprintf("%s:2025-01-01:%08d-0000-4000-8000-000000000000", b, i))
	}
	if c.forBudget(b).partial {
		t.Fatal("the cursor has no room for keys within its bound")
	}
	c.remember(b, "one more")
	if n := len(c.encode()); n > abi.MaxStateBytes/2+abi.MaxStateBytes/4 || !c.forBudget(b).partial || c.keyCount() != maxItems {
		t.Errorf("%d bytes, %d keys, partial %v, want n at most %d, c.forBudget(b).partial and c.known() = %d", n, c.keyCount(), c.forBudget(b).partial, abi.MaxStateBytes/2+abi.MaxStateBytes/4, maxItems)
	}
	long := make(cursor)
	long.remember(b, strings.Repeat("x", maxKey+1))
	if !long.forBudget(b).partial || long.keyCount() != 0 {
		t.Error("a key that is too long counts as remembered")
	}
}
