package storage

import (
	"os"
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

// On a full disk the log takes what room there is, a beat of who serves after the other. It is
// folded back when it finds no more, and the next transaction has that room again.
func TestFullDiskFoldsItsLog(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "mode=700,size=8m"); err != nil {
		t.Skipf("LEFT OUT: a small disk cannot be mounted here: %v", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
	s := mustOpen(t, Options{Path: filepath.Join(dir, "pdpp.sqlite"), Now: time.Now})
	serve := func() error {
		_, err := s.Serve(t.Context(), "me", time.Minute, func(string) bool { return true })
		return err
	}
	if err := serve(); err != nil {
		t.Fatal(err)
	}
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "others"), make([]byte, st.Bavail*uint64(st.Bsize)-400<<10), 0o600); err != nil {
		t.Fatal(err)
	}
	full := 0
	for range 100 {
		err := serve()
		if abi.CodeOf(err) == abi.CodeStoreFull {
			full++
			err = serve()
		}
		if err != nil {
			t.Fatalf("after %d times without room: %v, want room where the log was folded back", full, err)
		}
	}
	if full == 0 || s.Refuses() != "" {
		t.Errorf("the disk was full %d times, and the store says %q, want a full disk and a store that takes writes", full, s.Refuses())
	}
}
