package boundary_test

import (
	"fmt"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/boundary"
)

// A gate lets a good record pass, rejects one that fails its schema, and ends the run
// of a guest that breaks the protocol.
func ExampleGate() {
	manifest := &abi.Manifest{Streams: []abi.Stream{{
		Name: "notes", PrimaryKey: []string{"id"}, Semantics: abi.SemanticsMutable,
		Schema: abi.Raw(`{"type":"object","required":["id"],"properties":{"id":{"type":"string"},"stars":{"type":"integer"}}}`),
	}}}
	gate, err := boundary.New(manifest, abi.Scope{Streams: []abi.StreamScope{{Name: "notes"}}})
	if err != nil {
		panic(err)
	}
	handle := func(r *boundary.Record) error {
		if r.Rejected != nil {
			fmt.Printf("rejected %s: %s at %s\n", r.Key, r.Rejected.Keyword, r.Rejected.Path)
		} else {
			fmt.Printf("accepted %s: %s\n", r.Key, r.Data)
		}
		return nil
	}

	err = gate.Records([]byte(`{"type":"RECORD","stream":"notes","key":"a","emitted_at":"2026-01-02T03:04:05Z","data":{"id":"a","stars":5}}
{"type":"RECORD","stream":"notes","key":"b","emitted_at":"2026-01-02T03:04:05Z","data":{"id":"b","stars":"five"}}
`), handle)
	fmt.Println(err)

	err = gate.Records([]byte(`{"type":"RECORD","stream":"diary","key":"c","emitted_at":"2026-01-02T03:04:05Z","data":{"id":"c"}}`), handle)
	fmt.Println(abi.CodeOf(err))
	// Output:
	// accepted a: {"id":"a","stars":5}
	// rejected b: type at /stars
	// <nil>
	// boundary.stream_out_of_scope
}
