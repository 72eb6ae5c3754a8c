package main

import (
	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
)

// items is a stream that lists the present files. Its cursor has a fingerprint for each
// id: a different one is emitted, a missing one becomes a tombstone.
type items struct {
	h      *sdk.Host
	stream string
	old    map[string]int64
	now    map[string]int64
	// partial: something could not be read, so no item is known to be missing.
	partial bool
}

func newItems(h *sdk.Host, stream string) *items {
	s := &items{h: h, stream: stream, old: map[string]int64{}, now: map[string]int64{}}
	for it := h.Cursor(stream).Get("items").Children(); it.Next(); {
		s.old[it.Name().Str()] = it.Value().Int()
	}
	return s
}

// changed notes an item and reports whether it is to be emitted.
func (s *items) changed(id string, sum int64) bool {
	if _, ok := s.now[id]; ok {
		return false
	}
	s.now[id] = sum
	return s.old[id] != sum
}

// finish sends the tombstones and the cursor.
func (s *items) finish(tombstones bool) error {
	for _, id := range sortedKeys(s.old) {
		if _, ok := s.now[id]; ok {
			continue
		}
		if s.partial || !tombstones {
			s.now[id] = s.old[id]
			continue
		}
		if err := s.h.Delete(s.stream, id); err != nil {
			return err
		}
	}
	b := append(jsonappend.Int([]byte(`{"v":`), cursorVersion), `,"items":{`...)
	for _, id := range sortedKeys(s.now) {
		b = jsonappend.Int(jsonappend.Name(b, id), s.now[id])
	}
	return s.h.State(s.stream, append(b, "}}"...))
}
