package manifest

import (
	"slices"

	"github.com/pdpp-host/pdpp-host/abi"
)

const (
	maxStreams    = 256
	maxPrimaryKey = 16
)

func readStreams(p place, m *abi.Manifest) {
	if !p.need() {
		return
	}
	seen := make(map[string]bool)
	var places []place // of m.Streams
	for _, item := range p.list(maxStreams) {
		if !item.object() {
			continue
		}
		s := readStream(item)
		if s.Name == "" {
			continue
		}
		if seen[s.Name] {
			item.get("name").fail("must not be given twice")
			continue
		}
		seen[s.Name] = true
		m.Streams = append(m.Streams, s)
		places = append(places, item)
	}
	checkDependencies(places, m.Streams)
}

func readStream(p place) abi.Stream {
	semantics := p.get("semantics")
	semantics.need()
	s := abi.Stream{
		Name:             required(p, "name", maxName, isIdentifier, ruleIdentifier),
		Description:      p.get("description").prose(maxSentence),
		Semantics:        semantics.oneOf(abi.SemanticsMutable, abi.SemanticsAppendOnly, abi.SemanticsAppend),
		CursorField:      p.get("cursor_field").text(maxLabel),
		ConsentTimeField: p.get("consent_time_field").text(maxLabel),
		Incremental:      p.get("incremental").boolean(),
		Required:         p.get("required").optionalBoolean(),
		CoverageStrategy: p.get("coverage_strategy").oneOf("checkpoint_window", "full_inventory",
			"parent_detail_accounting", "snapshot_import_receipt", "singleton_presence"),
		FreshnessStrategy: p.get("freshness_strategy").oneOf("scheduled_window", "manual_as_of",
			"device_heartbeat", "not_trackable", "source_reported_as_of"),
		StateStream:   p.get("state_stream").text(maxName),
		ParentStreams: p.get("parent_streams").texts(maxStreams, fieldName),
		Selection:     readSelection(p.get("selection")),
	}
	s.CoveragePolicy = readCoveragePolicy(p, s.Required)
	s.PrimaryKey = readPrimaryKey(p.get("primary_key"))
	s.Schema = readSchema(p, &s)
	return s
}

// readCoveragePolicy holds the closed set of RT-11. A stream that is required
// and not meant to be collected contradicts itself: its health could never be
// green. An absent required is no such statement (RT-11.1 accepts every value
// of the set by itself), and health reads it as not required then.
func readCoveragePolicy(p place, required *bool) string {
	policy := p.get("coverage_policy").oneOf(abi.CoverageCollect, abi.CoverageDeferred,
		abi.CoverageInventoryOnly, abi.CoverageUnavailable, abi.CoverageUnsupported)
	if policy != "" && policy != abi.CoverageCollect && required != nil && *required {
		p.get("required").fail("must not be true with coverage_policy " + policy)
	}
	return policy
}

func readPrimaryKey(p place) []string {
	p.needItems()
	return p.texts(maxPrimaryKey, fieldName)
}

// readSchema copies the stream's schema and holds the fields that the host
// looks up in a record against its properties: a key that no record can have
// would make every record a violation.
func readSchema(p place, s *abi.Stream) abi.Raw {
	schema := p.get("schema")
	if !schema.need() || !schema.object() {
		return nil
	}
	if t := schema.get("type"); t.present() && t.n.kind == kindString && t.n.text != "object" {
		t.fail("must be object: a record's data is one")
	}
	if properties := schema.get("properties"); properties.object() {
		known := func(field string) bool { return properties.get(field).present() }
		for _, field := range s.PrimaryKey {
			if !known(field) {
				p.get("primary_key").fail(quote(field) + " is not in schema.properties")
			}
		}
		if s.ConsentTimeField != "" && !known(s.ConsentTimeField) {
			p.get("consent_time_field").fail(quote(s.ConsentTimeField) + " is not in schema.properties")
		}
		if s.Selection.ResourceField != "" && s.Selection.ResourceFieldScope && !known(s.Selection.ResourceField) {
			p.get("selection").get("resource_field").fail(quote(s.Selection.ResourceField) + " is not in schema.properties")
		}
	}
	return slices.Clone(abi.Raw(p.c.raw[schema.n.start:schema.n.end]))
}

func readSelection(p place) abi.Selection {
	if !p.object() {
		return abi.Selection{}
	}
	s := abi.Selection{
		Fields:             p.get("fields").boolean(),
		Resources:          p.get("resources").boolean(),
		ResourceField:      p.get("resource_field").text(maxLabel),
		ResourceFieldScope: p.get("resource_field_scope").boolean(),
		OptionalSkipKeys:   p.get("optional_skip_keys").boolean(),
	}
	if s.ResourceFieldScope && s.ResourceField == "" {
		p.get("resource_field_scope").fail("needs resource_field")
	}
	return s
}

func fieldName(p place) string { return p.text(maxLabel) }
