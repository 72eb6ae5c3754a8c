package main

import "time"

// timeKind is the reference of a DATE or DATE-TIME value.
type timeKind uint8

const (
	timeNone     timeKind = iota
	timeDate              // a whole day, anywhere
	timeUTC               // an instant
	timeFloating          // a wall clock, wherever the reader is
	timeZoned             // a wall clock in a named zone
)

// String returns the kind's name in records.
func (k timeKind) String() string { return [...]string{"", "date", "utc", "floating", "zoned"}[k] }

// moment is one DATE or DATE-TIME. wall is the time on the wall clock, as seconds since
// 1970 if that clock showed UTC.
type moment struct {
	kind timeKind
	wall int64
	tzid string
}

// parseMoment reads forms 1 to 3 of a DATE-TIME, or a DATE (RFC 5545, sections
// 3.3.4 and 3.3.5). The value's shape decides, not the VALUE parameter: too many
// producers get that one wrong.
func parseMoment(value []byte, tzid string) (moment, bool) {
	date, ok := parseDate(value)
	if !ok {
		return moment{}, false
	}
	if len(value) == 8 {
		return moment{kind: timeDate, wall: date}, true
	}
	m := moment{kind: timeFloating}
	switch {
	case len(value) == 16 && (value[15] == 'Z' || value[15] == 'z'):
		m.kind = timeUTC
	case len(value) != 15:
		return moment{}, false
	case tzid != "":
		m.kind, m.tzid = timeZoned, tzid
	}
	if value[8] != 'T' && value[8] != 't' {
		return moment{}, false
	}
	h, ok1 := digits(value[9:11])
	mi, ok2 := digits(value[11:13])
	s, ok3 := digits(value[13:15])
	if !ok1 || !ok2 || !ok3 || h > 23 || mi > 59 || s > 60 {
		return moment{}, false
	}
	m.wall = date + int64(h*3600+mi*60+min(s, 59)) // a leap second is its last second
	return m, true
}

func parseDate(value []byte) (int64, bool) {
	if len(value) < 8 {
		return 0, false
	}
	y, ok1 := digits(value[:4])
	mo, ok2 := digits(value[4:6])
	d, ok3 := digits(value[6:8])
	if !ok1 || !ok2 || !ok3 || y < 1 || mo < 1 || mo > 12 || d < 1 || d > daysIn(y, mo) {
		return 0, false
	}
	return wallOf(y, mo, d), true
}

func digits(b []byte) (int, bool) {
	n := 0
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, true
}

// signed takes the sign off a number.
func signed(b []byte) (sign int64, rest []byte) {
	switch {
	case len(b) > 0 && b[0] == '-':
		return -1, b[1:]
	case len(b) > 0 && b[0] == '+':
		return 1, b[1:]
	}
	return 1, b
}

// wallOf returns midnight of a day of the proleptic Gregorian calendar.
func wallOf(year, month, day int) int64 {
	return time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC).Unix()
}

func daysIn(year, month int) int {
	return time.Date(year, time.Month(month)+1, 0, 0, 0, 0, 0, time.UTC).Day()
}

func yearOf(wall int64) int { return time.Unix(wall, 0).UTC().Year() }

// local returns the wall clock as ISO 8601 text: a date, or date and time
// without an offset.
func (m moment) local() string {
	t := time.Unix(m.wall, 0).UTC()
	if m.kind == timeDate {
		return t.Format("2006-01-02")
	}
	return t.Format("2006-01-02T15:04:05")
}

// span is a DURATION (section 3.3.6). Days and weeks are nominal: they move the
// wall clock. Hours and less are exact: they move the instant.
type span struct{ days, seconds int64 }

func parseSpan(b []byte) (span, bool) {
	sign, b := signed(b)
	if len(b) < 2 || b[0] != 'P' {
		return span{}, false
	}
	var s span
	inTime, n, have := false, int64(0), false
	for _, c := range b[1:] {
		if c >= '0' && c <= '9' {
			if n = n*10 + int64(c-'0'); n > 1<<31 {
				return span{}, false
			}
			have = true
			continue
		}
		if c == 'T' && !have && !inTime {
			inTime = true
			continue
		}
		if !have {
			return span{}, false
		}
		switch {
		case c == 'W' && !inTime:
			s.days += 7 * n
		case c == 'D' && !inTime:
			s.days += n
		case c == 'H' && inTime:
			s.seconds += n * 3600
		case c == 'M' && inTime:
			s.seconds += n * 60
		case c == 'S' && inTime:
			s.seconds += n
		default:
			return span{}, false
		}
		n, have = 0, false
	}
	if have {
		return span{}, false
	}
	return span{sign * s.days, sign * s.seconds}, true
}
