package browser

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// BR-06: a start removes what killed hosts have left, and nothing else: not what is in use, what
// is not a browser's, and what somebody has put there to be removed or opened.
func TestSweep(t *testing.T) {
	t.Parallel()
	dir, elsewhere := t.TempDir(), t.TempDir()
	alive, err := makeTemp(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = alive.remove() })
	left, err := makeTemp(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := left.held.Close(); err != nil { // as the end of its process does
		t.Fatal(err)
	}
	folder := func(name string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.Mkdir(path, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write := func(path string) string {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	target := write(filepath.Join(elsewhere, heldFile))
	stay := []string{alive.path, folder("pdpp-other", 0o700), folder("other", 0o700), target}
	write(filepath.Join(dir, "other", heldFile))
	open := folder("pdpp-open", 0o755)
	write(filepath.Join(open, heldFile))
	linked := folder("pdpp-linked", 0o700)
	if err := os.Symlink(target, filepath.Join(linked, heldFile)); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, filepath.Join(dir, "pdpp-link")); err != nil {
		t.Fatal(err)
	}
	pipe := folder("pdpp-pipe", 0o700)
	if err := syscall.Mkfifo(filepath.Join(pipe, heldFile), 0o600); err != nil { // opening it would wait
		t.Fatal(err)
	}
	sweep(dir)
	for _, path := range append(stay, open, linked, pipe, filepath.Join(dir, "pdpp-link")) {
		if _, err := os.Lstat(path); err != nil {
			t.Errorf("%s: got %v, want it left alone", path, err)
		}
	}
	if _, err := os.Lstat(left.path); !os.IsNotExist(err) {
		t.Errorf("%s: got %v, want it gone", left.path, err)
	}
}
