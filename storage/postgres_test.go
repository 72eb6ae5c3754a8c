package storage

import (
	"context"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/storage/internal/pgtest"
)

// postgresDatabase is the address of a migrated database of the test's own.
func postgresDatabase(t testing.TB) string {
	t.Helper()
	return pgtest.Database(t, func(dsn string) error {
		s, err := Open(context.Background(), Options{Path: dsn, Now: time.Now})
		if err != nil {
			return err
		}
		return s.Close()
	})
}

// postgresServer returns an opener over a fresh database.
func postgresServer(t *testing.T) opener {
	dsn := postgresDatabase(t)
	return func(t *testing.T, now func() time.Time) *Store {
		t.Helper()
		return mustOpen(t, Options{Path: dsn, Now: now})
	}
}

// FL-01: what SQLite passes, PostgreSQL passes.
func TestPostgres(t *testing.T) {
	t.Parallel()
	Exercise(t, postgresServer)
}
