package main

import (
	"math/bits"
	"strings"

	"github.com/pdpp-host/pdpp-host/sdk/contentline"
	"github.com/pdpp-host/pdpp-host/sdk/fingerprint"
)

// single are the properties that an event has at most once (RFC 5545, section 3.6.1). A record has room for one
// value of each.
var single = [...]string{
	"UID", "DTSTART", "DTSTAMP", "RECURRENCE-ID", "SUMMARY", "DESCRIPTION", "LOCATION", "STATUS", "CLASS", "TRANSP", "URL", "GEO",
	"RRULE", "EXRULE", "PRIORITY", "SEQUENCE", "DTEND", "DURATION", "CREATED", "LAST-MODIFIED", "ORGANIZER",
}

// repeats are the properties of one event that come again, as bits by their places in single.
type repeats struct {
	sums      [len(single)]uint64 // of the value of each
	last      int                 // the property before, as its place and 1
	seen      uint32
	again     uint32 // those that come again
	scattered bool   // one comes again behind another property
	lost      int64  // values that are not collected
	names     uint32 // of what properties
	at        int    // the line of the first
}

// add looks at a property before its value is read. It returns false for one without a value that comes again: it
// takes nothing away.
func (r *repeats) add(l *contentline.Line, line int) bool {
	name := string(l.Name)
	i := 0
	for i < len(single) && single[i] != name {
		i++
	}
	last := r.last
	if r.last = i + 1; i == len(single) {
		return true
	}
	bit := uint32(1) << i
	if r.seen&bit != 0 {
		r.again |= bit
		r.scattered = r.scattered || last != i+1
	}
	r.seen |= bit
	value := contentline.Trim(l.Value)
	if len(value) == 0 {
		return r.sums[i] == 0
	}
	sum := fingerprint.Mix(fingerprint.Bytes(sumLine(fingerprint.Start, l.Param("TZID")), value)) | 1
	if r.sums[i] != 0 && r.sums[i] != sum && name != "DTSTAMP" { // which no record shows
		r.names |= bit
		if r.lost++; r.at == 0 {
			r.at = line
		}
	}
	r.sums[i] = sum
	return true
}

// ofOne reports whether properties that come again are those of one event: the end of an event and the beginning of
// another, with nothing in between, have each property of the part that both have twice, in one order.
func (r *repeats) ofOne() bool { return !r.scattered || bits.OnesCount32(r.again) == 1 }

// repeatedNames lists the properties of repeats.names.
func repeatedNames(names int64) string {
	var list []string
	for i, name := range single {
		if names>>i&1 == 1 {
			list = append(list, name)
		}
	}
	return strings.Join(list, ", ")
}

// repeats adds what an event has beyond what its record has room for.
func (c *counts) repeats(r *repeats) {
	if c.repeated += r.lost; c.repeatedAt == 0 {
		c.repeatedAt = int64(r.at)
	}
	c.repeatedIn |= int64(r.names)
}
