package cursor

import (
	"slices"
	"time"

	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// Part is a struct inside of a cursor: the pointer to one is a Value.
type Part[V any] interface {
	*V
	Value
}

// Fill reads the members of v from an object that names no version, such as a part of a
// cursor that an earlier version of the connector wrote.
func Fill(from jsonvalue.Value, v Value) { v.Members(&Members{from: from}) }

// Append appends v as an object.
func Append(b []byte, v Value) []byte {
	m := &Members{writing: true, b: append(b, '{')}
	v.Members(m)
	return append(m.b, '}')
}

// Len is how many bytes the cursor has so far.
func (m *Members) Len() int { return len(m.b) }

// Map is a map of structs, such as what is known of each file. Reading adds to the map.
// Writing takes at most room bytes: the entries that sort first are left out when there is
// more, and Map returns how many those are.
func Map[V any, P Part[V]](m *Members, name string, of *map[string]P, room int) (left int) {
	if m.writing {
		keys := Keys(*of)
		slices.Reverse(keys)
		return m.object(name, keys, room, func(key string) { m.b = Append(m.b, (*of)[key]) })
	}
	for it := objectIn(m.from, name).Children(); it.Next(); {
		if *of == nil {
			*of = make(map[string]P)
		}
		v := P(new(V))
		Fill(it.Value(), v)
		(*of)[it.Name().Str()] = v
	}
	return 0
}

// object writes a member for each key, as long as they fit into room bytes, and returns how
// many are left. Without any it writes nothing.
func (m *Members) object(name string, keys []string, room int, value func(key string)) (left int) {
	from := len(m.b)
	m.b = append(jsonappend.Name(m.b, name), '{')
	for i, key := range keys {
		before := len(m.b)
		m.b = jsonappend.Name(m.b, key)
		if value(key); len(m.b) >= from+room {
			m.b, left = m.b[:before], len(keys)-i
			break
		}
	}
	if m.b = append(m.b, '}'); left == len(keys) {
		m.b = m.b[:from]
	}
	return left
}

// List is a list of structs, of which the first most are kept.
func List[V any, P Part[V]](m *Members, name string, of *[]V, most int) {
	if m.writing {
		if len(*of) == 0 {
			return
		}
		m.b = append(jsonappend.Name(m.b, name), '[')
		for i := range min(len(*of), most) {
			m.b = Append(jsonappend.Elem(m.b), P(&(*of)[i]))
		}
		m.b = append(m.b, ']')
		return
	}
	for it := m.from.Get(name).Children(); it.Next() && len(*of) < most; {
		*of = append(*of, *new(V))
		Fill(it.Value(), P(&(*of)[len(*of)-1]))
	}
}

// Own is a part of a cursor that has a form of its own.
type Own interface {
	Append(b []byte) []byte
	Read(v jsonvalue.Value)
}

// Own is a member with a form of its own.
func (m *Members) Own(name string, part Own) {
	if m.writing {
		m.b = part.Append(jsonappend.Name(m.b, name))
		return
	}
	part.Read(m.from.Get(name))
}

// Numbers is a map of whole numbers. Reading adds to the map. Numbers that do not fit into
// room bytes are not written.
func (m *Members) Numbers(name string, of *map[string]int64, room int) {
	if m.writing {
		m.object(name, Keys(*of), room, func(key string) { m.b = jsonappend.Int(m.b, (*of)[key]) })
		return
	}
	for it := objectIn(m.from, name).Children(); it.Next(); {
		if *of == nil {
			*of = make(map[string]int64)
		}
		(*of)[it.Name().Str()] = it.Value().Int()
	}
}

// Ints is a list of whole numbers, of which the first most are kept.
func (m *Members) Ints(name string, list *[]int64, most int) {
	if m.writing {
		if len(*list) == 0 {
			return
		}
		m.b = append(jsonappend.Name(m.b, name), '[')
		for _, n := range (*list)[:min(len(*list), most)] {
			m.b = jsonappend.Int(jsonappend.Elem(m.b), n)
		}
		m.b = append(m.b, ']')
		return
	}
	for it := m.from.Get(name).Children(); it.Next() && len(*list) < most; {
		*list = append(*list, it.Value().Int())
	}
}

// IntOr is Int for a number that is left out when it is without, and not when it is 0.
func (m *Members) IntOr(name string, n *int64, without int64) {
	if m.writing {
		if *n != without {
			m.b = jsonappend.Int(jsonappend.Name(m.b, name), *n)
		}
		return
	}
	if got, ok := m.from.Get(name).IntOK(); ok {
		*n = got
	} else {
		*n = without
	}
}

// Time is a time, as RFC 3339 and in UTC.
func (m *Members) Time(name string, at *time.Time) {
	if m.writing {
		if !at.IsZero() {
			m.b = jsonappend.Time(jsonappend.Name(m.b, name), *at)
		}
		return
	}
	if t, err := time.Parse(time.RFC3339, m.from.Get(name).Str()); err == nil {
		*at = t.UTC()
	}
}

// objectIn returns a member that is an object, and nothing for any other.
func objectIn(v jsonvalue.Value, name string) jsonvalue.Value {
	if v = v.Get(name); v.Kind() != jsonvalue.Object {
		return jsonvalue.Value{}
	}
	return v
}

// Keys returns the keys of a map in their order, so that what a connector sends depends on
// what it read alone.
func Keys[V any](of map[string]V) []string {
	keys := make([]string, 0, len(of))
	for key := range of {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
