package atomicfile_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/pdpp-host/pdpp-host/host/atomicfile"
)

func TestWrite(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "a.json")
	for _, want := range []string{"one", "", "three"} {
		if err := atomicfile.Write(path, []byte(want)); err != nil {
			t.Fatalf("writing %q: got %v, want nil", want, err)
		}
		if got, err := os.ReadFile(path); string(got) != want || err != nil {
			t.Errorf("got %q, %v, want %q", got, err, want)
		}
	}
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode() != 0o600 {
		t.Errorf("got %v, %v, want a file of its owner's alone", info.Mode(), err)
	}
	only(t, dir, "a.json")
}

// A failed write leaves no file behind, and the old one in its place.
func TestWriteFails(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "taken")
	if err := os.MkdirAll(filepath.Join(path, "inside"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.Write(path, []byte("x")); err == nil {
		t.Error("over a folder: got nil, want an error")
	}
	if err := atomicfile.Write(filepath.Join(dir, "none", "a"), []byte("x")); err == nil {
		t.Error("in no folder: got nil, want an error")
	}
	only(t, dir, "taken")
}

func only(t *testing.T, dir, want string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 || entries[0].Name() != want {
		t.Errorf("the folder has %v, %v, want %s alone", entries, err, want)
	}
}
