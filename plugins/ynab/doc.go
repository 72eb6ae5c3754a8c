// Command ynab collects the budgets of a YNAB account, by the API's version 1.
//
// In: answers of the API. Out: the streams budgets, accounts, account_stats (one a day
// and account), category_groups, categories, payees, payee_locations, transactions
// (with the shares of splits), scheduled_transactions, months and month_categories.
// Amounts are integers in milliunits, as the API has them.
//
// Most lists report the changes since a knowledge, the provider's own position: each
// stream's cursor keeps it by budget, and a deleted entity comes as a tombstone
// (lists.go). An answer without changes ends the list; nothing is requested twice.
// Accounts are always read whole, because account_stats needs each balance each day,
// and payee locations have no such requests: these lists are enumerations, and so are the
// budgets. A deleted budget takes everything with it except for the daily account_stats.
// YNAB reports nothing of its rows, so the lists of the other budgets are then read whole,
// in an enumeration too; the keys of month_categories name their budget. A full refresh is
// such a reading. It ends in the run that began it, or a later run does it again: a budget
// or a row that cannot be read may be any, and nothing is gone then.
//
// month_categories is a detail lane over months: a month is one request and contains
// all its categories (monthlane.go).
//
// The limit is 200 requests an hour, so requests count: an answer that two streams need
// is requested once. A stream that fails does not stop the others; it is reported with
// SKIP_RESULT stream_collection_failed, and the run ends with that code. Every cursor
// belongs to a slice, of the changes one budget at a time.
//
// Fields in an undocumented form become null and are counted (field_type_changed). A row
// without the fields of a record is left out and counted (ynab_shape_changed).
package main
