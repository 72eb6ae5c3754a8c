// Command ynab collects the budgets of a YNAB account, by the API's version 1.
//
// In: answers of the API. Out: the streams budgets, accounts, account_stats (one a day
// and account), category_groups, categories, payees, payee_locations, transactions
// (with the shares of splits), scheduled_transactions, months and month_categories.
// Amounts are integers in milliunits, as the API has them.
//
// Most lists report the changes since a knowledge, the provider's own position: each
// stream's cursor keeps it by budget, and a deleted entity comes as a tombstone
// (delta.go). An answer without changes ends the list; nothing is requested twice.
// Accounts are always read whole, because account_stats needs each balance each day,
// and payee locations have no such requests; entities missing there are found by
// comparison with the cursor (inventory.go). A deleted budget becomes a tombstone, and
// so does everything in it, except for the daily account_stats. YNAB reports nothing of
// its rows, so the cursors of the lists that report changes keep the keys of the
// emitted rows (keys.go). A row whose key is unknown, because there was no room or a
// month came late, may stay, and the run reports that (ynab_budget_rows_kept).
//
// A full refresh emits everything again. It finds the entities deleted since the run
// before with one request more for each list that reports changes, because the keys of
// such a list are remembered as far as there is room; accounts, locations and budgets
// are compared with the earlier keys, without a request more. A list that it could not
// read whole stays in the cursor for a later run to bury.
//
// month_categories is a detail lane over months: a month is one request and contains
// all its categories (monthlane.go).
//
// The limit is 200 requests an hour, so requests count: an answer that two streams need
// is requested once. A stream that fails does not stop the others; it is reported with
// SKIP_RESULT stream_collection_failed, and the run ends with that code. Every cursor
// belongs to a slice, one budget at a time.
//
// Fields in an undocumented form become null and are counted. A row without the fields
// of a record is left out, counted and, after an upgrade of the connector, read again
// (ynab_shape_changed).
package main
