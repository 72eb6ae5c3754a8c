package dev

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestWatch(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name string) {
		at := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o700), os.WriteFile(at, []byte(name), 0o600)); err != nil {
			t.Error(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	rounds := 0
	// Each round makes the change that the next one is for: the last is in a folder that was
	// made while it watched.
	err := Watch(ctx, []string{dir}, func() error {
		switch rounds++; rounds {
		case 1:
			write("collect.go")
		case 2:
			write(".pdpp-dev/my.wasm") // counts for nothing, beside a folder that does
			write("deep/er/a.txt")
		case 3:
			write("deep/er/a.txt")
		default:
			cancel()
		}
		return nil
	})
	if err != nil || rounds != 4 {
		t.Errorf("got %d rounds (%v), want 4", rounds, err)
	}
	broken := errors.New("broken")
	if err := Watch(t.Context(), []string{dir}, func() error { return broken }); !errors.Is(err, broken) {
		t.Errorf("got %v, want what the round returned", err)
	}
	if err := Watch(t.Context(), []string{filepath.Join(dir, "none")}, func() error { return nil }); err == nil {
		t.Error("got no error for a folder that is not there, want one")
	}
}

func TestHidden(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]bool{
		"/a/collect.go": false, "/a/manifest.json": false, "/a/.pdpp-dev": true, "/a/my.wasm": true, "/a/collect.go~": true, "/a/.collect.go.swp": true, "/a/4913": true,
	} {
		if got := hidden(path); got != want {
			t.Errorf("%s is hidden: %v, want %v", path, got, want)
		}
	}
}
