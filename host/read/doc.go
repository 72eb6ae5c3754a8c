// Package read is one read of what was collected, under a Scope: a page of a stream
// (list.go), a single record and its history (record.go), a search (search.go), and how much
// there is, by stream and by day (overview.go). No answer, count or order has anything
// that the scope does not show (scope.go).
//
// A request comes typed, and is refused as a whole where a part of it cannot be read. Page
// cursors are sealed (cursor.go). A read works on the read state, which index
// keeps up; field, words and plan are the pure parts below it.
//
// Not here: HTTP, grants, and the feed of changes.
package read
