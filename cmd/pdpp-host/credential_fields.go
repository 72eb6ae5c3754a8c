package main

import (
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
)

// credentialFields lists every credential that a connector can use: the fields
// of its form, the environment names that it requires besides, and what its
// credential slots name. Where one is named twice, the first has the say.
func credentialFields(m *abi.Manifest) []abi.CredentialField {
	var fields []abi.CredentialField
	add := func(f abi.CredentialField) {
		if f.Name != "" && fieldNamed(fields, f.Name) == nil {
			fields = append(fields, f)
		}
	}
	if form := m.Setup.CredentialCapture; form != nil {
		for _, f := range form.Fields {
			f.Required = f.Required && (form.Required == nil || *form.Required)
			add(f)
		}
	}
	if auth := m.Capabilities.Auth; auth != nil {
		for _, env := range auth.Required {
			if fieldNamed(fields, env) == nil {
				add(abi.CredentialField{Name: strings.ToLower(env), Label: env, Env: []string{env}, Required: true})
			}
		}
	}
	if network := m.Requirements.Network; network != nil {
		for _, slot := range network.Credentials {
			for _, f := range slotFields(slot) {
				add(f)
			}
		}
	}
	return fields
}

// slotFields are the fields that one slot names. An access token that the host
// renews can be missing: the first renewal brings it.
func slotFields(slot abi.CredentialSlot) []abi.CredentialField {
	public := false
	named := func(name, label string, required bool) abi.CredentialField {
		return abi.CredentialField{Name: name, Label: label, Required: required}
	}
	fields := []abi.CredentialField{named(slot.Field, slot.Name, slot.OAuth == nil), named(slot.User, slot.Name+": user name", true)}
	if slot.OAuth != nil {
		id := named(slot.OAuth.ClientIDField, slot.Name+": client id", true)
		id.Secret = &public
		fields = append(fields, named(slot.OAuth.RefreshField, slot.Name+": refresh token", true), id,
			named(slot.OAuth.ClientSecretField, slot.Name+": client secret", true))
	}
	return fields
}

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
