package main

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
	"github.com/pdpp-host/pdpp-host/testplugins/providers/ynab"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/trial"
)

const (
	defaultBase    = "https://api.ynab.com/v1"
	codeMalformed  = "ynab_malformed_response"
	codeAuthFailed = "ynab_auth_failed"
)

var reasonShape = unreadable.Reason

var schemas = trial.SchemasOf(manifest)

// world is a provider and a store with the results of the runs so far.
type world struct {
	*trial.World

	p *ynab.Provider
}

func newWorld(t *testing.T, budgets ...*ynab.Budget) *world {
	t.Helper()
	w := &world{World: trial.NewWorld(t, connector{}, schemas)}
	w.p = ynab.New(ynab.Options{Token: trial.Token, Now: w.Now}, budgets...)
	return w
}

func (w *world) run(change ...trial.Change) *sdktest.Result {
	w.T.Helper()
	return w.Play(w.p, change...)
}

func reasons(res *sdktest.Result) string {
	var list []string
	for _, s := range res.Skips {
		list = append(list, s.Stream+":"+s.Reason)
	}
	slices.Sort(list)
	return strings.Join(list, ",")
}

// id makes an id of the provider's form.
func id(kind byte, budget, n int) string {
	return fmt.Sprintf("%08d-%04d-4000-8000-%c%011d", budget, n, kind, n)
}

func budgetID(n int) string { return id('b', n, 0) }

func account(b, n int) ynab.Object {
	return ynab.Object{
		"id": id('a', b, n), "name": fmt.Sprint("account ", n), "type": "checking", "on_budget": true, "closed": false, "note": nil,
		"balance": 125000 * n, "cleared_balance": 120000, "uncleared_balance": 5000, "transfer_payee_id": nil,
		"direct_import_linked": false, "direct_import_in_error": false, "last_reconciled_at": "2026-04-20T15:45:00Z",
		"debt_original_balance": nil, "debt_interest_rates": ynab.Object{}, "debt_minimum_payments": ynab.Object{}, "debt_escrow_amounts": ynab.Object{},
	}
}

func category(b, n int) ynab.Object {
	return ynab.Object{
		"id": id('c', b, n), "category_group_id": id('d', b, 1), "category_group_name": "Bills", "name": fmt.Sprint("category ", n), "hidden": false,
		"budgeted": 50000, "activity": -25000, "balance": 25000, "note": nil, "goal_type": "NEED", "goal_needs_whole_amount": false,
		"goal_day": 15, "goal_cadence": 1, "goal_cadence_frequency": 1, "goal_creation_month": "2026-01-01", "goal_target": 10000,
		"goal_target_date": "2026-12-31", "goal_target_month": "2026-12-01", "goal_percentage_complete": 50, "goal_months_to_budget": 3,
		"goal_under_funded": 0, "goal_overall_funded": 10000, "goal_overall_left": 0, "goal_snoozed_at": nil, "deleted": false,
	}
}

func transaction(b, n int) ynab.Object {
	return ynab.Object{
		"id": id('e', b, n), "account_id": id('a', b, 1), "account_name": "account 1", "date": "2026-01-01", "amount": -5000 - n,
		"payee_id": id('f', b, 1), "payee_name": "payee 1", "category_id": id('c', b, 1), "category_name": "category 1", "memo": "m",
		"cleared": "cleared", "approved": true, "flag_color": nil, "flag_name": nil, "transfer_account_id": nil, "transfer_transaction_id": nil,
		"matched_transaction_id": nil, "import_id": nil, "import_payee_name": nil, "import_payee_name_original": nil,
		"debt_transaction_type": nil, "subtransactions": []ynab.Object{},
	}
}

func share(b, n int, deleted bool) ynab.Object {
	return ynab.Object{
		"id": id('s', b, n), "transaction_id": id('e', b, 1), "amount": -2000, "memo": nil, "payee_id": nil, "payee_name": nil,
		"category_id": id('c', b, 1), "category_name": "category 1", "transfer_account_id": nil, "transfer_transaction_id": nil, "deleted": deleted,
	}
}

func plan(b, n int) ynab.Object {
	return ynab.Object{
		"id": id('g', b, n), "date_first": "2026-04-01", "date_next": "2026-05-01", "frequency": "monthly", "amount": -50000,
		"memo": nil, "flag_color": nil, "account_id": id('a', b, 1), "account_name": "account 1", "payee_id": nil, "payee_name": nil,
		"category_id": nil, "category_name": nil, "transfer_account_id": nil, "subtransactions": []ynab.Object{},
	}
}

func monthName(n int) string {
	return time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, n, 0).Format(time.DateOnly)
}

func month(b, n int) ynab.Object {
	return ynab.Object{
		"month": monthName(n), "note": nil, "income": 500000, "budgeted": 300000, "activity": -200000, "to_be_budgeted": 0, "age_of_money": 25,
		"categories": []ynab.Object{category(b, 1), category(b, 2)},
	}
}

// budget is a budget with n entities in each list, and months from 2025 on.
func budget(b, n, months int) *ynab.Budget {
	out := ynab.NewBudget(budgetID(b), fmt.Sprint("budget ", b))
	out.Put(ynab.Groups, ynab.Object{"id": id('d', b, 1), "name": "Bills", "hidden": false, "note": nil})
	for i := 1; i <= n; i++ {
		out.Put(ynab.Accounts, account(b, i))
		out.Put(ynab.Categories, category(b, i))
		out.Put(ynab.Payees, ynab.Object{"id": id('f', b, i), "name": fmt.Sprint("payee ", i), "transfer_account_id": nil})
		out.Put(ynab.Locations, ynab.Object{"id": id('h', b, i), "payee_id": id('f', b, i), "latitude": "32.7767", "longitude": "-96.7970"})
		out.Put(ynab.Transactions, transaction(b, i))
		out.Put(ynab.Scheduled, plan(b, i))
	}
	for i := range months {
		out.Put(ynab.Months, month(b, i))
	}
	return out
}

func ids(kind byte, b, from, to int) []string {
	var out []string
	for i := from; i <= to; i++ {
		out = append(out, id(kind, b, i))
	}
	return out
}

func (w *world) edit(change func(b *ynab.Budget)) {
	w.p.Edit(func(budgets []*ynab.Budget) []*ynab.Budget {
		change(budgets[0])
		return budgets
	})
}

// paths lists the requests, without the budget's id.
func (w *world) paths() []string {
	var out []string
	for _, r := range w.p.Requests() {
		path := strings.TrimPrefix(r.URL, defaultBase)
		if i := strings.Index(path, "/v1"); i >= 0 {
			path = path[i+3:]
		}
		out = append(out, strings.ReplaceAll(path, budgetID(1), "1"))
	}
	return out
}

func (w *world) at(n int, f func()) {
	w.p.Before(func(i int, _ *http.Request) {
		if i == n {
			f()
		}
	})
}

// changed counts the records of a stream that a run changed at the host, without tombstones.
func changed(res *sdktest.Result, stream string) (n int) {
	for _, r := range res.Changes() {
		if r.Stream == stream && !r.Delete {
			n++
		}
	}
	return n
}

// buried lists the keys of a stream's records that a run has turned into tombstones.
func buried(res *sdktest.Result, stream string) (keys []string) {
	for _, r := range res.Changes() {
		if r.Stream == stream && r.Delete {
			keys = append(keys, r.Key)
		}
	}
	return keys
}
