// Package outbox is a collector's queue: the durable work of one source instance on its way to
// a host. Runs, gaps and events are kept as in a host's store; what runs collect goes into
// the queue in their own transactions (sink.go), and leaves it once the host has it.
//
// An arrow between the files goes down this list, and never up:
//
//   - inspect.go, counts.go, coverage.go and open_work.go report;
//   - history.go and prune.go remove what is done;
//   - batch.go, gap.go, commit.go, known.go and refused.go say what a run collected, misses
//     and came to, settle.go takes the results of deliveries;
//   - enqueue.go puts a row in, claim.go leases it, units.go follows the units of work,
//     confirmed.go keeps the cursors that the host has confirmed;
//   - sink.go is the run of a lane, store.go the open file, lane.go binds it to one source;
//   - outbox.go has the words of the queue, words.go those that may be kept about a failure,
//     rows.go the rows, json.go how a delivery is written.
//
// A collector's file is always SQLite.
package outbox
