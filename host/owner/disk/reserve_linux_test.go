package disk

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// A reserve is a sixteenth of a small disk. A run cannot have the bytes that it gives back.
// It is made again once there is room.
func TestReserve(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "mode=700,size=64m"); err != nil {
		t.Skipf("LEFT OUT: a small disk cannot be mounted here: %v", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
	store := filepath.Join(dir, "pdpp.sqlite")
	holds := func(when string, full bool, size uint64) {
		t.Helper()
		info, err := os.Stat(filepath.Join(dir, reserveName))
		if got := Full(dir, store); got != full || err != nil || uint64(info.Size()) != size {
			t.Errorf("%s: full %t, reserve %v, %v, want %t and %d bytes", when, got, info, err, full, size)
		}
	}
	keep := func() {
		t.Helper()
		if err := Keep(dir); err != nil {
			t.Fatal(err)
		}
	}
	if GiveBack(dir) {
		t.Error("got a reserve given back where there is none")
	}
	keep()
	holds("made", false, 4<<20)
	others, err := os.Create(filepath.Join(dir, "others"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = others.Close() }()
	if err := allocate(others, 58<<20); err != nil {
		t.Fatal(err)
	}
	holds("2 MB are left", true, 4<<20)
	if !GiveBack(dir) || GiveBack(dir) {
		t.Error("got no reserve once, or one twice")
	}
	keep()
	holds("6 MB are left, of which 4 were reserved", true, 0)
	if err := others.Truncate(52 << 20); err != nil {
		t.Fatal(err)
	}
	keep()
	holds("12 MB are left", false, 0)
	if err := others.Truncate(40 << 20); err != nil {
		t.Fatal(err)
	}
	keep()
	holds("24 MB are left", false, 4<<20)
}
