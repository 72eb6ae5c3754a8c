package main

import (
	"github.com/pdpp-host/pdpp-host/sdk/clip"
	"github.com/pdpp-host/pdpp-host/sdk/contentline"
)

// calendar describes a VCALENDAR, from its properties.
type calendar struct {
	name, description, zone, product, color string
	rel                                     string // the id that a program gave it
	method                                  bool   // the object is a message of one program to another
	cancels                                 bool   // METHOD:CANCEL: every event of the object is cancelled
}

// maxCalendarText bounds each of its texts, in bytes.
const maxCalendarText = 4 << 10

func (c *calendar) property(l *contentline.Line) {
	l.Decode()
	switch string(l.Name) {
	case "X-WR-CALNAME", "NAME":
		first(&c.name, l)
	case "X-WR-CALDESC", "DESCRIPTION":
		first(&c.description, l)
	case "X-WR-TIMEZONE":
		first(&c.zone, l)
	case "X-WR-RELCALID":
		first(&c.rel, l)
	case "PRODID":
		first(&c.product, l)
	case "COLOR", "X-APPLE-CALENDAR-COLOR":
		first(&c.color, l)
	case "METHOD":
		c.method = true
		c.cancels = string(contentline.Upper(contentline.Trim(l.Value))) == "CANCEL"
	}
}

func first(to *string, l *contentline.Line) {
	if *to == "" {
		*to = clip.Text(contentline.Unescape(l.Value), maxCalendarText)
	}
}
