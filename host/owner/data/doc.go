// Package data has the operations on what was collected, for a face that shows it: how much
// there is (overview.go), what can be asked of a stream (shape.go), pages, single records with
// their history, searches (records.go, search.go), the files that they refer to (blob.go), an export (export.go), and
// an owner's deletion of a record (erase.go).
//
// host/read reads, under the scope of an owner, who sees everything. Results are values of
// this package, so that a face knows no store. Only the deletion of a record, and its end,
// change anything and leave an event.
package data
