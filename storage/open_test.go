package storage

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
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
		t.Fatal("it was opened")
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

func TestOpenModes(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a?b#c %41 ü", "data")
	path := filepath.Join(dir, "pdpp.sqlite")
	s := mustOpen(t, Options{Path: path})
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
	s := mustOpen(t, Options{Path: filepath.Join(t.TempDir(), "x.sqlite")})
	err := s.alone(t.Context(), "ask", func(tx *tx) error {
		for name, want := range map[string]string{
			"page_size": "8192", "journal_mode": "wal", "synchronous": "2", "foreign_keys": "1",
			"wal_autocheckpoint": "10000", "cache_size": "-8192", "busy_timeout": "0",
		} {
			var got string
			if err := tx.db.QueryRowContext(tx.ctx, "PRAGMA "+name).Scan(&got); err != nil || got != want {
				t.Errorf("%s is %s, %v, want %s", name, got, err, want)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.read.ExecContext(t.Context(), "DELETE FROM counters"); err == nil {
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

// TestMigrationsAreFrozen holds the released steps to their checksums: editing
// one would lock every store out. A new step adds a line here.
func TestMigrationsAreFrozen(t *testing.T) {
	t.Parallel()
	known, err := migrations()
	if err != nil {
		t.Fatal(err)
	}
	frozen := []string{
		"59741acfd521f245e61e16489194f7ef68948da03a9e33fc84b2600653164112",
		"6fa4a8d1ae02f15f93b0880c20cbaab13e9333ec1074f4a9231beb333fd92b1d",
		"36cf415ffb2d61155f4884036ec01d4d24c234f8c7a4bb092b62bf0031ace2d6",
		"60362d4ac6ff2de12637368868d64d234105f6b8d3d1e232f2449b53f0948359",
		"1fc522c0bb3e0ae99ddf287df9582bb695daff0b5a45f84e749af0b4c379362e",
		"56cad247e113534bad6bd2e7131ed3c25e89bd135ce693260db14fffe7eba464",
		"4e311ee78d0bcb8f4549a069dd76289f1bbc460bd004742c56973d4762ca2715",
		"264336d5474deac008e63556218dddf3cccd2c6b5e3ce6dcc6fb5b1db9e9dd1f",
		"74e34c4d1ee0b01ad236912d6458584ec961dae62264fc400a83f95508fb2863",
		"e00ad02b44bd61c874d8c4b31bfd82fc04ef8b1e51b9dbe87712c94f4f01dbfc",
		"215e8629831824a37352aaa85d973e09d51695dd42715a2fe4d0a6d6aa2d6408",
		"84f3fe958d63c4834addd07d2323a77ea8954531a8ec2eedb7866bc763166a2f",
		"f7549ffdb4ecff50023ca22b5ff3db972f0ee82781bd35889e586c49021543cd",
		"eb6c7da8afb93d09e0b16bbd6781b75c895fb88c4c5ef6eceb13252a5922e96b",
		"5189c015a3c914d292e5fcb64ad2c6c6c051a1507b2466a7e68494afd1cb2dd7",
		"a4b89909d927c77b66047a18aff4e22e79bf5cafb7eeeb9f15c9a407ddd64613",
	}
	if len(known) != len(frozen) {
		t.Fatalf("%d migrations, %d checksums", len(known), len(frozen))
	}
	for i, m := range known {
		if m.checksum != frozen[i] {
			t.Errorf("migration %d_%s was edited: %s", m.version, m.name, m.checksum)
		}
	}
}
