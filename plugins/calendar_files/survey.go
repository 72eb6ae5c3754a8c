package main

import (
	"io"
	"slices"

	"github.com/pdpp-host/pdpp-host/sdk/clip"
	"github.com/pdpp-host/pdpp-host/sdk/fingerprint"
	"github.com/pdpp-host/pdpp-host/sdk/problems"
)

// entry is the survey's memory of one event.
type entry struct {
	fingerprint uint64 // 48 bits; 0: cancelled
	ordinal     uint32 // which VEVENT of the file counts
	calendar    uint32 // which VCALENDAR of the file has it
	group       uint16 // an index of survey.groups
	sequence    int32
	start       uint32 // a hash of DTSTART
	zoned       bool
	floating    bool
	repeats     bool
	wall        int64  // of DTSTART
	starts      uint16 // zone of DTSTART, an index of survey.named; 0: none
	ends        uint16 // of DTEND
	callsOff    bool   // by the METHOD of its VCALENDAR
	key, series int64  // see keySum; series: of the series that it is an occurrence of
	noStart     uint32 // the line of an event without a start; 0: it has one
}

// survey is the outcome of a file's first pass.
type survey struct {
	groups   []group
	grouped  map[int64]int // places in groups, by calendar.key
	counts   counts
	zones    zoneSet
	named    []string          // zones that events start or end in; the first is no zone
	index    map[string]uint16 // of named
	entries  map[eventID]entry
	shared   map[eventID]*sharedUID
	twins    map[eventID]*twins
	total    uint32     // VEVENTs, copies included
	live     int64      // events that are not cancelled
	listed   bool       // the host has its list, whole
	unmet    int64      // see fileState
	sum      int64      // fingerprint of their records, in whatever order; never 0
	names    nameCounts // that the connector does not know
	sample   sample
	stands   versions // its events, of a small file
	callsOff versions // those that it cancels
	// cancelled lists, by the id of a series, the RECURRENCE-IDs of its
	// occurrences that are cancelled. They have no record of their own, so the
	// series' record names them.
	cancelled map[eventID][]string
}

// surveyFile does the first pass. problem is not nil when the file may not be
// collected.
func surveyFile(r io.Reader, buf []byte, calendarID string) (*survey, *problems.Kind) {
	v := &survey{groups: []group{{id: calendarID}}, grouped: map[int64]int{}, named: []string{""}, index: map[string]uint16{"": 0}, entries: map[eventID]entry{},
		shared: map[eventID]*sharedUID{}, twins: map[eventID]*twins{}, cancelled: map[eventID][]string{}}
	var hashed []byte
	type exception struct {
		series eventID
		text   string
	}
	exceptions := map[eventID]exception{}
	s := newScan(r, buf, func(s *scan) error {
		e := &s.ev
		if e.uid == "" {
			s.counts.noUID++
		}
		var id, series eventID
		at := v.groupOf(s)
		id, series, hashed = identify(hashed, v.groups[at].id, e)
		en := entry{fingerprint: e.fingerprint(), ordinal: s.events, calendar: s.begun, group: uint16(at), sequence: int32(e.sequence), start: e.startSum(), wall: e.start.wall, zoned: e.zoned, repeats: e.repeats}
		en.floating, en.starts, en.ends = e.start.kind == timeFloating, v.zoneIndex(e.start), v.zoneIndex(e.end)
		if e.start.kind == timeNone && !s.calendar.method { // RFC 5545, section 3.6.1
			en.noStart = uint32(s.began)
		}
		if en.key, en.callsOff = keySum(e.uid, e.recurrence), s.calendar.cancels; e.recurrence != "" {
			en.series = keySum(e.uid, "")
		}
		if e.status == "CANCELLED" || e.status == "CANCELED" || s.calendar.cancels { // as the RFC spells it, and as Americans do
			en.fingerprint = 0
		} else {
			v.sample.add(e) // of those that are collected
		}
		if !v.place(id, en, e.splits()) {
			return nil
		}
		if e.recurrence != "" {
			if en.fingerprint == 0 {
				exceptions[id] = exception{series, clip.Text(e.recurrence, maxRecurrence)}
			} else {
				delete(exceptions, id)
			}
		}
		return nil
	})
	s.zones, s.names, s.closed = &v.zones, &v.names, v.describe
	problem, _ := s.run()
	if problem != nil {
		return nil, problem
	}
	v.total = s.events
	v.addCounts(&s.counts)
	for _, x := range exceptions {
		v.cancelled[x.series] = append(v.cancelled[x.series], x.text)
	}
	for _, list := range v.cancelled {
		slices.Sort(list)
	}
	v.shareCancelled()
	v.complete()
	v.compare()
	return v, nil
}

