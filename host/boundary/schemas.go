package boundary

import (
	"fmt"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/boundary/internal/schema"
)

// maxSchemaNodes bounds all the schemas of one manifest, and with it the time
// to compile them.
const maxSchemaNodes = 64 << 10

// CheckSchemas checks that every stream's schema is a JSON Schema 2020-12 against
// which the host can validate records: no reference to another document, within the
// limits of size, regular expressions that RE2 accepts. The error is an *abi.Error
// manifest.invalid whose Detail lists every problem as `path: rule`.
func CheckSchemas(m *abi.Manifest) error {
	var problems []string
	nodes := 0
	for i := range m.Streams {
		at := fmt.Sprintf("streams[%d].schema", i)
		s, err := schema.Compile(m.Streams[i].Schema, true)
		if err != nil {
			problems = append(problems, at+err.Error())
			continue
		}
		if nodes += s.Nodes(); nodes > maxSchemaNodes {
			problems = append(problems, fmt.Sprintf("%s: with those before it holds more than %d values", at, maxSchemaNodes))
			break
		}
	}
	if problems == nil {
		return nil
	}
	return invalidSchemas(problems)
}

func invalidSchemas(problems []string) error {
	return abi.NewError(abi.CodeManifestInvalid, "the manifest's stream schemas are not usable",
		"correct the schemas named in the detail; they must be self-contained JSON Schema 2020-12").
		WithDetail(strings.Join(problems, "\n"))
}
