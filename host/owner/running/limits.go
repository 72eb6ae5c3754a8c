package running

import (
	"strconv"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// tailChunk is how many gap rows a deferral writes at least before it folds the
// rest, where the owner caps a run and names no chunk (RT-19).
const tailChunk = 50

// detailLimits reads the owner's bounds on a connector's detail lanes from the environment:
// PDPP_<CONNECTOR>_MAX_DETAIL_FETCHES_PER_RUN, …_MAX_RUN_WALL_CLOCK_MS and
// …_MAX_TAIL_DEFERRAL_GAPS_PER_RUN. A value that is unset, empty, not a number, or not above
// zero is no cap (RT-16.1); nil: there is none.
func detailLimits(connector string, getenv func(string) string) *abi.DetailLimits {
	prefix := "PDPP_" + strings.ToUpper(strings.NewReplacer("-", "_", ".", "_").Replace(connector)) + "_"
	fetches := capOf(getenv(prefix + "MAX_DETAIL_FETCHES_PER_RUN"))
	wall := getenv(prefix + "MAX_RUN_WALL_CLOCK_MS")
	chunkText := getenv(prefix + "MAX_TAIL_DEFERRAL_GAPS_PER_RUN")
	l := abi.DetailLimits{MaxFetches: fetches, MaxWallMS: floored(wall), MaxTailGaps: capOf(chunkText)}
	if l.MaxFetches == 0 && l.MaxWallMS == 0 {
		return nil // a chunk bounds a cap's deferral and nothing else
	}
	switch {
	case l.MaxTailGaps > 0:
	case strings.TrimSpace(chunkText) != "":
		l.NoTailFolding = true
	default:
		l.MaxTailGaps = max(l.MaxFetches, tailChunk)
	}
	return &l
}

// capOf reads a whole number above zero, 0 for anything else.
func capOf(text string) int64 {
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	if err != nil || n < 1 {
		return 0
	}
	return n
}

// floored reads a number above zero and cuts its fraction, 0 for anything else.
func floored(text string) int64 {
	f, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || !(f >= 1 && f <= 1<<53) { // a NaN is neither
		return 0
	}
	return int64(f)
}

// AskingTime is how long a run of at most limit may go on asking its provider:
// less than the limit, so that it closes its books instead of being killed.
func AskingTime(limit time.Duration) time.Duration {
	if limit <= 0 {
		return 0
	}
	return limit - min(limit/10, 5*time.Minute)
}
