package contract

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
)

// The suite takes for required, and pretends to have, the same credentials as the host:
// wherever the manifest names them, and without the fields of a form that may stay
// empty. RT-08.1, RT-08.2.
func TestRequiredAsTheHostHasIt(t *testing.T) {
	t.Parallel()
	no := false
	fields := []abi.CredentialField{
		{Name: "token", Env: []string{"APP_TOKEN", "OLD_TOKEN"}, Required: true}, {Name: "note", Env: []string{"NOTE"}},
	}
	renewed := &abi.NetworkRequirements{Credentials: []abi.CredentialSlot{
		{Name: "api", Field: "access", OAuth: &abi.OAuth2{RefreshField: "refresh", ClientIDField: "note"}},
	}}
	for name, c := range map[string]struct {
		form      *abi.CredentialCapture
		auth      []string
		network   *abi.NetworkRequirements
		variables []string
		held      []string
		values    map[string]string // by the name that a slot may use
	}{
		"none": {values: map[string]string{"token": ""}},
		"a form": {
			form: &abi.CredentialCapture{Fields: fields}, variables: []string{"APP_TOKEN or OLD_TOKEN"}, held: []string{"token"},
			values: map[string]string{"token": held, "OLD_TOKEN": held, "note": "", "other": ""},
		},
		"a form that may stay empty": {
			form: &abi.CredentialCapture{Required: &no, Fields: fields}, values: map[string]string{"token": "", "note": ""},
		},
		"variables alone": {
			auth: []string{"APP_KEY", "APP_SET"}, variables: []string{"APP_KEY", "APP_SET"}, held: []string{"APP_KEY", "APP_SET", "app_key", "app_set"},
			values: map[string]string{"APP_KEY": held, "app_key": held, "APP_SET": "its own"},
		},
		"everywhere": {
			form: &abi.CredentialCapture{Fields: fields}, auth: []string{"OLD_TOKEN", "NOTE", "APP_SET"}, network: renewed,
			variables: []string{"APP_TOKEN or OLD_TOKEN", "APP_SET"}, held: []string{"APP_SET", "app_set", "refresh", "token"},
			values: map[string]string{"token": held, "app_set": "its own", "refresh": held, "access": "", "note": ""},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := &abi.Manifest{ConnectorKey: "app", Setup: abi.Setup{CredentialCapture: c.form}, Requirements: abi.RuntimeRequirements{Network: c.network}}
			if c.auth != nil {
				m.Capabilities.Auth = &abi.Auth{Required: c.auth}
			}
			s := &suite{manifest: m, Options: Options{Getenv: func(connector, name string) string {
				return map[string]string{"app/APP_SET": "its own"}[connector+"/"+name]
			}}}
			var variables []string
			for _, v := range s.required() {
				variables = append(variables, strings.Join(v, " or "))
			}
			if !slices.Equal(variables, c.variables) {
				t.Errorf("the suite requires %q, want %q", variables, c.variables)
			}
			all := pretended{s}.Held()
			maps.DeleteFunc(all, func(_ string, is bool) bool { return !is })
			if names := slices.Sorted(maps.Keys(all)); !slices.Equal(names, c.held) {
				t.Errorf("the suite pretends to have %q, want %q", names, c.held)
			}
			for field, want := range c.values {
				value, ok, err := pretended{s}.Value(t.Context(), field)
				if err != nil || ok != (want != "") || ok && value != want {
					t.Errorf("%s: value %q, %v, %v, want %q", field, value, ok, err, want)
				}
			}
		})
	}
}
