package hostile

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
)

// Manifests that lie, are broken, or are built to be expensive. None of their
// modules runs.
func TestManifestsThatAreRefused(t *testing.T) {
	t.Parallel()
	invalid := func(says ...string) want { return want{refused: abi.CodeManifestInvalid, says: says} }
	schema := func(s string) string {
		return with(`{"type":"object","properties":{"id":{"type":"string"}}}`, s)
	}
	stream := streams[len(`"streams":[`) : len(streams)-1]
	carryOut(t, []attack{
		{name: "not JSON", module: claims("nonsense"), want: invalid()},
		{name: "two values", module: claims(manifest + manifest), want: invalid()},
		{name: "bad UTF-8", module: claims(with("Handmade", "\xff")), want: invalid("UTF-8")},
		{name: "one name twice", module: claims(with(`"version"`, `"version":"9.9.9","version"`)), want: invalid("version")},
		{name: "deep nesting", module: claims(`{"a":` + strings.Repeat("[", 100000) + strings.Repeat("]", 100000) + "}"), want: invalid()},
		{name: "no streams", module: claims(with(streams, `"streams":[]`)), want: invalid("stream")},
		{name: "one stream twice", module: claims(with(streams, `"streams":[`+stream+","+stream+"]")), want: invalid("streams[1].name")},
		{name: "stream named like a path", module: claims(with(`"name":"notes"`, `"name":"../notes"`)), want: invalid("streams[0].name")},
		{name: "connector named like a path", module: claims(with(`"connector_key":"handmade"`, `"connector_key":"../../etc"`)), want: invalid("connector_key")},
		{name: "display name that paints a terminal", module: claims(with("Handmade", `\u001b[2JOwned`)), want: invalid("display_name")},
		{name: "key field that no record has", module: claims(with(`["id"]`, `["uid"]`)), want: invalid("primary_key")},
		{name: "semantics that are none", module: claims(with("append_only", "write_only")), want: invalid("semantics")},
		{name: "protocol of the future", module: claims(with(`"protocol_version":"0.1.0"`, `"protocol_version":"9.0.0"`)), want: invalid("protocol_version")},
		{name: "home folder above the user's", module: claims(with(`"display_name"`,
			`"runtime_requirements":{"bindings":{"filesystem":{"required":true}},"local_paths":{"home_default_relative_to_user_home":"../other"}},"display_name"`)), want: invalid("local_paths")},
		{name: "invalid schema", module: claims(schema(`{"type":"objekt"}`)), want: invalid("schema")},
		{name: "schema of another site", module: claims(schema(`{"type":"object","properties":{"id":{"$ref":"http://127.0.0.1:9/schema"}}}`)), want: invalid("schema")},
		{name: "schema of a file", module: claims(schema(`{"type":"object","properties":{"id":{"$ref":"file:///etc/passwd"}}}`)), want: want{refused: abi.CodeManifestInvalid, says: []string{"schema"}, silent: []string{"root:"}}},
		{name: "schema with an invalid pattern", module: claims(schema(`{"type":"object","properties":{"id":{"pattern":"("}}}`)), want: invalid("schema")},
		{name: "requires what this host has not", module: claims(with(`"display_name"`, `"runtime_requirements":{"bindings":{"network":{"required":true}}},"display_name"`)), want: want{refused: abi.CodeBindingMissing, says: []string{"network"}}},
		{name: "requires what nobody has", module: claims(with(`"display_name"`, `"runtime_requirements":{"bindings":{"root":{"required":true}}},"display_name"`)), want: invalid("root")},
		{name: "hundreds of streams, each the rider of the next", module: claims(with(streams, `"streams":[`+circle(250)+"]")), want: invalid("circle")},
		{name: "thousands of streams", module: claims(with(streams, `"streams":[`+circle(2000)+"]")), want: invalid("streams")},
	})
}

// circle is n streams whose cursors cover each other in a ring.
func circle(n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf(`{"name":"s%d","primary_key":["id"],"semantics":"append_only","coverage_strategy":"checkpoint_window","state_stream":"s%d","schema":{"type":"object"}}`, i, (i+1)%n)
	}
	return strings.Join(list, ",")
}
