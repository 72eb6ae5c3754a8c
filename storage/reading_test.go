package storage

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/pgtest"
)

// A reader brings no store up to date, nor does a copy its source: an older one is refused by a word of
// its own, which names the command that does. After that command it is read.
func TestReadingMigratesNothing(t *testing.T) {
	t.Parallel()
	for name, older := range map[string][]string{
		"of an older schema":             {"DROP TABLE passkeys", "DELETE FROM schema_migrations WHERE version = 82"},
		"of older rows":                  {"UPDATE evidence SET format = 1"},
		"of an older schema and by rows": {"DROP TABLE passkeys", "DELETE FROM schema_migrations WHERE version = 82", "UPDATE evidence SET format = 1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "pdpp.sqlite")
			s := opened(t, path)
			if _, err := s.EnsureConnection(t.Context(), "c", "demo"); err != nil {
				t.Fatal(err)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			rawSQL(t, path, older...)
			before, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			refusedAsOlder(t, path)
			to := filepath.Join(t.TempDir(), "copy.sqlite")
			if _, err := Copy(t.Context(), CopyOptions{From: path, To: to, Now: time.Now}); abi.CodeOf(err) != CodeOlder {
				t.Errorf("a copy of it: got %v, want %s", err, CodeOlder)
			}
			after, err := os.ReadFile(path)
			if err != nil || string(after) != string(before) {
				t.Errorf("the file was changed, %v, want it as it was", err)
			}
			shown, err := OpenToShow(t.Context(), Options{Path: path, Now: time.Now}, abi.NewError(abi.CodeStoreFull, "no room", "make room"))
			if err != nil {
				t.Fatalf("shown on a full disk: got %v, want no error", err)
			}
			if all, err := shown.Connections(t.Context()); err != nil || len(all) != 1 || shown.Path() == path {
				t.Errorf("shown on a full disk: got %v, %v of %s, want one connection of a copy", all, err, shown.Path())
			}
			if err := shown.Close(); err != nil {
				t.Error(err)
			}
			if err := opened(t, path).Close(); err != nil {
				t.Error(err)
			}
			s, err = OpenToRead(t.Context(), Options{Path: path, Now: time.Now})
			if err != nil {
				t.Fatalf("brought up to date: got %v, want no error", err)
			}
			if all, err := s.Connections(t.Context()); err != nil || len(all) != 1 {
				t.Errorf("brought up to date: got %v, %v, want one connection", all, err)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// A file for whose schema there was no room is read as one that is not there.
func TestReadingMakesNoSchema(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "pdpp.sqlite")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := OpenToRead(t.Context(), Options{Path: path, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	if all, err := s.Connections(t.Context()); err != nil || len(all) > 0 {
		t.Errorf("got %v, %v, want no connection", all, err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(path); err != nil || info.Size() > 0 {
		t.Errorf("got %v, %v, want the file as it was", info, err)
	}
}

// FL-05: as TestReadingMigratesNothing, on a server.
func TestServerIsMigratedByNoReader(t *testing.T) {
	t.Parallel()
	dsn := pgtest.Database(t, nil)
	x := &exercise{T: t, s: opened(t, dsn)}
	if _, err := x.s.EnsureConnection(t.Context(), "c", "demo"); err != nil {
		t.Fatal(err)
	}
	x.ok(x.s.Close())
	for what, older := range map[string]string{
		"an older schema": "DROP TABLE passkeys; DELETE FROM schema_migrations WHERE version = 82",
		"older rows":      "UPDATE evidence SET format = 1",
	} {
		x.ok(pgtest.Run(dsn, older))
		refusedAsOlder(t, dsn)
		if _, err := Copy(t.Context(), CopyOptions{From: dsn, To: filepath.Join(t.TempDir(), "copy.sqlite"), Now: time.Now}); abi.CodeOf(err) != CodeOlder {
			t.Errorf("%s: a copy: got %v, want %s", what, err, CodeOlder)
		}
		refusedAsOlder(t, dsn)
		x.ok(opened(t, dsn).Close())
		s, err := OpenToRead(t.Context(), Options{Path: dsn, Now: time.Now})
		if err != nil {
			t.Fatalf("%s, brought up to date: got %v, want no error", what, err)
		}
		x.ok(s.Close())
	}
	if _, err := Copy(t.Context(), CopyOptions{From: pgtest.Database(t, nil), To: filepath.Join(t.TempDir(), "copy.sqlite"), Now: time.Now}); abi.CodeOf(err) != CodeCopyRefused {
		t.Errorf("a copy of a database without a store: got %v, want %s", err, CodeCopyRefused)
	}
}

func refusedAsOlder(t *testing.T, path string) {
	t.Helper()
	s, err := OpenToRead(t.Context(), Options{Path: path, Now: time.Now})
	if err == nil {
		_ = s.Close()
	}
	if abi.CodeOf(err) != CodeOlder || !strings.Contains(err.Error(), "older") {
		t.Errorf("read: got %v, want %s", err, CodeOlder)
	}
}
