package manifest_test

import (
	"slices"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
)

// SecretPlaces lists every destination of a secret.
func TestSecretPlaces(t *testing.T) {
	t.Parallel()
	m := &abi.Manifest{Requirements: abi.RuntimeRequirements{Network: &abi.NetworkRequirements{Credentials: []abi.CredentialSlot{
		{Name: "api", Hosts: []string{"a.example", "b.example"}, In: abi.SlotHeader, Key: "Authorization", As: abi.SlotBasic, Field: "password", User: "user"},
		{Name: "page", Hosts: []string{"a.example"}, In: abi.SlotQuery, Key: "api_key", Field: "token"},
		{
			Name: "renewed", Hosts: []string{"a.example"}, In: abi.SlotBody, Key: "access", Field: "access",
			OAuth: &abi.OAuth2{TokenURL: "https://login.example/token", RefreshField: "refresh", ClientIDField: "id", ClientSecretField: "client"},
		},
	}}}}
	for base, want := range map[string][]string{
		"": {
			"password to a.example and b.example in header Authorization", "user to a.example and b.example in header Authorization",
			"token to a.example in query api_key", "access to a.example in body access",
			"refresh to login.example in body refresh_token", "client to login.example in body client_secret", "client to login.example in header Authorization",
		},
		"127.0.0.1:9": {
			"password to 127.0.0.1:9 and a.example and b.example in header Authorization", "user to 127.0.0.1:9 and a.example and b.example in header Authorization",
			"token to 127.0.0.1:9 and a.example in query api_key", "access to 127.0.0.1:9 and a.example in body access",
			"refresh to 127.0.0.1:9 in body refresh_token", "client to 127.0.0.1:9 in body client_secret", "client to 127.0.0.1:9 in header Authorization",
		},
	} {
		var got, byName []string
		for _, p := range manifest.SecretPlaces(m, base) {
			got = append(got, p.String())
			if p.ByName {
				byName = append(byName, p.Slot)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("base %q: %q, want %q", base, got, want)
		}
		if want := []string{"page", "renewed"}; !slices.Equal(byName, want) {
			t.Errorf("base %q: by name %q, want %q", base, byName, want)
		}
	}
	if got := manifest.SecretPlaces(new(abi.Manifest), ""); len(got) > 0 {
		t.Errorf("no network: %v, want none", got)
	}
}
