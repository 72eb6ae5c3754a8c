package books

import (
	"path/filepath"
	"syscall"
	"testing"
)

// The kind of a file is not asked of anything else that took its place: a named pipe could make
// the host wait.
func TestKindOfNoFile(t *testing.T) {
	t.Parallel()
	root := folder(t, "sub/a")
	if err := syscall.Mkfifo(filepath.Join(root.Name(), "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"sub": "", "pipe": "", "sub/a": KindJSON} {
		if got := kindOf(root, name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}
