package manifest_test

import (
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
)

// Every field that published manifests use is accepted: testdata/fields.txt
// lists them, testdata/maximal.json has each, and Parse takes it.
func TestEveryKnownFieldIsAccepted(t *testing.T) {
	t.Parallel()
	raw := maximal(t)
	var doc any
	if err := json.Unmarshal(raw, &doc); err != nil {
		t.Fatal(err)
	}
	fields, err := os.ReadFile("testdata/fields.txt")
	if err != nil {
		t.Fatal(err)
	}
	paths := strings.Fields(string(fields))
	if len(paths) != 237 {
		t.Errorf("%d fields are listed, want 237", len(paths))
	}
	for _, path := range paths {
		if !has(doc, strings.Split(path, ".")) {
			t.Errorf(`the maximal manifest has no %s, want has(doc, strings.Split(path, "."))`, path)
		}
	}
	if problems := manifest.Problems(raw); problems != nil {
		t.Errorf("refused: %q, want problems == nil", problems)
	}
}

// has reports whether any value in doc lies at path, whose parts may end in []
// for an array's items and be <key> for any member.
func has(doc any, path []string) bool {
	if len(path) == 0 {
		return true
	}
	name, items := strings.CutSuffix(path[0], "[]")
	members, ok := doc.(map[string]any)
	if !ok {
		return false
	}
	for key, value := range members {
		if name != "<key>" && name != key {
			continue
		}
		if !items {
			if has(value, path[1:]) {
				return true
			}
			continue
		}
		list, _ := value.([]any)
		if slices.ContainsFunc(list, func(item any) bool { return has(item, path[1:]) }) {
			return true
		}
	}
	return false
}

// A field that the host does not act on is accepted whatever it holds.
func TestUnreadFieldsAreAccepted(t *testing.T) {
	t.Parallel()
	for _, path := range []string{
		"manifest_uri", "profiles", "external_docs", "something_new", "capabilities.public_listing",
		"capabilities.something_new", "setup.manual_or_upload", "setup.something_new",
		"runtime_requirements.external_tools", "streams.0.query", "streams.0.something_new", "streams.0.views",
	} {
		for _, value := range []any{nil, 1, "x", list{}, object{"a": list{nil}}} {
			valid(t, set(t, minimal(), path, value))
		}
	}
}

