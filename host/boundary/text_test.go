package boundary

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/device"
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
			t.Errorf(`%v does not name the text, want no error || strings.Contains(err.Error(), "a delivery")`, err)
		}
	}
}

// A delivery may contain the largest possible STATE as a checkpoint: a cursor that
// passed here and was refused there would block its lane for good.
func TestTheLargestCursorIsACheckpoint(t *testing.T) {
	t.Parallel()
	const around = 6 // values besides the cursor: the object, and the names and values of type, stream and cursor
	flat := func(n int) string { return `{"n":[` + strings.Repeat("0,", n-1) + `0]}` }
	for name, c := range map[string]struct {
		cursor string
		code   abi.Code
	}{
		"as many values as there may be": {flat(1<<20 - around - 3), ""},
		"one more":                       {flat(1<<20 - around - 2), abi.CodeCallTooLarge},
		"as deep as it may be":           {`{"a":` + strings.Repeat("[", abi.MaxNesting-2) + strings.Repeat("]", abi.MaxNesting-2) + "}", ""},
		"one deeper":                     {`{"a":` + strings.Repeat("[", abi.MaxNesting-1) + strings.Repeat("]", abi.MaxNesting-1) + "}", abi.CodeNesting},
	} {
		s, err := gate(t, allStreams()).State([]byte(`{"type":"STATE","stream":"log","cursor":` + c.cursor + `}`))
		if codeOf(t, err) != c.code {
			t.Errorf("%s: %v, want %q", name, err, c.code)
		}
		if err != nil {
			continue
		}
		body, err := json.Marshal(device.StateCommit{RunID: "run_1", State: map[string]json.RawMessage{s.Stream: json.RawMessage(s.Cursor)}})
		if err != nil {
			t.Fatal(err)
		}
		if err := CheckText("a checkpoint", body); err != nil {
			t.Errorf(`%s: CheckText("a checkpoint", body): got %v, want no error`, name, err)
		}
	}
}
