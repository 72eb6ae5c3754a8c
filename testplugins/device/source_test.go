package device

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/pdpp-host/pdpp-host/testplugins/generate/corpus"
)

// fill writes about size bytes of an example home of Claude Code.
func fill(t *testing.T, folder string, seed uint64, size int64) {
	t.Helper()
	if _, err := corpus.Write(corpus.Options{Kind: "claude_code", Bytes: size, Dir: folder, Seed: seed}); err != nil {
		t.Fatal(err)
	}
}

// grow adds the files of another seed, and leaves the existing ones unchanged.
func grow(t *testing.T, folder string, seed uint64, size int64) {
	t.Helper()
	more := filepath.Join(filepath.Dir(folder), "more")
	fill(t, more, seed, size)
	moved := 0
	err := filepath.WalkDir(more, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(more, path)
		if err != nil {
			return err
		}
		to := filepath.Join(folder, rel)
		if _, err := os.Lstat(to); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		moved++
		if err := os.MkdirAll(filepath.Dir(to), 0o750); err != nil {
			return err
		}
		return os.Rename(path, to)
	})
	if err = errors.Join(err, os.RemoveAll(more)); err != nil || moved == 0 {
		t.Fatalf("%d files moved, %v, want not 0", moved, err)
	}
}

// write puts a file into a folder.
func write(t *testing.T, folder, rel, text string) {
	t.Helper()
	path := filepath.Join(folder, rel)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o750), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
}

func mustRemove(t *testing.T, path string) {
	t.Helper()
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
}
