package storage

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pdpp-host/pdpp-host/abi"
)

// closed makes dir read-only: by its modes, and for root, whom they do not stop, as a
// file system of its own.
func closed(t *testing.T, fill func(dir string)) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "data")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() != 0 {
		fill(dir)
		for _, f := range folder(t, dir) {
			if err := os.Chmod(filepath.Join(dir, f), 0o444); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Chmod(dir, 0o555); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.Chmod(dir, 0o700) })
		return dir
	}
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "mode=700"); err != nil {
		t.Skipf("LEFT OUT: root writes to every folder, and none can be mounted read-only here: %v", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
	fill(dir)
	if err := unix.Mount("tmpfs", dir, "tmpfs", unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	return dir
}

func folder(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// A read-only data folder can be read: as it stands, with a log that was not folded
// back, and with an older schema. A write fails and says why.
func TestReadOnlyFolderIsRead(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		files  []string // that are taken along
		change string
		fixed  bool
	}{
		"closed well":        {fixed: true},
		"with its log":       {files: []string{"", "-wal"}},
		"with log and index": {files: []string{"", "-wal", "-shm"}},
		"of an older format": {change: "UPDATE evidence SET format = 1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := closed(t, func(dir string) {
				from := filepath.Join(t.TempDir(), "pdpp.sqlite")
				x := &exercise{T: t, s: mustOpen(t, Options{Path: from})}
				w := x.begin("c")
				x.put(w, 0, `a={"id":"a"}`, `b={"id":"b"}`)
				x.finish(w)
				if c.change != "" {
					rawSQL(t, from, c.change)
				}
				if c.files == nil {
					c.files = []string{""}
					x.ok(x.s.Close())
				}
				for _, end := range c.files {
					text, err := os.ReadFile(from + end)
					x.ok(err)
					x.ok(os.WriteFile(filepath.Join(dir, "pdpp.sqlite"+end), text, 0o600))
				}
			})
			before := strings.Join(folder(t, dir), " ")
			path := filepath.Join(dir, "pdpp.sqlite")
			s, err := OpenToRead(t.Context(), Options{Path: path, Now: time.Now})
			if err != nil {
				t.Fatalf("reading it: got %v, want no error", err)
			}
			if records, err := s.Records(t.Context(), "c", "a", RecordQuery{}); err != nil || len(records) != 2 {
				t.Errorf("got %d records and %v, want 2", len(records), err)
			}
			if e, err := s.EvidenceOf(t.Context(), "c"); err != nil || len(e.Facts.Unreadable) > 0 {
				t.Errorf("got evidence %+v and %v, want one that is readable, and no error", e, err)
			}
			if fixed := s.Path() == path; fixed != c.fixed {
				t.Errorf("read where it is: %v, want %v", fixed, c.fixed)
			}
			if c.fixed {
				if _, err := s.EnsureConnection(t.Context(), "new", "demo"); abi.CodeOf(err) != abi.CodeStoreUnavailable {
					t.Errorf("a write: got %v, want %s", err, abi.CodeStoreUnavailable)
				}
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			if _, err := os.Stat(s.Path()); s.Path() != path && err == nil {
				t.Errorf("a copy was left in %s", s.Path())
			}
			if after := strings.Join(folder(t, dir), " "); after != before {
				t.Errorf("the folder: got %s, want %s as before", after, before)
			}
			s, err = Open(t.Context(), Options{Path: path, Now: time.Now})
			if err == nil { // SQLite reads a log whose index is there
				_, err = s.EnsureConnection(t.Context(), "new", "demo")
				_ = s.Close()
			}
			if abi.CodeOf(err) != abi.CodeStoreUnavailable || !strings.Contains(err.Error(), "read-only") {
				t.Errorf("opened to be written: got %v, want a read-only folder", err)
			}
		})
	}
}

// Nothing is made where there is nothing to read.
func TestMissingStoreIsRead(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "none")
	s, err := OpenToRead(t.Context(), Options{Path: filepath.Join(dir, "pdpp.sqlite"), Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	if all, err := s.Connections(t.Context()); err != nil || len(all) > 0 {
		t.Errorf("got %d connections and %v, want none", len(all), err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("the folder was made")
	}
}

// A store that is shown takes no write, neither where it lies nor in a copy, which would be lost with
// it, and says why.
func TestReadOnlyFolderIsShown(t *testing.T) {
	t.Parallel()
	why := abi.NewError(abi.CodeStoreFull, "no space left for the store", "free disk space")
	for name, fill := range map[string]func(dir string){
		"none": func(string) {},
		"one with its log": func(dir string) {
			from := filepath.Join(t.TempDir(), "pdpp.sqlite")
			x := &exercise{T: t, s: mustOpen(t, Options{Path: from})}
			w := x.begin("c")
			x.put(w, 0, `a={"id":"a"}`)
			x.finish(w)
			for _, end := range []string{"", "-wal"} {
				text, err := os.ReadFile(from + end)
				x.ok(err)
				x.ok(os.WriteFile(filepath.Join(dir, "pdpp.sqlite"+end), text, 0o600))
			}
		},
		"one that was closed": func(dir string) {
			s, err := Open(t.Context(), Options{Path: filepath.Join(dir, "pdpp.sqlite"), Now: time.Now})
			if err == nil {
				err = s.Close()
			}
			if err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := OpenToShow(t.Context(), Options{Path: filepath.Join(closed(t, fill), "pdpp.sqlite"), Now: time.Now}, why)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = s.Close() }()
			if _, err := s.EnsureConnection(t.Context(), "new", "demo"); !errors.Is(err, why) || s.Refuses() != abi.CodeStoreFull {
				t.Errorf("a write: got %v, and %q of the store, want why it is shown", err, s.Refuses())
			}
			if all, err := s.Connections(t.Context()); err != nil || slices.ContainsFunc(all, func(c Connection) bool { return c.Name == "new" }) {
				t.Errorf("got the connections %v, %v, want those that were there", all, err)
			}
			w, err := s.Watch(t.Context())
			if err == nil {
				err = w.Close()
			}
			if err != nil {
				t.Errorf("watching it: %v", err)
			}
		})
	}
}
