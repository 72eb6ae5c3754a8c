package main

import (
	"slices"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
	"github.com/pdpp-host/pdpp-host/storage"
)

// ownEnvironment has the variables that carry the connector's own name, as
// GITHUB_TOKEN does for github, and those that the connection's owner accepted by
// name, and no other: a manifest that names another program's secret would send it
// to a host of its own choosing.
func ownEnvironment(conn *storage.Connection, getenv func(string) string) func(string) string {
	return func(name string) string {
		if !manifest.OwnVariable(conn.Connector, name) && !conn.Accepts(storage.AcceptVariable, name) {
			return ""
		}
		return getenv(name)
	}
}

// notAccepted is the first of the field's variables that has a value and is not read,
// because nobody has accepted it by name; "" when there is none.
func notAccepted(conn *storage.Connection, f abi.CredentialField, getenv func(string) string) string {
	own := ownEnvironment(conn, getenv)
	i := slices.IndexFunc(f.Env, func(name string) bool { return getenv(name) != "" && own(name) == "" })
	if i < 0 {
		return ""
	}
	return f.Env[i]
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
