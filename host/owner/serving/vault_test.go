package serving

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi/manifest"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/credential"
	"github.com/pdpp-host/pdpp-host/host/owner/modules"
	"github.com/pdpp-host/pdpp-host/host/schedule"
	"github.com/pdpp-host/pdpp-host/host/vault"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/story"
)

// HL-26: a key that was lost and is back is what a refusal of the vault waited for,
// without any credential stored anew; and another key is not.
func TestAVaultThatOpensAgain(t *testing.T) {
	t.Parallel()
	ctx, dir := t.Context(), t.TempDir()
	store := story.Pinned(t, "../../..", dir)
	t.Cleanup(func() { _ = store.Close() })
	c, err := config.Load(config.Source{Home: dir, File: os.DevNull, Environ: []string{
		"PDPP_DATA_DIR=" + dir, "PDPP_CREDENTIALS_KEY=file",
	}})
	if err != nil {
		t.Fatal(err)
	}
	conn, err := store.Connection(ctx, "mine")
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{store: store, Owner: owner.New(owner.Deps{
		Config: c, Vault: vault.Options{Dir: dir, Mode: vault.ModeFile}, Now: time.Now, Getenv: func(string) string { return "" },
	})}
	satisfied := func(when string, want bool) {
		t.Helper()
		for _, code := range []string{"vault.key_missing", "vault.keyring_unavailable"} {
			o := schedule.Obstacle{Kind: schedule.BadCredentials, Code: code, Since: time.Now()}
			e, _, err := s.probes()(ctx, *conn, o)
			if err != nil || e.Credential == nil || (e.Credential.Present && !e.Credential.Rejected) != want {
				t.Errorf("%s: %s: %+v, %v", when, code, e.Credential, err)
			}
		}
	}
	satisfied("nothing is stored, so that no key is needed", true)
	if err := credential.New(store, s.Vault, conn, manifest.Credentials(modules.Pinned(conn)), os.Getenv).Put(ctx, map[string][]byte{"token": []byte("hunter2")}); err != nil {
		t.Fatal(err)
	}
	satisfied("it opens", true)
	key, elsewhere := filepath.Join(dir, vault.KeyFile), filepath.Join(dir, "elsewhere")
	move := func(from, to string) {
		t.Helper()
		if err := os.Rename(from, to); err != nil {
			t.Fatal(err)
		}
	}
	move(key, elsewhere)
	satisfied("the key is lost", false)
	other, err := vault.Open(ctx, vault.Options{Dir: dir, Mode: vault.ModeFile, Create: true})
	if err != nil || other == nil {
		t.Fatal(err)
	}
	satisfied("it is another key", false)
	move(elsewhere, key)
	satisfied("the key is back", true)
	o := schedule.Obstacle{Kind: schedule.BadCredentials, Code: "vault.key_missing", Since: time.Now().Add(-time.Hour)}
	if e, _, err := s.credentials().Look(ctx, *conn, o); err != nil || e.Credential == nil || e.Credential.Rejected {
		t.Errorf("who does not run looks at what was stored: %+v, %v", e.Credential, err)
	}
}
