package session

import (
	"os"
	"testing"

	"github.com/pdpp-host/pdpp-host/host/config"
)

// All that asks the keyring in one process asks over one line: a keyring that hangs is
// not asked again at each pass of serve and by each of its runs.
func TestOneLineToTheKeyring(t *testing.T) {
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path="+t.TempDir()) // which is not called
	dir := t.TempDir()
	c, err := config.Load(config.Source{Home: dir, File: os.DevNull, Environ: []string{"PDPP_DATA_DIR=" + dir}})
	if err != nil {
		t.Fatal(err)
	}
	s := new(Session)
	first := s.VaultOptions(c).Keyring
	if first == nil || first != s.VaultOptions(c).Keyring || first != s.Keyring() {
		t.Errorf("%v is not the keyring of all", first)
	}
	if first == new(Session).VaultOptions(c).Keyring {
		t.Error("two processes share a line")
	}
}
