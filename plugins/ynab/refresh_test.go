package main

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
	"github.com/pdpp-host/pdpp-host/testplugins/providers/fault"
	"github.com/pdpp-host/pdpp-host/testplugins/providers/ynab"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/trial"
)

// remove deletes the second of each list, and the first month.
func remove(b *ynab.Budget) {
	b.Delete(ynab.Accounts, id('a', 1, 2))
	b.Delete(ynab.Categories, id('c', 1, 2))
	b.Delete(ynab.Payees, id('f', 1, 2))
	b.Delete(ynab.Locations, id('h', 1, 2))
	b.Delete(ynab.Transactions, id('e', 1, 2))
	b.Delete(ynab.Scheduled, id('g', 1, 2))
	b.Delete(ynab.Months, monthName(0))
}

// removable are the streams from which remove deletes, with the deleted keys.
var removable = map[string]string{
	streamAccounts: id('a', 1, 2), streamCategories: id('c', 1, 2), streamPayees: id('f', 1, 2), streamLocations: id('h', 1, 2),
	streamTransactions: id('e', 1, 2), streamScheduled: id('g', 1, 2), streamMonths: budgetID(1) + "|" + monthName(0),
}

// gone checks the rows in the store after remove.
func (w *world) gone(name string, want bool) {
	w.T.Helper()
	for stream, key := range removable {
		if _, there := w.Rows[stream][key]; there == want {
			w.T.Errorf("%s: %s of %s: in the store %t, want not %t", name, key, stream, there, want)
		}
	}
}

// RT-07.1 for a full refresh: everything comes again, once, and entities deleted since
// the run before become tombstones, with one request for each list.
func TestFullRefreshBuriesWhatWasDeleted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, budget(1, 3, 3))
	w.OK(w.run())
	w.edit(func(b *ynab.Budget) {
		remove(b)
		b.Put(ynab.Payees, ynab.Object{"id": id('f', 1, 3), "name": "renamed"})
		b.Put(ynab.Transactions, transaction(1, 9))
	})
	w.Pass(time.Hour)
	w.p.Forget()
	res := w.OK(w.run(trial.FullRefresh))
	w.gone("refreshed", true)
	for stream, key := range removable {
		if got := buried(res, stream); len(got) != 1 || got[0] != key {
			t.Errorf("%s: tombstones %v, want %v alone", stream, got, key)
		}
		got := slices.Clone(res.Keys(stream))
		slices.Sort(got)
		if len(got) != len(w.Rows[stream]) || len(slices.Compact(got)) != len(w.Rows[stream]) {
			t.Errorf("%s: emitted %v, want len(got) = %v and len(slices.Compact(got)) = %v", stream, got, len(w.Rows[stream]), len(w.Rows[stream]))
		}
	}
	if len(res.Keys(streamBudgets)) != 1 || len(res.Keys(streamAccountStats)) != 2 || len(res.Keys(streamGroups)) != 1 {
		t.Error("not everything came again")
	}
	want := []string{
		"/budgets", "/budgets/1/accounts", "/budgets/1/categories", "/budgets/1/payees", "/budgets/1/payee_locations",
		"/budgets/1/transactions", "/budgets/1/scheduled_transactions", "/budgets/1/months",
		"/budgets/1/months/2025-03-01", "/budgets/1/months/2025-02-01",
	}
	if got := w.paths(); strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("asked\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	w.Pass(time.Hour)
	if again := w.OK(w.run()); len(again.Changes()) != 0 {
		t.Errorf("the run after: %d changes, want 0", len(again.Changes()))
	}
}

