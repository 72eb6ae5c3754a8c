package timezone

import "time"

// start and limit bound the table, in seconds since 1970: 1990 and 2038.
const (
	start = 631152000
	limit = 2145916800
)

const minute = 60

// Zone is one zone. The zero value is not one: see Lookup.
type Zone struct {
	first   int64 // offset at the start, seconds east of UTC
	changes []change
	rules   []rule // that go on behind the changes, from a year on
	from    int
	ends    bool // the table has no rule for what comes behind it
	fixed   bool // the offset is always first
}

// change is an instant at which the offset changes.
type change struct{ at, offset int64 }

// rule is a change on the first such weekday of each year on or behind a day, at a time of the
// wall clock before the change.
type rule struct {
	month   time.Month
	day     int
	weekday time.Weekday
	clock   int64 // seconds since midnight
	offset  int64 // from then on
}

// Offset returns the offset that is in force at an instant, in seconds, and false outside of what
// the table has.
func (z *Zone) Offset(utc int64) (int64, bool) {
	if z.fixed {
		return z.first, true
	}
	if utc < start || z.ends && utc >= limit {
		return 0, false
	}
	year := time.Unix(utc, 0).UTC().Year()
	if len(z.rules) > 0 && year >= z.from {
		return z.ruled(utc, year), true
	}
	offset := z.first
	for _, c := range z.changes {
		if c.at > utc {
			break
		}
		offset = c.offset
	}
	return offset, true
}

// ruled returns the offset in a year of the rules. They are in the order of the year.
func (z *Zone) ruled(utc int64, year int) int64 {
	before := z.rules[len(z.rules)-1].offset
	for _, r := range z.rules {
		if r.onset(year)-before > utc {
			break
		}
		before = r.offset
	}
	return before
}

// onset returns the time of the wall clock at which the rule changes it, as if that were UTC.
func (r *rule) onset(year int) int64 {
	first := time.Date(year, r.month, r.day, 0, 0, 0, 0, time.UTC)
	days := int64(r.weekday-first.Weekday()+7) % 7
	return first.Unix() + days*86400 + r.clock
}

// Instant returns the instant, in seconds since 1970, at which the wall clock shows wall, which
// is counted as if the clock showed UTC. Of a time that occurs twice it is the first one; a time
// that the clock skips counts from the offset before the gap (RFC 5545, section 3.3.5).
func (z *Zone) Instant(wall int64) (utc int64, ok bool) {
	const day = 86400 // no zone changes twice within two days
	before, ok := z.Offset(wall - day)
	if !ok {
		return 0, false
	}
	after, ok := z.Offset(wall + day)
	if !ok {
		return 0, false
	}
	for _, offset := range [2]int64{max(before, after), min(before, after)} {
		if got, _ := z.Offset(wall - offset); got == offset {
			return wall - offset, true
		}
	}
	return wall - before, true
}
