// Command ynab collects the budgets of a YNAB account, by the API's version 1.
//
// In: answers of the API. Out: the streams budgets, accounts, account_stats (one
// a day and account), category_groups, categories, payees, payee_locations,
// transactions (with the shares of splits), scheduled_transactions, months and
// month_categories. Amounts are integers in milliunits, as the API has them.
//
// Most lists tell what changed since a knowledge, the provider's own position:
// each stream's cursor keeps it by budget, and a deleted entity comes as a
// tombstone (delta.go). An answer without changes is the end of it; nothing is
// asked twice. Accounts are always read whole, because account_stats wants each
// balance each day, and payee locations have no such requests; what is missing
// there is found by comparison with the cursor (inventory.go). A budget that is
// gone is a tombstone, and so is all that was in it, except for the daily
// account_stats. YNAB tells of it no more, so the cursors of the lists that tell
// of changes keep the keys of what was emitted (keys.go); what of them is not
// known, because there was no room or a month came late, may stay, and the run
// says so (ynab_budget_rows_kept).
//
// A full refresh emits everything again. What was deleted since the run before
// it asks for with one request more for each list that tells of changes,
// because the keys of such a list are remembered as far as there is room;
// accounts, locations and budgets are compared with the keys of before, without a request more. What it
// could not read whole stays in the cursor for a later run to bury.
//
// month_categories is a detail lane over months: a month is one request and
// holds all its categories (monthlane.go).
//
// The limit is 200 requests an hour, so requests count: answers that two streams
// need are asked for once. What stops one stream leaves the others to go on; it
// is told with SKIP_RESULT stream_collection_failed, and the run ends with that
// code. Every cursor is a slice's, one budget at a time.
//
// Fields in another form than documented become null and are counted; a row
// without what makes it a record is left out, counted and, after an upgrade of
// the connector, read again (ynab_shape_changed).
package main
