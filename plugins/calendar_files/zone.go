package main

import (
	"github.com/pdpp-host/pdpp-host/sdk/contentline"
	"github.com/pdpp-host/pdpp-host/sdk/timezone"
)

// Bounds on the definitions in a file.
const (
	maxZones       = 512
	maxDefinitions = 1 << 15 // of all VCALENDARs of a file
	maxObservances = 512
	maxOnsets      = 2048 // RDATEs of one observance
)

// zone is one VTIMEZONE (RFC 5545, section 3.6.5): observances that take turns. A zone that the
// file does not define, or not in a way that this reader understands, is that of sdk/timezone,
// where that knows its name.
type zone struct {
	observances []observance
	unusable    bool // something in it is beyond this reader; its instants stay unproven
	table       *timezone.Zone
}

// zoneSet has the zones of a file. Each VCALENDAR defines its own (RFC 5545, section 3.2.19).
type zoneSet struct {
	defined map[zoneKey]*zone
	first   map[string]*zone // by their names, for a VCALENDAR that does not define it; nil where two differ
	same    map[uint64]*zone // by their fingerprints, each once
	looked  map[string]*zone // by their names; nil for one that nothing defines
}

// zoneKey names a definition: which VCALENDAR of the file has it, and its TZID.
type zoneKey struct {
	calendar uint32
	tzid     string
}

// define keeps the definition of a zone, unless its VCALENDAR has one of that name.
func (s *zoneSet) define(calendar uint32, tzid string, z *zone) {
	key := zoneKey{calendar, tzid}
	if _, ok := s.defined[key]; ok || len(s.defined) >= maxDefinitions {
		return
	}
	if s.defined == nil {
		s.defined, s.first, s.same = map[zoneKey]*zone{}, map[string]*zone{}, map[uint64]*zone{}
	}
	sum := z.fingerprint(tzid)
	if known := s.same[sum]; known != nil {
		z = known
	} else if len(s.same) >= maxZones {
		return
	}
	s.defined[key], s.same[sum] = z, z
	if first, ok := s.first[tzid]; !ok {
		s.first[tzid] = z
	} else if first != z {
		s.first[tzid] = nil
	}
}

// find returns a zone of a VCALENDAR that gives instants, nil for one that nothing defines.
func (s *zoneSet) find(calendar uint32, tzid string) *zone {
	z, ok := s.defined[zoneKey{calendar, tzid}]
	if !ok {
		z = s.first[tzid]
	}
	if z.usable() {
		return z
	}
	if z, ok = s.looked[tzid]; !ok {
		if table := timezone.Lookup(tzid); table != nil {
			z = &zone{table: table}
		}
		if s.looked == nil || len(s.looked) >= maxZones {
			s.looked = make(map[string]*zone)
		}
		s.looked[tzid] = z
	}
	return z
}

// observance is a STANDARD or DAYLIGHT part. Its onsets are wall clock times
// under the offset before, from.
type observance struct {
	from, to int64 // offsets from UTC, seconds
	start    int64 // DTSTART, wall
	hasStart bool
	rules    []yearRule
	onsets   []int64 // RDATEs, wall
	fields   uint8   // which of the required properties were there
}

const (
	hasFrom = 1 << iota
	hasTo
)

// usable reports whether the zone can give any instant.
func (z *zone) usable() bool {
	return z != nil && (z.table != nil || !z.unusable && len(z.observances) > 0)
}

// instant returns the UTC time, in seconds since 1970, at which the wall clock of the
// zone shows wall. For a time that occurs twice it is the first occurrence; a time that
// the clock skips counts from the offset before the gap (section 3.3.5). ok is false
// when the zone cannot give one.
func (z *zone) instant(wall int64) (utc int64, ok bool) {
	if !z.usable() {
		return 0, false
	}
	if z.table != nil {
		return z.table.Instant(wall)
	}
	largest, found := int64(-1<<62), false
	for i := range z.observances {
		for _, off := range [2]int64{z.observances[i].from, z.observances[i].to} {
			largest = max(largest, off)
			u := wall - off
			if (!found || u < utc) && z.offset(u) == off {
				utc, found = u, true
			}
		}
	}
	if !found {
		utc = wall - z.offset(wall-largest)
	}
	return utc, true
}

