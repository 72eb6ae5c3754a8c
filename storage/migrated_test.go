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
