// Package read is one read of what was collected, under a Scope: a page of a stream
// (list.go), a single record and its history (record.go), what their relations lead to (expand.go), what has changed (changes.go,
// history.go), a search and what it leaves out (search.go, rank.go, few.go), what records come to (aggregate.go, bucket.go), a part
// of a long text (window.go), an artifact that a record refers to (blob.go), what is declared (describe.go), and how much there is, by stream
// and by day (overview.go). No answer, count or order has anything that the scope does not show
// (scope.go). A token finds its scope behind one interface (caller.go).
//
// A request comes typed, and is refused as a whole where a part of it cannot be read. Page
// cursors are sealed (cursor.go), and so is what a reader of changes has (mark.go). A read works on the read state, which index
// keeps up; field, words and plan are the pure parts below it.
//
// Not here: HTTP and grants.
package read
