package public

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
)

// Bounds of what is learned: with all of it a manifest is half as large as one may be, and has a quarter of the values.
const (
	maxStreams     = 256  // of a manifest
	maxMembers     = 4096 // of all streams
	maxOfStream    = 700  // members of one: with all types of each a schema holds as many values as one may
	maxMemberBytes = 64   // of a member's name
)

// Name learns that there is a stream, and reports whether the manifest has it then: not if its name is none that a
// stream may have, or if there are too many.
func (m *Manifest) Name(stream string) bool {
	if m.find(stream) >= 0 {
		return true
	}
	if len(m.Streams) >= maxStreams || !manifest.IsStreamName(stream) {
		return false
	}
	s := Stream{Name: stream, Semantics: abi.SemanticsMutable, PrimaryKey: []string{id}, Guessed: true}
	s.bind()
	m.Streams = append(m.Streams, s)
	return true
}

// Record learns from a record: what its stream's key is, where that is only guessed, and which members of which types it
// has. A member that was known with other types, null apart, has drifted. A record that is damaged teaches nothing.
func (m *Manifest) Record(stream, key string, data []byte, at time.Time) {
	var members map[string]json.RawMessage
	if !m.Name(stream) || json.Unmarshal(data, &members) != nil {
		return
	}
	s := &m.Streams[m.find(stream)]
	if s.Guessed {
		s.guess(key, members)
	}
	total := -1
	for _, name := range slices.Sorted(maps.Keys(members)) {
		kind := kindOf(members[name])
		known, declared := s.Schema.Properties[name]
		if slices.Contains(known.Types, kind) {
			continue
		}
		if !declared {
			if total < 0 {
				total = m.members()
			}
			if total >= maxMembers || len(s.Schema.Properties) >= maxOfStream || len(name) > maxMemberBytes || strings.ContainsRune(name, 0) {
				continue
			}
			total++
		}
		if kind != null && slices.ContainsFunc(known.Types, func(t string) bool { return t != null }) {
			m.drifted(stream, name, known.Types, kind, at)
		}
		known.Types = append(slices.Clone(known.Types), kind)
		slices.Sort(known.Types)
		s.Schema.Properties[name] = known
	}
}

func (m *Manifest) members() (n int) {
	for i := range m.Streams {
		n += len(m.Streams[i].Schema.Properties)
	}
	return n
}

// guess finds the fields whose values a record's key is made of. The guess stands once a record has them.
func (s *Stream) guess(key string, members map[string]json.RawMessage) {
	parts := []string{key}
	if strings.HasPrefix(key, "[") && json.Unmarshal([]byte(key), &parts) != nil {
		parts = []string{key}
	}
	var fields []string
	for _, part := range parts {
		var same []string
		for name, value := range members {
			if textOf(value) == part && !slices.Contains(fields, name) && len(name) <= maxMemberBytes {
				same = append(same, name)
			}
		}
		if len(same) == 0 {
			return
		}
		fields = append(fields, slices.MinFunc(same, likelier))
	}
	for _, field := range s.PrimaryKey {
		if p, ok := s.Schema.Properties[field]; ok && len(p.Types) == 0 {
			delete(s.Schema.Properties, field)
		}
	}
	s.PrimaryKey, s.Guessed = fields, false
	s.bind()
}

// likelier orders names of fields, the likeliest to be a key first.
func likelier(x, y string) int {
	rank := func(name string) int {
		switch {
		case name == id:
			return 0
		case name == "key", name == "uid", name == "uuid":
			return 1
		case strings.HasSuffix(name, "_id"), strings.HasSuffix(name, "_key"):
			return 2
		}
		return 3
	}
	return cmp.Or(cmp.Compare(rank(x), rank(y)), cmp.Compare(x, y))
}

// textOf returns the text that a value has as a key; "" if it can be none.
func textOf(value json.RawMessage) string {
	var text string
	switch kindOf(value) {
	case "string":
		if json.Unmarshal(value, &text) != nil {
			return ""
		}
		return text
	case "number":
		return string(value)
	}
	return ""
}

const null = "null"

// kindOf returns the type of a JSON value, as a schema names it.
func kindOf(value json.RawMessage) string {
	switch value[0] {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case 't', 'f':
		return "boolean"
	case 'n':
		return null
	}
	return "number"
}
