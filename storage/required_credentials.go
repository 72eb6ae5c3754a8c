package storage

import (
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
)

// RequiredCredentials returns the fields, sorted, without which a connector cannot
// sign in: those of its form, the environment names that it requires besides, and
// what its credential slots name. Where one is named twice, the first has the say.
func RequiredCredentials(m *abi.Manifest) []string {
	var seen []abi.CredentialField
	add := func(name string, env []string, required bool) {
		known := func(f abi.CredentialField) bool { return f.Name == name }
		if name != "" && !slices.ContainsFunc(seen, known) {
			seen = append(seen, abi.CredentialField{Name: name, Env: env, Required: required})
		}
	}
	if form := m.Setup.CredentialCapture; form != nil {
		for _, f := range form.Fields {
			add(f.Name, f.Env, f.Required && (form.Required == nil || *form.Required))
		}
	}
	if auth := m.Capabilities.Auth; auth != nil {
		for _, env := range auth.Required {
			fills := func(f abi.CredentialField) bool { return f.Name == env || slices.Contains(f.Env, env) }
			if !slices.ContainsFunc(seen, fills) {
				add(strings.ToLower(env), []string{env}, true)
			}
		}
	}
	if network := m.Requirements.Network; network != nil {
		for i := range network.Credentials {
			slot := &network.Credentials[i]
			add(slot.Field, nil, slot.OAuth == nil) // the first renewal brings an access token
			add(slot.User, nil, true)
			if slot.OAuth != nil {
				add(slot.OAuth.RefreshField, nil, true)
				add(slot.OAuth.ClientIDField, nil, true)
				add(slot.OAuth.ClientSecretField, nil, true)
			}
		}
	}
	var names []string
	for i := range seen {
		if seen[i].Required {
			names = append(names, seen[i].Name)
		}
	}
	slices.Sort(names)
	return names
}
