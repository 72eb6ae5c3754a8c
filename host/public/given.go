package public

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/pdpp-host/pdpp-host/abi"
)

// Given returns the manifest of a connector as its owner gave it: its streams, keys and times are those of the given one,
// and so are the types of members, as far as it has them in words. Records widen them, are never held to them, and teach
// whatever the given one lacks.
func Given(g *abi.Manifest) *Manifest {
	m := New(g.ConnectorKey, nil)
	m.ConnectorID, m.ConnectorKey, m.DisplayName, m.Streams = g.ConnectorID, g.ConnectorKey, g.DisplayName, nil
	m.agesAs(g)
	left := maxMembers
	for i := range g.Streams {
		m.describe(&g.Streams[i])
		s := &m.Streams[len(m.Streams)-1]
		s.Schema.Properties = propertiesOf(g.Streams[i].Schema, min(left, maxOfStream))
		left -= len(s.Schema.Properties)
		s.bind()
	}
	return m
}

// propertiesOf returns the members that a schema declares at its top, at most some of them, with their types.
func propertiesOf(text []byte, most int) map[string]member {
	var declared struct {
		Properties map[string]struct {
			Type json.RawMessage `json:"type"`
		} `json:"properties"`
	}
	if json.Unmarshal(text, &declared) != nil {
		return nil
	}
	all := map[string]member{}
	for _, name := range slices.Sorted(maps.Keys(declared.Properties)) {
		if len(all) < most && len(name) <= maxMemberBytes {
			all[name] = member{typesOf(declared.Properties[name].Type)}
		}
	}
	return all
}

// typesOf reads the types of a member: those that a schema knows, sorted. A whole number is a number, as in what is learned.
func typesOf(text json.RawMessage) (types []string) {
	var one string
	var list []string
	if json.Unmarshal(text, &one) == nil {
		list = []string{one}
	} else if json.Unmarshal(text, &list) != nil {
		return nil
	}
	for _, t := range list {
		if t == "integer" {
			t = "number"
		}
		if slices.Contains([]string{"array", "boolean", null, "number", "object", "string"}, t) {
			types = append(types, t)
		}
	}
	slices.Sort(types)
	return slices.Compact(types)
}
