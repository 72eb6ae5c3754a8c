package verdict

import (
	"strconv"
	"time"

	"github.com/pdpp-host/pdpp-host/health"
)

// refreshed describes when the data was last refreshed; "" if unknown.
func (in *Input) refreshed() string {
	at, seen := in.Snapshot.LastSuccessAt, health.Instant{}
	if p := in.Progress; p != nil {
		seen = p.ObservedAt
		if !p.LastRefreshedAt.IsZero() {
			at = p.LastRefreshedAt
		}
	}
	return age(at, seen)
}

// age describes at as a number of UTC days before seen, or as a date if seen is
// unknown or earlier.
func age(at, seen health.Instant) string {
	if at.IsZero() {
		return ""
	}
	then, now := day(at), day(seen)
	if seen.IsZero() || now.Before(then) {
		return "on " + then.Format(time.DateOnly)
	}
	switch days := int(now.Sub(then) / (24 * time.Hour)); days {
	case 0:
		return "today"
	case 1:
		return "yesterday"
	default:
		return strconv.Itoa(days) + " days ago"
	}
}

func day(i health.Instant) time.Time {
	y, m, d := i.UTC().Date()
	return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
}
