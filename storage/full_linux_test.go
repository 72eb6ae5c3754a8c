package storage

import (
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pdpp-host/pdpp-host/abi"
)

// A disk that has room for the file and none for what lies beside it is full, and
// not broken.
func TestNearlyFullDisk(t *testing.T) {
	t.Parallel()
	for _, size := range []string{"4k", "12k", "16k", "24k", "64k", "400k"} {
		dir := t.TempDir()
		if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "mode=700,size="+size); err != nil {
			t.Skipf("LEFT OUT: a small disk cannot be mounted here: %v", err)
		}
		t.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
		s, err := Open(t.Context(), Options{Path: filepath.Join(dir, "pdpp.sqlite"), Now: time.Now})
		if err == nil {
			_ = s.Close()
		}
		if got := abi.CodeOf(err); got != abi.CodeStoreFull {
			t.Errorf("a store on %s of disk: %v, want %s", size, err, abi.CodeStoreFull)
		}
	}
}