// Without earlier cursors a full refresh equals a first run. When nothing was deleted,
// it emits what a first run does.
func TestFullRefreshIsAFirstRun(t *testing.T) {
	t.Parallel()
	text := func(res *sdktest.Result) (out string) {
		for _, r := range res.All {
			out += fmt.Sprintln(r.Stream, r.Key, r.Delete, string(r.Data))
		}
		return out
	}
	cold := newWorld(t, budget(1, 3, 14), budget(2, 1, 2))
	first := cold.OK(cold.run())
	bare := newWorld(t, budget(1, 3, 14), budget(2, 1, 2))
	if got := bare.OK(bare.run(trial.FullRefresh)); text(got) != text(first) || fmt.Sprint(bare.paths()) != fmt.Sprint(cold.paths()) {
		t.Error("a full refresh without cursors differs from a first run")
	}
	before := cold.State
	if got := cold.OK(cold.run(trial.FullRefresh)); text(got) != text(first) {
		t.Error("a full refresh of the same differs from a first run")
	}
	for stream := range before {
		if cold.State[stream] != before[stream] {
			t.Errorf("%s: cursor %s, want %s as before", stream, cold.State[stream], before[stream])
		}
	}
}

// Rows that a full refresh could not look for get no tombstone, and a later run buries
// them. The rows that the refresh has read do not change again.
func TestFullRefreshOfAPartBuriesNothing(t *testing.T) {
	t.Parallel()
	for first := range 2 {
		w := newWorld(t, budget(1, 3, 3), budget(2, 2, 2))
		w.OK(w.run())
		w.p.Edit(func(budgets []*ynab.Budget) []*ynab.Budget {
			remove(budgets[0])
			if first == 1 {
				slices.Reverse(budgets)
			}
			return budgets
		})
		w.p.Faults.Add(fault.Rule{Match: fault.Path("/v1/budgets/" + budgetID(1) + "/"), Times: -1, Fault: fault.Status(404, `{}`)})
		w.Pass(time.Hour)
		res := w.run(trial.FullRefresh)
		if res.Done.Status == abi.DoneSucceeded {
			t.Error("the fault has no effect")
		}
		w.gone("part", false)
		w.p.Faults.Clear()
		w.Pass(time.Hour)
		res = w.OK(w.run())
		w.gone("after", true)
		if n := changed(res, streamPayees); n != 0 {
			t.Errorf("%d payees have changed, want 0", n)
		}
	}
}

// The same holds for a row without a usable key.
func TestFullRefreshOfUnreadableRows(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ path, id string }{
		{"/" + budgetID(1) + "/accounts", id('a', 1, 3)}, {"/" + budgetID(1) + "/payee_locations", id('h', 1, 3)}, {"", budgetID(2)},
	} {
		w := newWorld(t, budget(1, 3, 2), budget(2, 2, 2), budget(3, 1, 1))
		w.OK(w.run())
		w.p.Edit(func(budgets []*ynab.Budget) []*ynab.Budget {
			budgets[0].Delete(ynab.Accounts, id('a', 1, 2))
			budgets[0].Delete(ynab.Locations, id('h', 1, 2))
			if c.path == "" {
				budgets[1].Delete(ynab.Payees, id('f', 2, 1))
				return budgets[:2]
			}
			return budgets
		})
		w.p.Faults.Add(fault.Rule{
			Match: func(r *http.Request) bool { return r.URL.Path == "/v1/budgets"+c.path }, Times: -1,
			Fault: fault.Replace(`"id":"`+c.id+`"`, `"id":null`),
		})
		w.Pass(time.Hour)
		w.OK(w.run(trial.FullRefresh))
		stream, key := streamAccounts, id('a', 1, 2)
		switch {
		case c.path == "":
			stream, key = streamBudgets, budgetID(3)
		case strings.HasSuffix(c.path, "locations"):
			stream, key = streamLocations, id('h', 1, 2)
		}
		if _, there := w.Rows[stream][key]; !there {
			t.Errorf("%q: %s got a tombstone, want it kept", c.path, key)
		}
		w.p.Faults.Clear()
		w.Pass(time.Hour)
		w.OK(w.run())
		if _, there := w.Rows[stream][key]; there {
			t.Errorf("%q: %s is still there", c.path, key)
		}
		for _, k := range []string{id('a', 3, 1), id('h', 3, 1), id('f', 2, 1)} {
			_, a := w.Rows[streamAccounts][k]
			_, h := w.Rows[streamLocations][k]
			_, f := w.Rows[streamPayees][k]
			if c.path == "" && (a || h || f) {
				t.Errorf("%s is still there", k)
			}
		}
	}
}

