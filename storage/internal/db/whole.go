package db

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/storage/internal/postgres"
)

// OnServer reports whether a store's address is a server's.
func OnServer(dsn string) bool { return postgres.Is(dsn) }

// SameServer reports whether two addresses name the same database by the same name, however
// they are spelled.
func SameServer(a, b string) bool {
	if !OnServer(a) || !OnServer(b) {
		return false
	}
	one, err := postgres.Parse(a)
	other, oerr := postgres.Parse(b)
	return err == nil && oerr == nil && one.Same(other)
}

// WritesTo reports whether d is the store that the transaction writes to, by whatever address
// it was opened: a lock that this transaction has is one that d cannot get. A lock is the
// whole database's, so the schemas are compared, too. Of files it says nothing.
func (t *Tx) WritesTo(ctx context.Context, d *DB) (bool, error) {
	if t.server == nil || d.pg == nil {
		return false, nil
	}
	const lock = "SELECT pg_try_advisory_xact_lock(?), current_schema()"
	key := rand.Int64() //nolint:gosec // no secret
	var got, free bool
	var schema, other string
	if err := t.DB.QueryRowContext(t.Ctx, lock, key).Scan(&got, &schema); err != nil {
		return false, err
	}
	err := d.Read.QueryRowContext(ctx, lock, key).Scan(&free, &other)
	return got && !free && schema == other, d.Fail("compare the stores", err)
}

// Snapshot has read look at several things as they were at one moment.
func (d *DB) Snapshot(ctx context.Context, read func(q bun.IDB) error) error {
	conn, err := d.Read.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	begin := "BEGIN"
	if d.pg != nil {
		begin = "BEGIN READ ONLY, ISOLATION LEVEL REPEATABLE READ"
	}
	if _, err := conn.ExecContext(ctx, begin); err != nil {
		return err
	}
	defer func() { _, _ = conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK") }()
	return read(conn)
}

// Damage looks for what is broken below the tables. An error of a damaged file has the
// code storage.corrupt in Fail.
func (d *DB) Damage(ctx context.Context, q bun.IDB) (problems []string, err error) {
	if d.pg != nil {
		// The server holds foreign keys itself, and knows of pages whose sums differ.
		err := q.NewRaw(`SELECT 'the index ' || i.indexrelid::regclass || ' is not whole: REINDEX it' FROM pg_index AS i
JOIN pg_class AS c ON c.oid = i.indrelid WHERE NOT i.indisvalid AND c.relnamespace = current_schema()::regnamespace
UNION ALL SELECT 'the server has read ' || checksum_failures || ' damaged pages of this database' FROM pg_stat_database
WHERE datname = current_database() AND checksum_failures > 0`).Scan(ctx, &problems)
		return problems, err
	}
	var lines []string
	if err := q.NewRaw("PRAGMA integrity_check(20)").Scan(ctx, &lines); err != nil {
		return nil, err
	}
	for _, line := range lines {
		if line != "ok" {
			problems = append(problems, "damaged file: "+line)
		}
	}
	var rows []map[string]any
	err = q.NewRaw("PRAGMA foreign_key_check").Scan(ctx, &rows)
	for _, row := range rows {
		problems = append(problems, fmt.Sprintf("a row of %v refers to nothing in %v", row["table"], row["parent"]))
	}
	return problems, err
}

// Tables returns the bytes of each table with its indexes, and of a file's free pages.
func (d *DB) Tables(ctx context.Context) (sizes map[string]int64, free int64, err error) {
	var rows []struct {
		Name string
		Size int64
	}
	query := `SELECT coalesce(o.tbl_name, '') AS name, sum(d.pgsize) AS size FROM dbstat AS d
LEFT JOIN sqlite_schema AS o ON o.name = d.name WHERE d.aggregate = 1 GROUP BY 1`
	if d.pg != nil {
		query = `SELECT relname AS name, pg_total_relation_size(oid) AS size FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace`
	}
	err = d.Read.NewRaw(query).Scan(ctx, &rows)
	sizes = make(map[string]int64, len(rows))
	for _, r := range rows {
		sizes[r.Name] += r.Size
	}
	if err == nil {
		free, err = d.Free(ctx)
	}
	return sizes, free, d.Fail("measure the store", err)
}

// Free returns the bytes of a file's free pages; a server has none. It reads one page.
func (d *DB) Free(ctx context.Context) (free int64, err error) {
	if d.pg == nil {
		err = d.Read.QueryRowContext(ctx, "SELECT freelist_count * page_size FROM pragma_freelist_count, pragma_page_size").Scan(&free)
	}
	return free, err
}
