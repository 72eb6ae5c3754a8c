package main

import (
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
)

// Without a field the only one is meant, and of several each is named; what was
// typed in a field's place is not repeated.
func TestChosenField(t *testing.T) {
	t.Parallel()
	token, account := abi.CredentialField{Name: "token"}, abi.CredentialField{Name: "account"}
	one, two := []abi.CredentialField{token}, []abi.CredentialField{token, account}
	for name, c := range map[string]struct {
		fields []abi.CredentialField
		typed  string
		want   string
		code   abi.Code
		hint   string
	}{
		"the only one":       {one, "", "token", "", ""},
		"the only one named": {one, "token", "token", "", ""},
		"one of two":         {two, "account", "account", "", ""},
		"which of two":       {two, "", "", abi.CodeUsage, "account, token, as in: pdpp-host connections credential set work token"},
		"none there":         {nil, "", "", codeCredentialUnknown, "nothing has to be set"},
		"no such one":        {one, "hunter2", "", codeCredentialUnknown, "its fields are: token"},
	} {
		f, err := chosenField("work", c.fields, c.typed)
		if c.want != "" {
			if err != nil || f.Name != c.want {
				t.Errorf("%s: %v, %v", name, f, err)
			}
			continue
		}
		if abi.CodeOf(err) != c.code || !strings.Contains(output.Typed(err).Hint, c.hint) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v, %s", name, err, output.Typed(err).Hint)
		}
	}
}
