package home

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

var now = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// A copy of a data folder is told at its first start, on the same machine and on another one; a folder that was
// moved, or has another name, is none.
func TestACopyIsTold(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		what    string
		machine string // of the second start; the first is on m1
		prepare func(t *testing.T, first, second string)
		copied  bool
	}{
		{"a copy", "m1", copyFolder, true},
		{"a copy on another machine", "m2", moveFolder, true},
		{"a copy at a machine that has no id", "", copyFolder, true},
		{"a folder that was moved", "m1", moveFolder, false},
		{"another name of the folder", "m1", func(t *testing.T, first, second string) {
			t.Helper()
			if err := os.Symlink(first, second); err != nil {
				t.Skip(err)
			}
		}, false},
		{"a new folder", "m1", func(t *testing.T, _, second string) {
			t.Helper()
			if err := os.Mkdir(second, 0o700); err != nil {
				t.Fatal(err)
			}
		}, false},
		{"a copy whose home cannot be read", "m2", func(t *testing.T, first, second string) {
			t.Helper()
			copyFolder(t, first, second)
			if err := os.WriteFile(filepath.Join(second, fileName), []byte("{"), 0o600); err != nil {
				t.Fatal(err)
			}
		}, false},
	} {
		t.Run(c.what, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			first, second := filepath.Join(dir, "first"), filepath.Join(dir, "second")
			if err := os.Mkdir(first, 0o700); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				if from, err := Settle(first, "m1", now); err != nil || from != nil {
					t.Fatalf("the first folder: got %v, %v, want no copy", from, err)
				}
			}
			c.prepare(t, first, second)
			from, err := Settle(second, c.machine, now)
			if err != nil || (from != nil) != c.copied || from != nil && from.Machine != "m1" {
				t.Errorf("got %v, %v, want it told as a copy: %v", from, err, c.copied)
			}
			if from, err := Settle(second, c.machine, now); err != nil || from != nil {
				t.Errorf("its second start: got %v, %v, want nothing told again", from, err)
			}
			h, err := Of(second)
			if err != nil || h == nil || (h.CopyOf != nil) != c.copied || !h.Since.Equal(now) {
				t.Errorf("got %+v, %v, want its home, of a copy: %v", h, err, c.copied)
			}
		})
	}
}

func copyFolder(t *testing.T, first, second string) {
	t.Helper()
	if err := os.CopyFS(second, os.DirFS(first)); err != nil {
		t.Fatal(err)
	}
}

func moveFolder(t *testing.T, first, second string) {
	t.Helper()
	if err := os.Rename(first, second); err != nil {
		t.Fatal(err)
	}
}

// A folder that was never served has no home.
func TestNoHome(t *testing.T) {
	t.Parallel()
	if h, err := Of(t.TempDir()); h != nil || err != nil {
		t.Errorf("got %v, %v, want none", h, err)
	}
}
