package main

import (
	"strconv"

	"github.com/pdpp-host/pdpp-host/sdk/fingerprint"
	"github.com/pdpp-host/pdpp-host/sdk/sha256"
)

// eventID identifies an event within the store: the front of a SHA-256, shown
// as 24 hex digits.
type eventID [12]byte

func (id eventID) String() string { return sha256.Hex(id[:]) }

// hashID hashes parts, each closed by a byte that no line of a file can contain.
func hashID(buf []byte, parts ...string) (eventID, []byte) {
	buf = buf[:0]
	for _, p := range parts {
		buf = append(append(buf, p...), '\n')
	}
	sum := sha256.Sum256(buf)
	return eventID(sum[:12]), buf
}

// An event is one UID, and one RECURRENCE-ID, of its calendar (RFC 5545, sections 3.8.4.7 and
// 3.8.4.4). Planners and edited series write several events under one UID without a
// RECURRENCE-ID: each of those is its UID and its start. Where the file numbers their versions
// with SEQUENCE, the highest counts (section 3.8.7.4). Events that none of this tells apart and
// that differ are each their content, too: which of them is meant, the file does not say.

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

// twins are events of one key and version with different content.
type twins struct {
	sequence int32
	start    uint32
	ids      []eventID // in the order of the file
}

// contentID is the id of an event whose key is that of another one.
func contentID(id eventID, content uint64) eventID {
	own, _ := hashID(nil, "content", id.String(), strconv.FormatUint(content, 16))
	return own
}

// idOf returns the id that the survey gave an event, from the id of its UID.
func (v *survey) idOf(id eventID, e *event) eventID {
	if e.splits() && v.shared[id] != nil {
		id = startID(id, e.startSum())
	}
	if v.twins[id] != nil {
		id = contentID(id, e.fingerprint())
	}
	return id
}

// at returns the version and the start of the events that have an id.
func (v *survey) at(id eventID) (sequence int32, start uint32, ok bool) {
	if t := v.twins[id]; t != nil {
		return t.sequence, t.start, true
	}
	en, ok := v.entries[id]
	return en.sequence, en.start, ok
}

// first returns the first of the events that have an id.
func (v *survey) first(id eventID) entry {
	if t := v.twins[id]; t != nil {
		id = t.ids[0]
	}
	return v.entries[id]
}

// supersede takes out the events that have an id, of which later is a later version. splits: see event.splits.
func (v *survey) supersede(id eventID, later *entry, splits bool) {
	ids := []eventID{id}
	if t := v.twins[id]; t != nil {
		ids = t.ids
	}
	for _, own := range ids {
		en := v.entries[own]
		v.superseded(&en, later, splits)
		delete(v.entries, own)
	}
	delete(v.twins, id)
}

// superseded counts an event that has a later version. One that started at another time may be an event of its own.
func (v *survey) superseded(en, later *entry, splits bool) {
	v.counts.superseded++
	if splits && en.start != later.start && en.fingerprint != 0 && later.fingerprint != 0 {
		v.counts.moved++
	}
}

// move gives the events that have an id another one.
func (v *survey) move(from, to eventID) {
	t := v.twins[from]
	if t == nil {
		v.entries[to] = v.entries[from]
		delete(v.entries, from)
		return
	}
	moved := &twins{sequence: t.sequence, start: t.start}
	for _, old := range t.ids {
		own := contentID(to, v.entries[old].fingerprint)
		v.entries[own], moved.ids = v.entries[old], append(moved.ids, own)
		delete(v.entries, old)
	}
	delete(v.twins, from)
	v.twins[to] = moved
}

// place enters an event, unless the file has a later version of it.
func (v *survey) place(id eventID, en entry, splits bool) bool {
	if s := v.shared[id]; splits && s != nil {
		return v.placeShared(id, s, en)
	}
	sequence, start, ok := v.at(id)
	switch {
	case !ok:
		v.entries[id] = en
	case en.sequence < sequence:
		later := v.first(id)
		v.superseded(&en, &later, splits)
		return false
	case en.sequence > sequence:
		v.supersede(id, &en, splits)
		v.entries[id] = en
	case splits && start != en.start:
		s := &sharedUID{sequence: sequence, ids: []eventID{startID(id, start), startID(id, en.start)}}
		v.move(id, s.ids[0])
		v.entries[s.ids[1]], v.shared[id] = en, s
	default:
		v.again(id, en)
	}
	return true
}

func (v *survey) placeShared(id eventID, s *sharedUID, en entry) bool {
	switch {
	case en.sequence < s.sequence:
		later := v.first(s.ids[0])
		v.superseded(&en, &later, true)
		return false
	case en.sequence > s.sequence:
		for _, old := range s.ids {
			v.supersede(old, &en, true)
		}
		delete(v.shared, id)
		v.entries[id] = en
		return true
	}
	own := startID(id, en.start)
	if _, _, ok := v.at(own); ok {
		v.again(own, en)
		return true
	}
	s.ids, v.entries[own] = append(s.ids, own), en
	return true
}

// again enters an event that has the key and the version of others.
func (v *survey) again(id eventID, en entry) {
	t, old := v.twins[id], v.entries[id]
	switch {
	case t == nil && old.fingerprint == en.fingerprint:
		v.counts.duplicates++
		v.entries[id] = en
	case en.fingerprint == 0 || t == nil && old.fingerprint == 0: // one of them cancels the others
		v.supersede(id, &en, false)
		v.entries[id] = en
	default:
		if t == nil {
			t = &twins{sequence: en.sequence, start: en.start, ids: []eventID{contentID(id, old.fingerprint)}}
			delete(v.entries, id)
			v.entries[t.ids[0]], v.twins[id] = old, t
		}
		own := contentID(id, en.fingerprint)
		if _, ok := v.entries[own]; ok {
			v.counts.duplicates++
		} else {
			t.ids = append(t.ids, own)
		}
		v.entries[own] = en
	}
}

// shareCancelled gives the cancelled occurrences of a UID to the series among its events, where they
// are several.
func (v *survey) shareCancelled() {
	for id, s := range v.shared {
		for _, own := range s.ids {
			if v.entries[own].repeats || v.twins[own] != nil {
				v.shareWith(own, v.cancelled[id])
			}
		}
	}
	for id, t := range v.twins {
		v.counts.twins += int64(len(t.ids))
		for _, own := range t.ids {
			if v.entries[own].repeats {
				v.shareWith(own, v.cancelled[id])
			}
		}
	}
}

func (v *survey) shareWith(id eventID, cancelled []string) {
	if len(cancelled) > 0 {
		v.cancelled[id] = cancelled
	}
}
