// Package record writes and reads records: the batch (batch.go), the bulk path (bulk.go, on
// the statements of statements.go), what a transaction counts of it (tally.go), which records were rejected and not delivered since
// (rejected.go), what a connector enumerates (enumeration.go), which records that has met
// (mark.go) and how the others become tombstones (sweep.go), what owners delete (erasure.go), pages and changes (records.go),
// and what can be read of a damaged file (salvage.go).
//
// Records come from storage/run and storage/device, which hold a lease; this package does
// not ask for one.
package record
