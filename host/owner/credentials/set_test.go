package credentials

import (
	"errors"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/owner/credential"
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
		"none there":         {nil, "", "", credential.CodeUnknown, "nothing has to be set"},
		"no such one":        {one, "hunter2", "", credential.CodeUnknown, "its fields are: token"},
	} {
		f, err := chosenField("work", c.fields, c.typed)
		if c.want != "" {
			if err != nil || f.Name != c.want {
				t.Errorf("%s: %v, %v", name, f, err)
			}
			continue
		}
		if abi.CodeOf(err) != c.code || !strings.Contains(hintOf(err), c.hint) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v, %s", name, err, hintOf(err))
		}
	}
}

func hintOf(err error) string {
	if e, ok := errors.AsType[*abi.Error](err); ok {
		return e.Hint
	}
	return ""
}

func TestLooksLikeSecret(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]bool{
		"token": false, "refresh_token": false, "GITHUB_PERSONAL_ACCESS_TOKEN": false, "personal_access_token_2": false, "client-secret-of-the-app": false,
		"ghp_abcDEF0123456789abcDEF": true, "secret_abcdefgh12": true, "correct horse battery": true, "YWxhZGRpbjpvcGVuc2Vz": true,
	} {
		if got := looksLikeSecret(typed); got != want {
			t.Errorf("%q: %v, want %v", typed, got, want)
		}
	}
}
