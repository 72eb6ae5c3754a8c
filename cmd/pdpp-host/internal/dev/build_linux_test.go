package dev

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// An author who ends a round while it builds is not told that the module does not build.
//
//nolint:paralleltest // it replaces the compiler
func TestBuildIsInterrupted(t *testing.T) {
	bin, dir := t.TempDir(), t.TempDir()
	started := filepath.Join(bin, "started")
	if err := syscall.Mkfifo(started, 0o600); err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{
		filepath.Join(bin, "go"):            "#!/bin/sh\necho >" + started + "\nexec sleep 60\n",
		filepath.Join(dir, "manifest.json"): `{"connector_key":"demo"}`,
	} {
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil { //nolint:gosec // a program
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := Do(ctx, Options{Dir: dir})
		ended <- err
	}()
	if _, err := os.ReadFile(started); err != nil { //nolint:gosec // of this test
		t.Error(err)
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want that it was interrupted", err)
	}
}
