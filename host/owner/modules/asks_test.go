package modules_test

import (
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/owner/modules"
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
		"none": {want: []string{"option any: its manifest does not say which there are, so none is checked", "schedule runs by itself where pdpp-host serves"}},
		"a form": {
			m: abi.Manifest{ConnectorKey: "app", Setup: abi.Setup{CredentialCapture: form}},
			want: []string{
				"credential token (APP_TOKEN)", "variable OLD_TOKEN, not called after the connector, as credential token",
				"credential note", "variable NOTE, not called after the connector, as credential note", "option any: its manifest does not say which there are, so none is checked", "schedule runs by itself where pdpp-host serves",
			},
		},
		"variables alone": {
			m:    abi.Manifest{ConnectorKey: "app", Capabilities: abi.Capabilities{Auth: &abi.Auth{Required: []string{"APP_KEY"}}}},
			want: []string{"credential app_key (APP_KEY)", "option any: its manifest does not say which there are, so none is checked", "schedule runs by itself where pdpp-host serves"},
		},
		"everywhere": {
			m: abi.Manifest{
				ConnectorKey: "app",
				Setup:        abi.Setup{CredentialCapture: form}, Capabilities: abi.Capabilities{Auth: &abi.Auth{Required: []string{"OLD_TOKEN", "APP_SECRET"}}},
				Requirements: abi.RuntimeRequirements{Network: renewed},
			},
			want: []string{
				"credential token (APP_TOKEN)", "variable OLD_TOKEN, not called after the connector, as credential token",
				"credential note", "variable NOTE, not called after the connector, as credential note", "credential app_secret (APP_SECRET)",
				"credential access", "credential refresh",
				"sends access to a.example in header Authorization", "sends refresh to login.example in body refresh_token",
				"sends app_secret to login.example in body client_secret", "sends app_secret to login.example in header Authorization",
				"sends token to a.example in query key, other than to read only once slot=more is accepted by name",
				"slot more, which sends token to a.example in query key with any request, also to change something there",
				"option any: its manifest does not say which there are, so none is checked", "schedule runs by itself where pdpp-host serves",
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
				// The empty one has schedule and options too.
				if !slices.Contains(added, "+ "+w) && !strings.HasPrefix(w, "schedule ") && !strings.HasPrefix(w, "option any") {
					t.Errorf("%q lacks %q", added, w)
				}
			}
		})
	}
}

// An owner is told where a browser goes, and what is done there besides reading.
func TestBrowsed(t *testing.T) {
	t.Parallel()
	m := &abi.Manifest{}
	m.Requirements.Browser = &abi.BrowserRequirements{
		Downloads: true, Pictures: true, BypassCSP: true, HTTP: true, Hosts: []abi.BrowserHost{{Suffix: "cdn.shop.example", Role: abi.RoleAsset, Reason: "Pictures."}},
	}
	var got []string
	for _, a := range modules.Asks(m) {
		got = append(got, a.String())
	}
	text := strings.Join(got, "\n")
	for _, want := range []string{"every host below cdn.shop.example (Pictures.): parts of pages", "downloads files", "takes pictures", "past the browser too", "policy against foreign scripts"} {
		if !strings.Contains(text, want) {
			t.Errorf("got %s, want %q in it", text, want)
		}
	}
	m.Requirements.Browser = &abi.BrowserRequirements{}
	for _, a := range modules.Asks(m) {
		if a.What == "browses" {
			t.Errorf("got %s, want nothing that is not asked for", a)
		}
	}
}

// AC-02: an owner is shown before consent which files are left alone, and of which only the
// beginning is read.
func TestFilesThatAreLeftAlone(t *testing.T) {
	t.Parallel()
	m := &abi.Manifest{ConnectorKey: "notes"}
	m.Requirements.LocalPaths = &abi.LocalPaths{
		Ignores: []abi.Ignore{{Pattern: "*.lock", Reason: "A lock."}, {Pattern: "plans/", Reason: "Later."}, {Pattern: "*.pid", Reason: "A lock."}},
		Rules:   []abi.FilesRule{{Name: "pictures", Reason: "No stream has them."}, {Name: "results", Reason: "They are long.", Beginning: true}},
	}
	var got []string
	for _, a := range modules.Asks(m) {
		if a.What == "leaves alone" || a.What == "reads the beginning" {
			got = append(got, a.String())
		}
	}
	want := []string{"leaves alone *.lock, *.pid (A lock.)", "leaves alone plans/ (Later.)", "leaves alone pictures (No stream has them.)", "reads the beginning of results (They are long.)"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
