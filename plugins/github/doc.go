// Command github collects the data of the owner of a GitHub token, by the REST API,
// version 2022-11-28.
//
// In: answers of the API. Out: the streams user, user_stats (one a day), repositories,
// starred, gists, issues (pull requests among them, as GitHub lists them) and
// pull_requests (the owner's own, with their details).
//
// The API does not report removed repositories, stars and gists, so these lists are
// read whole, as enumerations (lists.go). A list of up to ten pages is read whole in each
// run, a longer one every 24 hours and its newest part between. A list of one page costs no
// quota while it does not change (ETag). Of stars a fingerprint is kept: the star counts of
// others' repositories move all the time.
//
// Issues and pull requests are read by their time of last change and never by page
// number, because a list that moves while it is read page by page loses rows
// (issues.go, search.go). The search gives at most 1000 results, so a query that counts
// more is repeated year by year, and then for halves. Deleted issues are not noticed,
// because the API does not report them.
//
// The details of the pull requests are a detail lane: a detail that could not be
// fetched is a gap that a later run fills, and no row comes without its detail
// (pulls.go).
//
// A stream that fails does not stop the others. It is reported with SKIP_RESULT
// stream_collection_failed, and the run ends with that code. Every cursor belongs to a
// slice, so it is committed as soon as its records are. It names the account, and a
// token of another account is refused.
//
// Fields in an undocumented form become null and are counted (field_type_changed). A row
// without the fields of a record is left out and counted (github_shape_changed).
package main
