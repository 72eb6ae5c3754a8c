// Package data has the pages of what was collected. One lists every stream (data.go) and draws
// the days of its records (heat.go). Others show a stream (stream.go), one record (record.go)
// and a search over everything (search.go). Downloads are in download.go.
//
// Records are a stranger's text (value.go). A page cuts it to a bound, makes visible what
// would move or hide other text, and links only addresses of the web and of mail.
package data
