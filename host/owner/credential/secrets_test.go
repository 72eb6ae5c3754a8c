package credential

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
	"github.com/pdpp-host/pdpp-host/host/vault"
	"github.com/pdpp-host/pdpp-host/storage"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/fresh"
)

// oauthManifest has a form, an environment name and a slot with fields of its
// own.
func oauthManifest() *abi.Manifest {
	no := false
	m := &abi.Manifest{}
	m.Setup.CredentialCapture = &abi.CredentialCapture{Fields: []abi.CredentialField{
		{Name: "client", Label: "Client", Env: []string{"APP_CLIENT", "OLD_CLIENT"}, Required: true, Secret: &no},
		{Name: "note", Label: "Note"},
	}}
	m.Capabilities.Auth = &abi.Auth{Required: []string{"APP_CLIENT", "APP_KEY"}}
	m.Requirements.Network = &abi.NetworkRequirements{Credentials: []abi.CredentialSlot{
		{Name: "api", Field: "access", OAuth: &abi.OAuth2{RefreshField: "refresh", ClientIDField: "client"}},
		{Name: "old", Field: "password", User: "user"},
	}}
	return m
}

func TestCredentialFields(t *testing.T) {
	t.Parallel()
	want := map[string]bool{"client": true, "note": false, "app_key": true, "access": false, "refresh": true, "password": true, "user": true}
	fields := manifest.Credentials(oauthManifest())
	if len(fields) != len(want) {
		t.Errorf("%d fields, want %d", len(fields), len(want))
	}
	for _, f := range fields {
		if required, ok := want[f.Name]; !ok || f.Required != required {
			t.Errorf("%+v", f)
		}
	}
	if f := manifest.CredentialNamed(fields, "APP_KEY"); f == nil || f.Name != "app_key" {
		t.Errorf("the variable's name finds %v", f)
	}
	if manifest.Credentials(&abi.Manifest{}) != nil {
		t.Error("fields of nothing")
	}
	// A form that is not required has no required field.
	m := oauthManifest()
	no := false
	m.Setup.CredentialCapture.Required = &no
	if f := manifest.CredentialNamed(manifest.Credentials(m), "client"); f == nil || f.Required {
		t.Errorf("%+v", f)
	}
}

