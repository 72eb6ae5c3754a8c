package sample

import (
	"fmt"
	"time"

	"github.com/pdpp-host/pdpp-host/testplugins/providers/ynab"
)

// Ynab returns one budget, with accounts, categories, payees, transactions and
// three months.
func Ynab(o Options) *ynab.Provider {
	m := newMaker(o)
	b := ynab.NewBudget(ynabID('b', 0), m.title())
	b.Put(ynab.Groups, ynab.Object{"id": ynabID('d', 1), "name": "Bills", "hidden": false, "note": nil})
	category := func(i int) ynab.Object {
		return ynab.Object{
			"id": ynabID('c', i), "category_group_id": ynabID('d', 1), "category_group_name": "Bills", "name": fmt.Sprint("Category ", i), "hidden": false,
			"budgeted": 50000, "activity": -25000, "balance": 25000, "note": nil, "goal_type": nil, "goal_needs_whole_amount": nil,
			"goal_day": nil, "goal_cadence": nil, "goal_cadence_frequency": nil, "goal_creation_month": nil, "goal_target": nil,
			"goal_target_date": nil, "goal_target_month": nil, "goal_percentage_complete": nil, "goal_months_to_budget": nil,
			"goal_under_funded": nil, "goal_overall_funded": nil, "goal_overall_left": nil, "goal_snoozed_at": nil, "deleted": false,
		}
	}
	few := max(2, m.size/5)
	for i := 1; i <= few; i++ {
		b.Put(ynab.Accounts, ynab.Object{
			"id": ynabID('a', i), "name": m.title(), "type": "checking", "on_budget": true, "closed": false, "note": nil,
			"balance": 1000 * m.IntN(1000), "cleared_balance": 120000, "uncleared_balance": 5000, "transfer_payee_id": nil,
			"direct_import_linked": false, "direct_import_in_error": false, "last_reconciled_at": nil,
			"debt_original_balance": nil, "debt_interest_rates": ynab.Object{}, "debt_minimum_payments": ynab.Object{}, "debt_escrow_amounts": ynab.Object{},
		})
		b.Put(ynab.Categories, category(i))
		b.Put(ynab.Payees, ynab.Object{"id": ynabID('f', i), "name": m.title(), "transfer_account_id": nil})
		b.Put(ynab.Locations, ynab.Object{"id": ynabID('h', i), "payee_id": ynabID('f', i), "latitude": "32.7767", "longitude": "-96.7970"})
		b.Put(ynab.Scheduled, ynab.Object{
			"id": ynabID('g', i), "date_first": "2026-04-01", "date_next": "2026-05-01", "frequency": "monthly", "amount": -50000,
			"memo": nil, "flag_color": nil, "account_id": ynabID('a', 1), "account_name": "account 1", "payee_id": nil, "payee_name": nil,
			"category_id": nil, "category_name": nil, "transfer_account_id": nil, "subtransactions": []ynab.Object{},
		})
	}
	for i := 1; i <= m.size; i++ {
		b.Put(ynab.Transactions, Transaction(i, m.title(), m.ago(i)))
	}
	for i := range 3 {
		b.Put(ynab.Months, ynab.Object{
			"month": m.start.AddDate(0, -i, 1-m.start.Day()).Format(time.DateOnly), "note": nil, "income": 500000, "budgeted": 300000, "activity": -200000, "to_be_budgeted": 0, "age_of_money": 25,
			"categories": []ynab.Object{category(1), category(2)},
		})
	}
	return ynab.New(ynab.Options{Token: o.Token, Now: o.Now, Enforce: o.Limit, Env: o.Env}, b)
}

// Transaction returns the n-th transaction.
func Transaction(n int, memo string, at time.Time) ynab.Object {
	return ynab.Object{
		"id": ynabID('e', n), "account_id": ynabID('a', 1), "account_name": "account 1", "date": at.Format(time.DateOnly), "amount": -5000 - n,
		"payee_id": ynabID('f', 1), "payee_name": "payee 1", "category_id": ynabID('c', 1), "category_name": "category 1", "memo": memo,
		"cleared": "cleared", "approved": true, "flag_color": nil, "flag_name": nil, "transfer_account_id": nil, "transfer_transaction_id": nil,
		"matched_transaction_id": nil, "import_id": nil, "import_payee_name": nil, "import_payee_name_original": nil,
		"debt_transaction_type": nil, "subtransactions": []ynab.Object{},
	}
}

func ynabID(kind byte, n int) string {
	return fmt.Sprintf("%08d-%04d-4000-8000-%c%011d", 1, n%10000, kind, n)
}
