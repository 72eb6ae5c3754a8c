// Package storage is the evidence store: connections, runs, records, cursors,
// detail gaps, coverage and events, in one SQLite file that several processes
// of one user may open at the same time.
//
// What lives here: the tables and their forward-only migrations, the one
// writer goroutine with its group commit, the lease that lets one run at a time
// advance a connection's cursors, and the reads. What does not: what a record
// means, which cursor may be committed, and when to run. No plugin, no HTTP.
//
// Accepted records and run evidence come in from host/run through a RunWriter;
// rows go out to the command line, the API and the health projection through
// the read methods of Store. Callers see Go values only: times are UTC, JSON is
// text, and nothing that SQLite alone can do shows, so that another database
// can come behind the same methods. The suite in exercise_test.go says what
// such a database has to pass.
//
// Where things are: open.go (a file becomes a Store) and migrate.go (its
// schema); writer.go, tx.go and link.go (the write side: one goroutine, its
// transactions, its connection); batch.go and bulk.go (the record path);
// lease.go, runwriter.go, ops.go, gaps.go and finish.go (a run from its begin to
// its end); connections.go and remove.go; runs.go, records.go and evidence.go
// (reads); check.go (does the store keep its promises). The evidence that health
// rests on: evidence_row.go (the row), evidence_change.go (what a transaction does
// to it), evidence_facts.go (what one fact does), evidence_gather.go (the row made
// again from everything, with evidence_manifest.go and evidence_waiting.go),
// evidence_standing.go (how a fleet is counted),
// evidence_read.go, and evidence_check.go (comparison and repair).
package storage
