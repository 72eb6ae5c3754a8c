package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
	"github.com/pdpp-host/pdpp-host/testplugins/providers/ynab"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/trial"
)

// RT-12.2 for the lane of months.
func TestColdRunCollectsEverything(t *testing.T) {
	t.Parallel()
	w := newWorld(t, budget(1, 3, 14), budget(2, 1, 2))
	res := w.OK(w.run())
	if reasons(res) != "" || len(res.Gaps) != 0 {
		t.Errorf("%s, %d gaps, want \"\" and 0", reasons(res), len(res.Gaps))
	}
	w.Holds(streamBudgets, budgetID(1), budgetID(2))
	w.Holds(streamAccounts, append(ids('a', 1, 1, 3), id('a', 2, 1))...)
	w.Holds(streamCategories, append(ids('c', 1, 1, 3), id('c', 2, 1))...)
	w.Holds(streamGroups, id('d', 1, 1), id('d', 2, 1))
	w.Holds(streamPayees, append(ids('f', 1, 1, 3), id('f', 2, 1))...)
	w.Holds(streamLocations, append(ids('h', 1, 1, 3), id('h', 2, 1))...)
	w.Holds(streamTransactions, append(ids('e', 1, 1, 3), id('e', 2, 1))...)
	w.Holds(streamScheduled, append(ids('g', 1, 1, 3), id('g', 2, 1))...)
	if n := len(w.Rows[streamMonths]); n != 16 {
		t.Errorf("%d months, want 16", n)
	}
	if n := len(w.Rows[streamMonthCategories]); n != 32 {
		t.Errorf("%d month_categories, want 32", n)
	}
	if n := len(w.Rows[streamAccountStats]); n != 4 {
		t.Errorf("%d account_stats, want 4", n)
	}
	tx := w.Rows[streamTransactions][id('e', 1, 2)]
	for field, want := range map[string]any{
		"amount": json.Number("-5002"), "account_type": "checking", "budget_id": budgetID(1), "is_split": false, "deleted": false, "memo": "m",
	} {
		if tx.Fields[field] != want {
			t.Errorf("%s = %v, want %v", field, tx.Fields[field], want)
		}
	}
	key := budgetID(1) + ":2026-01-01:" + id('c', 1, 2)
	if mc, ok := w.Rows[streamMonthCategories][key]; !ok || mc.Text("category_name") != "category 2" || mc.Fields["activity"] != json.Number("-25000") {
		t.Errorf("%s: %v, want ok, mc.Text(\"category_name\") = category 2 and mc.Fields[\"activity\"] = %v", key, mc.Fields, json.Number("-25000"))
	}
	// One request for each list, one for each month.
	if n := len(w.p.Requests()); n != 1+2*7+16 {
		t.Errorf("%d requests: %v, want 1+2*7+16", n, w.paths())
	}
	if c := res.Coverage; len(c) != 1 || len(c[0].RequiredKeys) != 16 || len(c[0].HydratedKeys) != 16 || len(c[0].GapKeys) != 0 {
		t.Errorf("%+v, want len(c) = 1, len(c[0].RequiredKeys) = 16, len(c[0].HydratedKeys) = 16 and len(c[0].GapKeys) = 0", c)
	}
}

// Nothing changed: nothing is emitted, and nothing is asked twice; an empty
// delta is no reason to ask for everything.
func TestSecondRunIsEmpty(t *testing.T) {
	t.Parallel()
	w := newWorld(t, budget(1, 3, 14))
	w.OK(w.run())
	w.p.Forget()
	w.Pass(time.Hour)
	res := w.OK(w.run())
	if len(res.Changes()) != 0 {
		t.Errorf("%d changes, want 0", len(res.Changes()))
	}
	k := "?last_knowledge_of_server=34"
	want := []string{
		"/budgets", "/budgets/1/accounts", "/budgets/1/categories" + k, "/budgets/1/payees" + k, "/budgets/1/payee_locations",
		"/budgets/1/transactions" + k, "/budgets/1/scheduled_transactions" + k, "/budgets/1/months" + k,
		"/budgets/1/months/2026-01-01", "/budgets/1/months/2025-12-01",
	}
	if got := w.paths(); strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("asked\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if got, want := w.State[streamPayees], `{"v":2,"budgets":{"`+budgetID(1)+`":{"server_knowledge":34}}}`; got != want {
		t.Errorf("the cursor of the payees: %s, want %s", got, want)
	}
}

func TestEmptyAccount(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if res := w.OK(w.run()); len(res.All) != 0 || len(w.p.Requests()) != 1 {
		t.Errorf("%d records, %d requests, want 0 and 1", len(res.All), len(w.p.Requests()))
	}
	w = newWorld(t, budget(1, 0, 0))
	if res := w.OK(w.run()); len(res.All) != 2 || reasons(res) != "" {
		t.Errorf("%d records, %s, want 2 and \"\"", len(res.All), reasons(res))
	}
}

