package db

import (
	"context"
	"errors"
	"hash/fnv"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage/internal/postgres"
)

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