// offset returns the offset in force at an instant.
func (z *zone) offset(utc int64) int64 {
	if z.table != nil {
		offset, _ := z.table.Offset(utc)
		return offset
	}
	var latest, earliest int64
	var to, before int64
	have, haveEarliest := false, false
	for i := range z.observances {
		o := &z.observances[i]
		if at, ok := o.latest(utc); ok && (!have || at > latest) {
			latest, to, have = at, o.to, true
		}
		if first := o.start - o.from; !haveEarliest || first < earliest {
			earliest, before, haveEarliest = first, o.from, true
		}
	}
	if !have {
		return before
	}
	return to
}

// latest returns the instant of the observance's last onset at or before utc.
func (o *observance) latest(utc int64) (int64, bool) {
	var best int64
	found := false
	take := func(wall int64) {
		if at := wall - o.from; wall >= o.start && at <= utc && (!found || at > best) {
			best, found = at, true
		}
	}
	take(o.start)
	for _, w := range o.onsets {
		take(w)
	}
	year := yearOf(utc)
	for i := range o.rules {
		r := &o.rules[i]
		last := year + 1
		if r.hasUntil {
			last = min(last, yearOf(r.until)+1)
		}
		// A rule has one onset a year at most, and none in a year without such
		// a day: a leap day needs up to eight years.
		for y := last; y >= last-9 && y >= yearOf(o.start); y-- {
			wall, ok := r.in(y, o.start)
			if !ok || wall-o.from > utc || (r.hasUntil && wall-o.from > r.until) {
				continue
			}
			take(wall)
			break
		}
	}
	return best, found
}

// property reads one property of a STANDARD or DAYLIGHT part. It returns false for one
// beyond this reader.
func (o *observance) property(c *contentline.Line) bool {
	c.Value = contentline.Trim(c.Value)
	switch string(c.Name) {
	case "DTSTART":
		m, ok := parseMoment(c.Value, "")
		o.start, o.hasStart = m.wall, ok
		return ok
	case "TZOFFSETFROM":
		var ok bool
		o.from, ok = parseOffset(c.Value)
		o.fields |= hasFrom
		return ok
	case "TZOFFSETTO":
		var ok bool
		o.to, ok = parseOffset(c.Value)
		o.fields |= hasTo
		return ok
	case "RRULE":
		r, ok := parseYearRule(c.Value)
		if ok && len(o.rules) < 16 {
			o.rules = append(o.rules, r)
			return true
		}
		return false
	case "RDATE":
		return o.rdate(c.Value)
	case "EXDATE", "EXRULE":
		return false
	}
	return true
}

func (o *observance) rdate(value []byte) bool {
	fine := true
	contentline.Each(value, func(text string) bool {
		m, ok := parseMoment([]byte(text), "")
		fine = ok && m.kind == timeFloating && len(o.onsets) < maxOnsets
		o.onsets = append(o.onsets, m.wall)
		return fine
	})
	return fine
}

func (o *observance) complete() bool { return o.hasStart && o.fields == hasFrom|hasTo }

// parseOffset reads a UTC-OFFSET (section 3.3.14).
func parseOffset(b []byte) (int64, bool) {
	if (len(b) != 5 && len(b) != 7) || (b[0] != '+' && b[0] != '-') {
		return 0, false
	}
	h, ok1 := digits(b[1:3])
	m, ok2 := digits(b[3:5])
	s, ok3 := digits(b[5:])
	if !ok1 || !ok2 || !ok3 || h > 23 || m > 59 || s > 59 {
		return 0, false
	}
	n := int64(h*3600 + m*60 + s)
	if b[0] == '-' {
		n = -n
	}
	return n, true
}
