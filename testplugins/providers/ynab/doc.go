// Package ynab simulates the part of YNAB's API, version 1, that reads budgets: the
// list of budgets, and for each budget its accounts, categories, payees, payee
// locations, transactions, scheduled transactions and months.
//
// Every change moves the budget's server knowledge; a request with
// last_knowledge_of_server gets the changes since, deleted entities included, and one
// without gets everything that is not deleted. The token is checked and 200 requests an
// hour are counted over a rolling window, on a clock that is passed in. Every request
// is kept.
//
// In: requests, and changes by the test. Out: answers as documented. Faults come from
// package fault, before the routes and behind the log.
package ynab
