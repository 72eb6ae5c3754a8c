package main

import (
	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// Each function below sets the fields of one entity's record, as the manifest's schema lists
// them. The entity has a usable id, or month.

func budgetRecord(r *sdk.Record, v jsonvalue.Value) {
	r.Copy("id", v.Get("id"))
	r.Expect("name", v.Get("name"))
	r.CopyMembers(v, "last_modified_on", "first_month", "last_month")
	c := v.Get("currency_format")
	r.Copy("currency_iso_code", c.Get("iso_code"))
	r.Copy("currency_symbol", c.Get("currency_symbol"))
	r.Copy("currency_decimal_separator", c.Get("decimal_separator"))
	r.Copy("currency_group_separator", c.Get("group_separator"))
	r.Copy("currency_symbol_first", c.Get("symbol_first"))
	r.Copy("currency_decimal_digits", c.Get("decimal_digits"))
	r.Copy("date_format_string", v.Get("date_format").Get("format"))
	r.Bool("deleted", false)
}

// entity begins the record of a budget's entity.
func entity(r *sdk.Record, v jsonvalue.Value, budget string) {
	r.Copy("id", v.Get("id"))
	r.String("budget_id", budget)
}

func accountRecord(r *sdk.Record, v jsonvalue.Value, budget string) {
	entity(r, v, budget)
	r.ExpectMembers(v, "name", "type")
	r.CopyMembers(v, "on_budget", "closed")
	r.ExpectMembers(v, "balance", "cleared_balance", "uncleared_balance")
	r.CopyMembers(v, "transfer_payee_id", "direct_import_linked", "direct_import_in_error", "last_reconciled_at", "note",
		"debt_interest_rates", "debt_minimum_payments", "debt_escrow_amounts", "debt_original_balance")
	r.Bool("deleted", false)
}

func accountStatsRecord(r *sdk.Record, v jsonvalue.Value, budget, day string) {
	r.String("id", v.Get("id").Str()+":"+day)
	r.Copy("account_id", v.Get("id"))
	r.String("budget_id", budget)
	r.String("observed_on", day)
	r.ExpectMembers(v, "balance", "cleared_balance", "uncleared_balance")
}

func groupRecord(r *sdk.Record, v jsonvalue.Value, budget string) {
	entity(r, v, budget)
	r.Expect("name", v.Get("name"))
	r.CopyMembers(v, "hidden", "note")
	r.Bool("deleted", false)
}

// goals sets the fields of a category's goal.
func goals(r *sdk.Record, v jsonvalue.Value) {
	r.CopyMembers(v, "goal_type", "goal_needs_whole_amount", "goal_day", "goal_cadence", "goal_cadence_frequency", "goal_creation_month",
		"goal_target", "goal_target_date", "goal_target_month", "goal_percentage_complete", "goal_months_to_budget", "goal_under_funded",
		"goal_overall_funded", "goal_overall_left", "goal_snoozed_at")
}

// categoryRecord sets the fields of a category within its group, which has the name where
// the category does not.
func categoryRecord(r *sdk.Record, v, group jsonvalue.Value, budget string) {
	entity(r, v, budget)
	r.Expect("category_group_id", v.Get("category_group_id"))
	name := v.Get("category_group_name")
	if name.Kind() != jsonvalue.String {
		name = group.Get("name")
	}
	r.Copy("category_group_name", name)
	r.Expect("name", v.Get("name"))
	r.Copy("hidden", v.Get("hidden"))
	r.ExpectMembers(v, "budgeted", "activity", "balance")
	r.Copy("note", v.Get("note"))
	goals(r, v)
	r.Bool("deleted", false)
}

func monthCategoryRecord(r *sdk.Record, v jsonvalue.Value, m budgetMonth) {
	r.String("id", m.key()+":"+v.Get("id").Str())
	r.String("budget_id", m.budget)
	r.String("month", m.month)
	r.Copy("category_id", v.Get("id"))
	r.Copy("category_name", v.Get("name"))
	r.Expect("category_group_id", v.Get("category_group_id"))
	r.Copy("category_group_name", v.Get("category_group_name"))
	r.ExpectMembers(v, "budgeted", "activity", "balance")
	goals(r, v)
	r.CopyMembers(v, "hidden", "note")
	r.Bool("deleted", false)
}

func payeeRecord(r *sdk.Record, v jsonvalue.Value, budget string) {
	entity(r, v, budget)
	r.Expect("name", v.Get("name"))
	r.Copy("transfer_account_id", v.Get("transfer_account_id"))
	r.Bool("deleted", false)
}

func locationRecord(r *sdk.Record, v jsonvalue.Value, budget string) {
	entity(r, v, budget)
	r.ExpectMembers(v, "payee_id", "latitude", "longitude")
	r.Bool("deleted", false)
}

// transactionRecord also needs the types of the accounts, which transactions do not name.
func transactionRecord(r *sdk.Record, v jsonvalue.Value, budget string, types map[string]string) {
	entity(r, v, budget)
	r.Expect("account_id", v.Get("account_id"))
	r.Copy("account_name", v.Get("account_name"))
	r.StringOrNull("account_type", types[v.Get("account_id").Str()])
	r.Copy("date", v.Get("date"))
	r.Expect("amount", v.Get("amount"))
	r.CopyMembers(v, "payee_id", "payee_name", "category_id", "category_name", "memo")
	r.Expect("cleared", v.Get("cleared"))
	r.CopyMembers(v, "approved", "flag_color", "flag_name", "transfer_account_id", "transfer_transaction_id", "matched_transaction_id",
		"import_id", "import_payee_name", "import_payee_name_original", "debt_transaction_type")
	r.Bool("is_split", parts(r, v, "transaction_id"))
	r.Bool("deleted", false)
}

func scheduledRecord(r *sdk.Record, v jsonvalue.Value, budget string) {
	entity(r, v, budget)
	r.CopyMembers(v, "date_first", "date_next")
	r.ExpectMembers(v, "frequency", "amount", "account_id")
	r.CopyMembers(v, "account_name", "payee_id", "payee_name", "category_id", "category_name", "memo", "transfer_account_id", "flag_color", "flag_name")
	parts(r, v, "scheduled_transaction_id")
	r.Bool("deleted", false)
}

// parts sets the shares of a split, without the deleted ones, and reports whether there are
// any. owner is the member by which they name the whole.
func parts(r *sdk.Record, v jsonvalue.Value, owner string) (some bool) {
	r.CopyObjects("subtransactions", v.Get("subtransactions"), func(o *sdk.Object, part jsonvalue.Value) bool {
		if part.Kind() != jsonvalue.Object || part.Get("deleted").Bool() {
			return false
		}
		for _, name := range []string{
			"id", owner, "amount", "memo", "payee_id", "payee_name", "category_id", "category_name", "transfer_account_id", "transfer_transaction_id",
		} {
			o.Copy(name, part.Get(name))
		}
		some = true
		return true
	})
	return some
}

func monthRecord(r *sdk.Record, v jsonvalue.Value, budget string) {
	r.String("id", budget+"|"+v.Get("month").Str())
	r.String("budget_id", budget)
	r.Copy("month", v.Get("month"))
	r.ExpectMembers(v, "income", "budgeted", "activity", "to_be_budgeted")
	r.CopyMembers(v, "age_of_money", "note")
	r.Bool("deleted", false)
}
