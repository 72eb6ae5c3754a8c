package main

import (
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
)

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
