package mcp

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// RD-59: the six tools take these arguments, within these bounds, and no others.
func TestArguments(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	want := map[string]string{
		"schema":        "connection_id string; detail string compact/full; stream string",
		"query_records": "changes_since string; connection_id string; count string none/estimated/exact; cursor string; expand array; expand_limit object; fields array; filter object; limit integer 1..100; order string asc/desc; sort string; stream* string; view string",
		"aggregate": "connection_id string; field string; filter object; granularity string minute/hour/day/week/month/quarter/year; group_by string; group_by_time string; limit integer 1..100; " +
			"metric* string count/sum/min/max/count_distinct; stream* string; time_zone string",
		"search":            "connection_id string; cursor string; filter object; limit integer 1..100; mode string lexical/semantic/hybrid; q* string; streams array",
		"fetch":             "connection_id string; expand array; expand_limit object; fields array; id* string; offset_fields integer 0..1048576",
		"read_record_field": "after_chars integer 0..8192; before_chars integer 0..8192; connection_id string; cursor string; field_path* string; id string; limit_chars integer 1..16384; offset_chars integer 0..1073741824; q string; record_id string; stream string",
	}
	for name, s := range b.transports() {
		listed, err := s.ListTools(t.Context(), nil)
		b.ok(err)
		got := map[string]string{}
		for _, tool := range listed.Tools {
			text, err := json.Marshal(tool.InputSchema)
			b.ok(err)
			var is struct {
				Properties map[string]struct {
					Type    string   `json:"type"`
					Enum    []string `json:"enum"`
					Minimum *int     `json:"minimum"`
					Maximum *int     `json:"maximum"`
				} `json:"properties"`
				Required []string `json:"required"`
				More     *bool    `json:"additionalProperties"`
			}
			b.ok(json.Unmarshal(text, &is))
			if is.More == nil || *is.More {
				t.Errorf("%s: %s: got %s, want arguments that are unknown to be refused", name, tool.Name, text)
			}
			var all []string
			for _, arg := range slices.Sorted(maps.Keys(is.Properties)) {
				p, line := is.Properties[arg], arg
				if slices.Contains(is.Required, arg) {
					line += "*"
				}
				line += " " + p.Type
				if p.Enum != nil {
					line += " " + strings.Join(p.Enum, "/")
				}
				if p.Minimum != nil && p.Maximum != nil {
					line += fmt.Sprintf(" %d..%d", *p.Minimum, *p.Maximum)
				}
				all = append(all, line)
			}
			got[tool.Name] = strings.Join(all, "; ")
		}
		for tool := range want {
			if got[tool] != want[tool] {
				t.Errorf("%s: %s: got the arguments %q, want %q", name, tool, got[tool], want[tool])
			}
		}
		if len(got) != len(want) {
			t.Errorf("%s: got %d tools, want %d", name, len(got), len(want))
		}
	}
}
