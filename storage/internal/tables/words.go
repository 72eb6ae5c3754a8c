package tables

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

// StatusSucceeded is how a run ended that did all that it was to do.
const StatusSucceeded = "succeeded"

// StatusFailed is how a run ended that did not succeed and was not cancelled.
const StatusFailed = "failed"

// StatusCancelled is how a run ended that its owner ended.
const StatusCancelled = "cancelled"

// Gap statuses.
const (
	GapPending    = "pending"
	GapInProgress = "in_progress" // leased to a run
	GapRecovered  = "recovered"
	GapTerminal   = "terminal" // will not be tried again
)

// MissingModuleSHA256 is the hash of a run that found no module to run.
const MissingModuleSHA256 = "0000000000000000000000000000000000000000000000000000000000000000"
