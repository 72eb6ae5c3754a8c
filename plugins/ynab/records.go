package main

import (
	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// Each function below makes one record of one entity, field by field as the
// manifest's schema lists them. It returns the record's key, "" when the entity
// cannot be a record.

func budgetRecord(s *builder, v jsonvalue.Value) string {
	id := v.Get("id").Str()
	if !plainID(id) {
		return ""
	}
	s.reset()
	s.str("id", id)
	s.required(v, "name")
	s.moments(v, "last_modified_on")
	s.dates(v, "first_month", "last_month")
	c := v.Get("currency_format")
	for _, f := range [...]struct{ field, member string }{
		{"currency_iso_code", "iso_code"}, {"currency_symbol", "currency_symbol"},
		{"currency_decimal_separator", "decimal_separator"}, {"currency_group_separator", "group_separator"},
	} {
		s.renamed(c, f.field, f.member)
	}
	switch f := c.Get("symbol_first"); f.Kind() {
	case jsonvalue.True, jsonvalue.False:
		s.bool("currency_symbol_first", f.Bool())
	case jsonvalue.Null:
		s.null("currency_symbol_first")
	case jsonvalue.Number, jsonvalue.String, jsonvalue.Array, jsonvalue.Object:
		s.mismatch("currency_symbol_first")
	}
	if n, ok := c.Get("decimal_digits").IntOK(); ok {
		s.b = jsonappend.Int(jsonappend.Name(s.b, "currency_decimal_digits"), n)
	} else {
		s.null("currency_decimal_digits")
	}
	s.renamed(v.Get("date_format"), "date_format_string", "format")
	s.bool("deleted", false)
	return id
}

// renamed passes a text on under another name.
func (s *builder) renamed(v jsonvalue.Value, field, member string) {
	switch f := v.Get(member); {
	case f.IsNull():
		s.null(field)
	case f.Kind() == jsonvalue.String:
		s.b = f.AppendJSON(jsonappend.Name(s.b, field))
	default:
		s.mismatch(field)
	}
}

// entity begins the record of a budget's entity.
func (s *builder) entity(v jsonvalue.Value, budget string) string {
	id := v.Get("id").Str()
	if !plainID(id) {
		return ""
	}
	s.reset()
	s.str("id", id)
	s.str("budget_id", budget)
	return id
}

func accountRecord(s *builder, v jsonvalue.Value, budget string) string {
	id := s.entity(v, budget)
	s.required(v, "name", "type")
	s.flags(v, "on_budget", "closed")
	s.amounts(v, "balance", "cleared_balance", "uncleared_balance")
	s.texts(v, "transfer_payee_id")
	s.flags(v, "direct_import_linked", "direct_import_in_error")
	s.moments(v, "last_reconciled_at")
	s.texts(v, "note")
	s.objects(v, "debt_interest_rates", "debt_minimum_payments", "debt_escrow_amounts")
	s.numbers(v, "debt_original_balance")
	s.bool("deleted", false)
	return id
}

func accountStatsRecord(s *builder, v jsonvalue.Value, budget, day string) string {
	id := v.Get("id").Str()
	if !plainID(id) {
		return ""
	}
	s.reset()
	s.str("id", id+":"+day)
	s.str("account_id", id)
	s.str("budget_id", budget)
	s.str("observed_on", day)
	s.amounts(v, "balance", "cleared_balance", "uncleared_balance")
	return id + ":" + day
}

func groupRecord(s *builder, v jsonvalue.Value, budget string) string {
	id := s.entity(v, budget)
	s.required(v, "name")
	s.flags(v, "hidden")
	s.texts(v, "note")
	s.bool("deleted", false)
	return id
}

// goals are the fields of a category's goal.
func (s *builder) goals(v jsonvalue.Value) {
	s.texts(v, "goal_type")
	s.flags(v, "goal_needs_whole_amount")
	s.numbers(v, "goal_day", "goal_cadence", "goal_cadence_frequency")
	s.dates(v, "goal_creation_month")
	s.numbers(v, "goal_target")
	s.dates(v, "goal_target_date", "goal_target_month")
	s.numbers(v, "goal_percentage_complete", "goal_months_to_budget", "goal_under_funded", "goal_overall_funded", "goal_overall_left")
	s.moments(v, "goal_snoozed_at")
}

// categoryRecord makes the record of a category within its group; group is the
// zero Value where the category names it.
func categoryRecord(s *builder, v, group jsonvalue.Value, budget string) string {
	id := s.entity(v, budget)
	s.required(v, "category_group_id")
	s.groupName(v, group)
	s.required(v, "name")
	s.flags(v, "hidden")
	s.amounts(v, "budgeted", "activity", "balance")
	s.texts(v, "note")
	s.goals(v)
	s.bool("deleted", false)
	return id
}

func (s *builder) groupName(v, group jsonvalue.Value) {
	if v.Get("category_group_name").Kind() == jsonvalue.String {
		s.texts(v, "category_group_name")
		return
	}
	s.renamed(group, "category_group_name", "name")
}

func monthCategoryRecord(s *builder, v jsonvalue.Value, budget, month string) string {
	category := v.Get("id").Str()
	if !plainID(category) {
		return ""
	}
	key := monthCategoryKey(budget, month, category)
	s.reset()
	s.str("id", key)
	s.str("budget_id", budget)
	s.str("month", month)
	s.str("category_id", category)
	s.renamed(v, "category_name", "name")
	s.required(v, "category_group_id")
	s.texts(v, "category_group_name")
	s.amounts(v, "budgeted", "activity", "balance")
	s.goals(v)
	s.flags(v, "hidden")
	s.texts(v, "note")
	s.bool("deleted", false)
	return key
}

func monthCategoryKey(budget, month, category string) string {
	return budget + ":" + month + ":" + category
}

func payeeRecord(s *builder, v jsonvalue.Value, budget string) string {
	id := s.entity(v, budget)
	s.required(v, "name")
	s.texts(v, "transfer_account_id")
	s.bool("deleted", false)
	return id
}

func locationRecord(s *builder, v jsonvalue.Value, budget string) string {
	id := s.entity(v, budget)
	s.required(v, "payee_id", "latitude", "longitude")
	s.bool("deleted", false)
	return id
}

// transactionRecord also needs the types of the accounts, which transactions do
// not name.
func transactionRecord(s *builder, v jsonvalue.Value, budget string, types map[string]string) string {
	id := s.entity(v, budget)
	s.required(v, "account_id")
	s.texts(v, "account_name")
	if kind := types[v.Get("account_id").View()]; kind != "" {
		s.str("account_type", kind)
	} else {
		s.null("account_type")
	}
	s.dates(v, "date")
	s.amounts(v, "amount")
	s.texts(v, "payee_id", "payee_name", "category_id", "category_name", "memo")
	s.required(v, "cleared")
	s.flags(v, "approved")
	s.texts(v, "flag_color", "flag_name", "transfer_account_id", "transfer_transaction_id", "matched_transaction_id",
		"import_id", "import_payee_name", "import_payee_name_original", "debt_transaction_type")
	parts := s.parts(v, "transaction_id")
	s.bool("is_split", parts > 0)
	s.bool("deleted", false)
	return id
}

func scheduledRecord(s *builder, v jsonvalue.Value, budget string) string {
	id := s.entity(v, budget)
	s.dates(v, "date_first", "date_next")
	s.required(v, "frequency")
	s.amounts(v, "amount")
	s.required(v, "account_id")
	s.texts(v, "account_name", "payee_id", "payee_name", "category_id", "category_name", "memo", "transfer_account_id",
		"flag_color", "flag_name")
	s.parts(v, "scheduled_transaction_id")
	s.bool("deleted", false)
	return id
}

// parts appends the shares of a split, without the deleted ones. owner is the member by
// which they name the whole.
func (s *builder) parts(v jsonvalue.Value, owner string) (count int) {
	list := v.Get("subtransactions")
	if !list.IsNull() && list.Kind() != jsonvalue.Array {
		s.mismatch("subtransactions")
		return 0
	}
	s.b = append(jsonappend.Name(s.b, "subtransactions"), '[')
	for it := list.Children(); it.Next(); {
		part := it.Value()
		if part.Kind() != jsonvalue.Object {
			s.dropRow()
			continue
		}
		if part.Get("deleted").Bool() {
			continue
		}
		count++
		s.b = append(jsonappend.Elem(s.b), '{')
		s.required(part, "id")
		s.texts(part, owner)
		s.amounts(part, "amount")
		s.texts(part, "memo", "payee_id", "payee_name", "category_id", "category_name", "transfer_account_id", "transfer_transaction_id")
		s.b = append(s.b, '}')
	}
	s.b = append(s.b, ']')
	return count
}

func monthRecord(s *builder, v jsonvalue.Value, budget string) string {
	month := v.Get("month").Str()
	if !firstDay(month) {
		return ""
	}
	key := budget + "|" + month
	s.reset()
	s.str("id", key)
	s.str("budget_id", budget)
	s.str("month", month)
	s.amounts(v, "income", "budgeted", "activity", "to_be_budgeted")
	s.numbers(v, "age_of_money")
	s.texts(v, "note")
	s.bool("deleted", false)
	return key
}
