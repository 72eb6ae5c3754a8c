package main

import (
	"path"
	"strconv"
	"strings"

	"github.com/pdpp-host/pdpp-host/sdk/files"
)

// maxGroups bounds the calendars of one file. Those beyond it are in the first one.
const maxGroups = 256

// group is one calendar of a file: each VCALENDAR that says it is this one. The first VCALENDAR's has the id
// of the file, so that a file with one calendar keeps its keys when another one is put behind it.
type group struct {
	id       string
	key      int64 // see calendar.key
	calendar calendar
	live     int64 // its events that are not cancelled
}

// key tells the calendars of one file apart: by the id that a program gave one, else by its name; 0: it has neither.
func (c *calendar) key() int64 {
	switch {
	case c.rel != "":
		return files.Sum("rel", c.rel)
	case c.name != "":
		return files.Sum("name", c.name)
	}
	return 0
}

// groupID is the id of a calendar that is not the first one of its file.
func groupID(fileID string, key int64) string {
	id, _ := hashID(nil, "calendar in a file", fileID, strconv.FormatInt(key, 10))
	return id.String()
}

// groupOf returns the place of the calendar of the VCALENDAR that is open.
func (v *survey) groupOf(s *scan) int {
	if s.begun <= 1 {
		return 0
	}
	key := s.calendar.key()
	at, ok := v.grouped[key]
	if !ok && len(v.groups) < maxGroups {
		at = len(v.groups)
		v.grouped[key] = at
		v.groups = append(v.groups, group{id: groupID(v.groups[0].id, key), key: key})
	}
	return at
}

// describe takes what a VCALENDAR says of its calendar; where several have a property, the first counts.
func (v *survey) describe(s *scan) {
	key := s.calendar.key()
	if s.begun == 1 {
		v.grouped[key] = 0
	}
	if _, ok := v.grouped[key]; !ok && key == 0 {
		return // it says nothing, and has no event
	}
	at := v.groupOf(s)
	to, from := &v.groups[at].calendar, &s.calendar
	for _, t := range [...]struct {
		to   *string
		from string
	}{
		{&to.name, from.name}, {&to.description, from.description}, {&to.zone, from.zone}, {&to.product, from.product},
		{&to.color, from.color}, {&to.rel, from.rel},
	} {
		if *t.to == "" {
			*t.to = t.from
		}
	}
}

// calendars emits the records of the calendars of a file that are new or changed.
func (r *run) calendars(p string, v *survey, s, old *fileState) error {
	base := strings.TrimSuffix(path.Base(p), path.Ext(p))
	var all []string
	for i := range v.groups {
		g := &v.groups[i]
		c := &g.calendar
		all = append(all, c.nameOr(base), c.description, c.zone, c.product, c.color, strconv.FormatInt(g.live, 10))
	}
	s.calendar = files.Sum(all...)
	torn := old != nil && old.calendar != 0 && !s.whole()
	if torn {
		s.calendar = old.calendar // what the file lacks may be part of the record
	}
	if !r.h.Wants(streamCalendars) {
		if old == nil || old.calendar != s.calendar {
			s.calendar = 0 // a run that wants it is still to emit it
		}
		return nil
	}
	for i := range v.groups {
		g := &v.groups[i]
		if old != nil && old.calendar == s.calendar && (i == 0 || old.has(g.key)) {
			continue
		}
		if err := r.calendar(p, base, g); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) calendar(p, base string, g *group) error {
	c := &g.calendar
	rec := r.h.Record(streamCalendars)
	rec.String("id", g.id)
	rec.String("name", c.nameOr(base))
	rec.StringOrNull("description", c.description)
	rec.StringOrNull("time_zone", c.zone)
	rec.StringOrNull("product", c.product)
	rec.StringOrNull("color", c.color)
	rec.Int("event_count", g.live)
	rec.String("source_file", p)
	return rec.Emit()
}

// nameOr returns the name of the calendar, or that of its file.
func (c *calendar) nameOr(base string) string {
	if c.name == "" {
		return base
	}
	return c.name
}

// further are the calendars of a file beyond its first, as its cursor names them: keys and states, in turns.
type further []int64

// States of a calendar beyond the first.
const (
	furtherThere  = iota
	furtherGone   // the host may have it
	furtherListed // the calendars were listed without it: the host has it while the list lacks it
)

// has reports whether the file had a calendar beyond its first.
func (s *fileState) has(key int64) bool {
	for i := 0; i+1 < len(s.further); i += 2 {
		if s.further[i] == key && s.further[i+1] == furtherThere {
			return true
		}
	}
	return false
}

// keepFurther has the cursor name the calendars of a file beyond its first: those that it has, and those of the earlier run
// that the host may still have. Of a file with damage, these are there.
func (s *fileState) keepFurther(v *survey, old *fileState) {
	s.further = nil
	for i := range v.groups[1:] {
		s.further = append(s.further, v.groups[1+i].key, furtherThere)
	}
	if old == nil {
		return
	}
	for f := old.further; len(f) >= 2 && len(s.further) < 4*maxGroups; f = f[2:] {
		if s.has(f[0]) {
			continue
		}
		state := max(f[1], furtherGone)
		if f[1] == furtherThere && !s.whole() {
			state = furtherThere
		}
		s.further = append(s.further, f[0], state)
	}
}

// dropped has the calendars beyond the first be gone with their file.
func (f further) dropped() further {
	var list further
	for ; len(f) >= 2; f = f[2:] {
		list = append(list, f[0], max(f[1], furtherGone))
	}
	return list
}
