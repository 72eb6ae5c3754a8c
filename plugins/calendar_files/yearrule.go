package main

import (
	"bytes"
	"slices"
	"time"

	"github.com/pdpp-host/pdpp-host/sdk/contentline"
)

// yearRule is the kind of RRULE that time zones use: once a year, on a date or
// on a weekday of a month.
type yearRule struct {
	month    int // 0: the month of DTSTART
	nth      int // 1 to 5, or -5 to -1 from the month's end; 0: see days
	weekday  time.Weekday
	byDay    bool
	days     []int // BYMONTHDAY; with byDay, the day among them that is that weekday
	until    int64 // an instant
	hasUntil bool
}

// parseYearRule reads an RRULE and reports whether it is such a rule.
func parseYearRule(value []byte) (yearRule, bool) {
	var r yearRule
	yearly := false
	for _, part := range bytes.Split(value, []byte{';'}) {
		name, arg, ok := bytes.Cut(part, []byte{'='})
		if !ok {
			return r, false
		}
		switch string(contentline.Upper(name)) {
		case "FREQ":
			yearly = string(contentline.Upper(arg)) == "YEARLY"
		case "INTERVAL":
			ok = string(arg) == "1"
		case "WKST":
		case "BYMONTH":
			r.month, ok = digits(arg)
			ok = ok && r.month >= 1 && r.month <= 12
		case "BYDAY":
			ok = r.parseDay(contentline.Upper(arg))
		case "BYMONTHDAY":
			for _, d := range bytes.Split(arg, []byte{','}) {
				n, fine := digits(d)
				ok = ok && fine && n >= 1 && n <= 31 && len(r.days) < 31
				r.days = append(r.days, n)
			}
		case "UNTIL":
			var m moment
			m, ok = parseMoment(arg, "")
			r.until, r.hasUntil = m.wall, true
			if m.kind == timeDate {
				r.until += 86399
			}
		default:
			ok = false
		}
		if !ok {
			return r, false
		}
	}
	// A weekday without a number needs the days it may fall on.
	return r, yearly && (!r.byDay || (r.nth == 0) == (len(r.days) > 0)) && (r.byDay || len(r.days) <= 1)
}

func (r *yearRule) parseDay(arg []byte) bool {
	if len(arg) < 2 {
		return false
	}
	day, number := string(arg[len(arg)-2:]), arg[:len(arg)-2]
	if i := slices.Index([]string{"SU", "MO", "TU", "WE", "TH", "FR", "SA"}, day); i >= 0 {
		r.weekday, r.byDay = time.Weekday(i), true
	}
	if len(number) == 0 {
		return r.byDay
	}
	sign, number := signed(number)
	n, ok := digits(number)
	r.nth = int(sign) * n
	return r.byDay && ok && n >= 1 && n <= 5
}

// in returns the rule's onset in a year, at start's time of day.
func (r *yearRule) in(year int, start int64) (int64, bool) {
	first := time.Unix(start, 0).UTC()
	clock := int64(first.Hour()*3600 + first.Minute()*60 + first.Second())
	month, day := r.month, first.Day()
	if month == 0 {
		month = int(first.Month())
	}
	last := daysIn(year, month)
	switch {
	case r.byDay && r.nth != 0:
		day = nthWeekday(year, month, r.weekday, r.nth)
	case r.byDay:
		day = 0
		for _, d := range r.days {
			if d <= last && weekdayOf(year, month, d) == r.weekday {
				day = d
				break
			}
		}
	case len(r.days) == 1:
		day = r.days[0]
	}
	if day < 1 || day > last {
		return 0, false
	}
	return wallOf(year, month, day) + clock, true
}

func weekdayOf(year, month, day int) time.Weekday {
	return time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC).Weekday()
}

// nthWeekday returns the day of the month, or 0 when the month has too few.
func nthWeekday(year, month int, weekday time.Weekday, nth int) int {
	last := daysIn(year, month)
	if nth > 0 {
		day := 1 + int(weekday-weekdayOf(year, month, 1)+7)%7 + 7*(nth-1)
		if day > last {
			return 0
		}
		return day
	}
	day := last - int(weekdayOf(year, month, last)-weekday+7)%7 + 7*(nth+1)
	return max(day, 0)
}
