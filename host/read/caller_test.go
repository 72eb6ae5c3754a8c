package read

import (
	"context"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
)

// kind knows one token.
type kind struct {
	token string
	err   error
}

func (k kind) Caller(_ context.Context, token string) (*Caller, error) {
	if token != k.token {
		return nil, abi.NewError(CodeTokenUnknown, "", "")
	}
	return &Caller{Client: token}, k.err
}

// RD-02.2, RD-02.3: the first kind that knows a token answers for it, with a refusal as well.
func TestAnyOf(t *testing.T) {
	t.Parallel()
	all := AnyOf(kind{"one", nil}, kind{"two", abi.NewError(CodeGrantRevoked, "", "")}, kind{"two", nil})
	for token, want := range map[string]abi.Code{"one": "", "two": CodeGrantRevoked, "three": CodeTokenUnknown, "": CodeTokenUnknown} {
		if _, err := all.Caller(t.Context(), token); abi.CodeOf(err) != want && (err != nil || want != "") {
			t.Errorf("%q: got %v, want %q", token, err, want)
		}
	}
}
