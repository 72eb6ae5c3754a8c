package main

// counts are the numbers of the other parts of a file.
type counts struct {
	todos, journals, freeBusy        int64
	malformed, malformedAt           int64 // lines that have no place in a calendar, and the number of the first
	broken, brokenAt                 int64 // components that do not close or have zero bytes, and the line of the first
	badDates, badDatesAt             int64 // invalid dates, times and durations of events, and the line of the first such event
	oversized                        int64 // lines cut short
	guessed                          int64 // texts in an encoding that nothing declares
	noUID                            int64 // events without a UID
	duplicates                       int64 // events that are another one of the file
	superseded                       int64 // events of which the file has a later version
	moved                            int64 // of these, those that started at another time than the later version
	twins                            int64 // events with the key of another one and other content
	copied                           int64 // events of a file that is a copy of another one
	cancelled                        int64 // events, and occurrences of them, that are cancelled: they have no record
	repeated, repeatedAt, repeatedIn int64 // values of a property that has another one, the line of the first, and repeats.names
	doubled, doubledAt               int64 // events with two starts or two UIDs, and the line of the first
	cut, cutAt                       int64 // events that do not fit a record, and the line of the first
	// Among the events that are not cancelled:
	noStart, noStartAt int64 // those without a start that can be read, and the line of the first
	unknownZone        int64 // those with a start or end in a zone that nothing defines
	zoneYears          int64 // those that start in a year for which nothing has the rules of their zone
	floating           int64 // those that start on a wall clock of no zone
}

// countNames are the names of the counts in a cursor.
var countNames = [...]string{
	"todos", "journals", "free_busy", "malformed", "oversized", "no_uid", "bad_dates", "unknown_zone", "floating",
	"malformed_at", "broken", "broken_at", "guessed", "duplicates", "superseded", "twins", "no_start", "cancelled", "copied", "bad_dates_at", "no_start_at",
	"repeated", "repeated_at", "repeated_in", "doubled", "doubled_at", "cut", "cut_at", "zone_years", "moved",
}

// all lists the counts, by countNames.
func (c *counts) all() [len(countNames)]*int64 {
	return [...]*int64{
		&c.todos, &c.journals, &c.freeBusy, &c.malformed, &c.oversized, &c.noUID, &c.badDates, &c.unknownZone, &c.floating,
		&c.malformedAt, &c.broken, &c.brokenAt, &c.guessed, &c.duplicates, &c.superseded, &c.twins, &c.noStart, &c.cancelled, &c.copied, &c.badDatesAt, &c.noStartAt,
		&c.repeated, &c.repeatedAt, &c.repeatedIn, &c.doubled, &c.doubledAt, &c.cut, &c.cutAt, &c.zoneYears, &c.moved,
	}
}

// damaged counts the parts of a file that are not collected because they are not whole, or may not be.
func (c *counts) damaged() int64 { return c.broken + c.doubled }
