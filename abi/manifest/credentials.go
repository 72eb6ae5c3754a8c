package manifest

import (
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
)

// Credential is one place of a manifest that names a credential. Its Required has
// the form's own word in it: nothing is required of a form that is not.
type Credential struct {
	abi.CredentialField

	// Again says that an earlier place named the credential, by its field or by a
	// variable that fills it, and has the say. What a later one takes for a secret
	// is one all the same.
	Again bool
}

// Credentials returns every place of a valid manifest that names a credential: the
// fields of its form, the variables that capabilities.auth requires, and the fields
// of its credential slots, each in the manifest's order. Those that are not Again
// are the credentials that the connector can use, each once.
func Credentials(m *abi.Manifest) []Credential {
	var all []Credential
	known := func(name string) bool {
		return slices.ContainsFunc(all, func(c Credential) bool {
			return !c.Again && (c.Name == name || slices.Contains(c.Env, name))
		})
	}
	add := func(f abi.CredentialField, again bool) {
		if f.Name != "" {
			all = append(all, Credential{CredentialField: f, Again: again || known(f.Name)})
		}
	}
	if form := m.Setup.CredentialCapture; form != nil {
		for _, f := range form.Fields {
			f.Required = f.Required && (form.Required == nil || *form.Required)
			add(f, false)
		}
	}
	if auth := m.Capabilities.Auth; auth != nil {
		for _, env := range auth.Required {
			f := abi.CredentialField{Name: strings.ToLower(env), Label: env, Env: []string{env}, Required: true}
			fills := func(c Credential) bool { return !c.Again && slices.Contains(c.Env, env) }
			if i := slices.IndexFunc(all, fills); i >= 0 {
				f.Secret = all[i].Secret // a variable is as public as the field that it fills
			}
			add(f, known(env))
		}
	}
	if network := m.Requirements.Network; network != nil {
		for i := range network.Credentials {
			for _, f := range slotFields(&network.Credentials[i]) {
				add(f, false)
			}
		}
	}
	return all
}

// slotFields are the fields that one slot names, with an empty name where it names
// none. An access token that the host renews can be missing: the first renewal
// brings it. A client's id is public.
func slotFields(slot *abi.CredentialSlot) []abi.CredentialField {
	named := func(name, label string, required bool) abi.CredentialField {
		return abi.CredentialField{Name: name, Label: label, Required: required}
	}
	fields := []abi.CredentialField{named(slot.Field, slot.Name, slot.OAuth == nil), named(slot.User, slot.Name+": user name", true)}
	if slot.OAuth != nil {
		id := named(slot.OAuth.ClientIDField, slot.Name+": client id", true)
		id.Secret = new(bool)
		fields = append(fields, named(slot.OAuth.RefreshField, slot.Name+": refresh token", true), id,
			named(slot.OAuth.ClientSecretField, slot.Name+": client secret", true))
	}
	return fields
}
