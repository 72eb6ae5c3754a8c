package boundary

import (
	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/boundary/internal/tape"
)

// State reads one STATE: a stream in scope and a cursor, which is an object or
// null. Cursor is the guest's text, opaque to the host.
func (g *Gate) State(p []byte) (*abi.State, error) {
	m, err := openMessage(p, abi.MaxStateBytes, abi.CodeEnvelope, abi.TypeState)
	if err != nil {
		return nil, err
	}
	s := &abi.State{Type: m.typ}
	var slice abi.Slice
	err = m.read(false,
		field{"stream", true, m.word(&s.Stream)},
		field{"cursor", true, func(i int) string {
			if k := m.tape.Kind(i); k != tape.Object && k != tape.Null {
				return "must be an object or null"
			}
			return m.raw(&s.Cursor)(i)
		}},
		field{"slice", false, func(i int) string {
			s.Slice = &slice
			return m.object(true,
				field{"id", true, column(&slice.ID, m.word)},
				field{"complete", true, m.boolean(&slice.Complete)})(i)
		}},
		field{"coverage", false, m.sliceCoverage(&s.Coverage)},
	)
	if err == nil {
		err = g.inScope(m, s.Stream)
	}
	for i := range s.Coverage {
		if err == nil {
			err = g.inScope(m, s.Coverage[i].Stream)
		}
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// sliceCoverage returns a reader of a slice's statements about detail lanes.
func (m *message) sliceCoverage(dst *[]abi.SliceCoverage) func(int) string {
	return func(i int) string {
		t := &m.tape
		if t.Kind(i) != tape.Array {
			return "must be an array of objects"
		}
		for k, end := i+1, t.Next(i); k < end; k = t.Next(k) {
			var c abi.SliceCoverage
			sets := keySets{message: m, outcome: map[string]string{}}
			var keys keyFields
			if rule := m.object(false, append(keys.fields(), field{"stream", true, m.word(&c.Stream)})...)(k); rule != "" {
				return rule
			}
			c.RequiredKeys, c.HydratedKeys, c.GapKeys, c.OptionalSkipKeys = keys.read(&sets)
			if sets.rule != "" {
				return "of stream " + quote(c.Stream) + ": " + sets.rule
			}
			*dst = append(*dst, c)
		}
		return ""
	}
}
