package main

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi/manifest"
	"github.com/pdpp-host/pdpp-host/storage"
)

// pinned makes a data folder with a connection that was accepted with the test
// connector's manifest, so that no module is needed.
func pinned(t *testing.T, dir string) *storage.Store {
	t.Helper()
	raw, err := os.ReadFile("../../testplugins/guests/credentialed/manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := manifest.Parse(raw); err != nil {
		t.Fatal(err)
	}
	store, err := storage.Open(t.Context(), storage.Options{Path: filepath.Join(dir, "pdpp.sqlite"), Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	conn, err := store.EnsureConnection(t.Context(), "mine", "credentialed")
	if err == nil {
		err = store.PinPlugin(context.WithoutCancel(t.Context()), conn.ID, "abc", raw)
	}
	if err != nil {
		t.Fatal(err)
	}
	return store
}
