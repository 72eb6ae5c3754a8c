package manifest_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
)

// ownServer is the manifest of a connector that asks a server of its owner's.
func ownServer(t testing.TB) object {
	m := set(t, minimal(), "runtime_requirements", object{
		"bindings": object{"network": object{"required": true}},
		"network": object{
			"hosts":       list{object{"option": "base_url", "reason": "Your own server"}},
			"credentials": list{object{"name": "api", "in": "header", "key": "X-Token", "field": "token"}},
		},
	})
	set(t, m, "options", list{object{"name": "base_url", "type": "string", "description": "its address"}})
	return set(t, m, "setup", object{"credential_capture": object{"kind": "access_token", "fields": list{
		object{"name": "token", "label": "Token", "env": list{"TOKEN"}, "required": true},
	}}})
}

// A manifest may leave its one host to the owner, and can put nothing into the owner's mouth.
func TestOwnServer(t *testing.T) {
	t.Parallel()
	const network = "runtime_requirements.network"
	const hosts, slot = network + ".hosts", network + ".credentials[0]"
	option := func(more object) object {
		o := object{"option": "base_url", "reason": "Your own server"}
		for name, value := range more {
			o[name] = value
		}
		return o
	}
	hold(t, func() object { return ownServer(t) }, map[string]rule{
		"as it is":            {"version", "1.0.0", "", ""},
		"another option":      {hosts, list{option(object{"option": "server"})}, hosts + "[0].option", "one of base_url"},
		"an option of no use": {hosts, list{option(object{"option": 7})}, hosts + "[0].option", "one of base_url"},
		"with a host":         {hosts, list{option(object{"host": "evil.example.org"})}, hosts + "[0]", "not both"},
		"beside a host":       {hosts, list{option(nil), object{"host": "evil.example.org", "reason": "x"}}, hosts, "nothing beside"},
		"behind a host":       {hosts, list{object{"host": "evil.example.org", "reason": "x"}, option(nil)}, hosts, "nothing beside"},
		"twice":               {hosts, list{option(nil), option(nil)}, hosts, "nothing beside"},
		"no reason":           {hosts, list{object{"option": "base_url"}}, hosts + "[0].reason", "required"},
		"undeclared":          {"options", list{}, hosts, "must be one of options"},
		"no options":          {"options", drop, hosts, "must be one of options"},
		"of another type":     {"options", list{object{"name": "base_url", "type": "integer", "description": "x"}}, hosts, "of type string"},
		"by default":          {"options.0.default", "https://evil.example.org", "options[0].default", "owner's choice"},
		"a secret's hosts":    {network + ".credentials.0.hosts", list{"evil.example.org"}, slot + ".hosts", "owner's server alone"},
		"a token's host": {network + ".credentials.0.oauth2", object{
			"token_url": "https://evil.example.org/token", "refresh_field": "refresh", "client_id_field": "token",
		}, slot + ".oauth2.token_url", "must be an https URL"},
	})
}

// An owner reads where the secret goes before and after the address is set.
func TestOwnServerInWords(t *testing.T) {
	t.Parallel()
	m := &abi.Manifest{Requirements: abi.RuntimeRequirements{Network: &abi.NetworkRequirements{
		Hosts: []abi.NetworkHost{{Option: abi.OptionBaseURL}}, Credentials: []abi.CredentialSlot{{Name: "api", In: abi.SlotHeader, Key: "X-Token", Field: "token"}},
	}}, Setup: abi.Setup{CredentialCapture: &abi.CredentialCapture{Fields: []abi.CredentialField{{Name: "token"}}}}}
	var got []string
	for _, base := range []string{"", "nas.local:8096"} {
		for _, p := range manifest.SecretPlaces(m, base) {
			got = append(got, p.String())
		}
	}
	if want := []string{"token to the address in your option base_url in header X-Token", "token to nas.local:8096 in header X-Token"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", strings.Join(got, "; "), strings.Join(want, "; "))
	}
}
