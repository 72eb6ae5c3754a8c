package profile

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// browser.max: there are as many slots as are asked for; who finds none waits, gets the first that
// is free, or has to come again.
func TestSlots(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "profiles")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	take := func(ctx context.Context, n int, wait time.Duration) (*os.File, error) {
		f, err := Slot(ctx, dir, n, wait)
		if f != nil {
			t.Cleanup(func() { _ = f.Close() })
		}
		return f, err
	}
	one, err := take(t.Context(), 2, 0)
	if err != nil {
		t.Fatalf("the first: got %v, want it", err)
	}
	if _, err := take(t.Context(), 2, 0); err != nil {
		t.Fatalf("the second: got %v, want it", err)
	}
	if _, err := take(t.Context(), 2, time.Millisecond); abi.CodeOf(err) != abi.CodeBrowserSlots || !abi.BrowserRetryable(abi.CodeOf(err)) {
		t.Errorf("the third: got %v, want %s, for another time", err, abi.CodeBrowserSlots)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := take(ctx, 2, time.Hour); err == nil || abi.CodeOf(err) == abi.CodeBrowserSlots {
		t.Errorf("a run that ends while it waits: got %v, want its end", err)
	}
	got := make(chan error, 1)
	go func() {
		_, err := take(t.Context(), 2, time.Minute)
		got <- err
	}()
	if err := one.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-got; err != nil {
		t.Errorf("once one is free: got %v, want it", err)
	}
	if _, err := take(t.Context(), 3, 0); err != nil {
		t.Errorf("where there are three: got %v, want it", err)
	}
}

// BR-18.1: profiles are listed with their sizes; what is none, and what a link leads to, is not
// counted.
func TestSizes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if got, err := Sizes(filepath.Join(dir, "none")); err != nil || len(got) != 0 {
		t.Errorf("no folder: got %v, %v, want none", got, err)
	}
	for file, size := range map[string]int{"a-1/Default/Cookies": 3, "a-1/Local State": 4, "b/x": 1, ".locks/a-1": 7, ".sessions/a-1": 7, "file": 9} {
		path := filepath.Join(dir, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, make([]byte, size), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(dir, "file"), filepath.Join(dir, "b", "link")); err != nil && runtime.GOOS != "windows" {
		t.Fatal(err)
	}
	got, err := Sizes(dir)
	if want := []Size{{"a-1", 7}, {"b", 1}}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
}
