package corpus

import (
	"strconv"
	"time"
)

// writeICal writes calendars with about size bytes of events.
func writeICal(w *writer, size int64) {
	for n := 1; w.stats.Bytes < size && w.err == nil; n++ {
		w.create("calendar-" + strconv.Itoa(n) + ".ics")
		w.fold("BEGIN:VCALENDAR")
		w.fold("VERSION:2.0")
		w.fold("PRODID:-//Example//Calendar//EN")
		w.fold("X-WR-CALNAME:" + w.pick(words[60:]))
		for end := w.stats.Bytes + min(size-w.stats.Bytes, 4_000_000); w.stats.Bytes < end && w.err == nil; {
			w.advance(9 * time.Hour)
			w.calendarEvent()
		}
		w.fold("END:VCALENDAR")
	}
}

func (w *writer) calendarEvent() {
	const utc = "20060102T150405Z"
	start := w.now.Truncate(15 * time.Minute)
	w.stats.Items["events"]++
	w.fold("BEGIN:VEVENT")
	w.fold("UID:" + w.uuid() + "@calendar.example")
	w.fold("DTSTAMP:" + w.now.Format(utc))
	w.fold("DTSTART:" + start.Format(utc))
	w.fold("DTEND:" + start.Add(45*time.Minute).Format(utc))
	w.fold("SUMMARY:" + string(w.sentence(nil, 30)))
	w.fold("DESCRIPTION:" + string(w.sentence(nil, w.skewed(150, 2000))))
	w.fold("STATUS:CONFIRMED")
	if w.rand.IntN(6) == 0 {
		w.fold("RRULE:FREQ=WEEKLY;COUNT=10")
	}
	w.fold("END:VEVENT")
}

// fold writes one content line, folded at 75 octets between code points (RFC
// 5545, section 3.1).
func (w *writer) fold(line string) {
	width := 0
	for i, r := range line {
		size := len(string(r))
		if width+size > 75 {
			w.line = append(w.line, '\r', '\n', ' ')
			width = 1
		}
		w.line = append(w.line, line[i:i+size]...)
		width += size
	}
	w.line = append(w.line, '\r')
	w.end()
}
