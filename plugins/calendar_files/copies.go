package main

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/pdpp-host/pdpp-host/sdk/cursor"
	"github.com/pdpp-host/pdpp-host/sdk/files"
	"github.com/pdpp-host/pdpp-host/sdk/fingerprint"
)

// Bounds of the search for a second export of a calendar: how many of a file's UIDs are kept, and
// with how many files of one name each is compared.
const (
	maxSample = 16
	maxAlike  = 64
)

// sample is the smallest hashes of a file's UIDs, so that two files show what they share.
type sample []int64

func (s *sample) add(e *event) {
	sum := keySum(e.uid, e.recurrence)
	if sum == 0 {
		return
	}
	at, known := slices.BinarySearch(*s, sum)
	if known || at == maxSample {
		return
	}
	*s = slices.Insert(*s, at, sum)
	*s = (*s)[:min(len(*s), maxSample)]
}

// overlaps reports whether half of what the smaller of two files has is in the other one. A sample
// that is full says nothing of what is above its largest hash.
func (s *sample) overlaps(other sample) bool {
	both := [2]sample{*s, other}
	for i := range both {
		if o := both[1-i]; len(o) == maxSample {
			at, found := slices.BinarySearch(both[i], o[maxSample-1])
			if found {
				at++
			}
			both[i] = both[i][:at]
		}
	}
	shared := 0
	for _, sum := range both[0] {
		if _, there := slices.BinarySearch(both[1], sum); there {
			shared++
		}
	}
	return shared > 0 && 2*shared >= min(len(both[0]), len(both[1]))
}

// content is the fingerprint of what a file has, wherever it lies; 0 for one with damage or without
// events, which is no copy of anything.
func (v *survey) content() int64 {
	if v.counts.damaged() > 0 || v.live == 0 {
		return 0
	}
	var sum uint64
	for _, en := range v.entries {
		if en.fingerprint != 0 {
			sum += fingerprint.Mix(en.fingerprint)
		}
	}
	var all []string
	for i := range v.groups {
		c := &v.groups[i].calendar
		all = append(all, c.name, c.description, c.zone, c.product, c.color, c.rel)
	}
	return files.Sum(append(all, strconv.FormatInt(v.live, 10), strconv.FormatUint(sum, 16))...)
}

// identity tells the calendars of two files apart: the id that Outlook and Apple give one, else its
// name and the program that wrote it; 0: the file says neither.
func (c *calendar) identity() int64 {
	switch {
	case c.rel != "":
		return files.Sum("rel", c.rel)
	case c.name != "":
		return files.Sum("name", c.name, c.product)
	}
	return 0
}

// collected reports whether the host may have records of a file.
func (s *fileState) collected() bool {
	return s != nil && s.counts.copied == 0 && (s.live+s.unmet+s.events > 0 || s.removed != 0)
}

// copiesLast orders the files: those that were collected first, which keep their records, then those
// with the shorter name, so that of a new "a.ics" and its copy "a (1).ics" the first is collected.
func (r *run) copiesLast() {
	class := func(p string) int {
		if r.before.files[p].collected() {
			return 0
		}
		return 1
	}
	slices.SortFunc(r.found, func(a, b files.Entry) int {
		return cmp.Or(class(a.Path)-class(b.Path), len(a.Path)-len(b.Path), cmp.Compare(a.Path, b.Path))
	})
	for p, s := range r.before.files {
		if s.collected() && r.list.Hides(p) { // it may be there, and its events stay
			r.holds(p, s.content)
		}
	}
}

// holds notes the file that a content is collected from.
func (r *run) holds(p string, content int64) {
	if content != 0 && r.contents[content] == "" {
		r.contents[content] = p
	}
}

// copyOf returns the file that has the same calendar with the same events, "" for none. A file of
// which the host has records keeps them, and so does one that the cursor may have had no room for.
func (r *run) copyOf(content int64, old *fileState) string {
	if content == 0 || old.collected() || old == nil && r.before.dropped > 0 || !r.h.Wants(streamEvents) {
		return ""
	}
	return r.contents[content]
}

// copied has the cursor know a file that is a copy of another one: its events are collected from
// there.
func (r *run) copied(f files.Entry, v *survey) {
	i := r.books.Items(streamEvents)
	i.Duplicate += v.live
	v.counts.copied = v.live
	r.countEvents(v)
	s := r.read(f, v, nil)
	c := &s.counts // of the events that are collected from the other file, that one counts
	c.badDates, c.guessed, c.noUID, c.twins, c.noStart, c.unknownZone, c.floating, c.badDatesAt, c.noStartAt = 0, 0, 0, 0, 0, 0, 0, 0, 0
	c.repeated, c.repeatedAt, c.repeatedIn, c.zoneYears, c.cancelled, c.moved = 0, 0, 0, 0, 0, 0
	s.live, s.events, s.sample, s.further = 0, 0, nil, nil
	r.books.Read(rootName, f.Path)
}

// reportCopies tells of the files that have one calendar.
func (r *run) reportCopies() {
	first := map[int64]string{} // by content
	for _, p := range cursor.Keys(r.after.files) {
		if s := r.after.files[p]; s.collected() && s.content != 0 && first[s.content] == "" {
			first[s.content] = p
		}
	}
	groups := map[int64][]string{} // by identity
	for _, p := range cursor.Keys(r.after.files) {
		s := r.after.files[p]
		switch at := first[s.content]; {
		case s.counts.copied > 0 && at != "":
			r.problems.Note(copyKind, p+", the same as "+at)
		case s.removed != 0 || s.counts.copied > 0:
		case at != "" && at != p:
			r.problems.Note(twice, p+" and "+at)
		case s.identity != 0:
			group := groups[s.identity]
			if i := slices.IndexFunc(group, func(o string) bool { return r.after.files[o].sample.overlaps(s.sample) }); i >= 0 {
				r.problems.Note(twice, p+" and "+group[i])
			}
			if len(group) < maxAlike {
				groups[s.identity] = append(group, p)
			}
		}
	}
}
