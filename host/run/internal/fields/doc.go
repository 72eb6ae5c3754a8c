// Package fields finds the fields of a stream that carried data in one run and are null in
// the next (AC-05): a provider has renamed the member behind each, and the records go on.
//
// Here: counting over a sample of a run's records, and the comparison with the fields of
// earlier runs. Not here: reading records (host/boundary), and keeping the names (storage/run).
//
// In: the fields of records that are not null, the names of earlier runs. Out: the names for
// the next run, and those that have disappeared.
package fields
