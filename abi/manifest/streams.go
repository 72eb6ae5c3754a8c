package manifest

import (
	"slices"

	"github.com/pdpp-host/pdpp-host/abi"
)

const (
	maxStreams    = 256
	maxPrimaryKey = 16
	// maxUnknownNames leaves room for several versions of a format.
	maxUnknownNames = 256
)

func readStreams(p place, m *abi.Manifest) {
	if !p.require() {
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
			item.member("name").fail("must not be given twice")
			continue
		}
		seen[s.Name] = true
		m.Streams = append(m.Streams, s)
		places = append(places, item)
	}
	checkDependencies(places, m.Streams)
}

func readStream(p place) abi.Stream {
	semantics := p.member("semantics")
	semantics.require()
	s := abi.Stream{
		Name:             required(p, "name", maxName, isIdentifier, ruleIdentifier),
		Description:      p.member("description").prose(maxSentence),
		Semantics:        semantics.oneOf(abi.SemanticsMutable, abi.SemanticsAppendOnly, abi.SemanticsAppend),
		CursorField:      p.member("cursor_field").text(maxLabel),
		ConsentTimeField: p.member("consent_time_field").text(maxLabel),
		Incremental:      p.member("incremental").boolean(),
		Required:         p.member("required").optionalBoolean(),
		CoverageStrategy: p.member("coverage_strategy").oneOf("checkpoint_window", "full_inventory",
			"parent_detail_accounting", "snapshot_import_receipt", "singleton_presence"),
		FreshnessStrategy: p.member("freshness_strategy").oneOf("scheduled_window", "manual_as_of",
			"device_heartbeat", "not_trackable", "source_reported_as_of"),
		StateStream:   p.member("state_stream").text(maxName),
		ParentStreams: p.member("parent_streams").texts(maxStreams, fieldName),
		Selection:     readSelection(p.member("selection")),
		UnknownNames:  p.member("unknown_names").texts(maxUnknownNames, fieldName),
	}
	if merges := p.member("merges"); merges.object() {
		s.Merges = &abi.Merges{Reason: required(merges, "reason", maxSentence, anyText, "")}
	}
	s.CoveragePolicy = readCoveragePolicy(p, s.Required)
	s.PrimaryKey = readPrimaryKey(p.member("primary_key"))
	s.Schema = readSchema(p, &s)
	return s
}

// readCoveragePolicy checks the closed set of RT-11. A stream that is required and not
// meant to be collected contradicts itself: its health could never be green. An absent
// required is no contradiction (RT-11.1 accepts every value of the set by itself);
// health then reads the stream as not required.
func readCoveragePolicy(p place, required *bool) string {
	policy := p.member("coverage_policy").oneOf(abi.CoverageCollect, abi.CoverageDeferred,
		abi.CoverageInventoryOnly, abi.CoverageUnavailable, abi.CoverageUnsupported)
	if policy != "" && policy != abi.CoverageCollect && required != nil && *required {
		p.member("required").fail("must not be true with coverage_policy " + policy)
	}
	return policy
}

func readPrimaryKey(p place) []string {
	p.requireItems()
	return p.texts(maxPrimaryKey, fieldName)
}

// readSchema copies the stream's schema and checks the fields that the host looks up
// in a record against its properties: a key that no record can have would make every
// record a violation.
func readSchema(p place, s *abi.Stream) abi.Raw {
	schema := p.member("schema")
	if !schema.require() || !schema.object() {
		return nil
	}
	if t := schema.member("type"); t.present() && t.n.kind == kindString && t.n.text != "object" {
		t.fail("must be object: a record's data is one")
	}
	if properties := schema.member("properties"); properties.object() {
		known := func(field string) bool { return properties.member(field).present() }
		for _, field := range s.PrimaryKey {
			if !known(field) {
				p.member("primary_key").fail(quote(field) + " is not in schema.properties")
			}
		}
		if s.ConsentTimeField != "" && !known(s.ConsentTimeField) {
			p.member("consent_time_field").fail(quote(s.ConsentTimeField) + " is not in schema.properties")
		}
		if s.Selection.ResourceField != "" && s.Selection.ResourceFieldScope && !known(s.Selection.ResourceField) {
			p.member("selection").member("resource_field").fail(quote(s.Selection.ResourceField) + " is not in schema.properties")
		}
	}
	return slices.Clone(abi.Raw(p.c.raw[schema.n.start:schema.n.end]))
}

func readSelection(p place) abi.Selection {
	if !p.object() {
		return abi.Selection{}
	}
	s := abi.Selection{
		Fields:             p.member("fields").boolean(),
		Resources:          p.member("resources").boolean(),
		ResourceField:      p.member("resource_field").text(maxLabel),
		ResourceFieldScope: p.member("resource_field_scope").boolean(),
		OptionalSkipKeys:   p.member("optional_skip_keys").boolean(),
	}
	if s.ResourceFieldScope && s.ResourceField == "" {
		p.member("resource_field_scope").fail("needs resource_field")
	}
	return s
}

func fieldName(p place) string { return p.text(maxLabel) }
