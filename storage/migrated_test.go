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

// The connector of calendar files has another key than the public one. Its connections go on under it, and what devices deliver, and
// the lanes of a device, stay what they are.
func TestConnectionsOfCalendarFilesHaveItsKey(t *testing.T) {
	t.Parallel()
	const source = "INSERT INTO source_instances (id, device_id, connection_id, connector, binding, manifest_sha256, heard_us, heartbeat, created_us) SELECT 's', 'd', id, 'ical', 'b', '', 0, '', 0 FROM connections WHERE name = 'ical'"
	for _, c := range []struct {
		what, connector, also string
		lane                  bool
		want                  string
	}{
		{"its own", "ical", "SELECT 1", false, "calendar_files"},
		{"of a device", "ical", source, false, "ical"},
		{"in the lane of a device", "ical", "SELECT 1", true, "ical"},
		{"of another connector", "other", "SELECT 1", false, "other"},
	} {
		t.Run(c.what, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "pdpp.sqlite")
			open := func() *Store {
				t.Helper()
				if c.lane {
					box, err := OpenOutbox(t.Context(), Options{Path: path, Now: time.Now}, Lane{SourceInstanceID: "s", ConnectorID: "ical"})
					if err != nil {
						t.Fatal(err)
					}
					return box.Store
				}
				s, err := Open(t.Context(), Options{Path: path, Now: time.Now})
				if err != nil {
					t.Fatal(err)
				}
				return s
			}
			old := open()
			if _, err := old.EnsureConnection(t.Context(), "ical", c.connector); err != nil || old.Close() != nil {
				t.Fatal(err)
			}
			rawSQL(t, path, `UPDATE connections SET roots = '{"ical":"/home/ical"}', read_roots = '{"ical":"/home/ical"}'`, c.also, "DELETE FROM schema_migrations WHERE version = 138")
			s := open()
			defer func() { _ = s.Close() }()
			conn, err := s.Connection(t.Context(), "ical")
			if err != nil {
				t.Fatal(err)
			}
			root := "ical"
			if c.want == "calendar_files" {
				root = c.want
			}
			if conn.Connector != c.want || conn.Roots[root] != "/home/ical" || conn.ReadRoots[root] != "/home/ical" {
				t.Errorf("got the connector %s with the folders %v, read %v; want %s with %s", conn.Connector, conn.Roots, conn.ReadRoots, c.want, root)
			}
		})
	}
}
