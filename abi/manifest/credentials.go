package manifest

import (
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
)

// Credentials returns the credentials that the connector of a valid manifest can use.
// Each is listed once, as the first place that names it describes it: the fields of
// the form, the variables that capabilities.auth requires, and the fields of the
// credential slots, in the manifest's order. A place names a credential by its field
// or by a variable that fills it. An optional form requires none of its fields. A
// credential that any place sends or renews as a secret is secret, whatever the form
// says.
func Credentials(m *abi.Manifest) []abi.CredentialField {
	var all []abi.CredentialField
	if form := m.Setup.CredentialCapture; form != nil {
		for _, f := range form.Fields {
			f.Required = f.Required && (form.Required == nil || *form.Required)
			all = append(all, f)
		}
	}
	add := func(f abi.CredentialField, secret bool) {
		known := CredentialNamed(all, f.Name)
		switch {
		case f.Name == "":
		case known == nil:
			all = append(all, f)
		case secret && known.Secret != nil && !*known.Secret:
			known.Secret = nil
		}
	}
	if auth := m.Capabilities.Auth; auth != nil {
		for _, env := range auth.Required {
			if CredentialNamed(all, env) == nil { // a variable is as public as the field that it fills
				add(abi.CredentialField{Name: variableField(env), Label: env, Env: []string{env}, Required: true}, true)
			}
		}
	}
	if network := m.Requirements.Network; network != nil {
		for i := range network.Credentials {
			addSlot(&network.Credentials[i], add)
		}
	}
	return all
}

// SecretNames returns the names of a manifest's secret credentials: their fields and
// their variables, the variables in lower case too.
func SecretNames(m *abi.Manifest) map[string]bool {
	known := map[string]bool{}
	for _, c := range Credentials(m) {
		if c.Secret != nil && !*c.Secret {
			continue
		}
		known[c.Name] = true
		for _, env := range c.Env {
			known[env], known[strings.ToLower(env)] = true, true
		}
	}
	return known
}

// variableField returns the field that a variable of capabilities.auth.required fills
// if no form names one.
func variableField(env string) string { return strings.ToLower(env) }

// CredentialNamed returns the credential with that field name, or the one that the
// variable with that name fills: a connector and its documentation may use either. It
// returns nil if there is none.
func CredentialNamed(all []abi.CredentialField, name string) *abi.CredentialField {
	i := slices.IndexFunc(all, func(f abi.CredentialField) bool { return f.Name == name })
	if i < 0 {
		i = slices.IndexFunc(all, func(f abi.CredentialField) bool { return slices.Contains(f.Env, name) })
	}
	if i < 0 {
		return nil
	}
	return &all[i]
}

// addSlot adds the fields that one slot names; a field that it does not name is "". An
// access token that the host renews may be missing, since the first renewal obtains
// it. A client's id is public; a user's name is public if the form says so.
func addSlot(slot *abi.CredentialSlot, add func(f abi.CredentialField, secret bool)) {
	field := func(name, label string, required bool) abi.CredentialField {
		return abi.CredentialField{Name: name, Label: label, Required: required}
	}
	add(field(slot.Field, slot.Name, slot.OAuth == nil), true)
	add(field(slot.User, slot.Name+": user name", true), false)
	if slot.OAuth == nil {
		return
	}
	id := field(slot.OAuth.ClientIDField, slot.Name+": client id", true)
	id.Secret = new(bool)
	add(field(slot.OAuth.RefreshField, slot.Name+": refresh token", true), true)
	add(id, false)
	add(field(slot.OAuth.ClientSecretField, slot.Name+": client secret", true), true)
}

// OwnVariable reports whether an environment variable carries the connector's own
// name, as GITHUB_TOKEN does for github. Any other variable may be another program's
// secret.
func OwnVariable(connectorKey, variable string) bool {
	return strings.HasPrefix(variable, variablePrefix(connectorKey))
}

func variablePrefix(connectorKey string) string {
	return strings.ToUpper(strings.NewReplacer("-", "_", ".", "_").Replace(connectorKey)) + "_"
}
