package read

import (
	"strconv"
	"time"
	_ "time/tzdata" // a machine without zones, as a container or Windows is, groups by them all the same

	"github.com/pdpp-host/pdpp-host/abi/declaration"
	"github.com/pdpp-host/pdpp-host/host/read/field"
)

// Granularities are the spans that times are grouped by.
var Granularities = []string{"minute", "hour", "day", "week", "month", "quarter", "year"}

// zoneOf returns the time zone of a name.
func zoneOf(name string) (*time.Location, error) {
	if name == "" {
		return time.UTC, nil
	}
	zone, err := time.LoadLocation(name)
	if err != nil || name == "Local" { // that of the host is nobody's business
		return nil, invalid("the time zone is none that IANA names", "write it as Europe/Berlin, or leave it out for UTC")
	}
	return zone, nil
}

// bucket returns the span that a time falls into: what it is ordered by, and its name as JSON;
// nil: there is no time. A date has no zone (RD-26.4).
func (g *gathering) bucket(is declaration.Type, value []byte) (order, key []byte) {
	at, ok := field.Time(is, value)
	if !ok {
		return nil, nil
	}
	if is == declaration.DateTime {
		at = at.In(g.zone)
	}
	name := at.Format(time.DateOnly)
	year, month, day := at.Date()
	date := func(y int, m time.Month, d int) string {
		return time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
	}
	switch g.Granularity {
	case "minute":
		name = at.Format("2006-01-02T15:04") + twice(at, at)
	case "hour":
		begin := at.Add(-time.Duration(at.Minute())*time.Minute - time.Duration(at.Second())*time.Second)
		name = at.Format("2006-01-02T15:00") + twice(at, begin)
	case "week":
		sinceMonday := (int(at.Weekday()) + 6) % 7 //nolint:mnd // days of a week
		name = date(year, month, day-sinceMonday)
	case "month":
		name = date(year, month, 1)
	case "quarter":
		name = date(year, (month-1)/3*3+1, 1) //nolint:mnd // months of a quarter
	case "year":
		name = date(year, 1, 1)
	}
	return []byte(name), strconv.AppendQuote(nil, name)
}

// twice is the offset of a moment whose wall clock shows the same time again, some hours
// before or behind; "": it does not.
func twice(at, shown time.Time) string {
	_, offset := at.Zone()
	const near = 4 * time.Hour // no clock is put back by more
	for _, other := range []time.Time{at.Add(-near), at.Add(near)} {
		if _, o := other.Zone(); o != offset {
			again := shown.Add(time.Duration(offset-o) * time.Second)
			if _, there := again.Zone(); there == o {
				return at.Format("-07:00")
			}
		}
	}
	return ""
}