// addCounts adds the counts of the scan to those of the survey.
func (v *survey) addCounts(c *counts) {
	for i, n := range c.all() {
		*v.counts.all()[i] += *n
	}
}

// Bounds on the zones that events may name: how many, and bytes of each.
const (
	maxNames    = 2 * maxZones
	maxZoneName = 1 << 10
)

// zoneIndex returns the index of a moment's zone. Zones beyond the bounds share an
// index, which no known zone has.
func (v *survey) zoneIndex(m moment) uint16 {
	if m.kind != timeZoned {
		return 0
	}
	i, ok := v.index[m.tzid]
	switch {
	case ok:
		return i
	case len(v.named) == maxNames || len(m.tzid) > maxZoneName:
		return maxNames + 1
	}
	i = uint16(len(v.named))
	v.named = append(v.named, m.tzid)
	v.index[m.tzid] = i
	return i
}

// complete counts the events, and those that cannot be placed in time, and adds to each fingerprint
// the parts that the event's record takes from elsewhere in the file.
func (v *survey) complete() {
	var defined uint64
	for key, z := range v.zones.defined {
		own := z.fingerprint(key.tzid)
		if key.calendar > 1 {
			own = fingerprint.Mix(fingerprint.Step(own, uint64(key.calendar)))
		}
		defined += own
	}
	sum := uint64(formatSeed)
	for i := range v.groups {
		sum = sumLine(sum, v.groups[i].calendar.name)
	}
	for id, en := range v.entries {
		if en.fingerprint == 0 {
			v.counts.cancelled++
			continue
		}
		if en.floating {
			v.counts.floating++
		}
		if at := int64(en.noStart); at > 0 {
			if v.counts.noStart++; v.counts.noStartAt == 0 || at < v.counts.noStartAt {
				v.counts.noStartAt = at
			}
		}
		switch at, defined := v.unplaced(en); {
		case defined:
			v.counts.zoneYears++
		case at >= 0:
			v.counts.unknownZone++
			v.nameZone(at)
		}
		if en.zoned {
			en.fingerprint += defined
		}
		for _, text := range v.cancelled[id] {
			en.fingerprint += fingerprint.Mix(sumLine(fingerprint.Start, text))
		}
		if en.fingerprint &= fingerprint.Mask48; en.fingerprint == 0 {
			en.fingerprint = 1
		}
		v.entries[id] = en
		v.live++
		v.groups[en.group].live++
		sum += fingerprint.Mix(fingerprint.Bytes(en.fingerprint, id[:]))
	}
	if v.counts.damaged() > 0 {
		sum = fingerprint.Mix(sum) // of a file whose other events stay
	}
	v.sum = int64(sum&fingerprint.Mask48) | 1
}

// unplaced returns the index of a zone that does not give an event its instants, -1 for none; defined: its rules are known,
// and not for the year in which the event starts.
func (v *survey) unplaced(en entry) (at int, defined bool) {
	for _, i := range [2]uint16{en.starts, en.ends} {
		if i > maxNames || i > 0 && v.zones.find(en.calendar, v.named[i]) == nil {
			return int(i), false
		}
	}
	if en.starts == 0 {
		return -1, false
	}
	if _, ok := v.zones.find(en.calendar, v.named[en.starts]).instant(en.wall); !ok {
		return int(en.starts), true
	}
	return -1, false
}

// nameZone counts a zone by its name.
func (v *survey) nameZone(at int) {
	name := "beyond the bound"
	if at < len(v.named) {
		name = v.named[at]
	}
	v.names.add("time zone ", name)
}

func (z *zone) fingerprint(name string) uint64 {
	sum := sumLine(fingerprint.Start, name)
	add := func(n int64) {
		for i := 0; i < 64; i += 8 {
			sum = fingerprint.Step(sum, uint64(byte(n>>i)))
		}
	}
	if z.unusable {
		add(1)
		return fingerprint.Mix(sum)
	}
	for i := range z.observances {
		o := &z.observances[i]
		add(o.start)
		add(o.from)
		add(o.to)
		for _, w := range o.onsets {
			add(w)
		}
		for j := range o.rules {
			r := &o.rules[j]
			add(int64(r.month))
			add(int64(r.nth))
			add(int64(r.weekday))
			for _, d := range r.days {
				add(int64(d))
			}
			if r.hasUntil {
				add(r.until)
			}
		}
	}
	return fingerprint.Mix(sum)
}

// sumLine adds a text and closes it by a byte that no line of a file can contain.
func sumLine(sum uint64, s string) uint64 { return fingerprint.Step(fingerprint.Text(sum, s), '\n') }

// formatSeed is part of every fingerprint. Change it when records are built
// differently, so that the next run emits them anew.
const formatSeed = 3
