package story

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/storage"
)

// Pinned makes a data folder with a connection "mine" that was accepted with the
// manifest of the guest credentialed, so that no module is needed. Its store stays open.
func Pinned(t *testing.T, checkout, dir string) *storage.Store {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(checkout, "testplugins", "guests", "credentialed", "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	store, err := storage.Open(t.Context(), storage.Options{Path: filepath.Join(dir, "pdpp.sqlite"), Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	conn, err := store.EnsureConnection(t.Context(), "mine", "credentialed")
	if err == nil {
		err = store.PinPlugin(t.Context(), conn.ID, "abc", raw)
	}
	if err != nil {
		t.Fatal(err)
	}
	return store
}
