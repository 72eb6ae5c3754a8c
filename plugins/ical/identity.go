package main

import (
	"strconv"

	"github.com/pdpp-host/pdpp-host/sdk/fingerprint"
)

// An event is one UID, and one RECURRENCE-ID, of its calendar (RFC 5545, sections 3.8.4.7 and
// 3.8.4.4). Planners and edited series write several events under one UID without a
// RECURRENCE-ID: each of those is its UID and its start. Where the file numbers their versions
// with SEQUENCE, the highest counts (section 3.8.7.4).

// identify returns the event's id and the id of the series that it would be an
// exception of. Without a UID the content itself has to do.
func identify(buf []byte, calendarID string, e *event) (id, series eventID, _ []byte) {
	if e.uid == "" {
		var sum [16]byte // the digits of the fingerprint, the lowest first
		for i, v := 0, e.fingerprint(); i < 16; i, v = i+1, v>>4 {
			sum[i] = "0123456789abcdef"[v&15]
		}
		id, buf = hashID(buf, calendarID, "", string(sum[:]))
		return id, id, buf
	}
	id, buf = hashID(buf, calendarID, e.uid, e.recurrence)
	if e.recurrence == "" {
		return id, id, buf
	}
	series, buf = hashID(buf, calendarID, e.uid, "")
	return id, series, buf
}

// sharedUID is a UID that several events have which start at different times.
type sharedUID struct {
	sequence int32
	ids      []eventID // in the order of the file
}

// splits reports whether its start may tell the event from others of its UID.
func (e *event) splits() bool { return e.uid != "" && e.recurrence == "" }

// startSum is a hash of the start, as the file spells its zone.
func (e *event) startSum() uint32 {
	sum := fingerprint.Step(fingerprint.Start, uint64(e.start.kind))
	for i := 0; i < 64; i += 8 {
		sum = fingerprint.Step(sum, uint64(byte(e.start.wall>>i)))
	}
	sum = fingerprint.Text(sum, e.start.tzid)
	if e.start.kind == timeNone {
		sum = fingerprint.Text(sum, e.startText)
	}
	return uint32(fingerprint.Mix(sum))
}

// startID is the id of an event whose UID is shared.
func startID(id eventID, start uint32) eventID {
	own, _ := hashID(nil, "start", id.String(), strconv.FormatUint(uint64(start), 16))
	return own
}

// idOf returns the id that the survey gave an event, from the id of its UID.
func (v *survey) idOf(id eventID, e *event) eventID {
	if e.splits() && v.shared[id] != nil {
		return startID(id, e.startSum())
	}
	return id
}

// place enters an event, unless the file has a later version of it.
func (v *survey) place(id eventID, en entry, splits bool) bool {
	if s := v.shared[id]; splits && s != nil {
		return v.placeShared(id, s, en)
	}
	old, ok := v.entries[id]
	switch {
	case !ok:
	case en.sequence < old.sequence:
		v.counts.superseded++
		return false
	case en.sequence > old.sequence:
		v.counts.superseded++
	case splits && old.start != en.start:
		s := &sharedUID{sequence: en.sequence, ids: []eventID{startID(id, old.start), startID(id, en.start)}}
		delete(v.entries, id)
		v.entries[s.ids[0]], v.entries[s.ids[1]], v.shared[id] = old, en, s
		return true
	default:
		v.again(old, en)
	}
	v.entries[id] = en
	return true
}

func (v *survey) placeShared(id eventID, s *sharedUID, en entry) bool {
	switch {
	case en.sequence < s.sequence:
		v.counts.superseded++
		return false
	case en.sequence > s.sequence:
		v.counts.superseded += int64(len(s.ids))
		for _, old := range s.ids {
			delete(v.entries, old)
		}
		delete(v.shared, id)
		v.entries[id] = en
		return true
	}
	own := startID(id, en.start)
	if old, ok := v.entries[own]; ok {
		v.again(old, en)
	} else {
		s.ids = append(s.ids, own)
	}
	v.entries[own] = en
	return true
}

// again counts an event that takes the place of another one with its key.
func (v *survey) again(old, now entry) {
	switch {
	case old.fingerprint == now.fingerprint:
		v.counts.duplicates++
	case old.fingerprint == 0 || now.fingerprint == 0:
		v.counts.superseded++
	default:
		v.counts.merged++
	}
}

// shareCancelled gives the cancelled occurrences of a shared UID to the series among its events.
func (v *survey) shareCancelled() {
	for id, s := range v.shared {
		for _, own := range s.ids {
			if v.entries[own].repeats && len(v.cancelled[id]) > 0 {
				v.cancelled[own] = v.cancelled[id]
			}
		}
	}
}
