package device

import (
	"slices"

	"github.com/pdpp-host/pdpp-host/abi"
)

// CoverageStream is [abi.StreamCoverage].
const CoverageStream = abi.StreamCoverage

// CoverageUnaccounted is the status of a store whose result is unknown.
const CoverageUnaccounted = "unaccounted"

var coverageStatuses = []string{
	"collected", "inventory_only", "excluded", "deferred", "missing", "unsupported", CoverageUnaccounted,
}

// IsCoverageStatus reports whether word is a status that a coverage record may have.
func IsCoverageStatus(word string) bool { return slices.Contains(coverageStatuses, word) }

// CoverageStatus returns the status in a coverage record. An unknown word, such as a
// newer connector's, counts as CoverageUnaccounted.
func CoverageStatus(word string) string {
	if IsCoverageStatus(word) {
		return word
	}
	return CoverageUnaccounted
}

// GapStartsOver is the reason of a known gap: the run reached its collector's bound
// before its first checkpoint, so the next run starts at the same place. Such runs may
// never finish.
const GapStartsOver = "scan_starts_over"

// The reasons of gaps that a collector's host makes: it refuses something, and takes the rest.
const (
	GapRefused       = "refused_by_host"        // one record
	GapStreamRefused = "stream_refused_by_host" // each record of a stream, such as one that the host does not know
)
