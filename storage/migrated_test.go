package storage

import (
	"bytes"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The steps that make a store are no news to its owner, and those that change an older one are.
func TestOnlyAnOlderStoreIsSaidToMigrate(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "pdpp.sqlite")
	logged := func() string {
		t.Helper()
		var log bytes.Buffer
		s, err := Open(t.Context(), Options{Path: path, Now: time.Now, Logger: slog.New(slog.NewTextHandler(&log, nil))})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		return log.String()
	}
	if got := logged(); strings.Contains(got, "store migrated") {
		t.Errorf("a new store: logged %q, want no step", got)
	}
	rawSQL(t, path, "DROP TABLE passkeys", "DELETE FROM schema_migrations WHERE version = 82")
	if got := logged(); strings.Count(got, "store migrated") != 1 || !strings.Contains(got, "name=passkeys") {
		t.Errorf("a store without the step 82: logged %q, want that step", got)
	}
}

// RD-27.1: an index whose documents an older program has numbered is emptied, to be made anew, and
// tokens of changes from before are no good.
func TestWordsOfAnOlderStoreAreMadeAnew(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "pdpp.sqlite")
	open := func() *Store {
		t.Helper()
		s, err := Open(t.Context(), Options{Path: path, Now: time.Now})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	old := open()
	was, err := old.Position(t.Context())
	if err != nil || old.Close() != nil {
		t.Fatal(err)
	}
	rawSQL(t, path, "INSERT INTO read_fts (rowid, scope, body) VALUES (256, 's1f0', 'red')", "UPDATE read_position SET indexed_seq = 1", "DELETE FROM schema_migrations WHERE version = 117")
	s := open()
	defer func() { _ = s.Close() }()
	at, err := s.Position(t.Context())
	if err != nil || at.Indexed != 0 || at.Epoch == was.Epoch {
		t.Errorf("got %+v, %v, want nothing indexed, in another epoch than %d", at, err, was.Epoch)
	}
	if streams, all, err := s.CheckRead(t.Context()); err != nil || all || len(streams) > 0 {
		t.Errorf("got %v, %v, %v, want an index without old words", streams, all, err)
	}
}
