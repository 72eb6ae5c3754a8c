package blank

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/pdpp-host/pdpp-host/testplugins/rig/tree"
)

// first is the file of the store that the others are copies of.
var first struct {
	once sync.Once
	text []byte
	err  error
}

// Store puts a store at path unless a file is there. create makes the first one: it is the same
// for all tests of a binary, and of a test run.
func Store(t testing.TB, path string, create func(path string) error) {
	t.Helper()
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return
	}
	first.once.Do(func() { first.text, first.err = firstOf(create) })
	if first.err != nil {
		t.Fatal(first.err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, first.text, 0o600); err != nil {
		t.Fatal(err)
	}
}

func firstOf(create func(path string) error) (text []byte, err error) {
	dir, err := os.MkdirTemp("", "pdpp-blank-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	path := filepath.Join(dir, "blank.sqlite")
	if err := tree.Share(path, "blank", create); err != nil {
		return nil, err
	}
	return os.ReadFile(path) //nolint:gosec // it was made above
}
