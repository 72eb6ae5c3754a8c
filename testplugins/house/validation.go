package house

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
)

// Connector is what the build check needs to know of a first-party connector.
type Connector struct {
	Name        string
	Streams     int      // how many streams its manifest declares
	Unvalidated []string // those whose records nothing is held against
}

// DescribeConnector derives a Connector from its manifest. The host validates
// every record of every plugin against its stream's schema, so what is left to
// go wrong is a schema that accepts anything: a stream counts as validated when
// its schema names properties and requires the fields of the primary key.
func DescribeConnector(m *abi.Manifest) Connector {
	c := Connector{Name: m.ConnectorKey, Streams: len(m.Streams)}
	for i := range m.Streams {
		if !constrains(&m.Streams[i]) {
			c.Unvalidated = append(c.Unvalidated, m.Streams[i].Name)
		}
	}
	return c
}

func constrains(s *abi.Stream) bool {
	var schema struct {
		Properties map[string]json.RawMessage `json:"properties"`
		Required   []string                   `json:"required"`
	}
	if json.Unmarshal(s.Schema, &schema) != nil || len(schema.Properties) == 0 {
		return false
	}
	for _, field := range s.PrimaryKey {
		if !slices.Contains(schema.Required, field) {
			return false
		}
	}
	return true
}

// CheckValidation is the build check of RT-10: every connector that declares
// streams has them validated or stands on the allowlist with a reason. The
// allowlist maps a connector's name to why it is not validated yet and what
// would change that; it can only shrink, because an entry that is not needed is
// a failure too. Each returned line names its connector and says what to do;
// none means that the check passed.
func CheckValidation(connectors []Connector, allowlist map[string]string) []string {
	var failures []string
	known := make(map[string]bool)
	for _, c := range connectors {
		known[c.Name] = true
		reason, allowed := allowlist[c.Name]
		bare := c.Streams > 0 && len(c.Unvalidated) > 0
		switch {
		case bare && !allowed:
			failures = append(failures, fmt.Sprintf(
				"%s emits %s without validation: give each stream a schema with properties and the primary key required, or add a justified allowlist entry",
				c.Name, strings.Join(c.Unvalidated, ", ")))
		case bare && strings.TrimSpace(reason) == "":
			failures = append(failures, c.Name+" is on the allowlist without a justification: say why it is not validated yet and what would change that")
		case !bare && allowed:
			failures = append(failures, c.Name+" needs no allowlist entry: remove it")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(allowlist)) {
		if !known[name] {
			failures = append(failures, name+" is on the allowlist and is no connector: remove the entry")
		}
	}
	return failures
}
