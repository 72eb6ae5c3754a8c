package main

import (
	"slices"

	"github.com/pdpp-host/pdpp-host/sdk/cursor"
	"github.com/pdpp-host/pdpp-host/sdk/fingerprint"
)

// An invitation and its cancellation come as two files, whose events have one UID. Each file is a calendar of its own, so
// the one does not take away the record of the other: it is told.

// maxVersions bounds the events of a file that are compared with the cancellations of others, and those cancellations. An
// invitation has a few.
const maxVersions = 16

// versions are events of a file by the fingerprint of UID and RECURRENCE-ID, each with its SEQUENCE behind it.
type versions []int64

// keySum is the fingerprint of an event's UID and a RECURRENCE-ID, 0 without a UID.
func keySum(uid, recurrence string) int64 {
	if uid == "" {
		return 0
	}
	return int64(fingerprint.Mix(sumLine(sumLine(fingerprint.Start, uid), recurrence)) & fingerprint.Mask48)
}

// add notes an event, as far as there is room.
func (v *versions) add(key int64, sequence int32) {
	if key != 0 && len(*v) < 2*maxVersions {
		*v = append(*v, key, int64(sequence))
	}
}

// covers reports whether one of the versions is that of an event, or a later one.
func (v *versions) covers(key, sequence int64) bool {
	for l := *v; len(l) >= 2; l = l[2:] {
		if l[0] == key && l[1] >= sequence {
			return true
		}
	}
	return false
}

// compare has the survey of a small file know its events, and those that it cancels for others.
func (v *survey) compare() {
	order := make([]entry, 0, len(v.entries))
	for _, en := range v.entries {
		order = append(order, en)
	}
	slices.SortFunc(order, func(a, b entry) int { return int(a.ordinal) - int(b.ordinal) })
	for _, en := range order {
		switch {
		case en.callsOff:
			v.callsOff.add(en.key, en.sequence)
			v.callsOff.add(en.series, en.sequence)
		case en.fingerprint != 0 && v.live <= maxVersions:
			v.stands.add(en.key, en.sequence)
		}
	}
}

// reportCalledOff tells of the events that another file cancels.
func (r *run) reportCalledOff() {
	paths := cursor.Keys(r.after.files)
	in := map[int64][]string{} // the files that have an event, by its key
	for _, p := range paths {
		s := r.after.files[p]
		for e := s.standing; len(e) >= 2 && s.removed == 0 && s.counts.copied == 0; e = e[2:] {
			in[e[0]] = append(in[e[0]], p)
		}
	}
	for _, p := range paths {
		off := r.after.files[p]
		var others []string
		for e := off.callsOff; len(e) >= 2 && off.removed == 0; e = e[2:] {
			others = append(others, in[e[0]]...)
		}
		slices.Sort(others)
		for _, other := range slices.Compact(others) {
			for e := r.after.files[other].standing; len(e) >= 2 && other != p; e = e[2:] {
				if off.callsOff.covers(e[0], e[1]) {
					r.problems.Note(calledOff, other+", by "+p)
				}
			}
		}
	}
}
