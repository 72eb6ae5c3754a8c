package cursor

import (
	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/fingerprint"
	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// Value is the content of a cursor.
type Value interface {
	// Members names each member once. It does the same for reading and for writing.
	Members(m *Members)
}

// versionMember names the version in a cursor.
const versionMember = "v"

// Read fills v from a cursor, and reports whether it did: it leaves v as it is when there
// is no cursor or one of another version. A member that is missing or has another type is
// left as it is, too.
func Read(from jsonvalue.Value, version int64, v Value) bool {
	if n, ok := from.Get(versionMember).IntOK(); !ok || n != version {
		return false
	}
	v.Members(&Members{from: from})
	return true
}

// Encode writes v as a cursor of that version. The account is part of it when it is known,
// see sdk.Host.Account.
func Encode(version int64, whose sdk.Account, v Value) []byte {
	m := &Members{writing: true, b: whose.AppendTo([]byte{'{'})}
	m.b = jsonappend.Int(jsonappend.Name(m.b, versionMember), version)
	v.Members(m)
	return append(m.b, '}')
}

// Members reads or writes the members of a cursor, one call for each.
type Members struct {
	from    jsonvalue.Value
	writing bool
	b       []byte
}

// Int is a whole number.
func (m *Members) Int(name string, n *int64) {
	switch {
	case !m.writing:
		if got, ok := m.from.Get(name).IntOK(); ok {
			*n = got
		}
	case *n != 0:
		m.b = jsonappend.Int(jsonappend.Name(m.b, name), *n)
	}
}

// Flag is true or false.
func (m *Members) Flag(name string, on *bool) {
	switch {
	case !m.writing:
		*on = m.from.Get(name).Bool()
	case *on:
		m.b = jsonappend.Bool(jsonappend.Name(m.b, name), true)
	}
}

// Text is a text, such as the position of the next page.
func (m *Members) Text(name string, text *string) {
	switch {
	case !m.writing:
		*text = m.from.Get(name).Str()
	case *text != "":
		m.b = jsonappend.String(jsonappend.Name(m.b, name), *text)
	}
}

// Texts is a list of texts, of which the first most are kept.
func (m *Members) Texts(name string, list *[]string, most int) {
	if m.writing {
		if len(*list) > 0 {
			m.b = jsonappend.Strings(jsonappend.Name(m.b, name), (*list)[:min(len(*list), most)])
		}
		return
	}
	for it := m.from.Get(name).Children(); it.Next() && len(*list) < most; {
		*list = append(*list, it.Value().Str())
	}
}

// Sums is a map of fingerprints, of which 48 bits are kept. See Sums.
func (m *Members) Sums(name string, s *Sums) {
	if m.writing {
		if len(s.sums) == 0 {
			return
		}
		m.b = append(jsonappend.Name(m.b, name), '{')
		for _, key := range s.Keys() {
			m.b = append(jsonappend.Name(m.b, key), '"')
			m.b = append(fingerprint.AppendText48(m.b, s.sums[key]), '"')
		}
		m.b = append(m.b, '}')
		return
	}
	for it := m.from.Get(name).Children(); it.Next(); {
		if sum, ok := fingerprint.ReadText48(it.Value().Str()); ok {
			s.Set(it.Name().Str(), sum)
		}
	}
}

// MostSums is how many keys a Sums remembers: with keys of 40 bytes its cursor stays below
// abi.MaxStateBytes.
const MostSums = 150_000

// Sums remembers the fingerprint of each record that was emitted, for a stream whose records
// have fields that change all the time and are not worth a write by themselves. Without such
// fields emit every record: the host writes only those that have changed. Beyond MostSums a
// key is not remembered, and its record is emitted each time. The zero Sums is empty.
type Sums struct{ sums map[string]uint64 }

// Get returns the fingerprint of a key, and whether the key is known.
func (s *Sums) Get(key string) (sum uint64, known bool) {
	sum, known = s.sums[key]
	return sum, known
}

// Set remembers a fingerprint. 0 stands for a record that is to be emitted again.
func (s *Sums) Set(key string, sum uint64) {
	if _, known := s.sums[key]; !known && len(s.sums) >= MostSums {
		return
	}
	if s.sums == nil {
		s.sums = make(map[string]uint64)
	}
	s.sums[key] = sum
}

// Keep forgets the keys for which keep is false.
func (s *Sums) Keep(keep func(key string) bool) {
	for key := range s.sums {
		if !keep(key) {
			delete(s.sums, key)
		}
	}
}

// Len counts the keys.
func (s *Sums) Len() int { return len(s.sums) }

// Keys returns the keys in order.
func (s *Sums) Keys() []string { return Keys(s.sums) }
