package grant

import (
	"strconv"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/read"
)

// The codes of this room.
const (
	CodeDetails  abi.Code = "grants.invalid_details"      // what is asked for cannot be granted to anybody
	CodeChoice   abi.Code = "grants.invalid_choice"       // what its owner chose is no part of it
	CodeConflict abi.Code = "grants.declaration_conflict" // its connections have different declarations
	CodeInvalid           = read.CodeGrantInvalid         // the document of a grant is damaged
)

// Invalid is a part of authorization details that cannot be granted. Neither of its texts has
// a value in it.
type Invalid struct {
	Param string // a JSON pointer
	Rule  string
}

// Error returns the part and its rule.
func (e *Invalid) Error() string { return e.Param + " " + e.Rule + " [" + string(CodeDetails) + "]" }

func invalid(rule string, at ...any) error { return &Invalid{pointer(at...), rule} }

// pointer makes a JSON pointer of names and numbers.
func pointer(at ...any) string {
	var b strings.Builder
	for _, part := range at {
		b.WriteByte('/')
		switch part := part.(type) {
		case int:
			b.WriteString(strconv.Itoa(part))
		case string:
			b.WriteString(part)
		}
	}
	return b.String()
}
