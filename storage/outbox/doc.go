// Package outbox is a collector's queue: the durable work of one source instance on its way to
// a host. Runs, gaps and events are kept as in a host's store; what runs collect goes into
// the queue in their own transactions (sink.go), and leaves it once the host has it.
//
// lane.go binds the file to one source. batch.go, enqueue.go, commit.go and gap.go put rows
// in, claim.go leases them, and settle.go takes the results. units.go and known.go follow the
// units of work; counts.go, coverage.go, open_work.go and inspect.go report on them.
// prune.go, history.go and compact.go remove what is done. words.go has the words that may be
// kept about a failure. A collector's file is always SQLite.
package outbox
