package wasmbin

import (
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
)

// PageBytes is the size of a WebAssembly memory page.
const PageBytes = 65536

// Kind is the kind of an import or export.
type Kind byte

// The kinds, as the binary format numbers them.
const (
	KindFunc   Kind = 0
	KindTable  Kind = 1
	KindMemory Kind = 2
	KindGlobal Kind = 3
	KindTag    Kind = 4
)

// String returns the text format's name of the kind.
func (k Kind) String() string {
	switch k {
	case KindFunc:
		return "func"
	case KindTable:
		return "table"
	case KindMemory:
		return "memory"
	case KindGlobal:
		return "global"
	case KindTag:
		return "tag"
	default:
		return "unknown"
	}
}

// Signature is a function's type, and the zero value for other kinds.
type Signature struct {
	Params, Results []abi.ValueType
}

// Equal reports whether s and t are the same type.
func (s Signature) Equal(t Signature) bool {
	return sameTypes(s.Params, t.Params) && sameTypes(s.Results, t.Results)
}

// String writes the signature as "(i32, i32) -> i64".
func (s Signature) String() string {
	return "(" + joinTypes(s.Params) + ") -> " + resultText(s.Results)
}

func resultText(ts []abi.ValueType) string {
	if len(ts) == 1 {
		return string(ts[0])
	}
	return "(" + joinTypes(ts) + ")"
}

func joinTypes(ts []abi.ValueType) string {
	var out strings.Builder
	for i, t := range ts {
		if i > 0 {
			out.WriteString(", ")
		}
		out.WriteString(string(t))
	}
	return out.String()
}

func sameTypes(a, b []abi.ValueType) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// Import is one import.
type Import struct {
	Module, Name string
	Kind         Kind
	Signature    Signature
}

// Export is one export.
type Export struct {
	Kind      Kind
	Signature Signature
}

// Module is the interface of a module.
type Module struct {
	Imports []Import
	Exports map[string]Export
	// MemoryMinPages is the sum of the minimum sizes of all memories that the module
	// defines.
	MemoryMinPages uint64
	// Memories counts the memories that the module itself defines.
	Memories int
}
