package plugin

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// A disk without room for compiled code refuses the cache, and not the module. Nothing is left of
// what was written, so that the next run finds no half of it, and has the room.
func TestCacheOnAFullDisk(t *testing.T) {
	t.Parallel()
	f := connector(seq(zero, i32(3), call("emit"), drop)).file()
	for _, mode := range []string{IsolationProcess, IsolationInline} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "mode=700,size=4k"); err != nil {
				t.Skipf("LEFT OUT: a small disk cannot be mounted here: %v", err)
			}
			t.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
			if err := os.WriteFile(filepath.Join(dir, "others"), make([]byte, 4<<10), 0o600); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				h := &scripted{}
				if exit := collect(t, Options{Isolation: mode, CacheDir: dir, Limits: testLimits()}, f, Grant{}, h); exit.Err != nil || h.emits != 1 {
					t.Fatalf("got %+v, want a record on a full disk", exit)
				}
				if left, err := filepath.Glob(filepath.Join(dir, "*-*")); err != nil || len(left) > 0 {
					t.Errorf("got %v, %v, want nothing left in the cache", left, err)
				}
			}
		})
	}
}
