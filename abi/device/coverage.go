package device

import "slices"

// CoverageStream is the stream whose records say what became of each store of a
// source (contracts: collector, section 5.2).
const CoverageStream = "coverage_diagnostics"

// CoverageUnaccounted is the status of a store that nobody knows about.
const CoverageUnaccounted = "unaccounted"

var coverageStatuses = []string{
	"collected", "inventory_only", "excluded", "deferred", "missing", "unsupported", CoverageUnaccounted,
}

// IsCoverageStatus reports whether word is a status that a coverage record may have.
func IsCoverageStatus(word string) bool { return slices.Contains(coverageStatuses, word) }

// CoverageStatus returns what a coverage record says of its store. A word that is
// not known, as of a newer connector, accounts for nothing.
func CoverageStatus(word string) string {
	if IsCoverageStatus(word) {
		return word
	}
	return CoverageUnaccounted
}

// GapStartsOver is the reason of a known gap: the run reached its collector's bound
// before its first checkpoint, so that the next one begins where this one began. It
// may never come to an end by itself.
const GapStartsOver = "scan_starts_over"
