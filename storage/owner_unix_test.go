//go:build unix

package storage

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// A data folder, a store or its log that everybody can write to, or that is another
// user's, is not opened, and nothing in it is changed. One that a group can write to, as
// a umask of 002 makes it and a copy of it keeps it, is opened, and the group's right ends.
func TestOwnerIsCheckedAtOpen(t *testing.T) {
	t.Parallel()
	const another = 54321
	for _, tc := range []struct {
		name   string
		change func(dir, file string) error
		want   abi.Code
	}{
		{"as it was made", func(string, string) error { return nil }, ""},
		{"others read it", func(_, file string) error { return os.Chmod(file, 0o644) }, ""}, // which is taken from them
		{"everybody writes to the folder", func(dir, _ string) error { return os.Chmod(dir, 0o777) }, abi.CodeStoreUnsafe},
		{"everybody writes to the store", func(_, file string) error { return os.Chmod(file, 0o666) }, abi.CodeStoreUnsafe},
		{"a group writes to the folder", func(dir, _ string) error { return os.Chmod(dir, 0o2775) }, ""},
		{"a group writes to the store", func(_, file string) error { return os.Chmod(file, 0o664) }, ""},
		{"a group writes to the log", func(_, file string) error {
			return errors.Join(os.WriteFile(file+"-wal", nil, 0o600), os.Chmod(file+"-wal", 0o664))
		}, ""},
		{"another user's folder", func(dir, _ string) error { return os.Chown(dir, another, -1) }, abi.CodeStoreUnsafe},
		{"another user's store", func(_, file string) error { return os.Chown(file, another, -1) }, abi.CodeStoreUnsafe},
		{"another user's log", func(_, file string) error {
			if err := os.WriteFile(file+"-wal", nil, 0o600); err != nil {
				return err
			}
			return os.Chown(file+"-wal", another, -1)
		}, abi.CodeStoreUnsafe},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "data")
			file := filepath.Join(dir, "pdpp.sqlite")
			s, err := Open(t.Context(), Options{Path: file, Now: time.Now})
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			if err := tc.change(dir, file); err != nil {
				t.Skip("only root gives a file away:", err)
			}
			s, err = Open(t.Context(), Options{Path: file, Now: time.Now})
			if err == nil {
				_ = s.Close()
			}
			if (err != nil || tc.want != "") && abi.CodeOf(err) != tc.want {
				t.Errorf("opened: %v, want %q", err, tc.want)
			}
			if tc.want != "" {
				return
			}
			for _, path := range []string{dir, file} {
				if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o022 != 0 {
					t.Errorf("%s has mode %v, want one that nobody else can write to (%v)", path, info.Mode(), err)
				}
			}
		})
	}
}

// The advice for a folder that all users share is not to take the others' right away.
func TestSharedFolderIsLeftAlone(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "tmp")
	if err := errors.Join(os.Mkdir(dir, 0o700), os.Chmod(dir, 0o777|os.ModeSticky)); err != nil {
		t.Fatal(err)
	}
	_, err := Open(t.Context(), Options{Path: filepath.Join(dir, "pdpp.sqlite"), Now: time.Now})
	if refusal, ok := errors.AsType[*abi.Error](err); !ok || refusal.Code != abi.CodeStoreUnsafe || strings.Contains(refusal.Hint, "chmod") {
		t.Errorf("got %v, want %s with other advice than chmod", err, abi.CodeStoreUnsafe)
	}
}
