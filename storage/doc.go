// Package storage is the evidence store: connections, runs, records, cursors,
// detail gaps, coverage and events, in one SQLite file that several processes
// of one user may open at the same time, or on PostgreSQL.
//
// What lives here: the tables and their forward-only migrations, the one
// writer goroutine with its group commit, the lease that lets one run at a time
// advance a connection's cursors, and the reads. What does not: what a record
// means, which cursor may be committed, and when to run. No plugin, no HTTP.
//
// Accepted records and run evidence come in from host/run through a RunWriter;
// rows go out to the command line, the API and the health projection through
// the read methods of Store. Callers see Go values only: times are UTC, JSON is
// text, and nothing that SQLite alone can do shows: PostgreSQL is behind the same
// methods. The suite in exercise_test.go says what both have to pass.
//
// The package has these parts: internal/db (the file, its schema, the writer goroutine and
// its transactions); store.go (a file becomes a Store); target.go and tally.go (what a transaction
// counts of a run's records); fence.go (whose lease it is); batch.go, bulk.go and bulk_server.go (the record path);
// lease.go, runwriter.go, ops.go, gaps.go, gaps_read.go and finish.go (a run from
// its begin to its end); retention.go and history.go (the end of old runs);
// connections.go, remove.go and compact.go; salvage.go (a file that is damaged); runs.go, records.go and evidence.go
// (reads); check.go (does the store keep its promises). The evidence that health
// rests on: evidence_row.go (the row), evidence_change.go (what a transaction does
// to it), evidence_facts.go (what one fact does), evidence_gather.go (the row made
// again from everything, with evidence_manifest.go and evidence_waiting.go),
// evidence_standing.go (how a fleet is counted),
// evidence_read.go, and evidence_check.go (comparison and repair).
//
// A collector on another machine delivers to a store: device_enroll.go and
// device_read.go (who may), device_manifest.go, device_run.go and
// device_ingest.go (a run whose records arrive, under the same lease as any
// other), device_commit.go (its end), device_gap.go, device_blob.go and
// device_heartbeat.go; evidence_device.go is what health rests on of it. A device
// is not believed: what it says of itself is kept short and in known words, its
// clock makes nothing younger than this store's does, and what it delivers is of
// its own connection alone.
//
// A store opened with Options.Lane is a collector's outbox: the durable work of
// one source instance on its way to a host. Its runs, gaps and events are kept
// as ever; what they collect is queued in the same transactions and in the
// queue's order instead of kept as records and cursors, and it is queued no
// more once the host has it: sink.go is the seam between the two. Where things are:
// outbox.go (the words), outbox_sink.go,
// outbox_rows.go, outbox_lane.go (whose file it is, and what the destination has
// confirmed), outbox_enqueue.go with outbox_batch.go, outbox_commit.go and
// outbox_gap.go (what goes in), outbox_claim.go (who may deliver what, and
// when), outbox_settle.go (what became of it), outbox_units.go and
// outbox_known.go (units of work, and what was left), outbox_counts.go and
// outbox_coverage.go (how it stands), outbox_prune.go and outbox_compact.go,
// outbox_inspect.go (a look that changes nothing), and outbox_words.go (what may
// be kept of a failure).
package storage
