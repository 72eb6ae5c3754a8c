package main

import (
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
)

// credentialFields lists every credential that a connector can use, each once.
func credentialFields(m *abi.Manifest) []abi.CredentialField { return manifest.Credentials(m) }

// fieldNamed returns the field of that name, or the one that the environment
// variable of that name fills: a connector and its documentation may use either.
// It returns nil when there is none.
func fieldNamed(fields []abi.CredentialField, name string) *abi.CredentialField {
	i := slices.IndexFunc(fields, func(f abi.CredentialField) bool { return f.Name == name })
	if i < 0 {
		i = slices.IndexFunc(fields, func(f abi.CredentialField) bool { return slices.Contains(f.Env, name) })
	}
	if i < 0 {
		return nil
	}
	return &fields[i]
}

// ownEnvironment has the variables that carry the connector's own name, as
// GITHUB_TOKEN does for github, and no other: a manifest that names another
// program's secret would send it to a host of its own choosing.
func ownEnvironment(connector string, getenv func(string) string) func(string) string {
	prefix := strings.ToUpper(strings.NewReplacer("-", "_", ".", "_").Replace(connector)) + "_"
	return func(name string) string {
		if !strings.HasPrefix(name, prefix) {
			return ""
		}
		return getenv(name)
	}
}

// environmentName is the first of the field's variables that has a value; "" when
// none has.
func environmentName(f abi.CredentialField, getenv func(string) string) string {
	i := slices.IndexFunc(f.Env, func(name string) bool { return getenv(name) != "" })
	if i < 0 {
		return ""
	}
	return f.Env[i]
}
