package sdk

import (
	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/internal/link"
	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
)

// Enumeration lists everything that a stream has, or one part of it such as the issues of one
// repository: the host remembers which records were met, changed or not, and what was not met
// when the list is whole becomes tombstones. The connector keeps no list of its own.
//
// It may take several slices and runs: keep BegunBy in the cursor beside the position, and give
// it to Enumerate when a later run goes on from there. A record that moves in the source while
// it is being listed may be missed: list again before Whole, or ask for it with Missing. A nil
// Enumeration has nothing missing, and Whole does nothing then.
type Enumeration struct {
	h             *Host
	s             *stream
	part, begunBy string
	keptBack      int64 // records of the stream that were not sent when it was opened
}

// Enumerate opens an enumeration of a stream that has tombstones; part "" is the whole stream.
// Every record of the stream that is emitted from now on is met in it, until another one of
// the stream is opened or it is whole. begunBy is BegunBy of the enumeration to go on with, or
// "" to begin one, which a run does once for each part. Nothing happens for a stream outside
// the scope.
func (h *Host) Enumerate(stream, part, begunBy string) (*Enumeration, error) {
	s := h.stream(stream)
	if s == nil {
		return nil, undeclared(stream)
	}
	e := &Enumeration{h: h, s: s, part: part, begunBy: begunBy, keptBack: s.keptBack()}
	b := e.message(abi.EnumerationOpen)
	b = textMember(b, "begun_by", begunBy)
	if begunBy == "" {
		e.begunBy = h.RunID()
	}
	return e, e.send(b)
}

// BegunBy names the enumeration, for the cursor.
func (e *Enumeration) BegunBy() string { return e.begunBy }

// Resume has the stream's records be met in this enumeration again, after another one of the
// stream was opened.
func (e *Enumeration) Resume() error {
	return e.send(textMember(e.message(abi.EnumerationOpen), "begun_by", e.begunBy))
}

// metBytes is how much of one message keys may take.
const metBytes = abi.MaxMessageBytes - abi.MaxKeyBytes - 1024

// Met says of records, each named by one text for each field of primary_key, that they are
// there and unchanged: they count as emitted.
func (e *Enumeration) Met(keys ...[]string) error {
	var err error
	for len(keys) > 0 {
		b := append(jsonappend.Name(e.message(abi.EnumerationMet), "keys"), '[')
		for first := true; len(keys) > 0 && len(b) < metBytes; keys = keys[1:] {
			if !first {
				b = append(b, ',')
			}
			if b, err = e.s.textKey(b, keys[0]); err != nil {
				return err
			}
			first = false
		}
		if err := e.send(append(b, ']')); err != nil {
			return err
		}
	}
	return nil
}

// Missing calls fn with the key of each record that the store has and the enumeration has not
// met, a composite one as the text of its JSON array. fn may ask the source whether it is
// really gone. When it is not, or nobody knows, emit it or say Met; of what is left, Whole
// makes tombstones. An error of fn ends it and is returned.
func (e *Enumeration) Missing(fn func(key string) error) error {
	if e == nil || !e.s.wanted {
		return nil
	}
	for after := ""; ; {
		if err := e.h.Flush(); err != nil {
			return err
		}
		request := textMember([]byte{'{'}, "stream", e.s.name)
		request = textMember(request, "part", e.part)
		request = append(textMember(request, "after", after), '}')
		page, err := e.h.request(abi.OpMissing, "missing", request)
		if err != nil {
			return err
		}
		keys := page.Get("keys")
		if keys.Len() == 0 {
			return nil
		}
		for it := keys.Children(); it.Next(); {
			after = it.Value().Str()
			if err := fn(after); err != nil {
				return err
			}
		}
	}
}

// Whole closes the enumeration: the source holds nothing that was not met. When the host commits
// the next cursor that covers the stream, it makes tombstones of the rest, so call Whole before
// that State or Slice. Whole sends nothing when a record of the stream was kept back, for want of
// a good key or for its size: that record exists and was not met.
func (e *Enumeration) Whole() error {
	if e == nil {
		return nil
	}
	if e.s.keptBack() > e.keptBack {
		return e.h.Flush()
	}
	return e.send(e.message(abi.EnumerationWhole))
}

func (e *Enumeration) message(status string) []byte {
	b := beginMessage(nil, abi.TypeEnumeration)
	b = textMember(b, "stream", e.s.name)
	b = textMember(b, "part", e.part)
	return textMember(b, "status", status)
}

// send sends what was emitted before, and then the message.
func (e *Enumeration) send(b []byte) error {
	h := e.h
	if err := h.Flush(); err != nil || !e.s.wanted {
		return err
	}
	return h.settled(link.Enumerate, enumerate(h.link, append(b, '}')))
}

// keptBack counts the records that were not sent.
func (s *stream) keptBack() (n int64) {
	for _, w := range s.withheld {
		n += w.count
	}
	return n
}
