package manifest

import (
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
)

const maxCredentialFields = 32

func readSetup(p place, m *abi.Manifest) {
	if !p.object() {
		return
	}
	m.Setup.Modality = p.member("modality").matching(maxName, isIdentifier, ruleIdentifier)
	m.Setup.CredentialCapture = readCredentialCapture(p.member("credential_capture"))
}

func readCredentialCapture(p place) *abi.CredentialCapture {
	if !p.object() {
		return nil
	}
	c := &abi.CredentialCapture{
		Kind:     required(p, "kind", maxName, isIdentifier, ruleIdentifier),
		Label:    p.member("label").text(maxLabel),
		Required: p.member("required").optionalBoolean(),
	}
	fields := p.member("fields")
	fields.requireItems()
	names, envs := make(map[string]bool), make(map[string]bool)
	for _, item := range fields.list(maxCredentialFields) {
		if !item.object() {
			continue
		}
		f := readCredentialField(item)
		// A credential is known by its name and by its variables. A name shared by two
		// fields would give one secret to both, or leave one that nobody can set.
		switch {
		case f.Name != "" && names[f.Name]:
			item.member("name").fail("must not be given twice")
		case envs[f.Name]:
			item.member("name").fail("must not be a variable of another field")
		}
		for _, env := range f.Env {
			if envs[env] || names[env] {
				item.member("env").fail(env + " belongs to another field")
			}
			envs[env] = true
		}
		names[f.Name] = true
		c.Fields = append(c.Fields, f)
	}
	return c
}

// checkVariables refuses a required variable whose name equals that of a credential
// field which it does not fill: it would replace the field, and nobody could set it.
func checkVariables(p place, m *abi.Manifest) {
	form := m.Setup.CredentialCapture
	if m.Capabilities.Auth == nil || form == nil || len(p.c.problems) > 0 {
		return // a field that could not be read may name it
	}
	for _, env := range m.Capabilities.Auth.Required {
		if f := CredentialNamed(form.Fields, variableField(env)); f != nil && CredentialNamed(form.Fields, env) == nil {
			p.fail(env + " must be a variable of the field " + f.Name)
		}
	}
}

func readCredentialField(p place) abi.CredentialField {
	env := p.member("env")
	env.requireItems()
	return abi.CredentialField{
		Name:     required(p, "name", maxName, isFieldName, ruleField),
		Label:    required(p, "label", maxLabel, anyText, ""),
		Env:      env.texts(maxEnvironment, secretEnv),
		Required: p.member("required").boolean(),
		Secret:   p.member("secret").optionalBoolean(),
	}
}

func isFieldName(s string) bool { return (lower(s[0]) || upper(s[0])) && plain(s) }

// secretEnv reads the name of a variable whose value is sent to the connector's
// provider. A connector may not name the host's own settings, such as the password in
// PDPP_STORAGE_DSN.
func secretEnv(p place) string {
	name := envName(p)
	if strings.HasPrefix(name, "PDPP_") {
		p.fail("must not begin with PDPP_: those are the host's own variables")
		return ""
	}
	return name
}