func TestParseReadsWhatTheHostActsOn(t *testing.T) {
	t.Parallel()
	m, err := manifest.Parse(maximal(t))
	if err != nil {
		t.Fatal(err)
	}
	if m.ConnectorKey != "harbour_log" || m.Version != "1.4.0-rc.1+build.7" || m.DisplayName != "Harbour Log" {
		t.Errorf(`identity = %+v, want m.ConnectorKey == "harbour_log" && m.Version == "1.4.0-rc.1+build.7" && m.DisplayName == "Harbour Log"`, m)
	}
	if declared, required := m.Declares("filesystem"); !declared || !required {
		t.Errorf("filesystem = %v, %v, want declared && required", declared, required)
	}
	if declared, required := m.Declares("network"); !declared || required {
		t.Errorf("network = %v, %v, want declared && !required", declared, required)
	}
	l := m.Requirements.LocalPaths
	if l.HomeEnvOverride != "HARBOUR_LOG_HOME" || l.HomeDefault != ".harbour/log" || len(l.Paths) != 2 ||
		l.Paths[0].RootName() != "voyage_files" || l.Paths[1].RootName() != "tides" || !l.Paths[0].RequiredForReadiness {
		t.Errorf("local paths = %+v", l)
	}
	if h := m.Requirements.Network.Hosts; len(h) != 2 || h[1].Host != "cdn.example.org" {
		t.Errorf(`hosts = %+v, want len(h) == 2 && h[1].Host == "cdn.example.org"`, h)
	}
	if n := m.Requirements.Network; n.Provider == nil || n.Provider.MinIntervalMS != 500 || n.PacingStream != "voyages" {
		t.Errorf(`provider %+v, pacing stream %q, want n.Provider != nil && n.Provider.MinIntervalMS == 500 && n.PacingStream == "voyages"`, n.Provider, n.PacingStream)
	}
	slots := m.Requirements.Network.Credentials
	want := []abi.CredentialSlot{
		{Name: "api", Hosts: []string{"api.example.org"}, In: abi.SlotHeader, Key: "Authorization", As: abi.SlotBearer, Field: "access_token",
			OAuth: &abi.OAuth2{TokenURL: "https://api.example.org/token", RefreshField: "refresh_token", ClientIDField: "user", ClientSecretField: "token"}},
		{Name: "scans", Hosts: []string{"cdn.example.org"}, In: abi.SlotQuery, Key: "key", As: abi.SlotRaw, Field: "HARBOUR_TOKEN"},
	}
	if !reflect.DeepEqual(slots, want) {
		t.Errorf("credential slots = %+v, want reflect.DeepEqual(slots, want)", slots)
	}
	if p := m.Capabilities.RefreshPolicy; p.RecommendedMode != "automatic" || *p.MaxCooldownCycles != 24 || !*p.BackgroundSafe {
		t.Errorf(`refresh policy = %+v, want p.RecommendedMode == "automatic" && *p.MaxCooldownCycles == 24 && *p.BackgroundSafe`, p)
	}
	if a := m.Capabilities.Auth; a.Kind != "oauth" || !slices.Equal(a.Required, []string{"HARBOUR_TOKEN"}) {
		t.Errorf(`auth = %+v, want a.Kind == "oauth" && slices.Equal(a.Required, []string{"HARBOUR_TOKEN"})`, a)
	}
	c := m.Setup.CredentialCapture
	if *c.Required || len(c.Fields) != 2 || !slices.Equal(c.Fields[1].Env, []string{"HARBOUR_TOKEN", "HARBOUR_PAT"}) || *c.Fields[0].Secret {
		t.Errorf("credential capture = %+v", c)
	}
	if m.ReasonMessages["harbour_log_auth_failed"] == "" {
		t.Errorf(`reason messages = %v, want m.ReasonMessages["harbour_log_auth_failed"] != ""`, m.ReasonMessages)
	}
	if len(m.Streams) != 4 {
		t.Fatalf("%d streams, want 4", len(m.Streams))
	}
	v, p, w := m.Stream("voyages"), m.Stream("pages"), m.Stream("crew")
	if !v.Incremental || v.ConsentTimeField != "sailed_at" || !v.Selection.ResourceFieldScope || v.AppendOnly() {
		t.Errorf(`voyages = %+v, want v.Incremental && v.ConsentTimeField == "sailed_at" && v.Selection.ResourceFieldScope && !v.AppendOnly()`, v)
	}
	if !p.AppendOnly() || !p.Selection.OptionalSkipKeys || p.StateStream != "voyages" || len(p.PrimaryKey) != 2 {
		t.Errorf(`pages = %+v, want p.AppendOnly() && p.Selection.OptionalSkipKeys && p.StateStream == "voyages" && len(p.PrimaryKey) == 2`, p)
	}
	if !w.AppendOnly() || !slices.Equal(w.Parents(), []string{"voyages", "pages"}) {
		t.Errorf(`crew = %+v, want w.AppendOnly() && slices.Equal(w.Parents(), []string{"voyages", "pages"})`, w)
	}
	if string(w.Schema) == "" || !json.Valid(w.Schema) || w.Schema[0] != '{' {
		t.Errorf(`schema = %s, want string(w.Schema) != "" && json.Valid(w.Schema) && w.Schema[0] == '{'`, w.Schema)
	}
}

// The manifest that Parse returns keeps nothing of its input.
func TestParseCopies(t *testing.T) {
	t.Parallel()
	raw := maximal(t)
	m, err := manifest.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	before := string(m.Streams[0].Schema)
	clear(raw)
	if string(m.Streams[0].Schema) != before {
		t.Error("the schema changed with the input")
	}
}