// RT-07.1: deleted on every stream.
func TestDeletions(t *testing.T) {
	t.Parallel()
	w := newWorld(t, budget(1, 3, 13))
	w.OK(w.run())
	w.edit(func(b *ynab.Budget) {
		b.Delete(ynab.Accounts, id('a', 1, 2))
		b.Delete(ynab.Categories, id('c', 1, 2))
		b.Delete(ynab.Payees, id('f', 1, 2))
		b.Delete(ynab.Locations, id('h', 1, 2))
		b.Delete(ynab.Transactions, id('e', 1, 2))
		b.Delete(ynab.Scheduled, id('g', 1, 2))
		b.Delete(ynab.Months, monthName(0))
		gone := month(1, 12)
		gone["categories"] = []ynab.Object{category(1, 1), {"id": id('c', 1, 2), "deleted": true}}
		b.Put(ynab.Months, gone)
	})
	w.Pass(time.Hour)
	res := w.OK(w.run())
	w.Holds(streamAccounts, id('a', 1, 1), id('a', 1, 3))
	w.Holds(streamCategories, id('c', 1, 1), id('c', 1, 3))
	w.Holds(streamPayees, id('f', 1, 1), id('f', 1, 3))
	w.Holds(streamLocations, id('h', 1, 1), id('h', 1, 3))
	w.Holds(streamTransactions, id('e', 1, 1), id('e', 1, 3))
	w.Holds(streamScheduled, id('g', 1, 1), id('g', 1, 3))
	if n := len(w.Rows[streamMonths]); n != 12 {
		t.Errorf("%d months, want 12", n)
	}
	if n := len(w.Rows[streamMonthCategories]); n != 23 {
		t.Errorf("%d month_categories, want 23", n)
	}
	for _, r := range res.Changes() {
		if !r.Delete && r.Stream != streamMonthCategories {
			t.Errorf("%s %s was emitted again", r.Stream, r.Key)
		}
	}
	w.edit(func(b *ynab.Budget) { b.Delete(ynab.Groups, id('d', 1, 1)) })
	w.Pass(time.Hour)
	w.OK(w.run())
	w.Holds(streamGroups)
}

// A deleted budget takes its accounts and locations with it; see also vanished_test.go.
func TestBudgetIsGone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, budget(1, 2, 2), budget(2, 2, 2))
	w.OK(w.run())
	w.p.Edit(func(budgets []*ynab.Budget) []*ynab.Budget { return budgets[1:] })
	w.Pass(24 * time.Hour)
	w.OK(w.run())
	w.Holds(streamBudgets, budgetID(2))
	w.Holds(streamAccounts, ids('a', 2, 1, 2)...)
	w.Holds(streamLocations, ids('h', 2, 1, 2)...)
	for stream, cursor := range w.State {
		if strings.Contains(cursor, budgetID(1)) {
			t.Errorf("the cursor of %s still has the budget, want no %v in cursor", stream, budgetID(1))
		}
	}
}

func TestIncremental(t *testing.T) {
	t.Parallel()
	w := newWorld(t, budget(1, 3, 14))
	w.OK(w.run())
	w.edit(func(b *ynab.Budget) {
		split := transaction(1, 1)
		split["subtransactions"] = []ynab.Object{share(1, 1, false), share(1, 2, true), share(1, 3, false)}
		b.Put(ynab.Transactions, split)
		b.Put(ynab.Transactions, transaction(1, 9))
		b.Put(ynab.Accounts, ynab.Object{"id": id('a', 1, 1), "balance": 7})
		b.Put(ynab.Categories, ynab.Object{"id": id('c', 1, 3), "name": "renamed"})
		old := month(1, 2)
		old["budgeted"] = 1
		b.Put(ynab.Months, old)
	})
	w.Pass(time.Hour)
	w.p.Forget()
	res := w.OK(w.run())
	if got := fmt.Sprint(res.Keys(streamTransactions)); got != fmt.Sprint([]string{id('e', 1, 1), id('e', 1, 9)}) {
		t.Errorf("%v, want %v", got, fmt.Sprint([]string{id('e', 1, 1), id('e', 1, 9)}))
	}
	split := w.Rows[streamTransactions][id('e', 1, 1)]
	if parts, _ := split.Fields["subtransactions"].([]any); len(parts) != 2 || split.Fields["is_split"] != true {
		t.Errorf("%s, want len(parts) = 2 and split.Fields[\"is_split\"] = true", split.Data)
	}
	if accounts, stats, categories := changed(res, streamAccounts), changed(res, streamAccountStats), changed(res, streamCategories); accounts != 1 || stats != 0 || categories != 1 {
		t.Errorf("%d accounts, %d stats, %d categories, want 1, 0 and 1", accounts, stats, categories)
	}
	months := 0
	for _, path := range w.paths() {
		if strings.HasPrefix(path, "/budgets/1/months/") {
			months++
		}
	}
	// The changed month, the current one and the one before.
	if months != 3 || len(res.Records(streamMonths)) != 1 {
		t.Errorf("%d months were fetched, want months = 3 and len(res.Records(streamMonths)) = 1", months)
	}
}

