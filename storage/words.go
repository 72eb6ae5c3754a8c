package storage

// Bookmarks. A backfill walks history under its own cursors and never moves the
// incremental ones (PB-D10).
const (
	BookmarkIncremental = "incremental"
	BookmarkBackfill    = "backfill"
)

// Run statuses that the store itself writes. The others are the caller's.
const (
	StatusRunning   = "running"
	StatusAbandoned = "abandoned"
)

const statusSucceeded = "succeeded"

// statusFailed is how a run ended that did not succeed and was not cancelled.
const statusFailed = "failed"

const statusCancelled = "cancelled"

// Gap statuses.
const (
	GapPending    = "pending"
	GapInProgress = "in_progress" // leased to a run
	GapRecovered  = "recovered"
	GapTerminal   = "terminal" // will not be tried again
)

// nowhere is the hash of a run that found no module to run.
const nowhere = "0000000000000000000000000000000000000000000000000000000000000000"
