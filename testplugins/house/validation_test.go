package house_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
	"github.com/pdpp-host/pdpp-host/testplugins/house"
)

// schemaless is the census of first-party connectors whose records nothing is
// held against, each with its justification: why, and what would change it.
// The host validates every plugin's records, so it is empty, and may only
// shrink from where it is (RT-10.5).
var schemaless = map[string]string{}

// RT-10: every first-party connector in the tree passes the build check.
func TestFirstPartyConnectorsAreValidated(t *testing.T) {
	t.Parallel()
	connectors := make([]house.Connector, 0, 8)
	for name, m := range firstParty(t) {
		if m.ConnectorKey != name {
			t.Errorf("plugins/%s calls itself %s", name, m.ConnectorKey)
		}
		connectors = append(connectors, house.DescribeConnector(m))
	}
	for _, failure := range house.CheckValidation(connectors, schemaless) {
		t.Error(failure)
	}
}

// firstParty parses the manifest of each folder of plugins that has Go files.
func firstParty(t *testing.T) map[string]*abi.Manifest {
	t.Helper()
	folders := make(map[string]bool)
	for _, f := range goFiles(t) {
		if parts := strings.Split(f, "/"); parts[0] == "plugins" && len(parts) == 3 && strings.HasSuffix(f, "/main.go") {
			folders[parts[1]] = true
		}
	}
	out := make(map[string]*abi.Manifest)
	for folder := range folders {
		m, err := manifest.Parse([]byte(read(t, "plugins/"+folder+"/manifest.json")))
		if err != nil {
			t.Errorf("plugins/%s: %v", folder, err)
			continue
		}
		out[folder] = m
	}
	return out
}

func TestCheckValidation(t *testing.T) {
	t.Parallel()
	validated := house.Connector{Name: "tidy", Streams: 2}
	bare := house.Connector{Name: "bare", Streams: 2, Unvalidated: []string{"notes"}}
	for name, c := range map[string]struct {
		connectors []house.Connector
		allowlist  map[string]string
		want       []string // one for each failure: words that it holds, separated by ;
	}{
		"RT-10.1 streams and validation":      {[]house.Connector{validated}, nil, nil},
		"RT-10.2 streams without validation":  {[]house.Connector{validated, bare}, nil, []string{"bare ;notes;properties;justified allowlist entry"}},
		"RT-10.3 allowlisted, then validated": {[]house.Connector{validated}, map[string]string{"tidy": "its API is new; by spring"}, []string{"tidy ;remove"}},
		"RT-10.3 allowlisted and gone":        {nil, map[string]string{"gone": "its API is new; by spring"}, []string{"gone ;no connector;remove"}},
		"RT-10.4 no streams":                  {[]house.Connector{{Name: "empty"}}, nil, nil},
		"RT-10.4 no streams, on the list":     {[]house.Connector{{Name: "empty"}}, map[string]string{"empty": "x"}, []string{"empty ;remove"}},
		"RT-10.5 justified":                   {[]house.Connector{bare}, map[string]string{"bare": "its API is new; by spring"}, nil},
		"RT-10.5 without a justification":     {[]house.Connector{bare}, map[string]string{"bare": " "}, []string{"bare ;justification"}},
		"each offender by name": {[]house.Connector{bare, {Name: "bare2", Streams: 1, Unvalidated: []string{"x"}}, validated},
			map[string]string{"tidy": "x"}, []string{"bare ", "bare2 ", "tidy "}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := house.CheckValidation(c.connectors, c.allowlist)
			if len(got) != len(c.want) {
				t.Fatalf("failures = %q", got)
			}
			for i, words := range c.want {
				for word := range strings.SplitSeq(words, ";") {
					if !strings.Contains(got[i], word) {
						t.Errorf("%q does not say %q", got[i], word)
					}
				}
			}
		})
	}
}

// RT-10.2: a schema that accepts anything is no validation.
func TestDescribeConnector(t *testing.T) {
	t.Parallel()
	schemas := map[string]string{
		"whole":        `{"type":"object","properties":{"id":{"type":"string"}},"required":["id"]}`,
		"empty":        `{}`,
		"no_property":  `{"type":"object","properties":{},"required":["id"]}`,
		"key_optional": `{"type":"object","properties":{"id":{"type":"string"}}}`,
		"not_a_schema": `true`,
	}
	m := &abi.Manifest{ConnectorKey: "mixed"}
	for _, name := range slices.Sorted(maps.Keys(schemas)) {
		m.Streams = append(m.Streams, abi.Stream{Name: name, Schema: abi.Raw(schemas[name]), PrimaryKey: []string{"id"}})
	}
	c := house.DescribeConnector(m)
	if c.Name != "mixed" || c.Streams != 5 || !slices.Equal(c.Unvalidated, []string{"empty", "key_optional", "no_property", "not_a_schema"}) {
		t.Errorf("%+v", c)
	}
	if none := house.DescribeConnector(&abi.Manifest{ConnectorKey: "none"}); none.Streams != 0 || none.Unvalidated != nil {
		t.Errorf("%+v", none)
	}
}
