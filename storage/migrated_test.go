package storage

import (
	"bytes"
	"log/slog"
	"path/filepath"
	"slices"
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

// RD-15.4: of the records that a store has, the step that keeps when they were emitted finds it by
// itself, and has those streams made anew whose times it cannot read.
func TestEmittedOfAnOlderStore(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "pdpp.sqlite") // a file, on whatever the other tests run
	open := func() *Store {
		t.Helper()
		s, err := Open(t.Context(), Options{Path: path, Now: time.Now})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	if err := open().Close(); err != nil {
		t.Fatal(err)
	}
	rawSQL(
		t, path, "DROP INDEX read_rows_by_emitted", "ALTER TABLE read_rows DROP COLUMN emitted", "ALTER TABLE read_rows DROP COLUMN links", "DROP TABLE read_links",
		"DELETE FROM schema_migrations WHERE version = 114",
		"INSERT INTO connections (id, name, connector, options, roots, pinned_sha256, pinned_manifest, created_us) VALUES ('c', 'c', 'c', '', '', '', '{\"query\":{\"expand\":[]}}', 0)",
		"INSERT INTO streams (id, connection_id, name, removed, live, deleted, last_seq) VALUES (1, 'd', 'a', 0, 0, 0, 0), (2, 'd', 'b', 0, 0, 0, 0), (3, 'c', 'a', 0, 0, 0, 0)",
		"INSERT INTO read_streams (stream_id, module_sha256, declaration_sha256, generation) VALUES (1, '', '', 1), (2, '', '', 1), (3, '', '', 1)",
		`INSERT INTO records (seq, stream_id, key, data, deleted, emitted_at, run_pk) VALUES (1, 1, 'a', '{}', 0, '2026-01-01T10:00:00Z', 1), (2, 1, 'b', '{}', 0, '2026-01-01T10:00:00.500Z', 1),
(3, 1, 'c', '{}', 0, '2026-01-01T10:00:10.000Z', 1), (4, 2, 'a', '{}', 0, '2026-01-01T10:00:00+01:00', 1), (5, 3, 'a', '{}', 0, '2026-01-01T10:00:00Z', 1)`,
		"INSERT INTO read_rows (stream_id, key, seq, sort, day, docs) SELECT stream_id, key, seq, x'ff', 0, 0 FROM records",
	)
	s := open()
	defer func() { _ = s.Close() }()
	var emitted, anew []string
	if err := s.db.Read.NewRaw("SELECT CAST(emitted AS TEXT) FROM read_rows WHERE stream_id = 1 ORDER BY key").Scan(t.Context(), &emitted); err != nil {
		t.Fatal(err)
	}
	if want := []string{"2026-01-01T10:00:00", "2026-01-01T10:00:00.5", "2026-01-01T10:00:10"}; !slices.Equal(emitted, want) {
		t.Errorf("got %q, want %q", emitted, want)
	}
	if err := s.db.Read.NewRaw("SELECT stream_id || ' ' || generation FROM read_streams WHERE building_after = '' ORDER BY 1").Scan(t.Context(), &anew); err != nil {
		t.Fatal(err)
	}
	if want := []string{"2 2", "3 2"}; !slices.Equal(anew, want) {
		t.Errorf("got %q made anew, want %q: one with another zone, and one with relations", anew, want)
	}
}