// A deleted budget takes its accounts and locations with it.
func TestFullRefreshWithoutABudget(t *testing.T) {
	t.Parallel()
	w := newWorld(t, budget(1, 2, 2), budget(2, 2, 2))
	w.OK(w.run())
	w.p.Edit(func(budgets []*ynab.Budget) []*ynab.Budget { return budgets[1:] })
	w.Pass(24 * time.Hour)
	w.OK(w.run(trial.FullRefresh))
	w.Holds(streamBudgets, budgetID(2))
	w.Holds(streamAccounts, ids('a', 2, 1, 2)...)
	w.Holds(streamLocations, ids('h', 2, 1, 2)...)
	for stream, cursor := range w.State {
		if strings.Contains(cursor, budgetID(1)) {
			t.Errorf("the cursor of %s still has the budget, want no %v in cursor", stream, budgetID(1))
		}
	}
}

// Deletions between the questions of a full refresh are not lost.
func TestFullRefreshWhileThingsAreDeleted(t *testing.T) {
	t.Parallel()
	for n := 1; n <= 11; n++ {
		w := newWorld(t, budget(1, 3, 3))
		w.OK(w.run())
		w.p.Forget()
		w.Pass(time.Hour)
		asked := 0
		w.p.Before(func(_ int, _ *http.Request) {
			if asked++; asked == n {
				w.edit(remove)
			}
		})
		w.OK(w.run(trial.FullRefresh))
		w.p.Before(nil)
		w.Pass(time.Hour)
		w.OK(w.run())
		w.gone(fmt.Sprint("deleted before request ", n), true)
	}
}

// A stop at any call of a full refresh, and then an incremental run.
func TestFullRefreshStopped(t *testing.T) {
	t.Parallel()
	world := func() *world {
		w := newWorld(t, budget(1, 3, 3), budget(2, 1, 1))
		w.OK(w.run())
		w.edit(remove)
		w.Pass(time.Hour)
		return w
	}
	whole := world()
	total := len(whole.OK(whole.run(trial.FullRefresh)).Calls)
	for stop := 1; stop <= total; stop++ {
		w := world()
		w.run(trial.FullRefresh, trial.StopAfter(stop))
		w.Pass(time.Minute)
		w.OK(w.run())
		w.gone(fmt.Sprint("stop ", stop), true)
	}
}

// Two streams share one answer. A stream that joins has nothing to bury, and does not
// keep the other from burying.
func TestDeletionsWhenAStreamJoins(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{abi.ModeIncremental, abi.ModeFullRefresh} {
		w := newWorld(t, budget(1, 3, 1))
		w.OK(w.run(trial.Only(streamCategories)))
		w.edit(func(b *ynab.Budget) {
			b.Delete(ynab.Categories, id('c', 1, 2))
			b.Put(ynab.Groups, ynab.Object{"id": id('d', 1, 2), "name": "never seen", "hidden": false, "note": nil})
			b.Delete(ynab.Groups, id('d', 1, 2))
		})
		w.Pass(time.Hour)
		res := w.OK(w.run(func(o *sdktest.Options) { o.Mode = mode }))
		w.Holds(streamCategories, id('c', 1, 1), id('c', 1, 3))
		w.Holds(streamGroups, id('d', 1, 1))
		if len(buried(res, streamGroups)) != 0 {
			t.Errorf("%s: a tombstone for a group that nobody knew", mode)
		}
	}
}
