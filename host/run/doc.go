// Package run carries one run of a connector from START to its commit: it
// matches bindings, resolves the scope, takes the connection's lease, hands
// what the guest emits through the boundary to storage, decides which
// checkpoints may move, and writes the run's one outcome.
//
// It knows no WebAssembly (host/plugin), no schema (host/boundary), no SQL
// (storage), no HTTP (host/send) and no terminal: it reaches them through the
// ports in ports.go. Bytes come in from a guest; accepted records, checkpoints,
// gaps, coverage and events go out to storage; a Result goes to the caller.
//
// # The parts
//
// A Runner prepares a plan (prepare.go, bindings.go, scope.go, sources.go) and
// makes a run of it (run.go). The run is the plugin.Host that the guest calls;
// each part of it keeps the state of one concern:
//
//	intake       records on their way to the writer, the open batch (intake.go, rejections.go)
//	checkpoints  cursors staged and committed, coverage (checkpoints.go, delivered.go)
//	gaps         those that the run was served, and those that it leaves (gaps.go)
//	network      requests, pace, pressure, destinations (network.go)
//	questions    interactions with the owner (questions.go)
//	progress     the last PROGRESS, for the display (update.go)
//	enumerations what the connector lists, and what it has closed as whole (enumerations.go)
//	journal      the way to the store that all parts share, and the first failure (journal.go)
//
// Package internal/ledger decides which cursors may move.
//
// # The states of a run
//
// The states, and the flags that tell them apart:
//
//	prepared   there is a plan, and nothing in the store but perhaps the connection
//	   |         Runner.Run takes the lease, stores the sources, leases the first gaps
//	   v
//	unread     run.started is false: only START can be read
//	   |         Submit(OpStart)
//	   v
//	collecting  <------------------------------+
//	   |   |                                   |
//	   |   | Submit(OpInteract)                | the answer
//	   |   v                                   |
//	   |  asking  questions.open: any message is a violation
//	   |
//	   | Message("done") sets run.done and closes run.doneSeen
//	   v
//	done       a further message is a violation; the guest has returnWithin to return
//	   |         the guest returns
//	   v
//	ended      finish: ending.decide picks the outcome, ledger.DecideCheckpoints the cursors
//
// Each state but prepared leads to ended at any moment:
//
//	the guest returns or traps               plugin.Exit
//	a message or request breaks the rules    journal.violation, the first one; the engine ends the guest
//	the store fails, or the lease is lost    journal.storeErr, the first one
//	the owner interrupts, the time is over   the cause of the run's context
//	the budget is used up after a slice      checkpoints.planned, and the cause of the run's context
//	the host winds up, after a slice         the cause of the run's context: ErrInterrupted
//	no return after DONE                     the cause of the run's context: errReturn
//
// A run whose sending stopped at the owner's bound (network.plannedStop) goes on until
// its guest ends. When the guest then says that it failed, and may be retried, the run
// counts as succeeded and unfinished (ending.stoppedAsPlanned).
//
// A cursor has its own states. STATE stages it (checkpoints.staged). A whole slice
// commits at once, unless the ledger withholds it (checkpoints.committed); any other
// cursor waits for the outcome, which commits it or withholds it with a reason. A
// served gap that the guest attempts is unresolved (gaps.attempted) until its recovery
// or a DETAIL_GAP of the same record: a run that succeeded leaves none unresolved.
package run
