// Package read keeps what readers need of records besides the records: their order by the
// cursor field, their words for a search, how many there are a day, since when each of
// their fields is as it is (history.go, feed.go), and which artifacts (blobs.go) and which other
// records (links.go) they refer to.
// All of it follows from records, and emptying its tables loses nothing but what has changed
// before. Artifacts to which nothing refers any more are removed here.
//
// It follows the change sequence (changes.go, apply.go, entry.go; apply_server.go for PostgreSQL) and
// costs the path of the records nothing: no index stands on them for it. read_position says
// up to which change every stream is indexed. A stream whose declaration changed is made
// anew by its keys, beside that (streams.go). Pages are read in page.go, searches in
// search.go; key.go has the secrets of a server, check.go what a repair looks for.
//
// host/read/plan decides which bytes and words a record has; this room keeps them.
package read
