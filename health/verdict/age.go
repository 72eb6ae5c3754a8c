package verdict

import (
	"strconv"
	"time"

	"github.com/pdpp-host/pdpp-host/health"
)

// refreshed says when the data was last refreshed, in words; "" when nobody
// knows.
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

// age says how many UTC days before seen at was; its date when seen is not
// known, or earlier.
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
