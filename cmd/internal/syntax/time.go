package syntax

import (
	"fmt"
	"strconv"
	"time"
)

// mostAgo bounds, in hours, a time that is told by how long ago it is.
const mostAgo = 2_000_000

// Time reads a time: a date, RFC 3339, or how long before now, in weeks, days or
// hours, as in 7d.
func Time(flag, s string, now time.Time) (time.Time, error) {
	hours := map[string]uint64{"w": 7 * 24, "d": 24, "h": 1}
	if s != "" {
		unit, known := hours[s[len(s)-1:]]
		n, err := strconv.ParseUint(s[:len(s)-1], 10, 32)
		if known && err == nil && n*unit <= mostAgo {
			return now.Add(-time.Duration(n*unit) * time.Hour).UTC(), nil
		}
	}
	if t, ok := Instant(s); ok {
		return t, nil
	}
	return time.Time{}, Usage(fmt.Sprintf("%s %q is not a time", flag, s), "write 7d for seven days ago (w, d or h), 2026-01-31, or RFC 3339 as in 2026-01-31T08:00:00Z; without a zone it is UTC")
}

// Instant reads a date, or a time as in RFC 3339; without a zone it is UTC.
func Instant(text string) (time.Time, bool) {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}
