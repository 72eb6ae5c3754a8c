package db

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"log/slog"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage/internal/schema"
)

//go:embed migrations/*.sql migrations/postgres/*.sql
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

// The steps of SQLite, and those of PostgreSQL, which begin with the whole schema as the
// 25th of SQLite leaves it. From there on each step is a pair of the same number.
const (
	sqliteSteps   = "migrations"
	postgresSteps = "migrations/postgres"
)

func migrations() ([]migration, error) { return stepsOf(sqliteSteps) }

// stepsOf returns the steps of a folder in order. Files are named NNNN_name.sql; a number
// may be left out.
func stepsOf(folder string) ([]migration, error) {
	entries, err := migrationFiles.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var out []migration
	for _, e := range entries { // sorted by name
		if e.IsDir() {
			continue
		}
		text, err := migrationFiles.ReadFile(path.Join(folder, e.Name()))
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
func (d *DB) inspect(ctx context.Context) error {
	db, err := d.pool(1, d.dsn("", d.busyPragma(), "query_only(1)"))
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	conn, err := db.Conn(ctx)
	if err != nil {
		return d.Fail("open", err)
	}
	defer func() { _ = conn.Close() }()
	steps, err := d.pending(ctx, conn)
	if err == nil {
		err = d.accept(ctx, conn, steps)
	}
	return d.Fail("read the schema", err)
}

func (d *DB) accept(ctx context.Context, conn bun.Conn, left []migration) error {
	known, err := migrations()
	if err != nil {
		return err
	}
	return d.opts.Accept(ctx, conn, len(known)-len(left))
}

// pending returns the steps that the file has not run yet.
func (d *DB) pending(ctx context.Context, conn bun.Conn) ([]migration, error) {
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
		return nil, foreign(d.Path)
	}
	return stepsLeftOf(ctx, conn, known, schema.File(), d.Path, func() ([]string, error) { return schema.InFile(ctx, conn) })
}

// stepsLeftOf is stepsLeft for a store whose schema has to be made. The table of the steps is looked at
// first, and the rest once the store is known to be no newer one, which has more.
func stepsLeftOf(ctx context.Context, conn bun.IDB, known []migration, made schema.Objects, where string, read func() ([]string, error)) ([]migration, error) {
	has, err := read()
	if err != nil {
		return nil, err
	}
	steps := slices.DeleteFunc(slices.Clone(has), func(what string) bool { return !strings.Contains(what+" ", " schema_migrations ") })
	if err := made.Recognize(steps, where); err != nil {
		return nil, err
	}
	left, err := stepsLeft(ctx, conn, known, where)
	if err != nil {
		return nil, err
	}
	if err := made.Recognize(has, where); err != nil {
		return nil, err
	}
	if len(left) > 0 || made.Complete(has, where) == nil {
		return left, nil
	}
	if has, err = read(); err == nil { // another process may have run the steps since it was read
		err = made.Complete(has, where)
	}
	return left, err
}

// stepsLeft returns the steps that a store with a table of them has not run. It refuses one
// that this program does not know.
func stepsLeft(ctx context.Context, conn bun.IDB, known []migration, where string) ([]migration, error) {
	var applied []appliedMigration
	if err := conn.NewSelect().Model(&applied).Order("version").Scan(ctx); err != nil {
		return nil, err
	}
	if n := len(applied); n > 0 && applied[n-1].Version > known[len(known)-1].version {
		return nil, abi.NewError(abi.CodeStoreNewer, "the store was written by a newer pdpp-host",
			"upgrade pdpp-host, or use another data folder").
			WithDetail(fmt.Sprintf("%s has schema version %d, this program knows %d", where, applied[n-1].Version, known[len(known)-1].version))
	}
	left := slices.Clone(known)
	for _, a := range applied {
		i := slices.IndexFunc(left, func(m migration) bool { return m.version == a.Version && m.checksum == a.Checksum })
		if i < 0 {
			return nil, abi.NewError(abi.CodeStoreMigration, "the store's schema is not the one of this program",
				"use the pdpp-host build that made the store, or restore a backup").
				WithDetail(fmt.Sprintf("%s: migration %d_%s differs", where, a.Version, a.Name))
		}
		left = slices.Delete(left, i, i+1)
	}
	return left, nil
}

// migrate runs the pending steps, all in one transaction: a file has one version or the
// other. Another process may be doing the same, so the pending steps are read again under the
// write lock.
func (d *DB) migrate(ctx context.Context) error {
	conn, err := d.connect(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	steps, err := d.pending(ctx, conn)
	if err != nil || len(steps) == 0 {
		return d.Fail("read the schema", err)
	}
	if _, err := conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return d.Fail("migrate", err)
	}
	if err := d.runSteps(ctx, conn); err != nil {
		_, _ = conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
		return d.Fail("migrate", err)
	}
	_, err = conn.ExecContext(ctx, "COMMIT")
	return d.Fail("migrate", err)
}

func (d *DB) runSteps(ctx context.Context, conn bun.Conn) error {
	steps, err := d.pending(ctx, conn)
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
		if err := d.runStep(ctx, conn, m, steps[0].version == 1); err != nil {
			return err
		}
	}
	return nil
}

// runStep runs one step. Those that make a store are nothing that its owner has to know.
func (d *DB) runStep(ctx context.Context, conn bun.IDB, m migration, made bool) error {
	if _, err := conn.ExecContext(ctx, m.sql); err != nil {
		return err
	}
	row := appliedMigration{Version: m.version, Name: m.name, Checksum: m.checksum, AppliedUS: Micros(d.opts.Now())}
	if _, err := conn.NewInsert().Model(&row).Exec(ctx); err != nil {
		return err
	}
	level := slog.LevelInfo
	if made {
		level = slog.LevelDebug
	}
	d.opts.Logger.Log(ctx, level, "store migrated", "version", m.version, "name", m.name)
	return nil
}
