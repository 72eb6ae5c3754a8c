package boundary

import (
	"fmt"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/boundary/internal/tape"
)

// Enumeration reads one ENUMERATION: of a stream in scope that has tombstones.
func (g *Gate) Enumeration(p []byte) (*abi.Enumeration, error) {
	m, err := openMessage(p, abi.MaxMessageBytes, abi.CodeEnumerationInvalid, abi.TypeEnumeration)
	if err != nil {
		return nil, err
	}
	e := &abi.Enumeration{Type: m.typ}
	err = m.read(true,
		field{"stream", true, m.word(&e.Stream)},
		field{"part", false, m.part(&e.Part)},
		field{"status", true, m.oneOf(&e.Status, abi.EnumerationOpen, abi.EnumerationMet, abi.EnumerationWhole)},
		field{"begun_by", false, column(&e.BegunBy, m.word)},
		field{"keys", false, m.keys(&e.Keys)},
	)
	switch {
	case err != nil:
		return nil, err
	case e.BegunBy != "" && e.Status != abi.EnumerationOpen, (len(e.Keys) > 0) != (e.Status == abi.EnumerationMet):
		return nil, violation(abi.CodeEnumerationInvalid, "an ENUMERATION of status "+e.Status+" has begun_by or keys that it does not take, or lacks keys",
			"see ENUMERATION in the ABI reference")
	}
	if err := g.enumerable(m, e.Stream); err != nil {
		return nil, err
	}
	if err := g.keysFit(e); err != nil {
		return nil, err
	}
	return e, nil
}

// keysFit refuses keys that no record of the stream can have: they would count as met and
// save nothing.
func (g *Gate) keysFit(e *abi.Enumeration) error {
	for i := range g.streams {
		s := &g.streams[i]
		if s.name != e.Stream {
			continue
		}
		for _, key := range e.Keys {
			if !FitsKey(key, s.primaryKey) {
				return badKey("of stream " + quote(s.name) + " has not the form of its primary key")
			}
		}
	}
	return nil
}

// Missing reads the request of the operation missing.
func (g *Gate) Missing(p []byte) (*abi.Missing, error) {
	m := &message{tape: tape.Tape{Depth: abi.MaxNesting}, typ: "missing", code: abi.CodeEnumerationInvalid}
	if len(p) > abi.MaxMessageBytes {
		return nil, tooLarge("a missing request", len(p), abi.MaxMessageBytes)
	}
	if err := m.tape.Scan(append([]byte(nil), p...)); err != nil {
		return nil, refused("a missing request", err)
	}
	if m.tape.Kind(tape.Root) != tape.Object {
		return nil, violation(abi.CodeEnvelope, "a missing request must be an object", "see the ABI reference")
	}
	r := &abi.Missing{}
	err := m.read(true,
		field{"stream", true, m.word(&r.Stream)},
		field{"part", false, m.part(&r.Part)},
		field{"after", false, column(&r.After, m.text)},
	)
	if err != nil {
		return nil, err
	}
	if err := g.enumerable(m, r.Stream); err != nil {
		return nil, err
	}
	return r, nil
}

// enumerable refuses a stream outside the scope, and one that never deletes (RT-07.2).
func (g *Gate) enumerable(m *message, stream string) error {
	if err := g.inScope(m, stream); err != nil {
		return err
	}
	for i := range g.streams {
		if g.streams[i].name == stream && g.streams[i].appendOnly {
			return violation(abi.CodeDeleteOnAppendOnly, "an enumeration of stream "+quote(stream)+", which is append-only",
				"enumerate mutable_state streams only: nothing of an append-only stream is ever gone")
		}
	}
	return nil
}

// part returns a reader of a part's name.
func (m *message) part(dst *string) func(int) string {
	return func(i int) string {
		switch rule := m.text(dst)(i); {
		case rule != "":
			return rule
		case len(*dst) > abi.MaxPartBytes:
			return fmt.Sprintf("has more than %d bytes", abi.MaxPartBytes)
		case strings.IndexByte(*dst, 0) >= 0:
			return holdsNUL
		}
		return ""
	}
}

// keys returns a reader of an array of record keys.
func (m *message) keys(dst *[]abi.Raw) func(int) string {
	return func(i int) string {
		t := &m.tape
		if t.Kind(i) != tape.Array {
			return "must be an array of keys"
		}
		for k, end := i+1, t.Next(i); k < end; k = t.Next(k) {
			var key abi.Raw
			if rule := m.key(&key)(k); rule != "" {
				return rule
			}
			*dst = append(*dst, key)
		}
		return ""
	}
}
