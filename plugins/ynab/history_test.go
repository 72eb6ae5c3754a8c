package main

import (
	_ "embed"
	"net/http"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
	"github.com/pdpp-host/pdpp-host/testplugins/providers/fault"
	"github.com/pdpp-host/pdpp-host/testplugins/providers/ynab"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/trial"
)

// before is the history below as the version of this connector wrote it that kept the keys
// of all rows in its cursors.
//
//go:embed testdata/history.txt
var before string

// The connector writes the records, tombstones, gaps, reports and failures that it wrote
// before it left the list of rows to the host.
func TestHistoryIsAsBefore(t *testing.T) {
	t.Parallel()
	trial.SameHistory(t, history(t), before)
}

func history(t *testing.T) string {
	t.Helper()
	var h trial.History
	w := newWorld(t, budget(1, 4, 14), budget(2, 2, 3), budget(3, 2, 2))
	res := w.run()
	h.Add("first run", res)
	run := func(step string, change ...trial.Change) {
		t.Helper()
		served := res
		res = w.run(append([]trial.Change{trial.Served(served)}, change...)...)
		h.Add(step, res)
	}
	path := func(b int, rest string) func(*http.Request) bool {
		return fault.Path("/v1/budgets/" + budgetID(b) + rest)
	}
	only := func(name string) func(*http.Request) bool {
		return func(r *http.Request) bool { return r.URL.Path == name }
	}
	w.Pass(time.Hour)
	run("nothing new")
	w.edit(func(b *ynab.Budget) {
		split := transaction(1, 1)
		split["subtransactions"] = []ynab.Object{share(1, 1, false), share(1, 2, true), share(1, 3, false)}
		split["memo"], split["date"] = "\u00fcber \U0001f600 \"x\"\n", nil
		b.Put(ynab.Transactions, split)
		b.Put(ynab.Transactions, transaction(1, 9))
		stranger := transaction(1, 10)
		stranger["account_id"] = id('a', 9, 9)
		b.Put(ynab.Transactions, stranger)
		b.Put(ynab.Accounts, ynab.Object{"id": id('a', 1, 1), "balance": 7, "debt_interest_rates": ynab.Object{"2026-01-01": 5000}, "closed": true})
		b.Put(ynab.Accounts, account(1, 9))
		b.Put(ynab.Categories, ynab.Object{"id": id('c', 1, 3), "name": "renamed", "category_group_name": nil, "goal_snoozed_at": "2026-01-05T10:00:00Z"})
		b.Put(ynab.Groups, ynab.Object{"id": id('d', 1, 2), "name": "Savings", "hidden": true, "note": "n"})
		plan := plan(1, 1)
		plan["subtransactions"] = []ynab.Object{{"id": id('s', 1, 9), "scheduled_transaction_id": id('g', 1, 1), "amount": -1, "deleted": false}}
		b.Put(ynab.Scheduled, plan)
		old := month(1, 2)
		old["budgeted"], old["age_of_money"] = 1, nil
		b.Put(ynab.Months, old)
		b.Summary["name"], b.Summary["currency_format"] = "renamed", nil
	})
	w.Pass(24 * time.Hour)
	run("edits")
	w.edit(func(b *ynab.Budget) {
		remove(b)
		gone := month(1, 12)
		gone["categories"] = []ynab.Object{category(1, 1), {"id": id('c', 1, 2), "deleted": true}}
		b.Put(ynab.Months, gone)
	})
	w.Pass(time.Hour)
	run("removals")
	w.p.Faults.Add(
		fault.Rule{Match: path(1, "/transactions"), Times: -1, Fault: fault.Replace(`"amount":-5008`, `"amount":-5.008`)},
		fault.Rule{Match: path(1, "/accounts"), Times: -1, Fault: fault.Replace(`"closed":false`, `"closed":"no"`)},
		fault.Rule{Match: path(1, "/accounts"), Times: -1, Fault: fault.Replace(`"last_reconciled_at":"2026-04-20T15:45:00Z"`, `"last_reconciled_at":"April"`)},
		fault.Rule{Match: path(1, "/months/"), Times: -1, Fault: fault.Replace(`"goal_creation_month":"2026-01-01"`, `"goal_creation_month":"January"`)},
	)
	w.edit(func(b *ynab.Budget) { b.Put(ynab.Transactions, transaction(1, 8)) })
	w.Pass(time.Hour)
	run("odd fields")
	w.p.Faults.Clear()
	w.edit(func(b *ynab.Budget) { b.Put(ynab.Transactions, transaction(1, 8)) })
	w.Pass(time.Hour)
	run("the fields are as before")
	w.p.Faults.Add(
		fault.Rule{Match: path(1, "/accounts"), Times: -1, Fault: fault.Replace(`"id":"`+id('a', 1, 3)+`"`, `"id":null`)},
		fault.Rule{Match: path(2, "/payee_locations"), Times: -1, Fault: fault.Replace(`"id":"`+id('h', 2, 1)+`"`, `"id":7`)},
		fault.Rule{Match: path(1, "/payees"), Times: -1, Fault: fault.Replace(`"id":"`+id('f', 1, 8)+`"`, `"id":"../x"`)},
	)
	w.edit(func(b *ynab.Budget) {
		b.Delete(ynab.Accounts, id('a', 1, 4))
		b.Put(ynab.Payees, ynab.Object{"id": id('f', 1, 8), "name": "new", "transfer_account_id": nil})
	})
	w.Pass(time.Hour)
	run("rows that cannot be read")
	w.p.Faults.Clear()
	w.edit(func(b *ynab.Budget) { b.Put(ynab.Payees, ynab.Object{"id": id('f', 1, 8), "name": "newer"}) })
	w.Pass(time.Hour)
	run("rows that can be read again")
	w.p.Faults.Add(
		fault.Rule{Match: path(1, "/payees"), Times: -1, Fault: fault.Status(404, `{}`)},
		fault.Rule{Match: path(2, "/transactions"), Times: -1, Fault: fault.Status(500, "")},
		fault.Rule{Match: path(2, "/months/2025-03-01"), Times: -1, Fault: fault.Status(500, "")},
	)
	w.p.Edit(func(budgets []*ynab.Budget) []*ynab.Budget {
		budgets[0].Put(ynab.Payees, ynab.Object{"id": id('f', 1, 5), "name": "late", "transfer_account_id": nil})
		budgets[1].Delete(ynab.Transactions, id('e', 2, 1))
		return budgets
	})
	w.Pass(24 * time.Hour)
	run("streams and a month that fail")
	w.p.Faults.Clear()
	w.Pass(time.Hour)
	run("only what is left", func(o *sdktest.Options) { o.RecoveryOnly = true })
	run("to the end")
	w.p.Faults.Add(fault.Rule{After: 5, Times: -1, Fault: fault.Throttle("")})
	w.edit(func(b *ynab.Budget) { b.Put(ynab.Scheduled, plan(1, 7)) })
	w.Pass(time.Hour)
	run("refused half-way")
	w.p.Faults.Clear()
	w.Pass(time.Hour)
	run("to the end again")
	w.p.Faults.Add(fault.Rule{Match: only("/v1/budgets"), Fault: fault.Replace(`"id":"`+budgetID(3)+`"`, `"id":null`)})
	w.Pass(time.Hour)
	run("a budget that cannot be read")
	w.p.Edit(func(budgets []*ynab.Budget) []*ynab.Budget { return budgets[:2] })
	w.Pass(time.Hour)
	run("a budget is gone")
	w.p.Edit(func(budgets []*ynab.Budget) []*ynab.Budget {
		budgets[0].Delete(ynab.Transactions, id('e', 1, 3))
		budgets[0].Delete(ynab.Locations, id('h', 1, 3))
		budgets[0].Put(ynab.Payees, ynab.Object{"id": id('f', 1, 5), "name": "later"})
		return budgets
	})
	w.Pass(time.Hour)
	run("a full refresh", trial.FullRefresh)
	w.Pass(time.Hour)
	run("after it")
	w.p.Edit(func(budgets []*ynab.Budget) []*ynab.Budget { return budgets[1:] })
	w.Pass(time.Hour)
	run("a full refresh without a budget", trial.FullRefresh)
	run("at the owner's bound", trial.FullRefresh, func(o *sdktest.Options) { o.DetailLimits = &abi.DetailLimits{MaxFetches: 1, MaxTailGaps: 1} })
	w.Pass(time.Hour)
	run("after the bound")
	run("a narrowed run", trial.Only(streamBudgets, streamCategories))
	run("a day of one account", func(o *sdktest.Options) {
		o.Scope = []abi.StreamScope{{Name: streamAccountStats, Resources: []string{id('a', 2, 1) + ":2026-01-05"}}}
	})
	return h.String()
}
