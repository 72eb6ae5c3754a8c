package storage

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/uptrace/bun"
	lib "modernc.org/sqlite/lib"

	"github.com/pdpp-host/pdpp-host/abi"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// migration is one forward step of the schema. A step that was released is
// never edited: its checksum is in every store that ran it.
type migration struct {
	version  int64
	name     string
	sql      string
	checksum string
}

// appliedMigration is a row of schema_migrations.
type appliedMigration struct {
	bun.BaseModel `bun:"table:schema_migrations"`

	Version   int64  `bun:"version,pk"`
	Name      string `bun:"name"`
	Checksum  string `bun:"checksum"`
	AppliedUS int64  `bun:"applied_us"`
}

const migrationsTable = `CREATE TABLE schema_migrations (
  version BIGINT PRIMARY KEY,
  name TEXT NOT NULL,
  checksum TEXT NOT NULL,
  applied_us BIGINT NOT NULL
)`

// migrations returns the steps in order. Files are named NNNN_name.sql; a number may
// be left out.
func migrations() ([]migration, error) {
	entries, err := migrationFiles.ReadDir("migrations")
	if err != nil {
		return nil, err
	}
	var out []migration
	for _, e := range entries { // sorted by name
		text, err := migrationFiles.ReadFile(path.Join("migrations", e.Name()))
		if err != nil {
			return nil, err
		}
		number, name, _ := strings.Cut(strings.TrimSuffix(e.Name(), ".sql"), "_")
		version, err := strconv.ParseInt(number, 10, 64)
		if err != nil || len(out) > 0 && version <= out[len(out)-1].version {
			return nil, fmt.Errorf("migration %s is out of order", e.Name())
		}
		out = append(out, newMigration(version, name, string(text)))
	}
	return out, nil
}

func newMigration(version int64, name, text string) migration {
	sum := sha256.Sum256([]byte(text))
	return migration{version: version, name: name, sql: text, checksum: hex.EncodeToString(sum[:])}
}

// inspect looks at an existing file without changing it: is it ours, and is
// it ours to change?
func (s *Store) inspect(ctx context.Context) error {
	db, err := s.pool(1, s.dsn("", s.busyPragma(), "query_only(1)"))
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	conn, err := db.Conn(ctx)
	if err != nil {
		return s.fail("open", err)
	}
	defer func() { _ = conn.Close() }()
	steps, err := s.pending(ctx, conn)
	if err == nil {
		err = s.laneFits(ctx, conn, len(steps))
	}
	return s.fail("read the schema", err)
}

// pending returns the steps that the file has not run yet.
func (s *Store) pending(ctx context.Context, conn bun.Conn) ([]migration, error) {
	known, err := migrations()
	if err != nil {
		return nil, err
	}
	var id, tables int64
	// In this order: another process may make the tables in between, and it
	// writes the id with them.
	if err := conn.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&tables); err != nil {
		return nil, err
	}
	if err := conn.QueryRowContext(ctx, "PRAGMA application_id").Scan(&id); err != nil {
		return nil, err
	}
	switch {
	case tables == 0:
		return known, nil
	case id != applicationID:
		return nil, foreign(s.path)
	}
	var applied []appliedMigration
	if err := conn.NewSelect().Model(&applied).Order("version").Scan(ctx); err != nil {
		return nil, err
	}
	if n := len(applied); n > 0 && applied[n-1].Version > known[len(known)-1].version {
		return nil, abi.NewError(abi.CodeStoreNewer, "the store was written by a newer pdpp-host",
			"upgrade pdpp-host, or use another data folder").
			WithDetail(fmt.Sprintf("%s has schema version %d, this program knows %d", s.path, applied[n-1].Version, known[len(known)-1].version))
	}
	left := slices.Clone(known)
	for _, a := range applied {
		i := slices.IndexFunc(left, func(m migration) bool { return m.version == a.Version && m.checksum == a.Checksum })
		if i < 0 {
			return nil, abi.NewError(abi.CodeStoreMigration, "the store's schema is not the one of this program",
				"use the pdpp-host build that made the store, or restore a backup").
				WithDetail(fmt.Sprintf("%s: migration %d_%s differs", s.path, a.Version, a.Name))
		}
		left = slices.Delete(left, i, i+1)
	}
	return left, nil
}

// migrate runs the pending steps, all in one transaction: a file is of one
// version or of the other. Another process may be doing the same, so the
// pending steps are read again under the write lock.
func (s *Store) migrate(ctx context.Context) error {
	conn, err := s.connect(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	steps, err := s.pending(ctx, conn)
	if err != nil || len(steps) == 0 {
		return s.fail("read the schema", err)
	}
	if _, err := conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return s.fail("migrate", err)
	}
	if err := s.runSteps(ctx, conn); err != nil {
		_, _ = conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
		return s.fail("migrate", err)
	}
	_, err = conn.ExecContext(ctx, "COMMIT")
	return s.fail("migrate", err)
}

func (s *Store) runSteps(ctx context.Context, conn bun.Conn) error {
	steps, err := s.pending(ctx, conn)
	if err != nil {
		return err
	}
	for _, m := range steps {
		if m.version == 1 {
			if _, err := conn.ExecContext(ctx, fmt.Sprintf("PRAGMA application_id = %d", applicationID)); err != nil {
				return err
			}
			if _, err := conn.ExecContext(ctx, migrationsTable); err != nil {
				return err
			}
		}
		if _, err := conn.ExecContext(ctx, m.sql); err != nil {
			return err
		}
		row := appliedMigration{Version: m.version, Name: m.name, Checksum: m.checksum, AppliedUS: micros(s.now())}
		if _, err := conn.NewInsert().Model(&row).Exec(ctx); err != nil {
			return err
		}
		s.logger.Info("store migrated", "version", m.version, "name", m.name)
	}
	return nil
}

// connect opens the writer's connection. Switching a fresh file to write-ahead
// logging needs it alone for a moment and does not wait for a busy timeout.
func (s *Store) connect(ctx context.Context) (bun.Conn, error) {
	deadline := time.NewTimer(s.opts.busyTimeout)
	defer deadline.Stop()
	for {
		conn, err := s.write.Conn(ctx)
		if err == nil {
			return conn, nil
		}
		if c := primary(err); c != lib.SQLITE_BUSY && c != lib.SQLITE_LOCKED {
			return bun.Conn{}, s.fail("open", err)
		}
		select {
		case <-ctx.Done():
			return bun.Conn{}, ctx.Err()
		case <-deadline.C:
			return bun.Conn{}, s.fail("open", err)
		case <-time.After(2 * time.Millisecond):
		}
	}
}

func micros(t time.Time) int64 { return t.UnixMicro() }

// at is the inverse of micros; 0 is no time.
func at(us int64) time.Time {
	if us == 0 {
		return time.Time{}
	}
	return time.UnixMicro(us).UTC()
}
