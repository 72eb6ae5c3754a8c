package main

// calendar describes a file, from its VCALENDAR properties; where several objects have
// a property, the first counts.
type calendar struct {
	name, description, zone, product, color string
	cancels                                 bool // METHOD:CANCEL: every event of the object is cancelled
}

// maxCalendarText bounds each of its texts, in bytes.
const maxCalendarText = 4 << 10

func (c *calendar) property(l *contentLine) {
	switch string(l.name) {
	case "X-WR-CALNAME", "NAME":
		first(&c.name, l)
	case "X-WR-CALDESC", "DESCRIPTION":
		first(&c.description, l)
	case "X-WR-TIMEZONE":
		first(&c.zone, l)
	case "PRODID":
		first(&c.product, l)
	case "COLOR", "X-APPLE-CALENDAR-COLOR":
		first(&c.color, l)
	case "METHOD":
		c.cancels = string(upper(l.value)) == "CANCEL"
	}
}

func first(to *string, l *contentLine) {
	if *to == "" {
		*to = clip(unescape(l.value), maxCalendarText)
	}
}

// clip shortens s to at most n bytes without splitting a code point.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n]
}
