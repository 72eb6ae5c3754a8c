package serving

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi/manifest"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/credential"
	"github.com/pdpp-host/pdpp-host/host/owner/modules"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/host/schedule"
	"github.com/pdpp-host/pdpp-host/host/vault"
	"github.com/pdpp-host/pdpp-host/storage"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/story"
)

// configured is the configuration of a folder, with variables besides.
func configured(t *testing.T, dir string, environ ...string) *config.Config {
	t.Helper()
	c, err := config.Load(config.Source{Home: dir, File: os.DevNull, Environ: append([]string{"PDPP_DATA_DIR=" + dir}, environ...)})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// A run rests on its connection, on the module's bytes and on what it reads of the
// configuration: not where that lies, nor what devices deliver to. A module that is gone is
// no other one (HL-26).
func TestWhatARunRestsOn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	module := filepath.Join(dir, "plugins", "demo"+plugin.Extension)
	if err := os.Mkdir(filepath.Dir(module), 0o700); err != nil {
		t.Fatal(err)
	}
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(module, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c := storage.Connection{Name: "c", Connector: "demo"}
	rests := func(environ ...string) string {
		s := &Server{Owner: owner.New(owner.Deps{Config: configured(t, dir, environ...)})}
		return s.rests(t.Context(), c)
	}
	if got := rests(); got != "" {
		t.Errorf("no module: %q", got)
	}
	write("one")
	was := rests()
	if len(was) != 2*restsBytes || strings.ContainsAny(was, " \n") {
		t.Errorf("%q", was)
	}
	if conf := configured(t, dir); restsOn(conf, &c, "") != was || restsOn(conf, &c, "another") == was {
		t.Error("which host judges it makes no difference")
	}
	if again := time.Now().Add(time.Hour); os.Chtimes(module, again, again) != nil || rests() != was {
		t.Error("a touch is a change")
	}
	for what, same := range map[string]bool{
		"PDPP_NETWORK_ALLOW_PRIVATE=localhost:8080": false, "PDPP_LIMITS_MEMORY=128MiB": false, "PDPP_LIMITS_MODULE_SIZE=1MiB": false,
		"PDPP_LIMITS_MODULE_SIZE=1B": false, "PDPP_SERVE_LISTEN=127.0.0.1:8443": true, "PDPP_STORAGE_DSN=" + filepath.Join(dir, "other.sqlite"): true,
	} {
		if got := rests(what); (got == was) != same || got == "" {
			t.Errorf("%s: %q, and it was %q", what, got, was)
		}
	}
	elsewhere := t.TempDir() // where the same module is looked for
	if err := os.CopyFS(filepath.Join(elsewhere, "modules"), os.DirFS(filepath.Dir(module))); err != nil {
		t.Fatal(err)
	}
	here, there := "PDPP_PLUGINS_DIR="+filepath.Dir(module), filepath.Join(elsewhere, "modules")
	for what, environ := range map[string][]string{
		"where modules lie":     {"PDPP_PLUGINS_DIR=" + there},
		"where data lies":       {here, "PDPP_DATA_DIR=" + elsewhere},
		"where devices deliver": {"PDPP_SERVE_LISTEN=0.0.0.0:8443", "PDPP_SERVE_TLS_CERT=/tls/cert.pem", "PDPP_SERVE_TLS_KEY=/tls/key.pem"},
		"another certificate":   {"PDPP_SERVE_TLS_CERT=/tls/other.pem"},
		"another key":           {"PDPP_SERVE_TLS_KEY=/tls/other.pem"},
	} {
		conf := configured(t, dir, environ...)
		for _, set := range environ {
			if _, value, _ := strings.Cut(set, "="); !slices.ContainsFunc(conf.Values(), func(v config.Value) bool { return v.Value == value }) {
				t.Fatalf("%s is not set", set)
			}
		}
		if got := restsOn(conf, &c, ""); got != was {
			t.Errorf("%s: %q, and it was %q", what, got, was)
		}
	}
	if rests("PDPP_LIMITS_MODULE_SIZE=1B") == rests("PDPP_LIMITS_MODULE_SIZE=2B") {
		t.Error("a limit that the module is above is none")
	}
	write("two")
	if got := rests(); got == was || got == "" {
		t.Errorf("another module: %q", got)
	}
	write("one")
	if got := rests(); got != was {
		t.Errorf("it is back: %q, and it was %q", got, was)
	}
}

// locked is a keyring that says nothing while it is shut.
type locked struct {
	key   string
	shut  bool
	asked int
}

func (k *locked) Get() (string, bool, error) {
	k.asked++
	if k.shut {
		return "", false, os.ErrPermission
	}
	return k.key, k.key != "", nil
}

func (k *locked) Set(text string) error {
	k.key = text
	return nil
}

// A keyring is asked once a pass for all connections, whether it answers or not, and
// again in the next; what is stored for one says nothing of the others (HL-26).
func TestAKeyringIsAskedOnceAPass(t *testing.T) {
	t.Parallel()
	ctx, dir := t.Context(), t.TempDir()
	store := story.Pinned(t, "../../..", dir)
	t.Cleanup(func() { _ = store.Close() })
	mine, err := store.Connection(ctx, "mine")
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{store: store, Owner: owner.New(owner.Deps{
		Config: configured(t, dir, "PDPP_CREDENTIALS_KEY=keyring"), Vault: vault.Options{Dir: dir, Mode: vault.ModeKeyring},
		Now: time.Now, Getenv: func(string) string { return "" },
	})}
	keyring := new(locked)
	conns := map[string]*storage.Connection{}
	for _, name := range []string{"none", "a", "b", "damaged", "c"} {
		conn, err := store.EnsureConnection(ctx, name, "credentialed")
		if err == nil {
			err = store.PinPlugin(ctx, conn.ID, "abc", mine.PinnedManifest)
		}
		if err != nil {
			t.Fatal(err)
		}
		if conns[name], err = store.Connection(ctx, name); err != nil {
			t.Fatal(err)
		}
		if name == "none" {
			continue
		}
		held := credential.New(store, s.Vault, conns[name], manifest.Credentials(modules.Pinned(conns[name])), os.Getenv)
		held.Options.Keyring = keyring
		if err := held.Put(ctx, map[string][]byte{"token": []byte("hunter2")}); err != nil {
			t.Fatal(err)
		}
	}
	sealed, err := store.SealedCredentials(ctx, conns["a"].ID)
	if err == nil {
		err = store.PutCredentials(ctx, conns["damaged"].ID, sealed) // another's, in its place
	}
	if err != nil {
		t.Fatal(err)
	}
	for pass, c := range []struct {
		shut  bool
		opens map[string]bool
	}{
		{true, map[string]bool{"none": true}},
		{true, map[string]bool{"none": true}},
		{false, map[string]bool{"none": true, "a": true, "b": true, "c": true}},
	} {
		keyring.shut, keyring.asked = c.shut, 0
		look := vaultLook{keyring: keyring}
		for _, name := range []string{"none", "a", "damaged", "b", "c"} {
			o := schedule.Obstacle{Kind: schedule.BadCredentials, Code: string(vault.CodeKeyringUnavailable), Since: time.Now()}
			e, _, err := s.probe(ctx, *conns[name], o, &look)
			if err != nil || e.Credential == nil || e.Credential.Rejected == c.opens[name] {
				t.Errorf("pass %d, %s: %+v, %v", pass, name, e.Credential, err)
			}
		}
		if keyring.asked != 1 {
			t.Errorf("pass %d: asked %d times", pass, keyring.asked)
		}
	}
}

// The mark of the surroundings is another when a module comes, changes or goes.
func TestSurroundingsAreTheModules(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	module := filepath.Join(dir, "plugins", "demo"+plugin.Extension)
	if err := os.Mkdir(filepath.Dir(module), 0o700); err != nil {
		t.Fatal(err)
	}
	s := &Server{Owner: owner.New(owner.Deps{Config: configured(t, dir)})}
	empty := s.surroundings(t.Context())
	if err := os.WriteFile(module, []byte("one"), 0o600); err != nil {
		t.Fatal(err)
	}
	one := s.surroundings(t.Context())
	if err := os.WriteFile(module, []byte("three"), 0o600); err != nil {
		t.Fatal(err)
	}
	three := s.surroundings(t.Context())
	if again := s.surroundings(t.Context()); empty == one || one == three || again != three {
		t.Errorf("got %s, %s, %s and %s, want three marks, the last one twice", empty, one, three, again)
	}
	if err := os.Remove(module); err != nil {
		t.Fatal(err)
	}
	if gone := s.surroundings(t.Context()); gone != empty {
		t.Errorf("without the module: got %s, want %s", gone, empty)
	}
}
