// Package outbox is a collector's queue: the durable work of one source instance on its way to
// a host. Runs, gaps and events are kept as in a host's store; what runs collect goes into
// the queue in their own transactions (sink.go), and leaves it once the host has it.
//
// Whose file it is: lane.go. The way in: batch.go, enqueue.go, commit.go, gap.go. Claims, and
// when they are given: claim.go. The results: settle.go. Units of work, and what was left:
// units.go, known.go. How it stands: counts.go, coverage.go, open_work.go, inspect.go. Its
// end: prune.go, history.go, compact.go. Words that may be kept about a failure: words.go. A
// collector's file is always SQLite.
package outbox
