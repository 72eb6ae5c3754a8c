//go:build unix

package db

import (
	"context"
	"errors"
	"io/fs"
	"os"
	osexec "os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// A process that may open no more files says so, and not that a folder is missing. It is a process
// of its own, which opens a store until it can no more.
func TestStoreWithoutDescriptors(t *testing.T) {
	t.Parallel()
	const variable = "PDPP_TEST_STORE_WITHOUT_DESCRIPTORS"
	if path := os.Getenv(variable); path != "" {
		openWithoutDescriptors(t, path)
		return
	}
	cmd := osexec.Command(os.Args[0], "-test.run=^TestStoreWithoutDescriptors$")
	cmd.Env = append(os.Environ(), variable+"="+filepath.Join(t.TempDir(), "pdpp.sqlite"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// openWithoutDescriptors opens a store while ever more descriptors are free, until it opens.
func openWithoutDescriptors(t *testing.T, path string) {
	t.Helper()
	open := func() error {
		d, err := Open(context.Background(), Options{Path: path, Now: time.Now})
		if err == nil {
			err = d.Close()
		}
		return err
	}
	if err := open(); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: 64, Max: 64}); err != nil {
		t.Fatal(err)
	}
	var kept []*os.File
	for {
		f, err := os.Open(os.DevNull)
		if err != nil {
			break
		}
		kept = append(kept, f)
	}
	for free := range 8 { // from the first open that fails to the first that does not
		for _, f := range kept[:free] {
			_ = f.Close()
		}
		err := open()
		if err == nil {
			break
		}
		if e, ok := errors.AsType[*abi.Error](err); !ok || e.Code != abi.CodeStoreUnavailable || !strings.Contains(e.Message, "no more files") || !strings.Contains(e.Hint, "ulimit -n") {
			t.Errorf("%d free: got %v, want that no more files may be opened", free, err)
		}
	}
}

// A folder of another user is told as one, with both users. One on read-only media stays that,
// whoever owns it; and so does one's own.
func TestFolderOfAnotherUser(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "deeper", "pdpp.sqlite")
	says := func(cause syscall.Errno) string {
		return readOnlyFolder(path, &fs.PathError{Op: "open", Path: path, Err: cause}).Error()
	}
	if got := says(syscall.EACCES); strings.Contains(got, "another user") {
		t.Errorf("one's own folder: got %s", got)
	}
	if os.Geteuid() != 0 {
		t.Skip("only the superuser gives a folder away")
	}
	if err := os.Chown(dir, 65534, 65534); err != nil {
		t.Fatal(err)
	}
	if got := says(syscall.EACCES); !strings.Contains(got, "belongs to another user") || !strings.Contains(got, "65534") || !strings.Contains(got, dir) {
		t.Errorf("got %s, want the folder and whose it is", got)
	}
	if got := says(syscall.EROFS); strings.Contains(got, "another user") || !strings.Contains(got, "read-only") {
		t.Errorf("read-only media: got %s", got)
	}
}
