package credential

import (
	"slices"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
	"github.com/pdpp-host/pdpp-host/storage"
)

// OwnEnvironment has the variables that carry the connector's own name, as
// GITHUB_TOKEN does for github, and those that the connection's owner accepted by
// name, and no other: a manifest that names another program's secret would send it
// to a host of its own choosing.
func OwnEnvironment(conn *storage.Connection, getenv func(string) string) func(string) string {
	return func(name string) string {
		if !manifest.OwnVariable(conn.Connector, name) && !conn.Accepts(storage.AcceptVariable, name) {
			return ""
		}
		return getenv(name)
	}
}

// NotAccepted returns the first of the field's variables that has a value and is not read,
// because nobody has accepted it by name; "" when there is none.
func NotAccepted(conn *storage.Connection, f abi.CredentialField, getenv func(string) string) string {
	own := OwnEnvironment(conn, getenv)
	i := slices.IndexFunc(f.Env, func(name string) bool { return getenv(name) != "" && own(name) == "" })
	if i < 0 {
		return ""
	}
	return f.Env[i]
}

// VariableOf returns the first of the field's variables that has a value; "" when
// none has.
func VariableOf(f abi.CredentialField, getenv func(string) string) string {
	i := slices.IndexFunc(f.Env, func(name string) bool { return getenv(name) != "" })
	if i < 0 {
		return ""
	}
	return f.Env[i]
}
