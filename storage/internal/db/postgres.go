package db

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage/internal/postgres"
)

// server is what a store on PostgreSQL has instead of a file.
type server struct {
	db      *DB
	address *postgres.Server
	lockKey int32 // of the store's advisory lock, beside lockClass
}

// lockClass marks advisory locks as ours ("PDPP"). The second number is the schema's, so
// that two stores of one database do not wait for each other.
const lockClass = applicationID

// leastServer is the oldest server that tells what became of a transaction by name
// (pg_xact_status of an xid8).
const leastServer = 130000

// openServer opens the database at o.Path and brings its schema up to date.
func openServer(ctx context.Context, o Options) (*DB, error) {
	d, fresh, left, err := reachServer(ctx, o)
	if err != nil {
		return nil, err
	}
	if fresh || left > 0 {
		err = d.pg.migrate(ctx)
	}
	if err == nil {
		d.writer = startWriter(d)
		err = d.opts.Ready(ctx, d)
	}
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// openServerToRead opens a database with a current schema as it is, an empty file where
// the database holds no store yet, and one with an older schema by bringing it up to date.
func openServerToRead(ctx context.Context, o Options) (*DB, error) {
	d, fresh, left, err := reachServer(ctx, o)
	if err != nil {
		return nil, err
	}
	current := left == 0
	if current && !fresh {
		current, err = d.opts.Current(ctx, d.Read)
	}
	switch {
	case err == nil && current && !fresh:
		d.writer = startWriter(d)
		return d, nil
	case err != nil:
		return nil, errors.Join(d.Fail("read the store", err), d.Close())
	}
	if err := d.Close(); err != nil {
		return nil, err
	}
	if fresh {
		return openCopy(ctx, o, "")
	}
	return openServer(ctx, o)
}

// reachServer connects, and looks at what is there without changing it: is it ours, and
// ours to change? It returns whether there is no store yet, and how many steps are left.
func reachServer(ctx context.Context, o Options) (_ *DB, fresh bool, steps int, err error) {
	address, err := postgres.Parse(o.Path)
	if err != nil {
		return nil, false, 0, err
	}
	d := unopened(address.String(), o)
	d.pg = &server{db: d, address: address}
	d.Read, d.write = d.pg.pool(readConnections, true), d.pg.pool(1, false)
	fresh, left, err := d.pg.look(ctx)
	if err != nil {
		return nil, false, 0, errors.Join(d.Fail("open", err), d.Close())
	}
	return d, fresh, len(left), nil
}

func (p *server) pool(n int, readOnly bool) *bun.DB {
	return bun.NewDB(p.address.Pool(n, readOnly), postgresDialect{pgdialect.New()})
}

func (p *server) look(ctx context.Context) (fresh bool, left []migration, err error) {
	var version int
	var encoding, client, quotes, schema string
	err = p.db.Read.QueryRowContext(ctx, `SELECT current_setting('server_version_num')::int, current_setting('server_encoding'),
current_setting('client_encoding'), current_setting('standard_conforming_strings'), coalesce(current_schema(), '')`).
		Scan(&version, &encoding, &client, &quotes, &schema)
	if err != nil {
		return false, nil, err
	}
	refuse := func(message, hint string) error {
		return abi.NewError(abi.CodeStoreUnavailable, message, hint).WithDetail(p.db.Path)
	}
	switch {
	case version < leastServer:
		return false, nil, refuse("this PostgreSQL is too old", "use PostgreSQL 13 or newer")
	case encoding != "UTF8" || client != "UTF8":
		return false, nil, refuse("the database's encoding is "+encoding+", and not UTF8", "make another one with: createdb --encoding=UTF8 --template=template0")
	case quotes != "on":
		return false, nil, refuse("the server reads a backslash in a text as an escape", "set standard_conforming_strings to on, its default")
	case schema == "":
		return false, nil, refuse("no schema of the database is this user's search_path", "make the schema that search_path names, or leave search_path out")
	}
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(schema))
	p.lockKey = int32(sum.Sum32() & 0x7fffffff)
	fresh, left, err = p.pending(ctx, p.db.Read)
	if err == nil && !fresh {
		known, kerr := stepsOf(postgresSteps)
		err = errors.Join(kerr, p.db.opts.Accept(ctx, p.db.Read, len(known)-len(left)))
	}
	return fresh, left, err
}

// fault describes an error of the server.
func (p *server) fault(what string, err error) error {
	e := postgres.Describe(err)
	if postgres.Waited(err) {
		e = abi.NewError(abi.CodeStoreLocked, "the store is locked by "+p.lockHolder(),
			"wait until that process is done, or end it; then run again")
	}
	return e.WithDetail(p.db.Path + ", " + what).Wrap(err)
}

// lockHolder names the session that has the write lock.
func (p *server) lockHolder() string {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	var pid int
	var name, client string
	err := p.db.Read.QueryRowContext(ctx, `SELECT a.pid, a.application_name, coalesce(host(a.client_addr), '')
FROM pg_locks AS l JOIN pg_stat_activity AS a ON a.pid = l.pid JOIN pg_database AS d ON d.oid = l.database
WHERE l.locktype = 'advisory' AND l.granted AND l.classid = ? AND l.objid = ? AND d.datname = current_database() LIMIT 1`,
		lockClass, p.lockKey).Scan(&pid, &name, &client)
	if err != nil {
		return "another session"
	}
	if client != "" {
		client = " from " + client
	}
	return fmt.Sprintf("%s%s (backend %d)", name, client, pid)
}

// vacuum writes the store's tables anew, without room for rows that are gone.
func (p *server) vacuum(ctx context.Context) error {
	pool := p.pool(1, false)
	var names []string
	err := pool.NewRaw("SELECT quote_ident(relname) FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace ORDER BY 1").Scan(ctx, &names)
	for _, name := range names {
		if err == nil {
			_, err = pool.ExecContext(ctx, "VACUUM (FULL, ANALYZE) "+name) //nolint:gosec // a table's own, quoted
		}
	}
	return p.db.Fail("compact", errors.Join(err, pool.Close()))
}

// size returns the bytes of the store's tables with their indexes.
func (p *server) size(ctx context.Context) (n int64) {
	_ = p.db.Read.NewRaw("SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace").Scan(ctx, &n)
	return n
}
