// Command github collects what belongs to the owner of a GitHub token, by the
// REST API, version 2022-11-28.
//
// In: answers of the API. Out: the streams user, user_stats (one a day),
// repositories, starred, gists, issues (pull requests among them, as GitHub
// lists them) and pull_requests (the owner's own, with their details).
//
// Repositories, stars and gists have no list of what was removed, so they are
// read whole and compared with the keys and fingerprints in the cursor: what is
// missing becomes a tombstone, what differs is emitted again (inventory.go). A
// list of up to ten pages is read whole in each run, a longer one every 24
// hours and its newest part between. A list of one page costs no quota while it
// does not change (ETag). A full refresh emits all of it again and compares the
// keys alone: a list that was not read whole buries nothing, and its keys stay
// in the cursor for a run that reads it whole.
//
// Issues and pull requests are read along their time of last change and never
// by page number, because a list that moves while it is paged through loses
// rows (issues.go, search.go). The search gives at most 1000 results, so a
// question that counts more is asked year by year, and then of halves. Deleted
// issues are not noticed: the API tells of them nowhere.
//
// The detail of each pull request is a detail lane: what could not be fetched is
// a gap that a later run fills, and never a row without its detail (pulls.go).
//
// What stops one stream leaves the others to go on: it is told with SKIP_RESULT
// stream_collection_failed, and the run ends with that code. Every cursor is a
// slice's, so it stands as soon as its records do. It names the account, and a
// token of another one is refused.
//
// Fields in another form than documented become null and are counted; a row
// without what makes it a record is left out, counted and, after an upgrade of
// the connector, read again (github_shape_changed).
package main
