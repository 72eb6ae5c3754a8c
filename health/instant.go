package health

import (
	"strings"
	"time"
)

// Instant is a time, or none: the zero Instant, which is null on the wire. It is
// written in UTC with milliseconds (RFC 3339).
type Instant struct{ time.Time }

const instantLayout = "2006-01-02T15:04:05.000Z07:00"

// At returns t as an Instant.
func At(t time.Time) Instant { return Instant{t} }

// MarshalJSON writes the instant as RFC 3339, or null for none.
func (i Instant) MarshalJSON() ([]byte, error) {
	if i.IsZero() {
		return []byte("null"), nil
	}
	return i.UTC().AppendFormat(make([]byte, 0, len(instantLayout)+2), `"`+instantLayout+`"`), nil
}

// UnmarshalJSON reads an RFC 3339 string. Any other value becomes the zero Instant,
// since an unreadable time is unknown.
func (i *Instant) UnmarshalJSON(b []byte) error {
	t, err := time.Parse(time.RFC3339Nano, strings.Trim(string(b), `"`))
	if err != nil {
		t = time.Time{}
	}
	i.Time = t
	return nil
}

// expired reports whether at has passed by now. A zero at or a zero now never expires.
func expired(at, now Instant) bool {
	return !at.IsZero() && !now.IsZero() && !at.After(now.Time)
}

// firstKnown returns the first instant that is not zero.
func firstKnown(instants ...Instant) Instant {
	for _, i := range instants {
		if !i.IsZero() {
			return i
		}
	}
	return Instant{}
}

// Clock returns the time of day of i in UTC, with its day unless that is the day of now.
func (i Instant) Clock(now Instant) string {
	at, today := i.UTC(), now.UTC()
	if at.YearDay() == today.YearDay() && at.Year() == today.Year() {
		return at.Format("15:04 UTC")
	}
	return at.Format("2006-01-02 15:04 UTC")
}
