// Package ledger decides which cursors of a run may move. It knows, in memory,
// what a run's checkpoints depend on: the coverage of each detail lane, the gaps
// that stand for missing details, the streams that failed, and whether records
// arrived or were rejected.
//
// Package run feeds it while a guest emits and asks it before each commit. It
// reads no store and writes none, and is not safe for concurrent use.
package ledger