func TestAccountStatsOnceADay(t *testing.T) {
	t.Parallel()
	w := newWorld(t, budget(1, 1, 1))
	w.OK(w.run())
	w.Pass(23 * time.Hour)
	w.OK(w.run())
	w.Holds(streamAccountStats, id('a', 1, 1)+":2026-01-02", id('a', 1, 1)+":2026-01-03")
	w.OK(w.run())
	if len(w.Rows[streamAccountStats]) != 2 {
		t.Error("account_stats has other rows than the 2 of that day")
	}
}

// Money that moves between categories of the current month changes no list.
func TestCurrentMonthIsReadAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, budget(1, 1, 16)) // budgeted ahead, until April 2026
	w.OK(w.run())
	w.edit(func(b *ynab.Budget) {
		for _, e := range b.Lists[ynab.Months] {
			if e.Fields["month"] == "2026-01-01" || e.Fields["month"] == "2025-12-01" {
				moved := category(1, 1)
				moved["budgeted"] = 1
				e.Fields["categories"] = []ynab.Object{moved, category(1, 2)} // knowledge as it was
			}
		}
	})
	w.Pass(time.Hour)
	res := w.OK(w.run())
	if len(res.Records(streamMonthCategories)) != 4 {
		t.Errorf("%d records, want 4", len(res.Records(streamMonthCategories)))
	}
}

func TestScopeOfOneStream(t *testing.T) {
	t.Parallel()
	for _, stream := range []string{
		streamBudgets, streamAccounts, streamAccountStats, streamGroups, streamCategories, streamPayees, streamLocations, streamTransactions,
		streamScheduled, streamMonths, streamMonthCategories,
	} {
		w := newWorld(t, budget(1, 2, 13))
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
		if tx := w.Rows[streamTransactions]; stream == streamTransactions && tx[id('e', 1, 1)].Text("account_type") != "checking" {
			t.Error("the transaction lacks its account's type")
		}
	}
}

// A stream that joins later gets everything, and the others are not repeated
// without need.
func TestStreamThatJoinsLater(t *testing.T) {
	t.Parallel()
	w := newWorld(t, budget(1, 2, 3))
	w.OK(w.run(trial.Only(streamGroups, streamMonths)))
	w.OK(w.run())
	w.Holds(streamCategories, ids('c', 1, 1, 2)...)
	if len(w.Rows[streamMonthCategories]) != 6 {
		t.Errorf("%d month_categories, want 6", len(w.Rows[streamMonthCategories]))
	}
}

func TestDeterminism(t *testing.T) {
	t.Parallel()
	one := func() string {
		w := newWorld(t, budget(1, 4, 14), budget(2, 2, 3))
		text := ""
		for range 2 {
			for _, c := range w.OK(w.run()).Calls {
				text += c.Payload
			}
			w.edit(func(b *ynab.Budget) { b.Lists[ynab.Accounts] = b.Lists[ynab.Accounts][:1] })
		}
		return text
	}
	if first := one(); first != one() {
		t.Error("two equal runs differ")
	}
}

func TestAnswersInAnyOrder(t *testing.T) {
	t.Parallel()
	w := newWorld(t, budget(1, 1, 14))
	w.OK(w.run(func(o *sdktest.Options) { o.Completes = sdktest.Last }))
	if len(w.Rows[streamMonthCategories]) != 28 {
		t.Errorf("%d, want 28", len(w.Rows[streamMonthCategories]))
	}
}

func TestBaseURL(t *testing.T) {
	t.Parallel()
	for base, want := range map[string]string{
		"http://127.0.0.1:8080": "http://127.0.0.1:8080/v1/budgets", "http://127.0.0.1:8080/v1/": "http://127.0.0.1:8080/v1/budgets",
	} {
		w := newWorld(t)
		res := w.OK(w.run(func(o *sdktest.Options) { o.Options = map[string]string{"base_url": base} }))
		if len(res.Requests) != 1 || res.Requests[0].URL != want || res.Requests[0].Credential != "token" {
			t.Errorf("%s: %+v, want len(res.Requests) = 1, Requests[0].URL = %v and Requests[0].Credential = %v", base, res.Requests, want, "token")
		}
	}
}

// The members that the host keeps beside the budgets in a cursor are not read as
// budgets.
func TestCursorWithTheHostsOwnFields(t *testing.T) {
	t.Parallel()
	w := newWorld(t, budget(1, 1, 1))
	w.OK(w.run())
	w.State[streamBudgets] = strings.Replace(w.State[streamBudgets], "{", `{"pacing_interval_ms":18000,"pacing_recorded_at_ms":1767323045000,`, 1)
	if res := w.OK(w.run()); len(res.Changes()) != 0 {
		t.Errorf("%d changes, want 0", len(res.Changes()))
	}
}
