package disk

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func smallDisk(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "mode=700,size=64m"); err != nil {
		t.Skipf("LEFT OUT: a small disk cannot be mounted here: %v", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
	return dir
}

// A reserve is a sixteenth of a small disk. A run cannot have the bytes that it gives back.
// It is made again once there is room.
func TestReserve(t *testing.T) {
	t.Parallel()
	dir := smallDisk(t)
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
	if GiveBack(dir, "") {
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
	for _, what := range []string{"the reserve", "the room that it gave back a moment before"} {
		if !GiveBack(dir, "") {
			t.Errorf("%s: got nothing", what)
		}
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

// On a full disk without a reserve the compiled modules are given back: they alone, where they
// lie on that disk, and not for runs. Room that was used up is not given back again.
func TestCompiledModulesAreGivenBack(t *testing.T) {
	t.Parallel()
	dir := smallDisk(t)
	cache := filepath.Join(dir, "cache")
	compiled := filepath.Join(cache, strings.Repeat("0a", 32)+"-worker")
	own := filepath.Join(cache, "notes")
	elsewhere := filepath.Join(t.TempDir(), strings.Repeat("0a", 32))
	for _, folder := range []string{compiled, own, elsewhere} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	fill := func(name string, size uint64) *os.File {
		t.Helper()
		f, err := os.Create(name)
		if err == nil {
			err = allocate(f, size)
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = f.Close() })
		return f
	}
	if err := fill(filepath.Join(compiled, "module"), 6<<20).Close(); err != nil {
		t.Fatal(err)
	}
	free, _ := Free(dir)
	others := fill(filepath.Join(dir, "others"), free)
	if GiveBack(dir, filepath.Dir(elsewhere)) || GiveBack(dir, "") || GiveBack(dir, own) {
		t.Error("got something given back that is not there, or on another disk")
	}
	if _, err := os.Stat(elsewhere); err != nil {
		t.Errorf("the cache of another disk: %v, want it as it was", err)
	}
	if !GiveBack(dir, cache) {
		t.Error("nothing was given back")
	}
	if _, err := os.Stat(own); err != nil {
		t.Errorf("what is no compiled module: %v, want it as it was", err)
	}
	free, _ = Free(dir)
	if !Full(dir, filepath.Join(dir, "pdpp.sqlite")) || free < 6<<20 {
		t.Errorf("%d bytes are free, want 6 MB, and no run that has them", free)
	}
	fill(filepath.Join(dir, "more"), free)
	if GiveBack(dir, cache) {
		t.Error("got something given back that was used up")
	}
	if err := others.Truncate(0); err != nil {
		t.Fatal(err)
	}
	if Full(dir, filepath.Join(dir, "pdpp.sqlite")) {
		t.Error("it is full, want room for runs")
	}
}
