package manifest_test

import (
	"fmt"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
)

// The smallest manifest, and the same with a mistake. An author sees every rule that
// is broken, with its place.
func ExampleParse() {
	const text = `{
		"connector_id": "https://connectors.example.org/notes", "connector_key": "notes", "display_name": "Notes",
		"version": "0.1.0", "protocol_version": "0.1.0",
		"streams": [{
			"name": "notes", "semantics": %q, "primary_key": ["id"],
			"schema": {"type": "object", "properties": {"id": {"type": "string"}}}
		}]
	}`
	m, err := manifest.Parse(fmt.Appendf(nil, text, "mutable_state"))
	if err != nil {
		panic(err)
	}
	fmt.Println(m.ConnectorKey, m.Streams[0].Name, m.Streams[0].PrimaryKey)

	bad := fmt.Appendf(nil, text, "mutable")
	_, err = manifest.Parse(bad)
	fmt.Println(abi.CodeOf(err))
	for _, problem := range manifest.Problems(bad) {
		fmt.Println(problem)
	}
	// Output:
	// notes notes [id]
	// manifest.invalid
	// streams[0].semantics: must be one of mutable_state, append_only, append
}
