package manifest

import "github.com/pdpp-host/pdpp-host/abi"

func readCapabilities(p place, m *abi.Manifest) {
	if !p.object() {
		return
	}
	m.Capabilities.RefreshPolicy = readRefreshPolicy(p.member("refresh_policy"))
	m.Capabilities.Auth = readAuth(p.member("auth"))
}

func readAuth(p place) *abi.Auth {
	if !p.object() {
		return nil
	}
	return &abi.Auth{
		Kind:     required(p, "kind", maxName, isIdentifier, ruleIdentifier),
		Required: p.member("required").texts(maxEnvironment, secretEnv),
	}
}
