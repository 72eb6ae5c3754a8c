package manifest_test

import (
	"strings"
	"testing"
)

func TestStreams(t *testing.T) {
	t.Parallel()
	const s = "streams[0]"
	rules := map[string]rule{
		"not an object":        {"streams.0", "notes", s, "must be an object"},
		"name absent":          {"streams.0.name", drop, s + ".name", "required"},
		"name a pattern":       {"streams.0.name", "*", s + ".name", "lower-case"},
		"name too long":        {"streams.0.name", strings.Repeat("a", 65), s + ".name", "at most 64"},
		"semantics absent":     {"streams.0.semantics", drop, s + ".semantics", "required"},
		"semantics unknown":    {"streams.0.semantics", "immutable", s + ".semantics", "must be one of mutable_state, append_only, append"},
		"schema absent":        {"streams.0.schema", drop, s + ".schema", "required"},
		"schema true":          {"streams.0.schema", true, s + ".schema", "must be an object"},
		"schema of an array":   {"streams.0.schema.type", "array", s + ".schema.type", "must be object"},
		"schema without type":  {"streams.0.schema.type", drop, "", ""},
		"schema empty":         {"streams.0.schema", object{}, "", ""},
		"properties a list":    {"streams.0.schema.properties", list{}, s + ".schema.properties", "must be an object"},
		"key absent":           {"streams.0.primary_key", drop, s + ".primary_key", "required"},
		"key empty":            {"streams.0.primary_key", list{}, s + ".primary_key", "empty"},
		"key a string":         {"streams.0.primary_key", "id", s + ".primary_key", "must be an array"},
		"key twice":            {"streams.0.primary_key", list{"id", "id"}, s + ".primary_key[1]", "twice"},
		"key of empty name":    {"streams.0.primary_key", list{"id", ""}, s + ".primary_key[1]", "empty"},
		"key not a property":   {"streams.0.primary_key", list{"uuid"}, s + ".primary_key", `"uuid" is not in schema.properties`},
		"time not a property":  {"streams.0.consent_time_field", "at", s + ".consent_time_field", `"at" is not in schema.properties`},
		"cursor a number":      {"streams.0.cursor_field", 5, s + ".cursor_field", "must be a string"},
		"incremental a string": {"streams.0.incremental", "yes", s + ".incremental", "must be a boolean"},
		"required null":        {"streams.0.required", nil, s + ".required", "must be a boolean"},
		"coverage strategy":    {"streams.0.coverage_strategy", "hope", s + ".coverage_strategy", "must be one of checkpoint_window"},
		"freshness strategy":   {"streams.0.freshness_strategy", "hope", s + ".freshness_strategy", "must be one of scheduled_window"},
		"selection a list":     {"streams.0.selection", list{}, s + ".selection", "must be an object"},
		"selection a string":   {"streams.0.selection.resources", "all", s + ".selection.resources", "must be a boolean"},
		"opt-in without field": {"streams.0.selection.resource_field_scope", true, s + ".selection.resource_field_scope", "needs resource_field"},
		"opt-in not a property": {"streams.0.selection", object{"resource_field": "channel", "resource_field_scope": true},
			s + ".selection.resource_field", `"channel" is not in schema.properties`},
		"second of a name": {"streams", list{stream("notes"), stream("notes")}, "streams[1].name", "twice"},
	}
	for _, v := range []string{"checkpoint_window", "full_inventory", "parent_detail_accounting", "snapshot_import_receipt", "singleton_presence"} {
		rules["coverage "+v] = rule{"streams.0.coverage_strategy", v, "", ""}
	}
	for _, v := range []string{"scheduled_window", "manual_as_of", "device_heartbeat", "not_trackable", "source_reported_as_of"} {
		rules["freshness "+v] = rule{"streams.0.freshness_strategy", v, "", ""}
	}
	for _, v := range []string{"mutable_state", "append_only", "append"} {
		rules["semantics "+v] = rule{"streams.0.semantics", v, "", ""}
	}
	hold(t, minimal, rules)
	var many list
	for i := range 257 {
		many = append(many, stream("s"+strings.Repeat("x", i%60)+string(rune('a'+i%26))))
	}
	refused(t, encode(t, set(t, minimal(), "streams", many)), "streams", "at most 256 items")
}

// RT-11.1: every value of the set is accepted.
func TestCoveragePolicyAccepted(t *testing.T) {
	t.Parallel()
	for _, policy := range []string{"collect", "deferred", "inventory_only", "unavailable", "unsupported"} {
		m := set(t, minimal(), "streams.0.coverage_policy", policy)
		if got := valid(t, m).Streams[0].Policy(); got != policy {
			t.Errorf("%s was read as %s", policy, got)
		}
		valid(t, set(t, m, "streams.0.required", false))
	}
}

// RT-11.2: a value outside the set is a type error that names path and set.
func TestCoveragePolicyUnknown(t *testing.T) {
	t.Parallel()
	rules := make(map[string]rule)
	for name, value := range map[string]any{
		"unknown word": "partial", "capital": "Collect", "empty": "", "null": nil, "a number": 1, "a list": list{"collect"}, "a boolean": true,
	} {
		rules[name] = rule{"streams.0.coverage_policy", value, "streams[0].coverage_policy",
			"must be one of collect, deferred, inventory_only, unavailable, unsupported"}
	}
	hold(t, minimal, rules)
}

// RT-11.3: an absent policy is collect.
func TestCoveragePolicyAbsent(t *testing.T) {
	t.Parallel()
	s := valid(t, minimal()).Streams[0]
	if s.CoveragePolicy != "" || s.Policy() != "collect" {
		t.Errorf(`policy = %q, %q, want s.CoveragePolicy == "" && s.Policy() == "collect"`, s.CoveragePolicy, s.Policy())
	}
}

// RT-11: required and not meant to be collected is a contradiction.
func TestCoveragePolicyContradiction(t *testing.T) {
	t.Parallel()
	for _, policy := range []string{"deferred", "inventory_only", "unavailable", "unsupported"} {
		m := set(t, minimal(), "streams.0.coverage_policy", policy)
		refused(t, encode(t, set(t, m, "streams.0.required", true)), "streams[0].required", "must not be true with coverage_policy "+policy)
	}
	valid(t, set(t, set(t, minimal(), "streams.0.coverage_policy", "collect"), "streams.0.required", true))
}
