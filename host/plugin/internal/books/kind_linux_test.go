package books

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
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

// A pipe that the guest names is one of the files that were not read, like a link.
func TestAPipeThatIsNamed(t *testing.T) {
	t.Parallel()
	root := folder(t)
	if err := syscall.Mkfifo(filepath.Join(root.Name(), "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	b := New(Rule{}, later())
	b.Root("r")
	say(b, "pipe", abi.FileKnown, "unreadable")
	if r := b.Close(map[string]*os.Root{"r": root}, later); len(r.Amiss) != 1 || r.Amiss[0].Path != "pipe" || len(r.Open) != 0 {
		t.Errorf("got %+v and %q, want the pipe and nothing else", r.Amiss, r.Open)
	}
}
