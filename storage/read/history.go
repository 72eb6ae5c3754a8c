package read

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// FieldHash is the value that a field of a record has, as a keyed hash. The tag stands for
// the field's name.
type FieldHash struct {
	Tag  uint32
	Hash uint64 // 0: the record has no such field any more
}

// FieldState is a field with the change that made it what it is.
type FieldState struct {
	FieldHash

	Seq int64
	US  int64 // when that change was emitted
}

// History is what is kept of a live record's changes: since when each of its fields is as
// it is, and nothing of what they were.
type History struct {
	Born   int64 // the change with which its life began
	BornUS int64
	Since  int64        // since when it has its time
	Time   []byte       // as it compares; nil: the stream has none
	Fields []FieldState // by tag
}

// Past is a span of changes in which a record lived with one time.
type Past struct {
	Key         string
	From, Until int64 // Until is not included
	Time        []byte
	UntilUS     int64 // when the change at its end was emitted
}

// seqs are the changes that a part of the record dates from, in their order.
func (h *History) seqs() []int64 {
	if h == nil {
		return nil
	}
	all := append(make([]int64, 0, 4), h.Born)
	for i := range h.Fields {
		if s := h.Fields[i].Seq; s != all[len(all)-1] {
			all = append(all, s)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// followed says how a record goes on after an entry.
type followed struct {
	now       *History // nil: it is gone
	drop, add []int64  // of the changes that its parts date from
	past      *Past    // a span that has ended; nil: none has
}

// follow returns how a record goes on. old is nil when it was not live; anew, when all that
// is known of it is put aside.
func follow(old *History, e *Entry, anew bool) followed {
	if anew || old == nil || old.Born == 0 || old.Born > e.Seq {
		f := followed{drop: old.seqs()}
		if e.Live {
			f.now = born(e)
			f.drop, f.add = difference(f.drop, f.now.seqs())
		}
		return f
	}
	ended := &Past{Key: e.Key, From: old.Since, Until: e.Seq, Time: old.Time, UntilUS: e.EmittedUS}
	if !e.Live {
		return followed{drop: old.seqs(), past: ended}
	}
	f := followed{now: old.with(e)}
	if f.now.Since != old.Since {
		f.past = ended
	}
	f.drop, f.add = difference(old.seqs(), f.now.seqs())
	return f
}

func born(e *Entry) *History {
	h := &History{Born: e.Seq, BornUS: e.EmittedUS, Since: e.Seq, Time: e.Time, Fields: make([]FieldState, len(e.Fields))}
	for i, f := range e.Fields {
		h.Fields[i] = FieldState{f, e.Seq, e.EmittedUS}
	}
	return h
}

// with returns the history of a record that lives on.
func (h *History) with(e *Entry) *History {
	now := &History{Born: h.Born, BornUS: h.BornUS, Since: h.Since, Time: h.Time, Fields: make([]FieldState, 0, len(e.Fields))}
	if !bytes.Equal(h.Time, e.Time) || (h.Time == nil) != (e.Time == nil) {
		now.Since, now.Time = e.Seq, e.Time
	}
	old, fresh := h.Fields, e.Fields
	for len(old) > 0 || len(fresh) > 0 {
		switch {
		case len(fresh) == 0 || len(old) > 0 && old[0].Tag < fresh[0].Tag:
			gone := old[0]
			if gone.Hash != 0 {
				gone = FieldState{FieldHash{gone.Tag, 0}, e.Seq, e.EmittedUS}
			}
			now.Fields, old = append(now.Fields, gone), old[1:]
		case len(old) == 0 || fresh[0].Tag < old[0].Tag:
			now.Fields, fresh = append(now.Fields, FieldState{fresh[0], e.Seq, e.EmittedUS}), fresh[1:]
		default:
			same := old[0]
			if same.Hash != fresh[0].Hash {
				same = FieldState{fresh[0], e.Seq, e.EmittedUS}
			}
			now.Fields, old, fresh = append(now.Fields, same), old[1:], fresh[1:]
		}
	}
	return now
}

// difference returns what a has and b has not, and the reverse.
func difference(a, b []int64) (gone, fresh []int64) {
	for _, n := range a {
		if !slices.Contains(b, n) {
			gone = append(gone, n)
		}
	}
	for _, n := range b {
		if !slices.Contains(a, n) {
			fresh = append(fresh, n)
		}
	}
	return gone, fresh
}

// fieldBytes is the size of a field that has not changed since its record's birth: its tag,
// its hash, and a zero.
const fieldBytes = 13

// packed writes the fields as the store keeps them: what changed since birth has its change
// beside it, as the distance from birth.
func (h *History) packed() []byte {
	b := make([]byte, 0, fieldBytes*len(h.Fields))
	for i := range h.Fields {
		f := &h.Fields[i]
		b = binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint32(b, f.Tag), f.Hash)
		b = binary.AppendUvarint(b, uint64(f.Seq-h.Born)) //nolint:gosec // it is not before birth
		if f.Seq != h.Born {
			b = binary.AppendVarint(b, f.US-h.BornUS)
		}
	}
	return b
}

// unpack reads what packed has written. A field that cannot be read is left out
// with those behind it, which so count as changed.
func (h *History) unpack(b []byte) {
	h.Fields = make([]FieldState, 0, len(b)/fieldBytes)
	for len(b) >= fieldBytes {
		f := FieldState{FieldHash{binary.BigEndian.Uint32(b), binary.BigEndian.Uint64(b[4:])}, h.Born, h.BornUS}
		b = b[fieldBytes-1:]
		distance, n := binary.Uvarint(b)
		if n <= 0 {
			return
		}
		b = b[n:]
		if distance > 0 {
			us, n := binary.Varint(b)
			if n <= 0 {
				return
			}
			b = b[n:]
			f.Seq, f.US = h.Born+int64(distance), h.BornUS+us //nolint:gosec // as it was written
		}
		h.Fields = append(h.Fields, f)
	}
}
