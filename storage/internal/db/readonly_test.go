package db

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// A store on read-only media says so, and what to do.
func TestReadOnlyFolder(t *testing.T) {
	t.Parallel()
	if !readOnly(&fs.PathError{Op: "open", Path: "x", Err: syscall.EROFS}) || readOnly(syscall.ENOSPC) {
		t.Error("causes are told apart wrongly")
	}
	e := readOnlyFolder("/media/pdpp/pdpp.sqlite", &fs.PathError{Op: "open", Path: "x", Err: syscall.EROFS})
	if e.Code != abi.CodeStoreUnavailable || !strings.Contains(e.Message, "read-only") || !strings.Contains(e.Hint, "--data-dir") ||
		!strings.HasPrefix(e.Detail, "/media/pdpp: ") {
		t.Errorf("got %+v, want the folder in the detail", e)
	}
	if os.Getuid() == 0 {
		t.Skip("modes do not hold for the superuser")
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	_, err := Open(context.Background(), Options{Path: filepath.Join(dir, "pdpp.sqlite"), Now: time.Now})
	var got *abi.Error
	if !errors.As(err, &got) || got.Message != e.Message {
		t.Errorf("got %v, want %s", err, e.Message)
	}
}
