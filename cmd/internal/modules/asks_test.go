package modules_test

import (
	"slices"
	"testing"

	"go.uber.org/goleak"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/cmd/internal/modules"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Before an owner accepts a connector, every credential that it can use is shown,
// wherever its manifest names it, and each once.
func TestAsksForEveryCredential(t *testing.T) {
	t.Parallel()
	form := &abi.CredentialCapture{Fields: []abi.CredentialField{
		{Name: "token", Env: []string{"APP_TOKEN", "OLD_TOKEN"}, Required: true}, {Name: "note", Env: []string{"NOTE"}},
	}}
	renewed := &abi.NetworkRequirements{Credentials: []abi.CredentialSlot{
		{
			Name: "api", Hosts: []string{"a.example"}, In: abi.SlotHeader, Key: "Authorization", Field: "access",
			OAuth: &abi.OAuth2{TokenURL: "https://login.example/token", RefreshField: "refresh", ClientIDField: "note", ClientSecretField: "APP_SECRET"},
		},
		{Name: "more", Hosts: []string{"a.example"}, In: abi.SlotQuery, Key: "key", Field: "token"},
	}}
	for name, c := range map[string]struct {
		m    abi.Manifest
		want []string
	}{
		"none": {},
		"a form": {
			m:    abi.Manifest{Setup: abi.Setup{CredentialCapture: form}},
			want: []string{"credential token (APP_TOKEN or OLD_TOKEN)", "credential note (NOTE)"},
		},
		"variables alone": {
			m:    abi.Manifest{Capabilities: abi.Capabilities{Auth: &abi.Auth{Required: []string{"APP_KEY"}}}},
			want: []string{"credential app_key (APP_KEY)"},
		},
		"everywhere": {
			m: abi.Manifest{
				Setup: abi.Setup{CredentialCapture: form}, Capabilities: abi.Capabilities{Auth: &abi.Auth{Required: []string{"OLD_TOKEN", "APP_SECRET"}}},
				Requirements: abi.RuntimeRequirements{Network: renewed},
			},
			want: []string{
				"credential token (APP_TOKEN or OLD_TOKEN)", "credential note (NOTE)", "credential app_secret (APP_SECRET)",
				"credential access", "credential refresh",
				"sends access to a.example in header Authorization", "sends refresh to login.example in body refresh_token",
				"sends app_secret to login.example in body client_secret", "sends app_secret to login.example in header Authorization",
				"sends token to a.example in query key, other than to read only once slot=more is accepted by name",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got, added []string
			for _, a := range modules.Asks(&c.m) {
				got = append(got, a.String())
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%q, not %q", got, c.want)
			}
			for _, change := range modules.Changes(new(abi.Manifest), &c.m) {
				added = append(added, change.String())
			}
			for _, w := range c.want {
				if !slices.Contains(added, "+ "+w) {
					t.Errorf("%q lacks %q", added, w)
				}
			}
		})
	}
}
