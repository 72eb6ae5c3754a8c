package boundary

import (
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
)

func TestCheckText(t *testing.T) {
	t.Parallel()
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for text, want := range map[string]abi.Code{
		`{"records":[{"data":{"a":1}}]}`: "", deep(abi.MaxNesting + 4): "", "": abi.CodeSyntax, `{} {}`: abi.CodeSyntax,
		`{"a":1,"\u0061":2}`: abi.CodeDuplicateName, "\"\xff\"": abi.CodeInvalidUTF8, `"\ud800"`: abi.CodeInvalidUTF8,
		deep(abi.MaxNesting + 5): abi.CodeNesting, "[" + strings.Repeat("0,", 1<<20) + "0]": abi.CodeCallTooLarge,
	} {
		err := CheckText("a delivery", []byte(text))
		if got := codeOf(t, err); got != want {
			t.Errorf("%.40q: %q, want %q", text, got, want)
		}
		if err != nil && !strings.Contains(err.Error(), "a delivery") {
			t.Errorf("%v does not name the text", err)
		}
	}
}
