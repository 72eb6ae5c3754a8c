package storage

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
)

// refused opens a file that has to be refused, and says that it was not changed.
func refused(t *testing.T, path string, want abi.Code) *abi.Error {
	t.Helper()
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), Options{Path: path, Now: time.Now, busyTimeout: 50 * time.Millisecond})
	if err == nil {
		_ = s.Close()
		t.Fatal("got an open store, want an error")
	}
	e, ok := err.(*abi.Error) //nolint:errorlint // the outermost error is meant
	if !ok || e.Code != want || e.Message == "" || e.Hint == "" || !strings.Contains(e.Detail, path) {
		t.Fatalf("got %#v, want %s", err, want)
	}
	if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
		t.Fatal("the refused file was changed", err)
	}
	return e
}

// rawSQL changes a closed store behind its back.
func rawSQL(t *testing.T, path string, statements ...string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	for _, q := range statements {
		if _, err := db.ExecContext(t.Context(), q); err != nil {
			t.Fatal(err)
		}
	}
}

func emptyStore(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pdpp.sqlite")
	if err := mustOpen(t, Options{Path: path}).Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// opened opens a store that nobody has made before.
func opened(t *testing.T, path string) *Store {
	t.Helper()
	s, err := Open(t.Context(), Options{Path: path, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func TestOpenModes(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a?b#c %41 ü", "data")
	path := filepath.Join(dir, "pdpp.sqlite")
	s := opened(t, path)
	if _, err := s.EnsureConnection(t.Context(), "c", "c"); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]os.FileMode{"": 0o700, "pdpp.sqlite": 0o600, "pdpp.sqlite-wal": 0o600, "pdpp.sqlite-shm": 0o600} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%q: %v, %v, want %v", name, info, err, want)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 3 {
		t.Fatal(entries, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	// A file that others could read is closed to them.
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	mustOpen(t, Options{Path: path})
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Fatal(info.Mode(), err)
	}
}

func TestSettings(t *testing.T) {
	t.Parallel()
	s := opened(t, filepath.Join(t.TempDir(), "x.sqlite"))
	err := s.db.Alone(t.Context(), "ask", func(tx *db.Tx) error {
		for name, want := range map[string]string{
			"page_size": "8192", "journal_mode": "wal", "synchronous": "2", "foreign_keys": "1",
			"wal_autocheckpoint": "10000", "cache_size": "-8192", "busy_timeout": "0",
		} {
			var got string
			if err := tx.DB.QueryRowContext(tx.Ctx, "PRAGMA "+name).Scan(&got); err != nil || got != want {
				t.Errorf("%s is %s, %v, want %s", name, got, err, want)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.db.Read.ExecContext(t.Context(), "DELETE FROM counters"); err == nil {
		t.Error("the read pool writes")
	}
}

func TestOpenRefusesForeignDatabase(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "other.db")
	rawSQL(t, path, "CREATE TABLE notes (x)")
	refused(t, path, abi.CodeStoreUnavailable)
}

func TestOpenRefusesNewerVersion(t *testing.T) {
	t.Parallel()
	path := emptyStore(t)
	rawSQL(t, path, "INSERT INTO schema_migrations VALUES (9999, 'later', 'x', 1)")
	refused(t, path, abi.CodeStoreNewer)
}

func TestOpenRefusesChangedMigration(t *testing.T) {
	t.Parallel()
	for _, change := range []string{
		"UPDATE schema_migrations SET checksum = 'edited' WHERE version = 1",
		"INSERT INTO schema_migrations VALUES (-1, 'odd', 'x', 1)",
		"UPDATE schema_migrations SET version = 0 WHERE version = 1",
	} {
		path := emptyStore(t)
		rawSQL(t, path, change)
		refused(t, path, abi.CodeStoreMigration)
	}
}

func TestOpenRefusesWhatIsNoDatabase(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"text": strings.Repeat("not a database, but long enough to look at. ", 100), "short": "x",
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		refused(t, path, abi.CodeStoreCorrupt)
	}
	_, err := Open(t.Context(), Options{Path: dir, Now: time.Now})
	if abi.CodeOf(err) != abi.CodeStoreUnavailable {
		t.Error("a folder:", err)
	}
	_, err = Open(t.Context(), Options{Path: filepath.Join(dir, "text", "x"), Now: time.Now})
	if abi.CodeOf(err) != abi.CodeStoreUnavailable {
		t.Error("below a file:", err)
	}
	_, err = Open(t.Context(), Options{Now: time.Now})
	if abi.CodeOf(err) != abi.CodeStoreUnavailable {
		t.Error("no path:", err)
	}
}

func TestOpenReadOnlyFile(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Skip("modes do not bind root")
	}
	path := emptyStore(t)
	if err := os.Chmod(path, 0o400); err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), Options{Path: path, Now: time.Now})
	if err == nil {
		_, err = s.EnsureConnection(t.Context(), "c", "c")
		_ = s.Close()
	}
	if abi.CodeOf(err) != abi.CodeStoreUnavailable {
		t.Fatal(err)
	}
}

// TestOpenTogether opens one fresh file many times at once: one of them makes
// the schema, all of them work.
func TestOpenTogether(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "pdpp.sqlite")
	errs := make(chan error)
	for range 6 {
		go func() {
			s, err := Open(t.Context(), Options{Path: path, Now: time.Now})
			if err == nil {
				_, err = s.EnsureConnection(t.Context(), "c", "c")
				_ = s.Close()
			}
			errs <- err
		}()
	}
	for range 6 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	s := mustOpen(t, Options{Path: path})
	if all, err := s.Connections(t.Context()); err != nil || len(all) != 1 {
		t.Error(all, err)
	}
}