// purse makes the secrets of one connection, with variables of its own.
func purse(t *testing.T, variables map[string]string) *Secrets {
	t.Helper()
	dir := t.TempDir()
	store, err := storage.Open(t.Context(), storage.Options{Path: fresh.Store(t, filepath.Join(dir, "pdpp.sqlite")), Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	conn, err := store.EnsureConnection(t.Context(), "mine", "demo")
	if err != nil {
		t.Fatal(err)
	}
	run, err := store.BeginRun(t.Context(), storage.NewRun{
		RunID: "run_1", ConnectionID: conn.ID, Connector: "demo", Bookmark: storage.BookmarkIncremental, Holder: "test", LeaseTTL: time.Minute,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(run.Abandon)
	return &Secrets{
		writer: run,
		store:  store, Options: vault.Options{Dir: dir, Mode: vault.ModeFile}, connection: conn.ID,
		fields: manifest.Credentials(oauthManifest()), getenv: func(name string) string { return variables[name] }, stored: map[string]bool{}, read: map[string][]byte{},
	}
}

func (s *Secrets) is(t *testing.T, field, want string) {
	t.Helper()
	got, ok, err := s.Value(t.Context(), field)
	if err != nil || got != want || ok != (want != "") {
		t.Errorf("%s: %q %v %v, want %q", field, got, ok, err, want)
	}
}

func TestStoredWinsOverEnvironment(t *testing.T) {
	t.Parallel()
	s := purse(t, map[string]string{"OLD_CLIENT": "old", "APP_KEY": "key"})
	s.is(t, "client", "old")
	s.is(t, "app_key", "key")
	s.is(t, "APP_KEY", "key")
	s.is(t, "access", "")
	s.is(t, "unheard", "")
	held := s.Held()
	if !held["client"] || !held["app_key"] || !held["APP_KEY"] || held["access"] || held["refresh"] {
		t.Error(held)
	}
	if err := s.Replace(t.Context(), map[string]string{"access": "a1", "refresh": "r1", "client": "new"}); err != nil {
		t.Fatal(err)
	}
	s.is(t, "access", "a1")
	s.is(t, "refresh", "r1")
	s.is(t, "client", "new")
	if held := s.Held(); !held["access"] || !held["refresh"] {
		t.Error(held)
	}
	// A later run opens the same ones.
	later := &Secrets{store: s.store, Options: s.Options, connection: s.connection, fields: s.fields, getenv: s.getenv, stored: map[string]bool{}, read: map[string][]byte{}}
	if err := later.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !later.Held()["access"] {
		t.Error(later.Held())
	}
	later.is(t, "refresh", "r1")
	// A renewal is refused when another one replaced the value that it began from.
	s.is(t, "refresh", "r1")
	if err := s.Replace(t.Context(), map[string]string{"refresh": "r2"}); err != nil {
		t.Fatal(err)
	}
	later.BindRun(s.writer)
	if err := later.Replace(t.Context(), map[string]string{"refresh": "r1b"}); abi.CodeOf(err) != storage.CodeCredentialChanged {
		t.Errorf("a renewal over a newer value ends with %v, want %s", err, storage.CodeCredentialChanged)
	}
	s.is(t, "refresh", "r2")
}

func TestReplaceAllOrNone(t *testing.T) {
	t.Parallel()
	s := purse(t, nil)
	for _, values := range []map[string]string{{"access": "a", "unheard": "x"}, {"access": "a", "refresh": ""}} {
		if err := s.Replace(t.Context(), values); err == nil {
			t.Errorf("%d values were kept", len(values))
		}
		s.is(t, "access", "")
	}
}

// RT-08: what an owner answers is kept, under the names that a question may use,
// and only where the manifest declares it.
func TestKeep(t *testing.T) {
	t.Parallel()
	s := purse(t, map[string]string{"APP_CLIENT": "c"})
	if err := s.Keep(t.Context(), map[string]string{"APP_KEY": "k1", "password": "p1", "user": "u1", "evil": "e1", "note": ""}); err != nil {
		t.Fatal(err)
	}
	s.is(t, "app_key", "k1")
	s.is(t, "password", "p1")
	s.is(t, "note", "")
	// One required field is left, so an answer without a name is for that.
	if err := s.Keep(t.Context(), map[string]string{plainAnswer: "r1"}); err != nil {
		t.Fatal(err)
	}
	s.is(t, "refresh", "r1")
	for _, values := range []map[string]string{{"evil": "e1"}, {plainAnswer: "x"}, {}, {"app_key": ""}} {
		if err := s.Keep(t.Context(), values); abi.CodeOf(err) != CodeUnknown {
			t.Errorf("%v", err)
		}
	}
	stored, err := s.store.StoredCredentials(t.Context(), s.connection)
	if err != nil || len(stored) != 4 {
		t.Errorf("%v %v", stored, err)
	}
}

// A stored value that does not open never gives way to a variable.
func TestLostKeyIsNoOtherValue(t *testing.T) {
	t.Parallel()
	s := purse(t, map[string]string{"APP_CLIENT": "variable"})
	if err := s.Replace(t.Context(), map[string]string{"client": "stored"}); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(s.Options.Dir, vault.KeyFile)); err != nil {
		t.Fatal(err)
	}
	s.Vault = nil
	if _, ok, err := s.Value(t.Context(), "client"); ok || abi.CodeOf(err) != vault.CodeKeyMissing {
		t.Errorf("%v %v", ok, err)
	}
	if err := s.Check(t.Context()); abi.CodeOf(err) != vault.CodeKeyMissing {
		t.Error(err)
	}
	if err := s.Replace(t.Context(), map[string]string{"client": "again"}); abi.CodeOf(err) != vault.CodeKeyMissing {
		t.Error(err)
	}
}

// Rows that changed places in the store do not open.
func TestSwappedRows(t *testing.T) {
	t.Parallel()
	s := purse(t, nil)
	if err := s.Replace(t.Context(), map[string]string{"access": "a1", "refresh": "r1"}); err != nil {
		t.Fatal(err)
	}
	sealed, err := s.store.SealedCredentials(t.Context(), s.connection)
	if err != nil {
		t.Fatal(err)
	}
	sealed["access"], sealed["refresh"] = sealed["refresh"], sealed["access"]
	if err := s.store.PutCredentials(t.Context(), s.connection, sealed); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Value(t.Context(), "access"); abi.CodeOf(err) != vault.CodeMisplaced {
		t.Error(err)
	}
}

// A connector takes a credential from a variable that carries its own name and
// from no other: its manifest chooses both the variable and where it is sent.
func TestOwnEnvironment(t *testing.T) {
	t.Parallel()
	getenv := OwnEnvironment(&storage.Connection{Connector: "my-app"}, func(name string) string { return "value of " + name })
	for name, want := range map[string]string{
		"MY_APP_TOKEN": "value of MY_APP_TOKEN", "AWS_SECRET_ACCESS_KEY": "", "MY_APPLE_TOKEN": "", "PDPP_STORAGE_DSN": "", "": "",
	} {
		if got := getenv(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
