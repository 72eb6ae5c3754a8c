package manifest_test

import (
	"errors"
	"maps"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
)

func optional() object {
	m := minimal()
	m["options"] = list{
		object{"name": "folder", "type": "string", "default": "a \"b\"", "description": "Where."},
		object{"name": "quiet_ms", "type": "integer", "default": 120000, "description": "How long."},
		object{"name": "all", "type": "boolean", "default": true, "description": "Whether."},
		object{"name": "base_url", "type": "string", "description": "Another address."},
	}
	return m
}

func TestOptions(t *testing.T) {
	t.Parallel()
	const first = "options[0]"
	rules := map[string]rule{
		"as they are":             {"version", "1.0.0", "", ""},
		"none":                    {"options", list{}, "", ""},
		"null":                    {"options", nil, "options", "must be an array, and is null"},
		"an object":               {"options", object{}, "options", "must be an array"},
		"one that is a text":      {"options.0", "folder", first, "must be an object"},
		"a key too many":          {"options.0.defalt", "x", first + ".defalt", "did you mean default?"},
		"without name":            {"options.0.name", drop, first + ".name", "required"},
		"name with a space":       {"options.0.name", "a b", first + ".name", "must be letters"},
		"name twice":              {"options.1.name", "folder", "options[1].name", "twice"},
		"without type":            {"options.3.type", drop, "options[3].type", "required"},
		"unknown type":            {"options.3.type", "text", "options[3].type", "must be one of string, integer, boolean"},
		"without description":     {"options.0.description", drop, first + ".description", "required"},
		"description of control":  {"options.0.description", "a\x1b[2J", first + ".description", "control"},
		"a text that is a number": {"options.0.default", 1, first + ".default", "must be a string, and is a number"},
		"a number that is a text": {"options.1.default", "1", "options[1].default", "must be a number, and is a string"},
		"a fraction":              {"options.1.default", 1.5, "options[1].default", "a whole number"},
		"a boolean that is not":   {"options.2.default", "true", "options[2].default", "must be a boolean"},
		"no default":              {"options.2.default", drop, "", ""},
		"an address by itself":    {"options.3.default", "https://evil.example", "options[3].default", "the owner's choice"},
	}
	hold(t, optional, rules)

	m := set(t, optional(), "capabilities", object{"auth": object{"kind": "env", "required": list{"FOLDER"}}})
	refused(t, encode(t, m), "options[0].name", "must not be a credential's")
	m = set(t, optional(), "options.0.name", "FOLDER")
	m = set(t, m, "capabilities", object{"auth": object{"kind": "env", "required": list{"FOLDER"}}})
	refused(t, encode(t, m), "options[0].name", "must not be a credential's")
}

func TestCheckOptions(t *testing.T) {
	t.Parallel()
	declared, none, silent := valid(t, optional()), valid(t, set(t, minimal(), "options", list{})), valid(t, minimal())
	for name, c := range map[string]struct {
		m    *abi.Manifest
		set  map[string]string
		says string // of the refusal; "": there is none
	}{
		"all":                {declared, map[string]string{"folder": "x", "quiet_ms": "-5", "all": "false", "base_url": "https://a.example"}, ""},
		"a slip":             {declared, map[string]string{"quite_ms": "1"}, "did you mean --set quiet_ms=VALUE?"},
		"another word":       {declared, map[string]string{"colour": "red"}, "it has: folder, quiet_ms, all, base_url"},
		"of none":            {none, map[string]string{"folder": "x"}, "it has none"},
		"an address of none": {none, map[string]string{"base_url": "https://a.example"}, "it has none"},
		"a fraction":         {declared, map[string]string{"quiet_ms": "1.5"}, "a whole number"},
		"a sign":             {declared, map[string]string{"quiet_ms": "+1"}, "a whole number"},
		"a leading zero":     {declared, map[string]string{"quiet_ms": "01"}, "a whole number"},
		"too large":          {declared, map[string]string{"quiet_ms": strings.Repeat("9", 19)}, "a whole number"},
		"yes":                {declared, map[string]string{"all": "yes"}, "true or false"},
		"not set":            {declared, map[string]string{"quiet_ms": "", "gone": ""}, ""},
		"of a silent one":    {silent, map[string]string{"anything": "x", "base_url": "https://a.example"}, ""},
		"a slip of a silent": {silent, map[string]string{"baseurl": "https://a.example"}, "did you mean --set base_url=URL?"},
	} {
		err := manifest.CheckOptions(c.m, c.set)
		if c.says == "" {
			if err != nil {
				t.Errorf("%s: got %v, want no refusal", name, err)
			}
			continue
		}
		var e *abi.Error
		if !errors.As(err, &e) || e.Code != abi.CodeUsage || !strings.Contains(e.Hint, c.says) {
			t.Errorf("%s: got %+v, want %s saying %q", name, err, abi.CodeUsage, c.says)
		}
		for _, value := range c.set {
			if err != nil && len(value) > 3 && strings.Contains(err.Error(), value) {
				t.Errorf("%s: the value is repeated: %v, want no error || len(value) <= 3 || !strings.Contains(err.Error(), value)", name, err)
			}
		}
	}
}

func TestWithDefaults(t *testing.T) {
	t.Parallel()
	m := valid(t, optional())
	given := map[string]string{"quiet_ms": "7", "all": "", "other": "x"}
	want := map[string]string{"folder": `a "b"`, "quiet_ms": "7", "all": "true", "other": "x"}
	if got := manifest.WithDefaults(m, given); !maps.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if given["all"] != "" {
		t.Error("what was given has changed")
	}
	if got := manifest.WithDefaults(m, nil); got["quiet_ms"] != "120000" {
		t.Errorf("without any: got %q, want 120000 for quiet_ms", got["quiet_ms"])
	}
}
